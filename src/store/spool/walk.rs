//! Lines of an output from any of them on, found by marks and not by reading what is before.

use std::{io, ops::ControlFlow};

use super::{Medium, newlines, page::CHUNK};
use crate::kernel::text;

/// How many newlines there are before each so many bytes of a medium.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Marks {
    before: Vec<u64>,
    pub(super) bytes: u64,
    pub(super) lines: u64,
}

impl Marks {
    /// Takes in bytes that come behind the others.
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let within = usize::try_from(self.bytes % CHUNK as u64).unwrap_or(0);
            if within == 0 {
                self.before.push(self.lines);
            }
            let (piece, rest) = bytes.split_at(bytes.len().min(CHUNK - within));
            self.bytes += piece.len() as u64;
            self.lines += newlines(piece);
            bytes = rest;
        }
    }

    /// Where to begin to read for a line, and the newlines before that.
    fn before(&self, line: u64) -> (u64, u64) {
        // The last one that is surely before the line begins.
        let at = self.before.partition_point(|before| *before < line).saturating_sub(1);
        (at as u64 * CHUNK as u64, self.before.get(at).copied().unwrap_or(0))
    }
}

/// What follows the medium: its bytes, and the number of its first line where lines are missing
/// between.
#[derive(Clone, Debug, Default)]
pub(super) struct Behind {
    pub(super) bytes: Vec<u8>,
    pub(super) after_gap: Option<u64>,
}

/// Visits lines from that number on, cleaned, each with its number, until the visitor breaks.
pub(super) fn lines(
    medium: &dyn Medium,
    marks: &Marks,
    behind: &Behind,
    from: u64,
    visit: &mut dyn FnMut(u64, &str) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut at = 0;
    let mut line = Vec::new();
    let mut tell = |number: u64, line: &mut Vec<u8>| {
        let flow =
            if number >= from { visit(number, &one(line)) } else { ControlFlow::Continue(()) };
        line.clear();
        flow
    };
    let (mut place, mut number) = marks.before(from);
    let mut buffer = vec![0; CHUNK];
    while place < marks.bytes {
        let most = usize::try_from(marks.bytes - place).unwrap_or(CHUNK).min(CHUNK);
        let count = medium.read_at(&mut buffer[..most], place)?;
        if count == 0 {
            break;
        }
        place += count as u64;
        if feed(&buffer[..count], &mut line, &mut number, from, &mut tell).is_break() {
            return Ok(());
        }
    }
    if let Some(first) = behind.after_gap {
        if !line.is_empty() && tell(number, &mut line).is_break() {
            return Ok(());
        }
        number = number.max(first);
        // A line that says that something is missing counts as the last of those.
        at = behind.bytes.iter().take_while(|byte| **byte == b'\n').count();
    }
    if feed(&behind.bytes[at..], &mut line, &mut number, from, &mut tell).is_continue()
        && !line.is_empty()
    {
        // There is nothing behind it that could be left out.
        let _ = tell(number, &mut line);
    }
    Ok(())
}

fn feed(
    mut bytes: &[u8],
    line: &mut Vec<u8>,
    number: &mut u64,
    from: u64,
    tell: &mut dyn FnMut(u64, &mut Vec<u8>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        // What is before is passed over and not kept.
        if *number >= from {
            line.extend_from_slice(&bytes[..end]);
        }
        tell(*number, line)?;
        *number += 1;
        bytes = &bytes[end + 1..];
    }
    if *number >= from {
        line.extend_from_slice(bytes);
    }
    ControlFlow::Continue(())
}

fn one(line: &[u8]) -> String {
    let mut cleaned = text::clean(line);
    if cleaned.ends_with('\n') {
        cleaned.pop();
    }
    cleaned
}
