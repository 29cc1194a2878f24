//! The pieces a transcript is made of. What is over keeps its rows while it is near the screen, and
//! its height for good; only what still changes is laid out again.

mod code;
pub mod column;
mod effects;
mod outline;
pub mod picture;
mod rows;
mod script;
mod source;
mod thinking;

use std::{cell::RefCell, sync::Arc};

use jiff::Timestamp;
use ratatui::text::Line;
use serde::{Deserialize, Serialize};

use crate::{
    kernel::{
        capability::Category,
        error::ErrorCode,
        event::{Call, Outcome, Seal},
        id::{ApprovalId, CallId, SessionId},
        invoke::ToolResult,
        picture::Picture,
    },
    tui::{
        highlight::Colours,
        theme::{Mark, Role},
    },
};

pub use effects::Effects;
pub use outline::{Kind, Outline};
pub use rows::{Scene, height, is_long, rows, state_mark};
pub use script::Script;
pub use thinking::Thinking;

/// One piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub body: Body,
    /// What belongs to it of pictures: shown with the words, made by the run, looked at.
    pub pictures: Vec<Picture>,
    #[serde(skip)]
    cache: RefCell<Option<Cached>>,
}

/// How high a piece is at one width and in one look, and its rows while they are wanted.
#[derive(Clone, Debug, PartialEq)]
struct Cached {
    key: (usize, u64),
    height: usize,
    rows: Option<Arc<Vec<Line<'static>>>>,
}

/// What kind of piece it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// What the person said (or, for an agent, its parent). Of a long one a part is shown at first.
    Said { text: String, fold: Fold },
    /// What the model said: one part that is over, or the last one that still grows. A part of a
    /// long code block knows the line that opened it.
    Text { text: String, live: bool, inside: Option<String> },
    /// What the model thought before it said or did something.
    Thinking(Box<Thinking>),
    /// A run of Python.
    Code(Box<Code>),
    /// Any other call the model made itself.
    Call(Called),
    /// An agent that was started.
    Agent { name: String, session: SessionId, task: String, at: Timestamp },
    /// Something the person should know.
    Notice { mark: Mark, text: String },
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Progress {
    /// A question about it waits.
    Asking,
    Running {
        since: Timestamp,
    },
    /// The model was stopped or the program died before there was a result.
    Unknown(String),
    Done,
    Failed(String),
    Denied(String),
    Limit(String),
    Stopped(String),
    /// Nobody waits for an answer to its question any more.
    Withdrawn(String),
}

/// A run of Python.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Code {
    pub call: CallId,
    pub filename: String,
    pub script: Script,
    /// Of its lines, while it is near the screen.
    #[serde(skip)]
    pub colours: Coloured,
    pub progress: Progress,
    pub seal: Option<Seal>,
    pub limit_ms: u64,
    pub ran_ms: u64,
    /// The limit that ended it, in words.
    pub over: Option<String>,
    /// Somebody stopped it.
    pub stopped: bool,
    pub fold: Fold,
    /// Its own calls that changed nothing.
    pub reads: Reads,
    /// Its own calls that had (or would have had) an effect.
    pub effects: Effects,
    /// The last lines it printed.
    pub output: Vec<String>,
}

/// The calls of a run that changed nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    pub count: usize,
    /// The files that they read, as they were named; some of them where they are many.
    pub files: Vec<String>,
}

impl Reads {
    /// Some are enough to choose from.
    const MOST: usize = 50;

    /// Takes one more in.
    pub fn put(&mut self, call: &Call) {
        self.count += 1;
        let path = call.input.get("path").and_then(serde_json::Value::as_str);
        if let Some(path) = path.filter(|_| call.name.starts_with("files."))
            && self.files.len() < Self::MOST
            && !self.files.iter().any(|known| known == path)
        {
            self.files.push(path.to_owned());
        }
    }
}

/// Whether a text has its colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Coloured {
    #[default]
    Not,
    /// They are being found.
    Soon,
    Lines(Vec<Colours>),
}

impl Coloured {
    /// Those of one line.
    pub fn line(&self, at: usize) -> &[(std::ops::Range<usize>, Role)] {
        match self {
            Self::Lines(lines) => lines.get(at).map_or(&[], Vec::as_slice),
            Self::Not | Self::Soon => &[],
        }
    }
}

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fold {
    Shut,
    Part,
    Full,
}

/// A call that a run made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nested {
    pub call: CallId,
    pub line: Option<u32>,
    pub asks: Option<ApprovalId>,
    pub called: Called,
}

/// A call as one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Called {
    pub name: String,
    pub category: Category,
    pub object: String,
    pub progress: Progress,
}

