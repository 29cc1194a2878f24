//! Why a call gave no result: data for the model and for Python, never an end of the turn.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The stable code of a failed call; callers may branch on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No tool of that name in this session.
    UnknownTool,
    /// The arguments are not what the tool takes.
    InvalidInput,
    /// A person said no.
    PermissionDenied,
    /// Plan mode changes nothing.
    BlockedInPlanMode,
    /// The monitor holds it back.
    BlockedByMonitor,
    /// A rule denies it.
    DeniedByRule,
    /// It had to be asked, and nobody is there.
    NoApprover,
    /// It had to be asked, and nobody answered within the time that questions have.
    ApprovalExpired,
    /// A limit of time, turns, depth, memory or space was reached.
    BudgetSpent,
    /// It was cut off; whether it took effect may be unknown.
    Interrupted,
    /// It ran and did not succeed.
    Failed,
}

/// A call that gave no result. `message` says what to do next.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// What kind of failure it is.
    pub code: ErrorCode,
    /// One or two sentences for whoever called.
    pub message: String,
    /// More for a program to read, such as a person's words or an exit status.
    pub detail: Map<String, Value>,
}

impl CallError {
    /// An error of this kind without detail.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: Map::new() }
    }

    /// An error of the capability itself: it ran and did not succeed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Failed, message)
    }

    /// The same error with one more detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(key.to_owned(), value.into());
        self
    }

    /// The payload the caller reads: `error`, `message`, then the details.
    pub fn payload(&self) -> Value {
        let mut payload = Map::new();
        payload.insert("error".into(), json!(self.code));
        payload.insert("message".into(), json!(self.message));
        payload.extend(self.detail.clone());
        Value::Object(payload)
    }
}
