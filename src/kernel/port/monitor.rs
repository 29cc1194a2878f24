//! What judges effects before they happen.

use std::path::PathBuf;

use crate::kernel::{
    BoxFuture,
    capability::{Category, Preview},
    event::Call,
    message::Usage,
};

/// A second opinion on single calls. It can hold one back, and never let one through; when it is
/// asked, and what its word is worth, is told by [`crate::kernel::gate::monitor`].
pub trait Monitor: Send + Sync {
    /// Judges one call. Losing the future ends the work on it.
    fn judge(&self, judged: Judged) -> BoxFuture<'_, Heard>;
}

/// What came of asking a monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What it thinks, or in a few words why there is no verdict.
    pub opinion: Result<Opinion, String>,
    /// The tokens that this took; no price is known here.
    pub usage: Usage,
}

/// A call that the gate would let through, with what is known of it. All of it may be written by
/// somebody who wants it to pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The exact call.
    pub call: Call,
    /// What it does to the world.
    pub category: Category,
    /// The effect as a person would see it.
    pub preview: Preview,
    /// The agents from the root to the one that calls.
    pub agent: Vec<String>,
    /// The folder it works in.
    pub workspace: PathBuf,
    /// What was said to that agent, oldest first: by the person, or by the agent above.
    pub said: Vec<String>,
}

/// What the monitor thinks of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// Nothing against it.
    Clear,
    /// A person should look at it, for this reason.
    Soft(String),
    /// It should not happen, for this reason.
    Hard(String),
}
