//! Calls by their names.

use super::Transcript;
use crate::{
    kernel::id::CallId,
    tui::cell::{Body, Cell, Code},
};

impl Transcript {
    /// The run that is a call, or in which it was made.
    pub fn code_of(&mut self, call: CallId) -> Option<&mut Code> {
        let cell = self.cells.get_mut(*self.calls.get(&call)?)?;
        cell.touch();
        match &mut cell.body {
            Body::Code(code) => Some(code),
            Body::Said { .. }
            | Body::Text { .. }
            | Body::Thinking(_)
            | Body::Call(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => None,
        }
    }

    /// The run that is a call, to be read.
    pub fn code(&self, call: CallId) -> Option<&Code> {
        let at = *self.calls.get(&call)?;
        let Cell { body: Body::Code(code), .. } = self.cells.get(at)? else { return None };
        Some(&**code).filter(|code| code.call == call)
    }

    /// The calls that are in a cell.
    pub fn calls_of(&self, cell: usize) -> impl Iterator<Item = CallId> {
        self.calls.iter().filter(move |(_, at)| **at == cell).map(|(call, _)| *call)
    }

    /// The cell a call is in.
    pub fn cell_of(&self, call: CallId) -> Option<usize> {
        self.calls.get(&call).copied()
    }
}
