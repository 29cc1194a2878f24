//! Where sessions are kept.

use std::{ops::ControlFlow, path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::kernel::{
    BoxFuture,
    event::{Envelope, Event},
    id::{CallId, SessionId},
    picture::PictureId,
    session::branch::Branch,
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
    #[error("session {session} cannot be read: {fault}")]
    Damaged {
        /// Which session.
        session: SessionId,
        /// Where and how.
        fault: String,
    },
}

impl StoreError {
    /// Whether it is only that the disk is full.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Io { source, .. } if matches!(
            source.kind(),
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
        ))
    }
}

/// Keeps sessions. All methods but [`Journal::sync`] may block for the time of a small file
/// operation.
pub trait Store: Send + Sync {
    /// Makes a new session and its journal, whose first line is the spec.
    fn create(&self, spec: SessionSpec) -> Result<Arc<dyn Journal>, StoreError>;

    /// Makes a new session that begins as a copy of these events: all of it is there, or nothing. Holds
    /// one event at a time. Blocks for as long as it takes to read and write them.
    fn branch(
        &self,
        branch: Branch,
        events: &mut dyn Iterator<Item = Result<Arc<Envelope>, StoreError>>,
    ) -> Result<Arc<dyn Journal>, StoreError>;

    /// Removes these sessions with all that is beside their journals; none of them where one is open
    /// anywhere. What was removed when it is cut off is gone, and the rest is whole.
    fn delete(&self, sessions: &[SessionId]) -> Result<(), StoreError>;

    /// Keeps the name that a session was given, for the list. The journal says it as well.
    fn label(&self, session: SessionId, name: &str) -> Result<(), StoreError>;

    /// Reads the journals, newest first, and hands on every line of what was said and done in them
    /// that holds all of these words, in whatever case. Stops where `found` says so or `go_on` does
    /// not, which is asked often. Holds no more than a few megabytes, whatever a journal holds.
    fn search(
        &self,
        words: &[String],
        go_on: &dyn Fn() -> bool,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<Searched, StoreError>;

    /// Opens a session to carry it on: takes its lock, hands on its events one by one, in order, and
    /// mends its tail. Holds one event at a time, however long the journal is.
    fn open(
        &self,
        session: SessionId,
        take: &mut dyn FnMut(&Arc<Envelope>),
    ) -> Result<Opened, StoreError>;

    /// Reads a session back without taking it, an event at a time, as they are asked for.
    fn events(&self, session: SessionId) -> Result<Box<dyn Events>, StoreError>;

    /// The same, for whoever wants nothing but the first event and those of some types: the rest is passed
    /// over unread where that can be, and what is wrong with it is not told.
    fn some(&self, session: SessionId, kinds: Kinds) -> Result<Box<dyn Events>, StoreError>;

    /// The same, all at once: for what is no longer than can be held.
    fn read(&self, session: SessionId) -> Result<Replay, StoreError> {
        let mut reading = self.events(session)?;
        let events = reading.by_ref().collect::<Result<_, _>>()?;
        Ok(Replay { events, notice: reading.notice() })
    }

    /// What came to a journal after its first `from` bytes, as far as it is whole, without taking it;
    /// a part at a time. Whoever follows a journal asks again with the place it gives.
    fn since(&self, session: SessionId, from: u64) -> Result<Since, StoreError>;

    /// Who writes a session now, if anybody does. Takes nothing, and keeps nobody from taking it.
    fn hold(&self, session: SessionId) -> Result<Hold, StoreError>;

    /// The sessions, newest first, from the heads and tails of their journals.
    fn list(&self) -> Result<Vec<SessionSummary>, StoreError>;

    /// Those that are not in that list, since their beginning cannot be read, and their folders.
    fn unlisted(&self, _: &[SessionSummary]) -> Result<Vec<(SessionId, PathBuf)>, StoreError> {
        Ok(Vec::new())
    }

    /// A new spool for the output of one call, or the existing one, to append to.
    fn spool(&self, session: SessionId, call: CallId) -> Result<Arc<dyn Spool>, StoreError>;

    /// The last lines of a call's output, cleaned for a screen; at most `lines` of them.
    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> Result<OutputPage, StoreError>;

    /// Visits lines of a call's output from that number on, cleaned for a screen, each with its number,
    /// until the visitor breaks; what is before is not read. Gives how many lines there are. Where lines
    /// were left out, their numbers are.
    fn lines(
        &self,
        session: SessionId,
        call: CallId,
        from: u64,
        visit: &mut dyn FnMut(u64, &str) -> ControlFlow<()>,
    ) -> Result<u64, StoreError>;

    /// Keeps the bytes that a call is about to replace, so that they can be put back; on the disk
    /// when it returns.
    fn keep(&self, session: SessionId, call: CallId, bytes: &[u8]) -> Result<Kept, StoreError>;

    /// The bytes that a call replaced, if they were kept.
    fn kept(&self, session: SessionId, call: CallId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps the bytes of a picture with a session, once, under what they are known by; on the disk
    /// when it returns.
    fn keep_picture(&self, session: SessionId, bytes: &[u8]) -> Result<Kept, StoreError>;

    /// The bytes of a picture of a session, if they are there and still the ones that were kept.
    fn picture(
        &self,
        session: SessionId,
        picture: PictureId,
    ) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Types of events, by their names in a journal.
pub type Kinds = &'static [&'static str];

/// The largest file that is kept when a call changes it.
pub const KEPT_FILE_BYTES: u64 = 8 << 20;

/// How much is kept of all that the calls of one session change.
pub const KEPT_SESSION_BYTES: u64 = 256 << 20;

/// How much is kept of all pictures of one session.
pub const KEPT_PICTURES_BYTES: u64 = 256 << 20;

/// Whether bytes were kept: those that a call replaces, or those of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// All of them.
    Whole,
    /// None: they are more than [`KEPT_FILE_BYTES`], or than a picture may have.
    TooLarge,
    /// None: the session keeps [`KEPT_SESSION_BYTES`] already, or [`KEPT_PICTURES_BYTES`].
    Full,
    /// None: the session keeps nothing.
    Nowhere,
}

/// A session that is ours to write.
pub struct Opened {
    /// Its journal.
    pub journal: Arc<dyn Journal>,
    /// What was cut, skipped or mended, for the person; nothing if all was well.
    pub notice: Option<String>,
}

/// The events of a journal that this program knows, in order. Each takes the time of a small read.
pub trait Events: Iterator<Item = Result<Arc<Envelope>, StoreError>> + Send {
    /// What was skipped, for the person: known after the last event.
    fn notice(&self) -> Option<String>;
}

/// What a journal holds.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The events this program knows, in order.
    pub events: Vec<Arc<Envelope>>,
    /// What was cut, skipped or mended, for the person; nothing if all was well.
    pub notice: Option<String>,
}

