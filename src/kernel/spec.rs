//! The durable description of a session: names and limits, never a live thing.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{allowance::Ceiling, id::SessionId, workflow::Workflow};

/// What a session may do without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Reads only; everything else is refused without a question.
    Plan,
    /// Reads run; everything else asks.
    #[default]
    Default,
    /// As default, but writes inside the workspace run.
    AcceptEdits,
    /// For long work; asks as accept-edits does until a run's changes can be taken back.
    Guarded,
    /// Nothing asks.
    Auto,
}

impl Mode {
    /// All modes, strictest first.
    pub const ALL: [Self; 5] =
        [Self::Plan, Self::Default, Self::AcceptEdits, Self::Guarded, Self::Auto];

    /// The name used on the command line, in the journal and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Guarded => "guarded",
            Self::Auto => "auto",
        }
    }
}

/// What bounds a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Model requests until the exchange is ended.
    pub turns: u32,
    /// How many levels of sub-agents this session may still start.
    pub depth: u32,
    /// How many agents that it started may be at work at once; theirs are not counted.
    #[serde(default = "usual_agents", skip_serializing_if = "is_usual_agents")]
    pub agents_at_once: u32,
    /// The ceiling of one execution's running time, in milliseconds.
    pub execution_ms: u64,
    /// The running time of an execution that asks for none, in milliseconds; no more than the
    /// ceiling.
    #[serde(default = "usual_ms", skip_serializing_if = "is_usual")]
    pub usual_ms: u64,
    /// How long a question waits for an answer, in milliseconds; for ever if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_ms: Option<u64>,
    /// What it and all agents below it may use together.
    #[serde(default, skip_serializing_if = "Ceiling::is_none")]
    pub ceiling: Ceiling,
}

fn usual_ms() -> u64 {
    60_000
}

fn is_usual(ms: &u64) -> bool {
    *ms == usual_ms()
}

fn usual_agents() -> u32 {
    10
}

fn is_usual_agents(agents: &u32) -> bool {
    *agents == usual_agents()
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 100,
            depth: 3,
            agents_at_once: usual_agents(),
            execution_ms: 600_000,
            usual_ms: usual_ms(),
            approval_ms: None,
            ceiling: Ceiling::default(),
        }
    }
}

/// What a session may do with its workspace, whatever its mode.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Read and write it, as its mode and its rules say.
    #[default]
    Whole,
    /// Read it: no call and no program of it writes there.
    ReadOnly,
}

impl View {
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// Which files an agent works on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// Those of its starter.
    #[default]
    Shared,
    /// Those of a git worktree of its own, as the last commit has them.
    Worktree,
}

/// What is to be known of a git worktree that was made for a session and is its workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// The workspace of the session above, whose repository it is of; absolute.
    pub of: PathBuf,
    /// The commit that it began with.
    pub commit: String,
}

/// Everything needed, with the registry, to build a session in another process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSpec {
    /// The session's name.
    pub id: SessionId,
    /// The session that started it, if an agent did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// The agents from the root to this one, itself last; shown as `a › b`.
    pub path: Vec<String>,
    /// The folder it works in, absolute.
    pub workspace: PathBuf,
    /// `PROVIDER/MODEL`, or `scripted:…`.
    pub model: String,
    /// The mode it started in.
    pub mode: Mode,
    /// The tools its model is offered, by name, in this order.
    pub tools: Vec<String>,
    /// The modules its Python may import, by name.
    pub modules: Vec<String>,
    /// What bounds it.
    #[serde(default)]
    pub limits: Limits,
    /// What a profile or parent adds to the instructions of its model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// The profiles by which it may start agents, and no others; absent for any, or none at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// What it may do with its workspace.
    #[serde(default, skip_serializing_if = "View::is_whole")]
    pub view: View,
    /// The worktree that its workspace is, where one was made for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Box<Worktree>>,
    /// The saved script that it runs in the place of a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Box<Workflow>>,
}

impl SessionSpec {
    /// The agent's own name: the last part of its path.
    pub fn agent(&self) -> &str {
        self.path.last().map_or("session", String::as_str)
    }

    /// Who answers in it, for people: its model, or the script that stands in its place.
    pub fn speaker(&self) -> String {
        match &self.workflow {
            Some(workflow) => format!("workflow {}", workflow.name),
            None => self.model.clone(),
        }
    }
}

#[cfg(test)]
impl SessionSpec {
    /// One for tests: a root session that is offered nothing.
    pub(crate) fn sample(id: impl Into<SessionId>) -> Self {
        Self {
            id: id.into(),
            parent: None,
            path: vec!["main".to_owned()],
            workspace: "/w".into(),
            model: "none".to_owned(),
            mode: Mode::Default,
            tools: Vec::new(),
            modules: Vec::new(),
            limits: Limits::default(),
            instructions: String::new(),
            agents: None,
            view: View::Whole,
            worktree: None,
            workflow: None,
        }
    }
}
