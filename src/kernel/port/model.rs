//! What answers.

use std::{collections::BTreeMap, fmt, sync::Arc};

use tokio::sync::mpsc;

use crate::kernel::{
    event::Stop,
    id::SessionId,
    message::{Delay, Message, Thought, Usage},
    picture::{Format, PictureId},
    provider::Sees,
    registry::ToolDefinition,
};

/// A model that answers.
pub trait Model: Send + Sync {
    /// Asks for one answer. The deltas arrive in order and end with exactly one
    /// [`Delta::Finished`] or error; the sender side stops when the receiver is dropped.
    fn respond(&self, request: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>>;

    /// Whether it takes pictures.
    fn sees(&self) -> Sees {
        Sees::Pictures
    }

    /// How many tokens it takes in one request, the answer included, as far as that is known.
    fn window(&self) -> u64 {
        USUAL_WINDOW
    }
}

/// The window of a model of which nothing is known, in tokens.
pub const USUAL_WINDOW: u64 = 128_000;

/// All a model needs for one answer.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// Who asks: the agent's name, which a script needs to pick its part.
    pub agent: String,
    /// The session that started this agent, if an agent did.
    pub parent: Option<SessionId>,
    /// What the answer is for.
    pub purpose: Purpose,
    /// How many answers this agent had before, which a script needs as well.
    pub turn: usize,
    /// The instructions.
    pub system: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The pictures that the messages name, as they are shown; one that is not among them is not.
    pub pictures: BTreeMap<PictureId, Print>,
    /// The tools on offer.
    pub tools: Vec<ToolDefinition>,
}

/// A picture as a model is shown it.
#[derive(Clone, PartialEq, Eq)]
pub struct Print {
    /// PNG or JPEG.
    pub format: Format,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Its bytes, in base64.
    pub base64: Arc<str>,
}

impl fmt::Debug for Print {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}x{}", self.format.media_type(), self.width, self.height)
    }
}

/// What an answer is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The next step of the agent.
    #[default]
    Turn,
    /// To stand for the older part of a conversation that has grown too long.
    Summary,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// Nothing of it has come yet, and the provider is asked again after a wait.
    Delayed(Delay),
    /// Some text, with no control characters but newline and tab.
    Text(String),
    /// Some of what it thinks, for people to read: cleaned as text is. No more in all than
    /// [`LONGEST_THINKING`](crate::kernel::message::LONGEST_THINKING), and a line that says where it was
    /// more.
    Thinking(String),
    /// A whole block of that, as it must come back. They come before the calls, and only with calls.
    Thought(Thought),
    /// A whole call. Half ones are never sent.
    Call {
        /// The provider's name for it.
        provider_id: String,
        /// The tool.
        name: String,
        /// The arguments as they came.
        arguments: String,
    },
    /// The answer is whole (or cut at the model's own limit, as `stop` says).
    Finished {
        /// Why it ended.
        stop: Stop,
        /// What it used.
        usage: Usage,
    },
}

/// Why no answer came. `Display` says what happened and what to do, in one or two lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// For the person.
    pub message: String,
    /// Whether less would have been taken.
    pub refused: Refused,
}

/// Why a request was not answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refused {
    /// It is longer than the model takes.
    TooLong,
    /// For anything else.
    #[default]
    Otherwise,
}
