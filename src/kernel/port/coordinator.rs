//! What carries signals between sessions.

use std::time::Duration;

use serde::Serialize;

use crate::kernel::{
    BoxFuture,
    error::CallError,
    id::{CallId, SessionId},
    signal::{Ending, Extent},
};

/// Speaks with other agents for one session: with those below it, by their names from here
/// (`tests`, `tests/fuzz`) or by their session, and with the one above it, as `parent`. No other can
/// be addressed. What it carries is in both journals.
pub trait Coordinator: Send + Sync {
    /// Waits until any or all of these agents are over. Dropping the future stops none of them. A
    /// wait that could never end is refused.
    fn wait(&self, wait: Wait) -> BoxFuture<'_, Result<Waited, CallError>>;

    /// Says something to an agent; its model reads it at its next request. Does not wait. Fails if
    /// that agent is over. Gives its session.
    fn send(&self, to: &str, text: String) -> Result<SessionId, CallError>;

    /// Stops an agent below for good and waits until it has stopped. Gives the names of all that
    /// were stopped. Dropping the future stops them all the same.
    fn cancel(&self, name: &str, extent: Extent) -> BoxFuture<'_, Result<Vec<String>, CallError>>;

    /// All agents below, each right after the one that started it.
    fn list(&self) -> Vec<Agent>;
}

/// For what to wait.
#[derive(Clone, Debug)]
pub struct Wait {
    /// The call that waits.
    pub call: CallId,
    /// For whom; none named means all that this session started and that are at work, or of whose end
    /// its model does not know yet.
    pub names: Vec<String>,
    /// For how many of them.
    pub until: Until,
    /// How long at most.
    pub timeout: Option<Duration>,
}

/// For how many to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The first that is over.
    Any,
    /// All.
    All,
}

/// What came of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waited {
    /// Those that are over.
    pub over: Vec<Finished>,
    /// The names of those that are not.
    pub going: Vec<String>,
}

/// An agent that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Its name from here.
    pub name: String,
    /// Its session.
    pub session: SessionId,
    /// What came of it.
    pub ending: Ending,
}

/// One agent in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Agent {
    /// Its name from here.
    pub name: String,
    /// Its session.
    pub session: SessionId,
    /// What it does, or how it ended.
    pub state: AgentState,
    /// Its model requests.
    pub turns: u32,
    /// Its tokens, those of its own agents not counted.
    pub tokens: u64,
    /// What it waits for, in words; empty if it is at work or over.
    pub waits_for: Vec<String>,
}

/// What an agent does, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// Its model answers, or a call of it runs.
    Working,
    /// It can go on only when something else has happened.
    Waiting,
    /// It is over and has answered.
    Done,
    /// It was stopped.
    Stopped,
    /// It could not go on.
    Failed,
    /// It reached a limit.
    Limit,
}