/// A part of a journal.
#[derive(Clone, Debug, Default)]
pub struct Since {
    /// The events this program knows, as they stand there.
    pub events: Vec<Arc<Envelope>>,
    /// The place after them.
    pub next: u64,
    /// Whether that was all there is now.
    pub all: bool,
}

/// Whether somebody writes a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody does.
    Free,
    /// Somebody does: by whom, where known, such as `process 48213 on pts/4`.
    Held(Option<String>),
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
    /// The name it was given, if it was.
    pub name: Option<String>,
}

impl SessionSummary {
    /// Its name, or the first words said in it.
    pub fn called(&self) -> Option<&str> {
        self.name.as_deref().or(self.title.as_deref())
    }
}

/// A line that was searched for.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Where it is.
    pub session: SessionSummary,
    /// When it was said.
    pub at: jiff::Timestamp,
    /// By whom.
    pub voice: Voice,
    /// The line, as it stands in the journal.
    pub line: String,
}

/// Whose words a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// A person's, or those of the agent above.
    Person,
    /// A model's.
    Model,
    /// The arguments of a call.
    Call,
    /// What a call came to.
    Result,
}

/// How far a search came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// Sessions that were read to their end.
    pub whole: usize,
    /// All there are.
    pub all: usize,
    /// Records that are longer than is looked at.
    pub too_long: u64,
    /// Sessions that could not be read.
    pub unreadable: usize,
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

/// Keeps nothing, for output that nobody asks for again.
pub struct Unkept;

impl Spool for Unkept {
    fn write(&self, _: Stream, _: &[u8]) {}

    fn counts(&self) -> (u64, u64) {
        (0, 0)
    }

    fn since(&self, _: u64, _: usize) -> Result<Piece, StoreError> {
        Ok(Piece::default())
    }

    /// Nowhere: only what leaves nothing behind may be run with it.
    fn aside(&self) -> PathBuf {
        PathBuf::new()
    }

    fn finish(&self) -> SpoolEnd {
        SpoolEnd { path: PathBuf::new(), left_out: 0 }
    }
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
