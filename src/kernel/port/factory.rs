//! What starts agents.

use crate::kernel::{
    BoxFuture,
    error::CallError,
    id::{CallId, SessionId},
    spec::View,
    workflow::Workflow,
};

/// Starts agents for a session.
pub trait Factory: Send + Sync {
    /// Starts a child session and gives it its task. It is a session of its own from then on: it
    /// outlives the call and the exchange that started it. Dropping the future before it is ready
    /// starts nothing.
    fn start_child(&self, request: ChildRequest) -> BoxFuture<'_, Result<Started, CallError>>;

    /// The script of an earlier run in the same workspace that is over and can be carried on; `run` is
    /// its session, or the name of an agent below this one. May block for a journal.
    fn earlier(&self, run: &str) -> Result<Workflow, CallError>;
}

/// An agent wanted.
#[derive(Clone, Debug)]
pub struct ChildRequest {
    /// The call that wants it.
    pub call: CallId,
    /// The capability that was called, for what is said of its arguments.
    pub capability: &'static str,
    /// Its name in the tree.
    pub agent: String,
    /// What it shall do.
    pub task: String,
    /// The profile that says which kind of agent it is.
    pub profile: Option<String>,
    /// A folder below the parent's workspace, or the same.
    pub folder: Option<String>,
    /// What it may do with its workspace.
    pub view: View,
    /// The modules it may use; none named means the parent's, without those that start agents.
    pub modules: Option<Vec<String>>,
    /// The script that it runs, where it is a workflow.
    pub workflow: Option<Workflow>,
    /// What to do where as many agents are at work as may be.
    pub crowded: Crowded,
}

/// What to do where as many agents of a session are at work as may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowded {
    /// Wait until one of them is over.
    Wait,
    /// Say so.
    Refuse,
}

/// An agent that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// Its session.
    pub session: SessionId,
    /// The name by which its starter addresses it.
    pub name: String,
}
