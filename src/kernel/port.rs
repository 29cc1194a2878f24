//! What the kernel needs of the outside, as traits that others implement.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    BoxFuture,
    capability::Reach,
    clock::Budget,
    command::Command,
    error::CallError,
    event::{Envelope, Event, ExitStatus, Seal, Stop},
    gate::approval::NobodyWaits,
    id::{CallId, SessionId},
    invoke::ToolResult,
    message::{Message, Usage},
    registry::{Mounts, ToolDefinition},
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

    /// Ends the spool: flushes unfinished characters and says where it is and what is missing.
    fn finish(&self) -> SpoolEnd;
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

/// The workspace as a session sees it.
pub trait Env: Send + Sync {
    /// The folder relative paths start from; absolute.
    fn root(&self) -> &Path;

    /// The real place of a path, symlinks resolved as far as it exists. Does not block for long.
    fn resolve_path(&self, path: &str) -> Result<ResolvedPath, CallError>;

    /// The bytes of a file, at most [`MAX_FILE_BYTES`].
    fn read_file<'a>(&'a self, path: &'a ResolvedPath)
    -> BoxFuture<'a, Result<Vec<u8>, CallError>>;

    /// Replaces a file's bytes, whole or not at all; makes missing folders. The file must still be
    /// at the place that was resolved, or nothing is written.
    fn write_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>>;
}

/// The largest file that is read or written whole.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Where a path really leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPath {
    /// The real place, absolute.
    pub real: PathBuf,
    /// How to name it to people and models: relative to the workspace where it is inside.
    pub shown: String,
    /// Whether it is inside.
    pub reach: Reach,
}

/// Runs programs, and Python through `uv`.
pub trait Executor: Send + Sync {
    /// Checks a script without running it: a syntax error, or an import of a footplate module that
    /// is not mounted, is refused by name.
    fn check(&self, code: &str, mounts: &Mounts) -> Result<(), CallError>;

    /// Runs one job to its end. When this returns, nothing of it is left. Cancelled by the job's
    /// token (and then still returns); dropping the future kills it as well.
    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>>;
}

/// One run.
pub struct Job {
    /// The call it belongs to.
    pub call: CallId,
    /// What to run.
    pub what: Program,
    /// The folder to run in.
    pub cwd: PathBuf,
    /// Its clock. Preparation (such as fetching uv) is held out of it by the executor.
    pub clock: Budget,
    /// Cancelled when it shall end at once.
    pub cancel: CancellationToken,
    /// Where its output goes.
    pub spool: Arc<dyn Spool>,
    /// Called with something to tell the person, such as "fetching uv".
    pub notice: Arc<dyn Fn(Notice) + Send + Sync>,
}

/// What happens around a run, for the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It runs now, under this seal.
    Started(Seal),
    /// There is more output.
    Output,
}

/// What a job runs.
pub enum Program {
    /// Python, as a file of its own, by `uv run python`.
    Python {
        /// The name of the file, such as `main.py`; a bare name.
        filename: String,
        /// Its text.
        code: String,
        /// The modules it may import.
        mounts: Arc<Mounts>,
        /// Where its host calls go.
        calls: Arc<dyn HostCalls>,
    },
    /// A program with arguments, no shell.
    Argv(Vec<String>),
}

/// Where the host calls of a running script arrive. The future of a call is dropped when the
/// script's side of it dies.
pub trait HostCalls: Send + Sync {
    /// Makes one call; `line` is the line of the script that asks.
    fn call(
        &self,
        name: String,
        input: serde_json::Value,
        line: Option<u32>,
    ) -> BoxFuture<'static, ToolResult>;
}

/// How a job ended, with what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub status: ExitStatus,
    /// Standard output for a model: cleaned, head and tail if long.
    pub stdout: String,
    /// Standard error likewise.
    pub stderr: String,
    /// Processes that were still there when the program had ended, and were ended.
    pub leftovers: u32,
}

/// Starts agents for a session.
pub trait Factory: Send + Sync {
    /// Runs a child session until it is idle and gives its last text. Dropping the future lets the
    /// child go on by itself.
    fn run_child(&self, request: ChildRequest) -> BoxFuture<'_, Result<ChildAnswer, CallError>>;
}

/// An agent wanted.
#[derive(Clone, Debug)]
pub struct ChildRequest {
    /// The call that wants it.
    pub call: CallId,
    /// Its name in the tree.
    pub agent: String,
    /// What it shall do.
    pub task: String,
    /// A folder below the parent's workspace, or the same.
    pub folder: Option<String>,
    /// The modules it may use; none named means the parent's, without those that start agents.
    pub modules: Option<Vec<String>>,
    /// The clocks that stand still while the child asks.
    pub clocks: Vec<Budget>,
}

/// What an agent answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildAnswer {
    /// Its session.
    pub session: SessionId,
    /// Its last text.
    pub text: String,
}

/// A model that answers.
pub trait Model: Send + Sync {
    /// Asks for one answer. The deltas arrive in order and end with exactly one
    /// [`Delta::Finished`] or error; the sender side stops when the receiver is dropped.
    fn respond(&self, request: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>>;
}

/// All a model needs for one answer.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// Who asks: the agent's name, which a script needs to pick its part.
    pub agent: String,
    /// The session that started this agent, if an agent did.
    pub parent: Option<SessionId>,
    /// How many answers this agent had before, which a script needs as well.
    pub turn: usize,
    /// The instructions.
    pub system: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<ToolDefinition>,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// Some text, with no control characters but newline and tab.
    Text(String),
    /// A whole call. Half ones are never sent.
    Call {
        /// The provider's name for it.
        provider_id: String,
        /// The tool.
        name: String,
        /// The arguments as they came.
        arguments: String,
    },
    /// The answer is whole (or cut at the model's own limit, as `stop` says).
    Finished {
        /// Why it ended.
        stop: Stop,
        /// What it used.
        usage: Usage,
    },
}

/// Why no answer came. `Display` says what happened and what to do, in one or two lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// For the person.
    pub message: String,
}

/// Why a session could not be started, for a person: one line what, one line what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// What a screen is handed: it can look, and it can ask.
pub trait Desk: Send + Sync {
    /// Every event from now on, of every session that runs here; first, those so far of the
    /// sessions that run now, oldest first.
    fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Envelope>>;

    /// Asks for something. Returns at once; an answer that nobody waits for is refused.
    fn send(&self, command: Command) -> Result<(), NobodyWaits>;

    /// Starts a session and gives its name; the message, if any, is sent to it.
    /// May block for the time of small file operations.
    fn start(&self, spec: SessionSpec, message: Option<String>) -> Result<SessionId, StartError>;

    /// The last lines of a call's output.
    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> BoxFuture<'_, Result<OutputPage, StoreError>>;

    /// What a run's clock reads now, while it runs.
    fn clock(&self, call: CallId) -> Option<super::clock::Reading>;
}
