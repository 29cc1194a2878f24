//! What the project says to agents (its `AGENTS.md`), where it says something.

use std::sync::{Mutex, PoisonError};

type Read = dyn Fn() -> Option<String> + Send + Sync;

/// The text of the project, as it was when it was last read.
pub struct Project {
    text: Mutex<Option<String>>,
    read: Box<Read>,
}

impl Project {
    /// What `read` gives, now and whenever it is read again. It may block for the reading of a small
    /// file.
    pub fn new(read: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        Self { text: Mutex::new(read()), read: Box::new(read) }
    }

    /// Reads it again: what has changed counts from the next request on.
    pub fn read_again(&self) {
        let text = (self.read)();
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    pub(super) fn text(&self) -> Option<String> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
