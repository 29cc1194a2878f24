//! What the first bytes of a line tell, where they are as this program writes them.

use std::str::FromStr;

use jiff::Timestamp;

use crate::kernel::id::SessionId;

/// All that stands before what happened.
pub(super) struct Head {
    pub(super) v: u32,
    pub(super) seq: u64,
    pub(super) at: Timestamp,
    pub(super) session: SessionId,
    /// Where the comma stands after which it is told what happened.
    pub(super) end: usize,
}

/// The head of the record that begins like this.
pub(super) fn whole(line: &[u8]) -> Option<Head> {
    let (v, rest) = digits(line.strip_prefix(b"{\"v\":")?)?;
    let (seq, rest) = digits(rest.strip_prefix(b",\"seq\":")?)?;
    let (at, rest) = quoted(rest.strip_prefix(b",\"at\":")?)?;
    let (session, rest) = quoted(rest.strip_prefix(b",\"session\":")?)?;
    rest.starts_with(b",\"type\":").then_some(Head {
        v: v.try_into().ok()?,
        seq,
        at: parsed(at)?,
        session: parsed(session)?,
        end: line.len() - rest.len(),
    })
}

fn parsed<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The number of the record that begins like this.
pub(super) fn number(line: &[u8]) -> Option<u64> {
    let (number, rest) = numbered(line)?;
    rest.starts_with(b",\"at\":").then_some(number)
}

/// The session of the record that begins like this.
pub(super) fn session(line: &[u8]) -> Option<SessionId> {
    parsed(named(line)?.0)
}

/// The type of the record that begins like this.
pub(super) fn kind(line: &[u8]) -> Option<&[u8]> {
    let (_, rest) = named(line)?;
    let (kind, _) = quoted(rest.strip_prefix(b",\"type\":")?)?;
    Some(kind)
}

fn named(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, rest) = numbered(line)?;
    let (_, rest) = quoted(rest.strip_prefix(b",\"at\":")?)?;
    quoted(rest.strip_prefix(b",\"session\":")?)
}

fn numbered(line: &[u8]) -> Option<(u64, &[u8])> {
    let (_, rest) = digits(line.strip_prefix(b"{\"v\":")?)?;
    digits(rest.strip_prefix(b",\"seq\":")?)
}

fn digits(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (digits, rest) = bytes.split_at(bytes.iter().take_while(|it| it.is_ascii_digit()).count());
    // As JSON has it.
    let well_formed = digits.len() == 1 || !digits.starts_with(b"0");
    Some((parsed(digits).filter(|_| well_formed)?, rest))
}

/// A text without an escape in it, and what follows.
fn quoted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(b"\"")?;
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    (rest[end] == b'"').then_some((&rest[..end], &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kernel::event::Envelope,
        store::sample::{since, story},
    };

    #[test]
    fn the_head_of_every_line_that_is_written_is_known() {
        for (seq, event) in (1..).zip(story().into_iter().chain(since())) {
            let (at, name) = (jiff::Timestamp::UNIX_EPOCH, event.name());
            let line = Envelope { v: 1, seq, at, session: 1.into(), event };
            let line = serde_json::to_vec(&line).unwrap();
            assert_eq!((number(&line), kind(&line)), (Some(seq), Some(name.as_bytes())));
            assert_eq!(session(&line), Some(1.into()));
        }
        for other in ["", "{}", "{\"v\":1,\"seq\":2,\"type\":\"x\"}", "{\"v\":1,\"seq\":x"] {
            assert_eq!((number(other.as_bytes()), kind(other.as_bytes())), (None, None), "{other}");
        }
    }
}
