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
/// The most bytes in one line.
const LONGEST_LINE: usize = 8 << 20;
/// About how much the reader is given at once.
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
pub(super) struct Payload(String);

impl Payload {
    /// Its JSON; nothing if it is the word that ends a stream.
    pub(super) fn json(&self, provider: &str) -> Option<Result<Value, Trouble>> {
        let text = self.0.trim();
        if text == "[DONE]" {
            return None;
        }
        Some(serde_json::from_str(text).map_err(|_| Trouble::garbled(provider)))
    }
}

pub(super) type Events = Pin<Box<dyn Stream<Item = Result<Payload, Broken>> + Send>>;

/// The events of a response.
pub(super) fn events(response: Response) -> Events {
    let (mut total, mut lines) = (0, Lines::default());
    let pieces = response.bytes_stream().flat_map(move |chunk| {
        let pieces = match chunk {
            Err(error) => vec![Err(Broken::Transport(cause(&error)))],
            Ok(chunk) => {
                total += chunk.len();
                let pieces = lines.push(&chunk);
                if total > LONGEST_ANSWER || lines.rest.len() > LONGEST_LINE {
                    vec![Err(Broken::TooLong)]
                } else {
                    pieces.into_iter().map(Ok).collect()
                }
            }
        };
        stream::iter(pieces)
    });
    let events = pieces.eventsource().map(|event| match event {
        Ok(event) => Ok(Payload(event.data)),
        Err(EventStreamError::Transport(broken)) => Err(broken),
        Err(EventStreamError::Utf8(_)) => Err(Broken::NotText),
        Err(EventStreamError::Parser(_)) => Err(Broken::NotEvents),
    });
    Box::pin(events)
}

/// Makes whole lines of chunks. The reader of events goes over an unfinished line again with each
/// piece it is given, and moves all that lies behind a line with each line: given few whole lines
/// at a time it does either once.
#[derive(Default)]
struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// Takes a chunk; gives what is whole now, in pieces.
    fn push(&mut self, chunk: &[u8]) -> Vec<Vec<u8>> {
        let before = self.rest.len();
        self.rest.extend_from_slice(chunk);
        let Some(end) = chunk.iter().rposition(ends_line) else { return Vec::new() };
        let rest = self.rest.split_off(before + end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        let mut whole = whole.as_slice();
        let mut pieces = Vec::new();
        while !whole.is_empty() {
            let from = PIECE.min(whole.len() - 1);
            let end =
                whole[from..].iter().position(ends_line).map_or(whole.len(), |at| from + at + 1);
            let (piece, behind) = whole.split_at(end);
            pieces.push(piece.to_vec());
            whole = behind;
        }
        pieces
    }
}

fn ends_line(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The next event; nothing at the end. Losing this future loses nothing.
pub(super) async fn next(events: &mut Events) -> Result<Option<Payload>, Broken> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_are_whole_lines_and_nothing_is_lost(
            lines in prop::collection::vec(0_usize..20_000, 0..8),
            chunk in 1_usize..30_000,
        ) {
            let text: Vec<u8> = lines.iter().flat_map(|length| [vec![b'x'; *length], vec![b'\n']].concat()).collect();
            let mut made = Lines::default();
            let mut seen = Vec::new();
            for chunk in text.chunks(chunk) {
                for piece in made.push(chunk) {
                    prop_assert_eq!(piece.last(), Some(&b'\n'));
                    let lines = &piece[..piece.len() - 1];
                    let last = lines.iter().rposition(ends_line).map_or(0, |end| end + 1);
                    prop_assert!(last <= PIECE, "{} bytes before the last line", last);
                    seen.extend(piece);
                }
            }
            prop_assert_eq!(made.rest.len(), 0);
            prop_assert_eq!(seen, text);
        }
    }
}
