//! The output of one call: the first part on disk as it came, the last part in memory until the
//! end, and what was between them counted. Memory and disk are bounded whatever a program prints.

use std::{
    collections::VecDeque,
    io,
    ops::ControlFlow,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use self::walk::{Behind, Marks};
use super::medium::Medium;
use crate::kernel::port::{OutputPage, Piece, Spool, SpoolEnd, StoreError, Stream};

mod boundary;
pub(super) mod page;
mod since;
mod walk;

/// How much is kept of one output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Bytes of its start, on disk.
    pub(super) head: u64,
    /// Bytes of its end, in memory until it has ended.
    pub(super) tail: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { head: 64 << 20, tail: 256 << 10 }
    }
}

/// A spool over any medium.
pub(super) struct KeptSpool {
    medium: Box<dyn Medium>,
    path: PathBuf,
    bounds: Bounds,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes and newlines that have come.
    came: (u64, u64),
    /// Newlines among the bytes that were passed on, which leaves out what is held.
    lines: u64,
    /// The unfinished end of each stream.
    held: [Vec<u8>; 2],
    /// Bytes in the medium, and the last of them.
    on_disk: (u64, u8),
    /// Where lines are in the medium.
    marks: Marks,
    /// After a fault of the medium nothing more is written before the end.
    faulty: bool,
    ring: Ring,
    /// Bytes that are nowhere, the ring's own losses not counted.
    lost: u64,
    /// Once it has ended: what lies after the head.
    after: Option<since::After>,
}

/// The last bytes that came after the head was full.
#[derive(Default)]
struct Ring {
    bytes: VecDeque<u8>,
    /// Bytes that were pushed out.
    dropped: u64,
}

impl Ring {
    fn push(&mut self, bytes: &[u8], capacity: usize) {
        let kept = &bytes[bytes.len().saturating_sub(capacity)..];
        let out = (self.bytes.len() + kept.len()).saturating_sub(capacity);
        self.bytes.drain(..out);
        self.bytes.extend(kept);
        self.dropped += (out + bytes.len() - kept.len()) as u64;
    }

    /// What follows the head: if something is missing between, a line that says so and then whole
    /// lines, else simply the bytes. Gives also how many bytes are missing.
    fn after_head(&mut self, head_end: u8) -> (Vec<u8>, u64) {
        let bytes = self.bytes.make_contiguous();
        if self.dropped == 0 {
            return (bytes.to_vec(), 0);
        }
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        // A last line that is longer than the ring starts where it can, at a whole character.
        let whole = |byte: &u8| *byte & 0xc0 != 0x80;
        let start = newline
            .filter(|at| at + 1 < bytes.len())
            .map_or_else(|| bytes.iter().take(4).position(whole).unwrap_or(0), |at| at + 1);
        let missing = self.dropped + start as u64;
        let gap = if head_end == b'\n' { "" } else { "\n" };
        let mut after = format!("{gap}[… {missing} bytes left out …]\n").into_bytes();
        after.extend_from_slice(&bytes[start..]);
        (after, missing)
    }
}

impl KeptSpool {
    /// A spool at the end of what the medium holds.
    pub(super) fn open(medium: Box<dyn Medium>, path: PathBuf, bounds: Bounds) -> io::Result<Self> {
        let (marks, last) = page::count(&*medium)?;
        let (len, lines) = (marks.bytes, marks.lines);
        let state =
            State { came: (len, lines), lines, on_disk: (len, last), marks, ..State::default() };
        Ok(Self { medium, path, bounds, state: Mutex::new(state) })
    }

    /// Its last lines, those in memory included.
    pub(super) fn page(&self, lines: usize) -> io::Result<OutputPage> {
        let mut state = self.state();
        let (head, last) = state.on_disk;
        let (after, _) = state.ring.after_head(last);
        let open = state.ring.bytes.back().map_or(head > 0 && last != b'\n', |last| *last != b'\n');
        let total = state.lines + u64::from(open);
        // What is on disk up to here stays as it is, so it can be read without holding writers up.
        drop(state);
        page::of(&*self.medium, head, after, total, lines)
    }

