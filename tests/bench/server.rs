//! A model on this computer that speaks chat completions at the pace of the bench.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread::JoinHandle,
    time::Duration,
};

use serde_json::json;

use super::support::Place;

/// The `--model` of a place that has such a server.
pub const MODEL: &str = "loop/any";

/// One answer, of so many tokens with that time between them. The first comes at once, the others
/// once they are wanted.
pub struct Server {
    go_on: Sender<()>,
    done: JoinHandle<()>,
}

impl Server {
    /// Starts it, and tells the program of that place where it is.
    pub fn start(place: &Place, tokens: usize, gap: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        fs::create_dir_all(place.home().join("config")).unwrap();
        let config = format!(
            "[providers.loop]\napi = \"openai-chat\"\nbase_url = \"http://{address}/v1\"\n"
        );
        fs::write(place.home().join("config/config.toml"), config).unwrap();
        let (go_on, wanted) = channel();
        let done = std::thread::spawn(move || {
            // Who has heard enough hangs up.
            let _ = serve(&listener, tokens, gap, &wanted);
        });
        Self { go_on, done }
    }

    pub fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }

    /// Waits until all was sent, or nobody listened any more.
    pub fn join(self) {
        self.done.join().unwrap();
    }
}

fn serve(
    listener: &TcpListener,
    tokens: usize,
    gap: Duration,
    wanted: &Receiver<()>,
) -> std::io::Result<()> {
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    read_request(&stream)?;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    for token in 0..tokens {
        let end = if token % 12 == 11 { "\n" } else { " " };
        let delta = json!({ "content": format!("w{token}{end}") });
        let data = json!({ "choices": [{ "index": 0, "delta": delta }] });
        stream.write_all(format!("data: {data}\n\n").as_bytes())?;
        if token == 0 {
            let _ = wanted.recv();
        } else if gap > Duration::ZERO {
            std::thread::sleep(gap);
        }
    }
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    stream.write_all(format!("data: {last}\n\ndata: [DONE]\n\n").as_bytes())
}

fn read_request(stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length])
}
