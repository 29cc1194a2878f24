//! A run of a saved script as a session: what it runs, and what an earlier run of it has done.

mod record;

pub use record::{Next, Record};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::SessionId;

/// The script that a session runs, in the place of a model. It is the text that was shown, whatever
/// becomes of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workflow {
    /// Its name: that of its file, without `.py`.
    pub name: String,
    /// The script.
    pub code: String,
    /// What it was given.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub args: Map<String, Value>,
    /// The earlier run that it carries on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<SessionId>,
}

impl Workflow {
    /// The name of the file that its lines are counted in.
    pub fn filename(&self) -> String {
        format!("{}.py", self.name)
    }
}
