//! What starts agents.

use crate::kernel::{
    BoxFuture,
    clock::Budget,
    error::CallError,
    id::{CallId, SessionId},
};

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
