//! Parts of an output by how much came before them, while it grows and afterwards.

use std::io;

use super::{KeptSpool, State, boundary};
use crate::kernel::port::Piece;

/// What lies after the head of an output that has ended: how many bytes are missing between, and how
/// long the line is that says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    pub(super) head: u64,
    pub(super) missing: u64,
    pub(super) gap: u64,
}

impl KeptSpool {
    /// See [`crate::kernel::port::Spool::since`].
    pub(super) fn piece(&self, mark: u64, most: usize) -> io::Result<Piece> {
        let state = self.state();
        let (head, total) = marks(&state);
        if mark < head {
            drop(state);
            let most = usize::try_from(head - mark).unwrap_or(usize::MAX).min(most);
            let bytes = self.read(mark, most)?;
            return Ok(piece(bytes, mark, total));
        }
        match state.after {
            Some(After { missing, gap, .. }) => {
                drop(state);
                let from = mark.max(head + missing).min(total);
                let bytes = self.read(from - missing + gap, most)?;
                Ok(piece(bytes, from, total))
            }
            None => {
                let first = head + state.ring.dropped;
                let from = mark.max(first).min(total);
                let skip = usize::try_from(from - first).unwrap_or(usize::MAX);
                let bytes = state.ring.bytes.iter().skip(skip).take(most).copied().collect();
                Ok(piece(bytes, from, total))
            }
        }
    }

    fn read(&self, at: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; most.min(MOST)];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.medium.read_at(&mut bytes[filled..], at + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }
}

/// The most that is read at once.
const MOST: usize = 1 << 20;

/// Where the head ends, and where all does.
fn marks(state: &State) -> (u64, u64) {
    match state.after {
        Some(After { head, missing, gap }) => {
            (head, head + missing + (state.on_disk.0 - head).saturating_sub(gap))
        }
        None => {
            let head = state.on_disk.0;
            (head, head + state.ring.dropped + state.ring.bytes.len() as u64)
        }
    }
}

fn piece(mut bytes: Vec<u8>, from: u64, total: u64) -> Piece {
    let is_last = from + bytes.len() as u64 >= total;
    let whole = boundary::whole(&bytes);
    // What is cut here comes whole with the next piece; the very last has no next one.
    if !is_last && whole > 0 {
        bytes.truncate(whole);
    }
    let next = from + bytes.len() as u64;
    Piece { bytes, from, next, total }
}
