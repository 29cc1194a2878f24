//! A session that was written to a file, read back.

use std::io::{BufRead, Read};

use super::reader::{self, Order, Reading, Unreadable};
use crate::kernel::port::Replay;

/// The longest first line that is believed.
const FIRST: usize = 1 << 20;

/// Reads the lines of one session, that of the first of them. What follows of others is left out and
/// told. The error is what is wrong with it.
pub fn exported(input: &mut dyn BufRead) -> Result<Replay, String> {
    let mut first = Vec::new();
    reader::next_line(input, &mut first, FIRST).map_err(|error| error.to_string())?;
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first);
    let none = || "its first line does not describe a session".to_owned();
    let session = reader::event(text).ok_or_else(none)?.session;
    first.push(b'\n');
    let whole = Read::chain(&first[..], input);
    let mut reading = Reading::new(whole, Order::Unknown, session);
    let mut events = Vec::new();
    let fault = |unreadable| match unreadable {
        Unreadable::Io(error) => error.to_string(),
        Unreadable::Damaged(fault) => fault,
    };
    while let Some(envelope) = reading.next().map_err(fault)? {
        events.push(envelope);
    }
    Ok(Replay { events, notice: reading.back().notice(", left out") })
}
