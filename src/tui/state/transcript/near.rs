//! What is near the screen: rows and colours are kept of that alone, and what is far goes outside.

use std::ops::Range;

use super::{Scroll, Transcript, cells::Leaving, find::Find, made::bare};
use crate::{
    kernel::id::CallId,
    tui::{
        cell::{Body, Coloured},
        highlight::Colours,
        state::DrawnText,
    },
};

impl Transcript {
    /// These cells were in sight: rows of those that are screens away are let go, so that memory
    /// follows the screen and not the transcript. Gives the scripts near them that want colours.
    pub fn saw(&mut self, cells: Range<usize>, height: usize) -> Vec<(CallId, String)> {
        let near = around(cells, height, self.cells.len());
        let old = std::mem::replace(&mut self.near, near.clone());
        for at in old.filter(|at| !near.contains(at)) {
            if let Some(cell) = self.cells.drawn_mut(at) {
                cell.far();
            }
        }
        near.filter_map(|at| self.cells.drawn_mut(at).and_then(bare)).collect()
    }

    /// The script of a call, if it wants colours: somebody looks at it elsewhere.
    pub fn bare(&mut self, call: CallId) -> Option<(CallId, String)> {
        let at = *self.calls.get(&call)?;
        self.cells.drawn_mut(at).and_then(bare)
    }

    /// The colours of a script came, which it has as long as it is near the screen.
    pub fn coloured(&mut self, call: CallId, lines: Vec<Colours>) {
        let cell = self.cell_of(call).and_then(|at| self.cells.drawn_mut(at));
        if let Some(cell) = cell
            && let Body::Code(code) = &mut cell.body
            && code.colours != Coloured::Not
        {
            code.colours = Coloured::Lines(lines);
            cell.touch();
        }
    }

    /// Lets what is far go, and gives the pages that are to be read back since somebody is near them: in a
    /// view of this size, or only where it was seen last if it is not in view. The last cells stay that are
    /// not printed yet, at most so many.
    pub fn keep_near(
        &mut self,
        view: Option<DrawnText>,
        unprinted: usize,
    ) -> (Vec<Leaving>, Vec<usize>) {
        let count = self.cells.len();
        let last = self.printed.max(count.saturating_sub(unprinted))..count;
        let mut near = vec![self.near.clone(), last];
        if let Some(view) = view {
            if let Scroll::Held { cell, .. } = self.scroll {
                near.push(around(cell..cell + view.height, view.height, count));
            } else {
                near.push(around(count.saturating_sub(view.height)..count, view.height, count));
            }
            near.extend(self.part());
            near.extend(self.find.as_ref().and_then(Find::cell).map(|at| at..at + 1));
        }
        let wanted = if view.is_some() { self.cells.ask(&near) } else { Vec::new() };
        let width = view.map(|view| view.width).filter(|width| *width > 0).unwrap_or(USUAL);
        let find = &mut self.find;
        let leaving = self.cells.leave(&near, width, |first, cells| {
            if let Some(find) = find {
                find.left(first, cells);
            }
        });
        (leaving, wanted)
    }

    /// Whether something in a view of that height is being read back.
    pub fn awaited(&self, height: usize) -> bool {
        match self.scroll {
            Scroll::Held { cell, .. } => self.cells.awaits(cell..cell + height),
            Scroll::Follow => {
                self.cells.awaits(self.cells.len().saturating_sub(height)..usize::MAX)
            }
        }
    }
}

/// The width of a transcript that was not drawn yet.
const USUAL: usize = 80;

/// Those cells, and as many on both sides as two screens have at most, since a cell has a row at least.
fn around(cells: Range<usize>, height: usize, count: usize) -> Range<usize> {
    let margin = 2 * height;
    cells.start.saturating_sub(margin)..(cells.end + margin).min(count)
}
