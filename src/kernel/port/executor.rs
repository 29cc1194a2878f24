//! What runs programs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Packages, Pinned, Sought, Spool, Wanted};
use crate::kernel::{
    BoxFuture,
    clock::Budget,
    error::CallError,
    event::{ExitStatus, Seal},
    id::CallId,
    invoke::ToolResult,
    picture::Enclosed,
    registry::Mounts,
};

/// Runs programs, and Python through `uv`.
pub trait Executor: Send + Sync {
    /// Checks a script without running it: a syntax error, or an import of a footplate module that
    /// is not mounted, is refused by name.
    fn check(&self, code: &str, mounts: &Mounts) -> Result<(), CallError>;

    /// By what a job is held to its level here. The first answer may take some milliseconds, since
    /// it is found out by trying; it stays the same after that.
    fn form(&self) -> Form {
        Form::None
    }

    /// Whether a job of this level can be held to it here.
    fn seals(&self, level: Level) -> bool {
        level == Level::Open || self.form() != Form::None
    }

    /// Whether a job of that workspace can be given what these bounds add to their level. What is
    /// footplate's own, or cannot be given here, is refused by name before anybody is asked. Looks
    /// at the file system; takes about a millisecond.
    fn check_bounds(&self, _bounds: &Bounds, _workspace: &Path) -> Result<(), CallError> {
        Ok(())
    }

    /// The real places of which a job in that workspace is shown nothing, since they hold secrets.
    fn secrets(&self, _workspace: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Refuses a path that no call may write, whoever says yes: footplate's own settings, rules and
    /// journals. May look at the file system.
    fn check_write(&self, _path: &Path, _workspace: &Path) -> Result<(), CallError> {
        Ok(())
    }

    /// The file that a program of this name is, for a run in that folder.
    fn find(&self, _program: &str, _cwd: &Path) -> Option<PathBuf> {
        None
    }

    /// Whether a run in that folder can begin that program at all: one that is not there, or that its
    /// bounds keep from it, is refused by name before anybody is asked. Looks at the file system;
    /// takes about a millisecond.
    fn check_program(
        &self,
        _program: &str,
        _cwd: &Path,
        (_bounds, _workspace): (&Bounds, &Path),
    ) -> Result<(), CallError> {
        Ok(())
    }

    /// What packages a script wants, as it says itself (PEP 723). A fault in that is refused by its
    /// line.
    fn wants(&self, _code: &str) -> Result<Option<Wanted>, CallError> {
        Ok(None)
    }

    /// Whether packages are here to run with. Asks nobody outside this machine for them.
    fn look_for<'a>(&'a self, _packages: &'a Packages) -> BoxFuture<'a, Result<Sought, CallError>> {
        Box::pin(async { Err(no_packages()) })
    }

    /// Fetches packages, wheels only, so that no code of theirs runs; says what came. They are here
    /// whole afterwards or not at all, also when the future is dropped.
    fn install<'a>(
        &'a self,
        _packages: &'a Packages,
    ) -> BoxFuture<'a, Result<Vec<Pinned>, CallError>> {
        Box::pin(async { Err(no_packages()) })
    }

    /// Runs one job to its end. A level that cannot be held is refused, never widened. When this returns, nothing of it is left. Cancelled by the job's
    /// token (and then still returns); dropping the future kills it as well.
    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>>;
}

fn no_packages() -> CallError {
    CallError::failed("Packages cannot be installed here.\nUse the standard library.")
}

/// One run.
pub struct Job {
    /// The call it belongs to.
    pub call: CallId,
    /// What to run.
    pub what: Program,
    /// The folder to run in.
    pub cwd: PathBuf,
    /// The folder whose files it works on; `cwd` is most often this or in it.
    pub workspace: PathBuf,
    /// What it may do by itself.
    pub bounds: Bounds,
    /// How it is kept.
    pub manner: Manner,
    /// Its clock. Preparation (such as fetching uv) is held out of it by the executor.
    pub clock: Budget,
    /// Cancelled when it shall end at once.
    pub cancel: CancellationToken,
    /// Where its output goes.
    pub spool: Arc<dyn Spool>,
    /// Called with something to tell the person, such as "fetching uv".
    pub notice: Arc<dyn Fn(Notice) + Send + Sync>,
}

/// How a job is kept, and so how it is asked to end before it is ended.
#[derive(Debug)]
pub enum Manner {
    /// Somebody waits for it: it is interrupted, as from the keyboard.
    Awaited,
    /// It goes on beside others: it is told to terminate.
    Beside,
    /// It goes on beside others in a terminal of its own: that is hung up. What it prints is one
    /// stream, as a terminal is sent it.
    Terminal(Pty),
}

/// The terminal of a job.
#[derive(Debug)]
pub struct Pty {
    /// Its lines.
    pub rows: u16,
    /// Its columns.
    pub cols: u16,
    /// What is typed there.
    pub typed: mpsc::Receiver<Vec<u8>>,
}

/// What a job may do by itself: a level, and what was asked for beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The level.
    pub level: Level,
    /// Whether it reaches the network although its level does not.
    pub network: bool,
    /// What it may read as well, with all that is below: real places, absolute. What holds secrets
    /// is left out.
    pub reads: Vec<PathBuf>,
    /// What it may read and write as well, with all that is below: real places, absolute.
    pub writes: Vec<PathBuf>,
    /// Whether it makes and removes there also what others obey: that it does was asked.
    pub keeps: bool,
}

impl From<Level> for Bounds {
    /// The level and no more.
    fn from(level: Level) -> Self {
        Self { level, network: false, reads: Vec::new(), writes: Vec::new(), keeps: false }
    }
}

/// What a job may do by itself, without asking anybody; the wider is the greater.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Read the system and the workspace; write its own scratch folder; no network.
    #[default]
    Sealed,
    /// As sealed, and write the workspace, but for what is obeyed there without being told.
    Workspace,
    /// All that the person can.
    Open,
}

impl Level {
    /// The name in arguments and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Workspace => "workspace",
            Self::Open => "open",
        }
    }
}

/// By what a level is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Namespaces of its own with a read-only root, file rules, a filter of system calls, limits.
    Full,
    /// The same without namespaces, where the system refuses them.
    WithoutNamespaces,
    /// The sandbox of macOS, with a profile.
    Profile,
    /// Nothing: every run is open.
    #[default]
    None,
}

impl Form {
    /// The name in a plan, in the journal and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::WithoutNamespaces => "without-namespaces",
            Self::Profile => "profile",
            Self::None => "none",
        }
    }

    /// Whether a keeper outside the seal looks after the run, tells how it ended and leaves nothing
    /// of it behind.
    pub fn has_keeper(self) -> bool {
        match self {
            Self::Full | Self::WithoutNamespaces => true,
            Self::Profile | Self::None => false,
        }
    }

    /// Whether there is nothing.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// What happens around a run, for the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It runs now, under this seal, which is held by this form.
    Started(Seal, Form),
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
        /// The packages it may import, which are here; none beside the standard library if absent.
        packages: Option<Packages>,
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

/// Something that a run left where others obey it, and that was moved away when the run had ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside {
    /// Where it was, relative to the workspace where it was inside.
    pub was: PathBuf,
    /// Where it is now; absent where it could not be moved, so that it is still there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<PathBuf>,
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
    /// What it made that others obey, which it had not asked for: put aside.
    pub aside: Vec<Aside>,
    /// The pictures it made, a few at most.
    pub pictures: Vec<Enclosed>,
}
