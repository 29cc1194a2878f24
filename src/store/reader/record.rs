//! One line of a journal: what it holds, and whether it could be read back.

use std::io;

use serde::{Deserialize, de::IgnoredAny};

use crate::kernel::event::{Envelope, VERSION};

/// The longest line that is written or read.
pub(super) const LINE_MAX: usize = 256 << 20;
/// The deepest nesting that is written; a little less than what is read.
const DEPTH_MAX: usize = 120;
/// Numbers from here on are no count of events.
const SEQ_MAX: u64 = 1 << 53;

/// What one line holds.
pub(super) enum Record {
    Blank,
    Event(Box<Envelope>),
    /// Of a type this program does not know.
    Unknown(Option<u64>),
    /// Of a version this program does not know.
    Newer(Option<u64>, u64),
    Broken,
}

/// The little that records of all versions have in common.
#[derive(Deserialize)]
struct Head {
    v: Option<u64>,
    seq: Option<u64>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Reads one line.
pub(super) fn record(line: &[u8]) -> Record {
    let line = trimmed(line);
    if line.is_empty() {
        return Record::Blank;
    }
    if let Ok(envelope) = serde_json::from_slice::<Envelope>(line) {
        return match envelope.v {
            v if v > VERSION => Record::Newer(Some(envelope.seq), v.into()),
            _ if envelope.seq >= SEQ_MAX => Record::Broken,
            _ => Record::Event(Box::new(envelope)),
        };
    }
    let Ok(Head { v, seq, kind }) = serde_json::from_slice(line) else { return Record::Broken };
    let seq = seq.filter(|seq| *seq < SEQ_MAX);
    match (v, kind) {
        (Some(v), _) if v > VERSION.into() => Record::Newer(seq, v),
        (_, Some(kind)) if !TYPES.contains(&kind.as_str()) => Record::Unknown(seq),
        (_, Some(_) | None) => Record::Broken,
    }
}

/// Every type of event this program knows, as it stands in a journal.
pub(in crate::store) const TYPES: [&str; 34] = [
    "session_started",
    "session_resumed",
    "session_forked",
    "session_named",
    "conversation_rewound",
    "message_sent",
    "turn_started",
    "answer_delayed",
    "text_streamed",
    "thinking_streamed",
    "turn_finished",
    "exchange_finished",
    "call_judged",
    "call_started",
    "approval_requested",
    "approval_answered",
    "approval_withdrawn",
    "execution_started",
    "output_written",
    "execution_finished",
    "picture_made",
    "change_begun",
    "call_finished",
    "mode_changed",
    "rule_revoked",
    "put_aside",
    "compaction_started",
    "context_compacted",
    "child_started",
    "signal_sent",
    "signal_received",
    "signal_taken",
    "todo_changed",
    "session_finished",
];

/// A line without what a crash, an editor or another system may have put around it.
fn trimmed(line: &[u8]) -> &[u8] {
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let start = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    &line[start..end]
}

/// Whether a line is a whole JSON object, however deep.
pub(super) fn is_object(line: &[u8]) -> bool {
    let line = trimmed(line);
    line.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Whether a line can be read back; what could not must not be written.
pub(in crate::store) fn readable(line: &[u8]) -> io::Result<()> {
    let refuse = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if line.len() >= LINE_MAX {
        return refuse("the event is too large for a journal");
    }
    if depth(line) > DEPTH_MAX {
        return refuse("the event is nested too deeply for a journal");
    }
    Ok(())
}

/// The event of a line, if it is one of a session that this program can read.
pub(in crate::store) fn event(line: &[u8]) -> Option<Envelope> {
    match record(line) {
        Record::Event(envelope) => Some(*envelope),
        Record::Blank | Record::Unknown(_) | Record::Newer(..) | Record::Broken => None,
    }
}
