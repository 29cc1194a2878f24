//! What rules match on: the effect as it would really happen, told by whoever would do it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kernel::{event::Call, port::Level};

/// What a call acts on. Real places and the held level, never the raw arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Subject {
    /// Nothing that rules know: only its name and its exact arguments match.
    #[default]
    Other,
    /// A file or folder, links resolved, and what whoever calls is told of it.
    Path {
        real: String,
        #[serde(default, skip_serializing_if = "Tells::is_nothing")]
        tells: Tells,
    },
    /// A program with its arguments, and how it runs.
    Program { argv: Vec<String>, run: Box<Reached> },
    /// A script, and what it may do by itself.
    Code { seal: Level },
    /// Packages to fetch.
    Packages { asked: Vec<String> },
    /// A place on the network.
    Host { host: String },
}

/// What a call tells of the file that it acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tells {
    /// That it is there, and no more.
    #[default]
    Nothing,
    /// What stands in it, or some of that.
    Text,
}

impl Tells {
    fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

/// Where a run begins and what it may do by itself: the level it really gets, the network, and real
/// places it may write as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Its folder.
    pub cwd: String,
    /// The level.
    pub seal: Level,
    /// Whether it has the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// What it may write as well, with all that is below.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
}

impl Subject {
    /// A file or folder by its real place.
    pub fn path(real: &Path) -> Self {
        Self::Path { real: text(real), tells: Tells::Nothing }
    }

    /// A file by its real place, of which whoever calls is told what stands in it.
    pub fn read(real: &Path) -> Self {
        Self::Path { real: text(real), tells: Tells::Text }
    }

    /// Whether it is a file that is read.
    pub(super) fn is_read(&self) -> bool {
        matches!(self, Self::Path { tells: Tells::Text, .. })
    }

    /// The level of a run.
    pub fn seal(&self) -> Option<Level> {
        match self {
            Self::Program { run, .. } => Some(run.seal),
            Self::Code { seal } => Some(*seal),
            Self::Other | Self::Path { .. } | Self::Packages { .. } | Self::Host { .. } => None,
        }
    }

    /// Whether it reaches the network.
    pub fn network(&self) -> bool {
        match self {
            Self::Program { run, .. } => run.network,
            Self::Packages { .. } | Self::Host { .. } => true,
            Self::Other | Self::Path { .. } | Self::Code { .. } => false,
        }
    }

    /// The same with its places moved, where any of them is one that `moved` knows.
    pub(super) fn elsewhere(&self, moved: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        match self {
            Self::Path { real, tells } => {
                moved(real).map(|real| Self::Path { real, tells: *tells })
            }
            Self::Program { argv, run } => {
                let there = |place: &String| moved(place).unwrap_or_else(|| place.clone());
                let run = Reached {
                    cwd: there(&run.cwd),
                    writes: run.writes.iter().map(there).collect(),
                    ..(**run).clone()
                };
                Some(Self::Program { argv: argv.clone(), run: Box::new(run) })
            }
            Self::Other | Self::Code { .. } | Self::Packages { .. } | Self::Host { .. } => None,
        }
    }

    /// Whether it is nothing that rules know.
    pub fn is_other(&self) -> bool {
        *self == Self::Other
    }
}

/// A place as text. What is no UTF-8 in it is replaced, and no rule allows such a place.
pub fn text(place: &Path) -> String {
    place.to_string_lossy().into_owned()
}

impl Case {
    /// A call of a journal as rules see it; `base` is the workspace of the root session. For what a
    /// rule that is being written would have matched.
    pub fn of(call: &Call, subject: &Subject, agent: &[String], base: &Path) -> Self {
        Self {
            call: call.name.clone(),
            input: call.input.clone(),
            subject: subject.clone(),
            agent: agent.to_owned(),
            base: base.to_owned(),
        }
    }
}

/// One call as rules see it: what it acts on, who makes it, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The capability.
    pub call: String,
    /// The arguments.
    pub input: Value,
    /// What it acts on.
    pub subject: Subject,
    /// The agents from the root to the one that calls.
    pub agent: Vec<String>,
    /// The workspace of the root session: where relative paths of rules begin, also for an agent
    /// that works in a folder below.
    pub base: PathBuf,
}
