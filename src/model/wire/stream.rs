//! From the bytes of a response to its events, within bounds.

use std::{pin::Pin, time::Duration};

use eventsource_stream::{EventStreamError, Eventsource as _};
use futures_util::{Stream, StreamExt as _, stream};
use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use super::fault::{Trouble, cause};

/// The most bytes that are read of one answer.
const LONGEST_ANSWER: usize = 64 << 20;
/// The most bytes in one line: the reader goes over an unfinished line again with each piece.
const LONGEST_LINE: usize = 4 << 20;
/// The size of those pieces: small enough for the lines behind one that are moved with each line.
const PIECE: usize = 8 << 10;

/// Why a stream cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("the connection broke ({0})")]
    Transport(String),
    #[error("it is longer than any answer")]
    TooLong,
    #[error("it is not UTF-8 text")]
    NotText,
    #[error("it is not a stream of events")]
    NotEvents,
}

/// The text of one event.
pub(super) struct Data(String);

impl Data {
    /// Its JSON; nothing if it is the word that ends a stream.
    pub(super) fn json(&self, provider: &str) -> Option<Result<Value, Trouble>> {
        let text = self.0.trim();
        if text == "[DONE]" {
            return None;
        }
        Some(serde_json::from_str(text).map_err(|_| Trouble::garbled(provider)))
    }
}

pub(super) type Events = Pin<Box<dyn Stream<Item = Result<Data, Broken>> + Send>>;

/// The events of a response.
pub(super) fn events(response: Response) -> Events {
    let (mut total, mut line) = (0, 0);
    let bytes = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(|error| Broken::Transport(cause(&error)))?;
        total += chunk.len();
        line = match chunk.iter().rposition(|byte| *byte == b'\n') {
            Some(newline) => chunk.len() - newline,
            None => line + chunk.len(),
        };
        if total > LONGEST_ANSWER || line > LONGEST_LINE {
            return Err(Broken::TooLong);
        }
        Ok(chunk)
    });
    let pieces = bytes.flat_map(|chunk| match chunk {
        Ok(chunk) => {
            let ends = (0..chunk.len()).step_by(PIECE);
            let piece = move |at: usize| Ok(chunk.slice(at..chunk.len().min(at + PIECE)));
            stream::iter(ends.map(piece).collect::<Vec<_>>())
        }
        Err(broken) => stream::iter(vec![Err(broken)]),
    });
    let events = pieces.eventsource().map(|event| match event {
        Ok(event) => Ok(Data(event.data)),
        Err(EventStreamError::Transport(broken)) => Err(broken),
        Err(EventStreamError::Utf8(_)) => Err(Broken::NotText),
        Err(EventStreamError::Parser(_)) => Err(Broken::NotEvents),
    });
    Box::pin(events)
}

/// The next event; nothing at the end. Losing this future loses nothing.
pub(super) async fn next(events: &mut Events) -> Result<Option<Data>, Broken> {
    events.next().await.transpose()
}

/// The beginning of a body that is no stream; as much as comes soon.
pub(super) async fn beginning(mut response: Response) -> Vec<u8> {
    const ENOUGH: usize = 64 << 10;
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > ENOUGH {
                break;
            }
        }
    };
    // What a provider says of its refusal is worth no long wait.
    let _ = timeout(Duration::from_secs(10), read).await;
    body
}
