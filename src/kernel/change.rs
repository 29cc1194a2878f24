//! What was written through the gate, as a journal tells it.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    event::{Envelope, Event, Origin},
    id::{CallId, SessionId},
    port::{Kept, Mark},
};

mod ledger;
mod plan;

pub use ledger::Ledger;
pub use plan::{Now, Planned, Undo, Why, plan};

/// The name of a call by which a person takes a change back.
pub const UNDO: &str = "undo";

/// One change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The real place of the file.
    pub path: PathBuf,
    /// How it was named to people.
    pub shown: String,
    /// What stood there.
    pub before: Before,
    /// What was to stand there; nothing if it was removed.
    pub after: Option<Mark>,
    /// Lines that were added.
    pub more: u64,
    /// Lines that were taken away.
    pub fewer: u64,
    /// The call whose change this takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<CallId>,
}

/// What stood in the place of a file before it was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "was")]
pub enum Before {
    /// Nothing: the call made it.
    Nothing,
    /// A file.
    File {
        /// What it is known by.
        #[serde(flatten)]
        mark: Mark,
        /// Its permissions.
        mode: u32,
        /// Whether its bytes were kept.
        kept: Kept,
    },
}

/// What a change made of the text of a file; nothing where there was or is no file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// Before.
    pub before: Option<String>,
    /// And after.
    pub after: Option<String>,
}

/// A change with all that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The session whose call it was, and beside whose outputs the bytes before are kept.
    pub session: SessionId,
    /// The agents from the root to that session.
    pub agents: Vec<String>,
    /// The call.
    pub call: CallId,
    /// Who made it.
    pub origin: Origin,
    /// The call inside which it was made.
    pub parent: Option<CallId>,
    /// When it began.
    pub at: Timestamp,
    /// The change.
    pub change: Change,
    /// How far it got.
    pub end: End,
    /// The call that took it back.
    pub undone: Option<CallId>,
}

/// How far a change got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It was made.
    Made,
    /// It was not: the file is as it was.
    Failed,
    /// The program ended amid it, or it goes on; the file knows.
    Unknown,
}
