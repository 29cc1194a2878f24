//! What starts agents.

use std::path::PathBuf;

use crate::kernel::{
    BoxFuture,
    error::CallError,
    id::{CallId, SessionId},
    spec::{Ground, View},
    workflow::Workflow,
};

/// Starts agents for a session.
pub trait Factory: Send + Sync {
    /// Where a worktree for the child of such a request is to be made before it is started; absent if it
    /// works where its starter does. What cannot be started is refused here, before anybody is asked.
    fn ground(&self, request: &ChildRequest) -> Result<Option<PathBuf>, CallError>;

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
    /// Which files it works on, where its profile does not say more.
    pub ground: Ground,
    /// The worktree that was made for it. No caller names one: it is at the place that
    /// [`Factory::ground`] gave.
    pub tree: Option<Tree>,
    /// What it may do with its workspace.
    pub view: View,
    /// The modules it may use; none named means the parent's, without those that start agents.
    pub modules: Option<Vec<String>>,
    /// The script that it runs, where it is a workflow.
    pub workflow: Option<Workflow>,
    /// What to do where as many agents are at work as may be.
    pub crowded: Crowded,
}

/// A worktree that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its folder, a real place.
    pub folder: PathBuf,
    /// The commit it has.
    pub commit: String,
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
