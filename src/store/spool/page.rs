//! The last lines of an output, read from its end.

use std::{
    collections::HashMap,
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Medium, newlines,
    walk::{self, Behind, Marks},
};
use crate::kernel::{port::OutputPage, text};

/// How much is read at once.
pub(super) const CHUNK: usize = 64 << 10;
/// The most that is read for one page, however long its lines are.
const PAGE_MAX: usize = 4 << 20;
/// How many outputs are remembered.
const COUNTED_MAX: usize = 256;

/// How many newlines there are in outputs that do not grow any more, so that a screen that asks
/// again and again does not read them again and again. Keyed by path, with the length counted.
#[derive(Default)]
pub(in crate::store) struct Counted(Mutex<HashMap<PathBuf, (u64, Known)>>);

/// Where lines are, and how many there are.
type Known = (Arc<Marks>, u64);

/// All there is, and its last byte.
pub(super) fn count(medium: &dyn Medium) -> io::Result<(Marks, u8)> {
    let (mut marks, mut last) = (Marks::default(), b'\n');
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = medium.read_at(&mut buffer, marks.bytes)?;
        let Some(end) = buffer[..count].last() else { return Ok((marks, last)) };
        marks.add(&buffer[..count]);
        last = *end;
    }
}

impl Counted {
    /// Where lines are in a file of that length, and how many it has.
    fn of(&self, medium: &dyn Medium, path: &Path, len: u64) -> io::Result<Known> {
        let table = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = table().get(path).filter(|(counted, _)| *counted == len) {
            return Ok(known.clone());
        }
        let (marks, last) = count(medium)?;
        let (len, total) = (marks.bytes, marks.lines + u64::from(last != b'\n'));
        let found = (Arc::new(marks), total);
        let mut table = table();
        if table.len() >= COUNTED_MAX {
            table.clear();
        }
        table.insert(path.to_owned(), (len, found.clone()));
        Ok(found)
    }
}

/// Visits lines of an output that nobody writes, from that number on; gives how many there are.
pub(in crate::store) fn lines_of_file(
    medium: &dyn Medium,
    (path, len): (&Path, u64),
    counted: &Counted,
    from: u64,
    visit: &mut dyn FnMut(u64, &str) -> ControlFlow<()>,
) -> io::Result<u64> {
    let (marks, total) = counted.of(medium, path, len)?;
    walk::lines(medium, &marks, &Behind::default(), from, visit)?;
    Ok(total)
}

/// The last lines of an output that nobody writes.
pub(in crate::store) fn of_file(
    medium: &dyn Medium,
    path: &Path,
    len: u64,
    counted: &Counted,
    lines: usize,
) -> io::Result<OutputPage> {
    let (_, total) = counted.of(medium, path, len)?;
    of(medium, len, Vec::new(), total, lines)
}

/// The last lines of `head` bytes of the medium and what follows them.
pub(super) fn of(
    medium: &dyn Medium,
    head: u64,
    after: Vec<u8>,
    total: u64,
    lines: usize,
) -> io::Result<OutputPage> {
    if lines == 0 {
        return Ok(OutputPage { lines: Vec::new(), first: total, total });
    }
    let bytes = last_lines(medium, head, after, lines)?;
    let cleaned = text::clean(&bytes);
    let mut found: Vec<_> = cleaned.lines().map(str::to_owned).collect();
    found.drain(..found.len().saturating_sub(lines));
    let first = total.saturating_sub(found.len() as u64);
    Ok(OutputPage { lines: found, first, total })
}

/// The bytes of the last lines, from the start of a line unless that is too far away.
fn last_lines(medium: &dyn Medium, head: u64, after: Vec<u8>, lines: usize) -> io::Result<Vec<u8>> {
    // Pieces from the last to the first.
    let mut pieces = vec![after];
    let (mut found, mut size, mut at) = (newlines(&pieces[0]), pieces[0].len(), head);
    // One newline more than lines: the one before the first of them.
    while at > 0 && found <= lines as u64 && size < PAGE_MAX {
        let start = at.saturating_sub(CHUNK as u64);
        let mut piece = vec![0; usize::try_from(at - start).unwrap_or(CHUNK)];
        let mut filled = 0;
        while filled < piece.len() {
            match medium.read_at(&mut piece[filled..], start + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        piece.truncate(filled);
        found += newlines(&piece);
        size += piece.len();
        pieces.push(piece);
        at = start;
    }
    let mut bytes: Vec<u8> = pieces.into_iter().rev().flatten().collect();
    let body = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let mut ends = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    if let Some((newline, _)) = ends.nth(lines - 1) {
        bytes.drain(..=newline);
    }
    Ok(bytes)
}