    /// Visits lines from that number on, those in memory included; gives how many there are.
    pub(super) fn lines(
        &self,
        from: u64,
        visit: &mut dyn FnMut(u64, &str) -> ControlFlow<()>,
    ) -> io::Result<u64> {
        let mut state = self.state();
        let marks = state.marks.clone();
        let (head, last) = state.on_disk;
        let (after, missing) = state.ring.after_head(last);
        let open = state.ring.bytes.back().map_or(head > 0 && last != b'\n', |last| *last != b'\n');
        let total = state.lines + u64::from(open);
        // What is on disk up to here stays as it is, so it can be read without holding writers up.
        drop(state);
        let shown = newlines(&after) + u64::from(after.last().is_some_and(|last| *last != b'\n'));
        let after_gap = (missing > 0).then(|| total.saturating_sub(shown));
        let behind = Behind { bytes: after, after_gap };
        walk::lines(&*self.medium, &marks, &behind, from, visit)?;
        Ok(total)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps bytes that end whole.
    fn keep(&self, state: &mut State, bytes: &[u8]) {
        state.lines += newlines(bytes);
        let closed = state.faulty || !state.ring.bytes.is_empty();
        let room = if closed { 0 } else { self.bounds.head.saturating_sub(state.on_disk.0) };
        let head = &bytes[..bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX))];
        let written = self.put(state, head);
        state.ring.push(&bytes[written..], self.bounds.tail);
    }

    /// Writes to the medium, and gives how many bytes arrived there.
    fn put(&self, state: &mut State, bytes: &[u8]) -> usize {
        let mut written = 0;
        while written < bytes.len() {
            let outcome = self.medium.append(&bytes[written..]);
            match outcome {
                Ok(count @ 1..) => written += count,
                Ok(0) => {
                    state.faulty = true;
                    break;
                }
                Err(error) => {
                    let path = self.path.display();
                    tracing::warn!(%error, %path, "output could not be written");
                    state.faulty = true;
                    break;
                }
            }
        }
        if let Some(last) = bytes[..written].last() {
            state.on_disk = (state.on_disk.0 + written as u64, *last);
            state.marks.add(&bytes[..written]);
        }
        written
    }
}

impl Spool for KeptSpool {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        let mut state = self.state();
        state.came.0 += bytes.len() as u64;
        state.came.1 += newlines(bytes);
        let which = match stream {
            Stream::Out => 0,
            Stream::Err => 1,
        };
        let mut held = std::mem::take(&mut state.held[which]);
        if held.is_empty() {
            let (whole, rest) = bytes.split_at(boundary::whole(bytes));
            self.keep(&mut state, whole);
            held.extend_from_slice(rest);
        } else {
            held.extend_from_slice(bytes);
            let whole = boundary::whole(&held);
            self.keep(&mut state, &held[..whole]);
            held.drain(..whole);
            held.shrink_to(boundary::HELD_MAX);
        }
        state.held[which] = held;
    }

    fn counts(&self) -> (u64, u64) {
        self.state().came
    }

    fn since(&self, mark: u64, most: usize) -> Result<Piece, StoreError> {
        let failed = |source| StoreError::Io { doing: "read", path: self.path.clone(), source };
        self.piece(mark, most).map_err(failed)
    }

    fn aside(&self) -> PathBuf {
        self.path.with_added_extension("aside")
    }

    fn finish(&self) -> SpoolEnd {
        let mut state = self.state();
        for held in std::mem::take(&mut state.held) {
            self.keep(&mut state, &held);
        }
        let (head, last) = state.on_disk;
        let (after, missing) = state.ring.after_head(last);
        let Ring { bytes, dropped } = std::mem::take(&mut state.ring);
        // The line that tells of missing bytes is not one of them.
        let output = bytes.len() as u64 + dropped - missing;
        let written = self.put(&mut state, &after);
        let gap = after.len() as u64 - output;
        state.after.get_or_insert(since::After { head, missing, gap });
        state.lost += missing + output.min((after.len() - written) as u64);
        SpoolEnd { path: self.path.clone(), left_out: state.lost }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests;
