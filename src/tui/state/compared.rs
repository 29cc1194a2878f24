//! What one change made of a file, line by line, and where in it the view stands.

use std::{cell::RefCell, sync::Arc};

use crate::{
    kernel::id::CallId,
    tui::{
        diff::{Diff, LEAST_FOR_SIDES},
        keymap::Move,
        sheet::{AT_ONCE, Index, Shape},
        state::waiting::{Compare, Sheet},
    },
};

/// A comparison. Where its rows begin is known for one shape at a time; of a long one it is found off
/// the loop.
#[derive(Clone, Debug)]
pub struct Compared {
    pub call: CallId,
    /// Absent until it came; or why it cannot be shown.
    came: Option<Result<Arc<Sheet>, String>>,
    long: bool,
    /// The line at the top, by its place in the comparison, and the row of it.
    pub top: (usize, usize),
    index: RefCell<Option<Arc<Index>>>,
    making: bool,
}

impl Compared {
    /// That of a call, before anything of it is known.
    pub fn of(call: CallId) -> Self {
        Self {
            call,
            came: None,
            long: false,
            top: (0, 0),
            index: RefCell::default(),
            making: false,
        }
    }

    /// It came.
    pub fn came(&mut self, came: Result<Arc<Sheet>, String>) {
        self.long = came.as_ref().is_ok_and(|sheet| sheet.bytes() > AT_ONCE);
        (self.came, self.making) = (Some(came), false);
        self.index.take();
    }

    /// Why there is none.
    pub fn fault(&self) -> Option<&str> {
        match &self.came {
            Some(Err(why)) => Some(why),
            Some(Ok(_)) | None => None,
        }
    }

    pub fn diff(&self) -> Option<&Diff> {
        match self.sheet().map(|sheet| &**sheet) {
            Some(Sheet::Diff(diff)) => Some(diff),
            Some(Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_)) | None => {
                None
            }
        }
    }

    pub fn sheet(&self) -> Option<&Arc<Sheet>> {
        self.came.as_ref()?.as_ref().ok()
    }

    /// Why both sides cannot stand beside each other, if they cannot.
    pub fn why_not_sides(&self, width: usize) -> Option<String> {
        if self.diff().is_some_and(|diff| diff.new_file) {
            return Some("A new file has one side.".to_owned());
        }
        (width < LEAST_FOR_SIDES)
            .then(|| format!("Side by side needs {LEAST_FOR_SIDES} columns; here are {width}."))
    }

    /// The shape in which it is shown, where that one is wished for.
    pub fn shape(&self, width: usize, wished: Compare) -> Shape {
        let one = self.why_not_sides(width).is_some();
        Shape { width, compare: if one { Compare::Unified } else { wished } }
    }

    /// Where its rows begin; nothing where that has to be found off the loop first.
    pub fn index(&self, shape: Shape) -> Option<Arc<Index>> {
        let sheet = self.sheet()?;
        let mut index = self.index.borrow_mut();
        if !self.long && index.as_ref().is_none_or(|index| index.shape() != shape) {
            *index = Some(Arc::new(Index::of(sheet, shape)));
        }
        index.clone().filter(|index| index.shape() == shape)
    }

    /// What has to be found for that shape, unless it is known or being found.
    pub fn wants(&mut self, shape: Shape) -> Option<Arc<Sheet>> {
        if self.making || self.index(shape).is_some() {
            return None;
        }
        let sheet = self.sheet()?.clone();
        self.making = true;
        Some(sheet)
    }

    /// It is known where its rows begin.
    pub fn laid_out(&mut self, index: Arc<Index>) {
        self.making = false;
        *self.index.get_mut() = Some(index);
    }

    /// The first row in sight among so many that fit.
    pub fn first(&self, index: &Index, height: usize) -> usize {
        let last = match index.total() {
            total if total <= height => 0,
            // One row says how many are out of sight.
            total => total - height.saturating_sub(1).min(total),
        };
        (index.row(self.top.0) + self.top.1).min(last)
    }

    /// Moves the view, in which so many rows fit.
    pub fn scroll(&mut self, by: Move, height: usize) {
        let Some(index) = self.index.get_mut().clone() else { return };
        let at = self.first(&index, height);
        let page = height.saturating_sub(2).max(1);
        let to = match by {
            Move::Up | Move::PreviousCell => at.saturating_sub(1),
            Move::Down | Move::NextCell => at + 1,
            Move::PageUp => at.saturating_sub(page),
            Move::PageDown => at + page,
            Move::Home => 0,
            Move::End => index.total(),
        };
        self.top = index.spot(to.min(index.total().saturating_sub(1)));
        self.top = index.spot(self.first(&index, height));
    }

    /// The line of the file, from 0, that stands at the top, as far as the change has left it there.
    pub fn line(&self) -> Option<u64> {
        let rows = self.diff()?.rows.get(self.top.0..)?;
        let number = rows.iter().find_map(|row| row.new_no)?;
        Some(number.saturating_sub(1) as u64)
    }
}
