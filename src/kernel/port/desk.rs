//! What a screen is handed.

use std::{ops::ControlFlow, sync::Arc};

use super::{OutputPage, SessionSummary, StoreError, Watch};
use crate::kernel::{
    BoxFuture,
    capability::Capability,
    change::{Planned, Texts},
    clock::Reading,
    command::Command,
    gate::{
        approval::{NotAnswered, Scope},
        law::Placed,
    },
    id::{ApprovalId, CallId, SessionId},
    message::Words,
    picture::PictureId,
    spec::SessionSpec,
};

/// Why a session could not be started, for a person: one line what, one line what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// A session as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What is known of it.
    pub session: SessionSummary,
    /// Where it runs.
    pub place: Whereabouts,
}

/// Where a session runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// In this process.
    Here,
    /// In another: by whom it is held, where known, such as `process 48213 on pts/4`.
    There(Option<String>),
    /// Nowhere: anybody may carry it on.
    Free,
}

/// When a session is to be carried on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At once, or not at all.
    Now,
    /// As soon as whoever holds it lets go.
    LetGo,
}

/// Why a session was not carried on here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotResumed {
    /// It is not waited for any more.
    #[error("It is not waited for any more.")]
    GivenUp,
    /// It could not be: one line what, one line what to do.
    #[error("{0}")]
    Failed(String),
}

/// A message of a conversation, by the number that a copy or a way back names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// From 1.
    pub number: usize,
    /// When it was said.
    pub at: jiff::Timestamp,
    /// Its words.
    pub text: String,
}

/// What a command comes to that takes its time: the error is why nothing came of it, and what to do, for
/// a person. Dropping it stops nothing.
pub type Sequel = BoxFuture<'static, Result<(), String>>;

/// Is shown lines of an output, each with its number, until it breaks.
pub type Visit = Box<dyn FnMut(u64, &str) -> ControlFlow<()> + Send>;

/// What a screen is handed: it can look, and it can ask.
pub trait Desk: Send + Sync {
    /// Every event from now on, of every session that runs here; first, those so far of the
    /// sessions that run now, oldest first.
    fn subscribe(&self) -> Watch;

    /// Asks for something. Returns at once; an answer that nobody waits for is refused.
    fn send(&self, command: Command) -> Result<(), NotAnswered>;

    /// As [`Desk::send`]; where the command takes its time, what it comes to.
    fn begin(&self, command: Command) -> Result<Option<Sequel>, NotAnswered> {
        self.send(command).map(|()| None)
    }

    /// The rules that count for a session now: what was granted to it, then those of the files.
    fn rules(&self, session: SessionId) -> Vec<Placed>;

    /// What is wrong with the files of rules, and what to do: two lines each. May block for a few small
    /// files.
    fn rule_faults(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a yes of that reach would come to, without saying it: how many others that wait it would
    /// answer, or why it would be refused.
    fn consider(&self, approval: ApprovalId, scope: &Scope) -> Result<usize, NotAnswered>;

    /// Starts a session and gives its name; the message, if any, is sent to it.
    /// May block for the time of small file operations.
    fn start(&self, spec: SessionSpec, message: Option<Words>) -> Result<SessionId, StartError>;

    /// The sessions of this home that no agent started and in which something was said, newest first,
    /// and where each of them runs.
    fn sessions(&self) -> BoxFuture<'_, Result<Vec<Listed>, StoreError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// What people said in a session, as its conversation is now.
    fn said(&self, _session: SessionId) -> BoxFuture<'_, Result<Vec<Numbered>, StoreError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Carries a session on here; whoever watches sees all of it first that they have not seen. Gives
    /// what was mended, if anything was. Dropping the future may leave it carried on.
    fn resume(
        &self,
        _session: SessionId,
        _when: When,
    ) -> BoxFuture<'_, Result<Option<String>, NotResumed>> {
        Box::pin(async { Err(NotResumed::GivenUp) })
    }

    /// The last lines of a call's output.
    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> BoxFuture<'_, Result<OutputPage, StoreError>>;

    /// Visits lines of a call's output, as [`super::Store::lines`] does.
    fn lines(
        &self,
        _session: SessionId,
        _call: CallId,
        _from: u64,
        _visit: Visit,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async { Ok(0) })
    }

    /// The bytes of a picture that a session, running or not, keeps; nothing where it does not.
    fn picture(
        &self,
        _session: SessionId,
        _picture: PictureId,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, StoreError>> {
        Box::pin(async { Ok(None) })
    }

    /// What a session and the agents below it wrote through the gate, the last change first, with what
    /// undoing it would do now.
    fn changes(&self, _session: SessionId) -> BoxFuture<'_, Result<Vec<Planned>, StoreError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// The capability of that name, so that a person's arguments for it can be checked.
    fn capability(&self, _name: &str) -> Option<Arc<Capability>> {
        None
    }

    /// What undoing these calls of a session, or of agents below it, would do now, in the order in which
    /// it would be done. The error is a line for a person.
    fn plan_undo(
        &self,
        _session: SessionId,
        _calls: Vec<CallId>,
    ) -> BoxFuture<'_, Result<Vec<Planned>, String>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// The text of a file before and after one change of a session, or of an agent below it. The error
    /// says why that cannot be shown.
    fn compare(&self, _session: SessionId, _call: CallId) -> BoxFuture<'_, Result<Texts, String>> {
        Box::pin(async { Ok(Texts::default()) })
    }

    /// What a run's clock reads now, while it runs.
    fn clock(&self, call: CallId) -> Option<Reading>;
}
