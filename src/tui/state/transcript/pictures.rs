//! The pictures of a session, each with what it belongs to.

use std::ops::Range;

use super::Transcript;
use crate::kernel::{id::CallId, picture::Picture};

impl Transcript {
    /// What was said last came with these.
    pub fn shown(&mut self, pictures: &[Picture]) {
        if let Some(at) = self.cells.len().checked_sub(1) {
            self.put(at, pictures);
        }
    }

    /// A call made these, or looked at them.
    pub fn made(&mut self, call: CallId, pictures: &[Picture]) {
        if let Some(at) = self.cell_of(call) {
            self.put(at, pictures);
        }
    }

    fn put(&mut self, at: usize, pictures: &[Picture]) {
        for picture in pictures {
            self.cells.put_picture(at, picture);
        }
    }

    /// All of them, in order, each with its cell.
    pub fn pictures(&self) -> impl DoubleEndedIterator<Item = (usize, &Picture)> {
        self.cells.all_pictures()
    }

    /// Those of these cells and of the ones around them, the nearest first.
    pub fn pictures_near(&self, seen: Range<usize>, margin: usize) -> Vec<&Picture> {
        let from = seen.start.saturating_sub(margin);
        let to = (seen.end + margin).min(self.cells.len());
        let above = (from..seen.start.min(to)).rev();
        let below = seen.end.min(to)..to;
        let cells = (seen.start..seen.end.min(to)).chain(below).chain(above);
        cells.flat_map(|at| self.cells.pictures(at)).collect()
    }
}
