//! The conversation as a model reads it, whatever its wire format.

use std::fmt;

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
        /// What it thought before it called, all of it with its words; empty once the exchange is over.
        thoughts: Vec<Thought>,
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
            Self::Assistant { text, calls, thoughts } => {
                let calls = calls.iter().map(|call| call.name.len() + call.arguments.len());
                let words = |thought: &Thought| thought.words.as_ref().map_or(0, String::len);
                let thoughts = thoughts.iter().map(words);
                text.len() + calls.sum::<usize>() + thoughts.sum::<usize>()
            }
            Self::Results(results) => results.iter().map(|one| one.result.text_len()).sum(),
        }
    }
}

/// No answer came, and it is asked for again after a wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delay {
    /// What came in its place, in a few words of ours.
    pub why: String,
    /// The wait, in milliseconds.
    pub wait_ms: u64,
    /// Which try comes then; the first one is 1.
    pub next: u32,
    /// How many tries there are at most.
    pub of: u32,
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { why, wait_ms, next, of } = self;
        let wait = wait_ms.div_ceil(1000);
        write!(f, "No answer yet: {why}. Asked again after {wait} s, try {next} of {of}.")
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

/// One block of what a model thought in an answer that calls. It goes back with that answer as long as
/// the exchange goes on, to the model it is from and to no other, unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thought {
    /// The model it is from, by its full name.
    pub from: String,
    /// What its wire format calls it.
    pub kind: String,
    /// By what its provider knows it again; or the whole of it, in a form that only the provider reads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// How many bytes of the thinking that was streamed with its answer it is, in order.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub streamed: usize,
    /// Its words; in a journal only where what was streamed is not exactly them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// How many bytes of the answer's text come before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_text: usize,
    /// How many of the answer's calls come before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_calls: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The longest thinking of one answer that is kept, in bytes. What is longer is not given back.
pub const LONGEST_THINKING: usize = 1 << 20;

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
