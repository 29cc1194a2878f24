//! The lines with which a copy of a session begins.

use std::io;

use jiff::Timestamp;

use super::reader;
use crate::kernel::{
    event::{Envelope, Event, VERSION},
    session::branch::Branch,
};

/// The description, made now, and what was copied; and the number of what comes next.
pub(super) fn lines(branch: &Branch, now: Timestamp) -> io::Result<(Vec<u8>, u64)> {
    let session = branch.spec.id;
    let event = Event::SessionStarted { spec: branch.spec.clone() };
    let first = Envelope { v: VERSION, seq: 0, at: now, session, event };
    let mut bytes = Vec::new();
    let mut next = 0;
    for envelope in std::iter::once(&first).chain(branch.copied.iter().map(AsRef::as_ref)) {
        let start = bytes.len();
        serde_json::to_writer(&mut bytes, envelope)?;
        reader::readable(&bytes[start..])?;
        bytes.push(b'\n');
        next = envelope.seq + 1;
    }
    Ok((bytes, next))
}
