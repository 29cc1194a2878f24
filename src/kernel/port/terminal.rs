//! A terminal at which a program runs, from the side of who looks at it and types.

use std::time::Duration;

use crate::kernel::{BoxFuture, error::CallError};

/// One terminal.
pub trait Terminal: Send + Sync {
    /// What stands on it now.
    fn shown(&self) -> Shown;

    /// Waits until nothing has been written there for so long, and no longer than `most`. Losing this
    /// future loses nothing.
    fn settled(&self, quiet: Duration, most: Duration) -> BoxFuture<'_, ()>;

    /// Types these bytes, which its program reads when it does. Fails if too much was typed that it has
    /// not read.
    fn type_in(&self, bytes: Vec<u8>) -> Result<(), CallError>;
}

/// What stands on a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Its lines, without what is blank at their ends and below them: text in which every control and
    /// every hidden character is made visible.
    pub lines: Vec<String>,
    /// The line and the column of the cursor, from 0.
    pub cursor: (u16, u16),
    /// Whether the arrow keys are to be sent in their other form.
    pub application_keys: bool,
}
