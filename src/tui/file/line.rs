//! One line of a file: where it ends, as text, and whether a word is in it.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
};

use super::LINE;
use crate::tui::words::grouped;

/// After so many bytes nobody looks for the end of a line.
const FAR: u64 = 4 << 20;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With its line end, and so many bytes of it were left out.
    Line(u64),
    File,
    /// So far away that nobody looks for it.
    Far,
}

/// The next line, as far as it is kept, without its end.
pub(super) fn next(file: &mut BufReader<File>) -> io::Result<(Vec<u8>, End)> {
    let (mut kept, mut left) = (Vec::new(), 0_u64);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            let end = if left == 0 { End::File } else { End::Line(left) };
            return Ok((kept, end));
        }
        let found = memchr::memchr(b'\n', bytes);
        let part = &bytes[..found.unwrap_or(bytes.len())];
        let room = part.len().min(LINE.saturating_sub(kept.len()));
        kept.extend_from_slice(&part[..room]);
        left += (part.len() - room) as u64;
        let used = part.len() + usize::from(found.is_some());
        file.consume(used);
        if found.is_some() {
            return Ok((kept, End::Line(left)));
        }
        if left > FAR {
            return Ok((kept, End::Far));
        }
    }
}

/// A line as text; what was left out of it is said.
pub(super) fn text(mut bytes: Vec<u8>, end: &End, crlf: &mut bool) -> String {
    let more = match end {
        End::File | End::Line(0) => None,
        End::Line(left) => Some(format!("{} bytes", grouped(*left))),
        End::Far => Some("much".to_owned()),
    };
    if more.is_none() && *end != End::File && bytes.last() == Some(&b'\r') {
        bytes.pop();
        *crlf = true;
    }
    if more.is_some() {
        // Not in the middle of a letter.
        let tail = bytes.iter().rev().take_while(|byte| **byte & 0xC0 == 0x80).count().min(3);
        bytes.truncate(bytes.len() - tail - usize::from(tail > 0));
    }
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if let Some(more) = more {
        text.push_str(&format!(" [… {more} more in this line; an editor shows them]"));
    }
    text
}

/// Whether a line has a word; without a capital in it, capitals make no difference.
pub(super) fn has(line: &[u8], word: &str, exact: bool) -> bool {
    let bytes = word.as_bytes();
    let Some(first) = bytes.first() else { return false };
    if exact {
        return memchr::memmem::find(line, bytes).is_some();
    }
    if !word.is_ascii() {
        return String::from_utf8_lossy(line).to_lowercase().contains(word);
    }
    let is = |at: usize| {
        line.get(at..at + bytes.len()).is_some_and(|part| part.eq_ignore_ascii_case(bytes))
    };
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), line).any(is)
}
