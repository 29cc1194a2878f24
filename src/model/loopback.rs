//! A server on this computer that plays what a test gives it: a reply for each request, in pieces,
//! each of which can wait for the test's word.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use super::wire::{Patience, Wire};
use crate::kernel::{
    event::Stop,
    message::{Message, ModelCall, Thought},
    picture::{Format, Picture, PictureId},
    port::{Delta, ModelError, Print},
    provider::{Api, Provider, Sees, Think},
};

/// The key that tests use.
pub(super) const KEY: &str = "sk-very-secret";

/// What to send back.
pub(super) struct Reply {
    head: String,
    pieces: Vec<Piece>,
}

pub(super) enum Piece {
    /// These bytes, at once.
    Bytes(Vec<u8>),
    /// Nothing until the test says so, or has gone.
    Gate(oneshot::Receiver<()>),
    /// Nothing until the client hangs up, which is told here.
    HangUp(oneshot::Sender<()>),
}

impl Reply {
    /// A stream of events that ends properly with its last byte.
    pub(super) fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self::pieces(vec![Piece::Bytes(bytes.into())])
    }

    pub(super) fn pieces(pieces: Vec<Piece>) -> Self {
        Self { head: "200 OK\r\ncontent-type: text/event-stream".to_owned(), pieces }
    }

    /// A stream whose connection breaks after these bytes.
    pub(super) fn broken(bytes: impl Into<Vec<u8>>) -> Self {
        let head =
            "200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 1000000".to_owned();
        Self { head, pieces: vec![Piece::Bytes(bytes.into())] }
    }

    /// No stream but a status with headers and a body.
    pub(super) fn status(head: &str, body: &str) -> Self {
        Self { head: head.to_owned(), pieces: vec![Piece::Bytes(body.into())] }
    }
}

/// A request as it arrived.
pub(super) struct Request {
    pub(super) head: String,
    pub(super) body: Value,
}

/// The server; it ends when dropped.
pub(super) struct Loopback {
    address: String,
    requests: mpsc::UnboundedReceiver<Request>,
    _task: JoinSet<()>,
}

impl Loopback {
    /// Plays one reply for each request, then accepts no more.
    pub(super) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (seen, requests) = mpsc::unbounded_channel();
        let mut task = JoinSet::new();
        task.spawn(async move {
            for reply in replies {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = seen.send(read(&mut stream).await);
                play(&mut stream, reply).await;
            }
        });
        Self { address, requests, _task: task }
    }

    pub(super) fn wire(&self, api: Api, path: &str) -> Wire {
        self.patient_wire(api, path, patience())
    }

    pub(super) fn patient_wire(&self, api: Api, path: &str, patience: Patience) -> Wire {
        let provider = Provider {
            name: "loop".to_owned(),
            api,
            base_url: format!("http://{}{path}", self.address),
            api_key_env: Some("LOOP_KEY".to_owned()),
            max_tokens: None,
            context_tokens: None,
            sees: Sees::Pictures,
            think: Think::AsProvided,
            model: None,
        };
        Wire::new(&provider, Some(SecretString::from(KEY)), patience).unwrap()
    }

    /// The next request.
    pub(super) async fn request(&mut self) -> Request {
        self.requests.recv().await.unwrap()
    }

    /// How many requests came that were not looked at.
    pub(super) fn requests_left(&self) -> usize {
        self.requests.len()
    }
}

/// Long where a test must not run into it, short where it must wait for it.
pub(super) fn patience() -> Patience {
    Patience { backoff: Duration::from_millis(1), ..Patience::default() }
}

async fn read(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.unwrap();
        assert!(count > 0, "the request ended early");
        bytes.extend_from_slice(&piece[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let lower = head.to_ascii_lowercase();
        let length = lower.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        if bytes.len() >= end + 4 + length.parse::<usize>().unwrap() {
            return Request { head, body: serde_json::from_slice(&bytes[end + 4..]).unwrap() };
        }
    }
}

async fn play(stream: &mut TcpStream, reply: Reply) {
    let head = format!("HTTP/1.1 {}\r\nconnection: close\r\n\r\n", reply.head);
    let _ = stream.write_all(head.as_bytes()).await;
    for piece in reply.pieces {
        match piece {
            Piece::Bytes(bytes) => {
                // A client that has heard enough is no fault.
                let _ = stream.write_all(&bytes).await;
            }
            Piece::Gate(gate) => {
                let _ = gate.await;
            }
            Piece::HangUp(told) => {
                // A reset is an error here, and a way to hang up as well.
                let _ = stream.read(&mut [0]).await;
                let _ = told.send(());
            }
        }
    }
    let _ = stream.shutdown().await;
}

/// One line for an answer: its text, its calls, its end.
pub(super) async fn told(mut receiver: mpsc::Receiver<Result<Delta, ModelError>>) -> String {
    let mut told = String::new();
    while let Some(delta) = receiver.recv().await {
        match delta {
            Ok(Delta::Delayed(_)) => {}
            Ok(Delta::Text(text)) => told += &text,
            Ok(Delta::Thinking(text)) => told += &format!("({text})"),
            Ok(Delta::Thought(thought)) => {
                let Thought { from, kind, signature, streamed, words, .. } = &thought;
                told += &format!("{{{from} {kind} {signature} {streamed} {words:?}");
                told += &format!(" {} {}}}", thought.after_text, thought.after_calls);
            }
            Ok(Delta::Call { provider_id, name, arguments }) => {
                told += &format!("[{provider_id} {name} {arguments}]");
            }
            Ok(Delta::Finished { stop, usage }) => {
                let stop = match stop {
                    Stop::Failed { message } => message.lines().next().unwrap().to_owned(),
                    Stop::End | Stop::Calls | Stop::Length | Stop::Interrupted => {
                        format!("{stop:?} {}+{}", usage.input, usage.output)
                    }
                };
                told += &format!(" | {stop}");
            }
            Err(error) => told += &format!(" ! {}", error.message.lines().next().unwrap()),
        }
    }
    told
}

/// What is known of a picture with these bytes, which are named after them.
pub(super) fn drawn(bytes: &[u8; 4]) -> Picture {
    Picture {
        id: PictureId::of(bytes),
        format: Format::Png,
        width: 2,
        height: 1,
        bytes: 4,
        name: format!("{}.png", String::from_utf8_lossy(bytes)),
    }
}

/// A picture as it is shown.
pub(super) fn print(format: Format, base64: &str) -> Print {
    Print { format, width: 2, height: 1, base64: base64.into() }
}

/// An answer in a conversation.
pub(super) fn assistant(text: &str, calls: Vec<ModelCall>, thoughts: Vec<Thought>) -> Message {
    Message::Assistant { text: text.to_owned(), calls, thoughts }
}

/// A block of thinking of a model, as a conversation has it.
pub(super) fn thought(from: &str, kind: &str, words: &str, after_text: usize) -> Thought {
    Thought {
        from: from.to_owned(),
        kind: kind.to_owned(),
        signature: "c2ln".to_owned(),
        streamed: 0,
        words: Some(words.to_owned()),
        after_text,
        after_calls: 0,
    }
}
