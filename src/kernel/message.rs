//! The conversation as a model reads it, whatever its wire format.

use serde::{Deserialize, Serialize};

use super::{
    id::CallId,
    invoke::ToolResult,
    money::Money,
    picture::{Enclosed, Picture},
};

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The person's words (or, for a sub-agent, its parent's), and the pictures they showed.
    User { text: String, pictures: Vec<Picture> },
    /// What another agent said, or what became of a program, marked as such; never a person's words.
    Agent(String),
    /// One answer of the model: its text, then the calls it asked for.
    Assistant {
        /// The text, which may be empty.
        text: String,
        /// The calls in the model's order.
        calls: Vec<ModelCall>,
    },
    /// One result for each call of the answer before, in the same order.
    Results(Vec<CallResult>),
}

/// The longest result that a model is given, in bytes; the journal keeps the whole.
pub const LONGEST_RESULT: usize = 48 << 10;

impl Message {
    /// Somebody's words, with no picture.
    pub fn said(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), pictures: Vec::new() }
    }

    /// How much text is in it.
    pub fn bytes(&self) -> usize {
        match self {
            Self::User { text, .. } | Self::Agent(text) => text.len(),
            Self::Assistant { text, calls } => {
                let calls = calls.iter().map(|call| call.name.len() + call.arguments.len());
                text.len() + calls.sum::<usize>()
            }
            Self::Results(results) => results.iter().map(|one| one.result.text_len()).sum(),
        }
    }
}

/// What somebody says to a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Their words.
    pub text: String,
    /// The pictures they show with them; the words name them where they belong.
    pub pictures: Vec<Enclosed>,
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self { text, pictures: Vec::new() }
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A whole call as a model asked for it. A call that arrived in part is never one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Our name for it.
    pub id: CallId,
    /// The provider's name for it, which its result must carry.
    pub provider_id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments exactly as they came.
    pub arguments: String,
}

/// The result of one [`ModelCall`].
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// The provider's name for the call.
    pub provider_id: String,
    /// What came of it.
    pub result: ToolResult,
}

/// What a model request used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    #[serde(default)]
    pub input: u64,
    /// Tokens written.
    #[serde(default)]
    pub output: u64,
    /// What it cost, where the model's price was known.
    #[serde(default, skip_serializing_if = "Money::is_none")]
    pub cost: Money,
}

impl Usage {
    /// Tokens read and written.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cost = self.cost.plus(other.cost);
    }
}
