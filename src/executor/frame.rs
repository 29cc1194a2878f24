//! The frames of a bridge: one JSON object a line.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::kernel::{invoke::ToolResult, json::Unambiguous};

/// The longest line that is taken.
pub(super) const LONGEST: usize = 16 << 20;

/// A call, as the Python end sends it.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) input: Unambiguous,
    #[serde(default)]
    pub(super) line: Option<u32>,
}

/// Reads one frame; the error is a sentence for whoever sent it.
pub(super) fn request(line: &[u8]) -> Result<Request, String> {
    serde_json::from_slice(line).map_err(|error| {
        format!("this is no call to footplate: {error}. The connection is closed.")
    })
}

/// The answer to one call.
pub(super) fn reply(id: u64, result: &ToolResult) -> Vec<u8> {
    line(&json!({"id": id, "ok": result.ok, "content": result.content}))
}

/// The last frame of a connection that went wrong.
pub(super) fn fault(message: &str) -> Vec<u8> {
    line(&json!({"fault": message}))
}

fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read() {
        let line = br#"{"id":1,"name":"files.read","input":{"path":"a"},"line":3}"#;
        let expected = Request {
            id: 1,
            name: "files.read".to_owned(),
            input: Unambiguous(json!({"path": "a"})),
            line: Some(3),
        };
        assert_eq!(request(line), Ok(expected));
    }

    #[test]
    fn arguments_that_could_be_read_in_two_ways_are_refused() {
        let line = br#"{"id":1,"name":"files.read","input":{"path":"a","path":"b"}}"#;
        assert!(request(line).unwrap_err().contains("the key \"path\" is there twice"));
    }

    #[test]
    fn anything_else_is_refused_in_words() {
        let deep = "[".repeat(100_000);
        for line in ["", "\0\u{1}", "[]", "{\"id\":-1}", "{\"id\":1,\"name\":2}", &deep] {
            let error = request(line.as_bytes()).unwrap_err();
            assert!(error.starts_with("this is no call to footplate: "), "{line:.20}: {error}");
        }
        assert!(request(b"\xff").is_err());
    }
}
