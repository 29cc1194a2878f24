//! Where sessions are kept.

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::kernel::{
    BoxFuture,
    event::{Envelope, Event},
    id::{CallId, SessionId},
    spec::SessionSpec,
};

/// Why the store could not do it. `Display` is one line for a person.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot {doing} {path}: {source}")]
    Io {
        /// What was tried, as a verb.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process writes this session.
    #[error("session {session} is open in another footplate{}", holder.as_deref().map(|holder| format!(" ({holder})")).unwrap_or_default())]
    Held {
        /// Which session.
        session: SessionId,
        /// Who holds it, where known.
        holder: Option<String>,
    },
    /// No such session.
    #[error("there is no session {0}")]
    Unknown(String),
    /// The journal cannot be read as one.
    #[error("the journal of session {session} is damaged: {fault}")]
    Damaged {
        /// Which session.
        session: SessionId,
        /// Where and how.
        fault: String,
    },
}

/// Keeps sessions. All methods but [`Journal::sync`] may block for the time of a small file
/// operation.
pub trait Store: Send + Sync {
    /// Makes a new session and its journal, whose first line is the spec.
    fn create(&self, spec: SessionSpec) -> Result<Arc<dyn Journal>, StoreError>;

    /// Opens a session to carry it on: takes its lock, mends its tail, reads it back.
    fn open(&self, session: SessionId) -> Result<Opened, StoreError>;

    /// Reads a session back without taking it.
    fn read(&self, session: SessionId) -> Result<Replay, StoreError>;

    /// The sessions, newest first, from the heads and tails of their journals.
    fn list(&self) -> Result<Vec<SessionSummary>, StoreError>;

    /// A new spool for the output of one call, or the existing one, to append to.
    fn spool(&self, session: SessionId, call: CallId) -> Result<Arc<dyn Spool>, StoreError>;

    /// The last lines of a call's output, cleaned for a screen; at most `lines` of them.
    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> Result<OutputPage, StoreError>;

    /// Keeps the bytes that a call is about to replace, so that they can be put back; on the disk
    /// when it returns.
    fn keep(&self, session: SessionId, call: CallId, bytes: &[u8]) -> Result<Kept, StoreError>;

    /// The bytes that a call replaced, if they were kept.
    fn kept(&self, session: SessionId, call: CallId) -> Result<Option<Vec<u8>>, StoreError>;
}

/// The largest file that is kept when a call changes it.
pub const KEPT_FILE_BYTES: u64 = 8 << 20;

/// How much is kept of all that the calls of one session change.
pub const KEPT_SESSION_BYTES: u64 = 256 << 20;

/// Whether the bytes that a call replaces were kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// All of them.
    Whole,
    /// None: they are more than [`KEPT_FILE_BYTES`].
    TooLarge,
    /// None: the session keeps [`KEPT_SESSION_BYTES`] already.
    Full,
    /// None: the session keeps nothing.
    Nowhere,
}

/// A session that is ours to write.
pub struct Opened {
    /// Its journal.
    pub journal: Arc<dyn Journal>,
    /// What it holds.
    pub replay: Replay,
}

/// What a journal holds.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The events this program knows, in order.
    pub events: Vec<Arc<Envelope>>,
    /// What was cut, skipped or mended, for the person; nothing if all was well.
    pub notice: Option<String>,
}

/// One session in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionSummary {
    /// Its description.
    pub spec: SessionSpec,
    /// When it began.
    pub started: jiff::Timestamp,
    /// When its journal last grew.
    pub changed: jiff::Timestamp,
    /// The first words said in it.
    pub title: Option<String>,
}

/// One session's journal, held by this process alone until it is dropped.
pub trait Journal: Send + Sync {
    /// Appends one event and, before any other can be appended, tells `shown`. Survives our death
    /// at once, a loss of power after the next [`Journal::sync`].
    fn append(
        &self,
        event: Event,
        shown: &dyn Fn(&Arc<Envelope>),
    ) -> Result<Arc<Envelope>, StoreError>;

    /// Waits until everything appended so far is on the disk.
    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>>;
}

/// Which of a program's two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Keeps the output of one call, as it came, up to a bound.
pub trait Spool: Send + Sync {
    /// Keeps some bytes. May block for the time of a small write; a failure (a full disk) is kept
    /// and told by [`Spool::finish`].
    fn write(&self, stream: Stream, bytes: &[u8]);

    /// Bytes and whole lines so far, those left out for the bound included.
    fn counts(&self) -> (u64, u64);

    /// What came after the first `mark` bytes, at most about `most` of it. Blocks for the time of a
    /// small read. It may be asked before and after the end, and the marks stay the same.
    fn since(&self, mark: u64, most: usize) -> Result<Piece, StoreError>;

    /// A folder beside the output, for what a run leaves that cannot stay where it is. It is made by
    /// whoever needs it.
    fn aside(&self) -> PathBuf;

    /// Ends the spool: flushes unfinished characters and says where it is and what is missing.
    fn finish(&self) -> SpoolEnd;
}

/// A part of an output, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Bytes that end whole: within no character and no escape sequence.
    pub bytes: Vec<u8>,
    /// How many bytes came before them.
    pub from: u64,
    /// The mark after them.
    pub next: u64,
    /// The mark after all that has come so far.
    pub total: u64,
}

/// What became of a spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpoolEnd {
    /// The file that holds the output.
    pub path: PathBuf,
    /// Bytes that are in no file, because of the bound or a fault.
    pub left_out: u64,
}

/// Some lines of output for a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputPage {
    /// The lines: no control character in them but tab.
    pub lines: Vec<String>,
    /// The number of the first of them, from 0.
    pub first: u64,
    /// All lines so far, an unfinished last one included.
    pub total: u64,
}