impl Cell {
    pub fn new(body: Body) -> Self {
        Self { body, pictures: Vec::new(), cache: RefCell::default() }
    }

    /// Something changed in it.
    pub fn touch(&mut self) {
        self.cache.get_mut().take();
    }

    /// It is far from the screen: its rows and colours are let go, and its height is kept.
    pub fn far(&mut self) {
        if let Body::Code(code) = &mut self.body {
            code.colours = Coloured::Not;
        }
        if let Some(cached) = self.cache.get_mut() {
            cached.rows = None;
        }
    }

    #[cfg(test)]
    pub fn has_rows(&self) -> bool {
        self.cache.borrow().as_ref().is_some_and(|cached| cached.rows.is_some())
    }

    /// Whether its rows depend on nothing but their width and look.
    fn settled(&self) -> bool {
        match &self.body {
            Body::Said { .. } | Body::Notice { .. } => true,
            Body::Text { live, .. } => !live,
            Body::Thinking(thinking) => !thinking.live,
            Body::Code(code) => {
                code.progress.is_over()
                    && code.effects.iter().all(|nested| nested.called.progress.is_over())
            }
            Body::Call(called) => called.progress.is_over(),
            Body::Agent { .. } => false,
        }
    }

    /// Whether it is as it stays. An agent is, as soon as it was started: it has cells of its own.
    pub fn is_over(&self) -> bool {
        self.settled() || matches!(self.body, Body::Agent { .. })
    }

    /// Whether enter does something with it.
    pub fn opens(&self) -> bool {
        matches!(self.body, Body::Code(_) | Body::Thinking(_) | Body::Agent { .. })
            || matches!(&self.body, Body::Said { text, .. } if is_long(text))
    }
}

impl Progress {
    pub fn is_over(&self) -> bool {
        !matches!(self, Self::Asking | Self::Running { .. })
    }

    pub fn mark(&self) -> Mark {
        match self {
            Self::Asking => Mark::Needs,
            Self::Running { .. } => Mark::Running,
            Self::Unknown(_) => Mark::Unknown,
            Self::Done => Mark::Done,
            Self::Failed(_) => Mark::Failed,
            Self::Denied(_) => Mark::Denied,
            Self::Limit(_) => Mark::Limit,
            Self::Stopped(_) => Mark::Stopped,
            Self::Withdrawn(_) => Mark::Withdrawn,
        }
    }

    /// What went wrong, if anything did.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Unknown(why)
            | Self::Failed(why)
            | Self::Denied(why)
            | Self::Limit(why)
            | Self::Stopped(why)
            | Self::Withdrawn(why) => Some(why),
            Self::Asking | Self::Running { .. } | Self::Done => None,
        }
    }

    /// What a result means for its call.
    pub fn of_result(result: &ToolResult, started: bool) -> Self {
        if result.ok {
            return Self::Done;
        }
        let message = match result.content.get("message").and_then(serde_json::Value::as_str) {
            Some(message) => message.to_owned(),
            None => result.text(),
        };
        match result.error_code() {
            Some(
                ErrorCode::PermissionDenied | ErrorCode::NoApprover | ErrorCode::ApprovalExpired,
            ) => Self::Denied(message),
            Some(
                ErrorCode::BlockedInPlanMode
                | ErrorCode::BlockedByMonitor
                | ErrorCode::DeniedByRule,
            ) => Self::Denied(message),
            Some(ErrorCode::BudgetSpent) => Self::Limit(message),
            Some(ErrorCode::Interrupted) if started => Self::Unknown(message),
            Some(ErrorCode::Interrupted) => Self::Stopped(message),
            Some(ErrorCode::UnknownTool | ErrorCode::InvalidInput | ErrorCode::Failed) | None => {
                Self::Failed(message)
            }
        }
    }
}

impl Code {
    /// Whether it stands still because a person decides about one of its calls.
    pub fn held(&self) -> Option<&Nested> {
        self.effects.iter().find(|nested| nested.called.progress == Progress::Asking)
    }

    /// The call with this name that it made.
    pub fn nested(&mut self, call: CallId) -> Option<&mut Nested> {
        self.effects.find_mut(call)
    }
}

/// The notice for the way an exchange ended; none for a good end.
pub fn ending(outcome: &Outcome) -> Option<(Mark, String)> {
    match outcome {
        Outcome::Done => None,
        Outcome::Stopped => Some((Mark::Stopped, "Stopped by you. Say how to go on.".to_owned())),
        Outcome::Failed { message } => Some((Mark::Failed, message.clone())),
        Outcome::Limit { message } => Some((Mark::Limit, message.clone())),
    }
}
