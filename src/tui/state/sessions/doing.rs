//! What a session does, and since when.

use jiff::Timestamp;

use crate::kernel::{event::Outcome, message::Delay};

/// What a session does.
#[derive(Clone, Debug, PartialEq)]
pub enum Doing {
    /// Nothing was said yet.
    Nothing,
    Working {
        since: Timestamp,
        /// When the last of it came.
        heard: Timestamp,
        /// The wait for another try, while nothing of an answer has come.
        delayed: Option<Delayed>,
    },
    Rests {
        outcome: Outcome,
        since: Timestamp,
    },
}

/// A provider gave no answer and is asked again at that moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Delayed {
    pub delay: Delay,
    pub until: Timestamp,
}

impl Doing {
    pub fn works(&self) -> bool {
        matches!(self, Self::Working { .. })
    }

    /// An exchange begins.
    pub fn begun(at: Timestamp) -> Self {
        Self::Working { since: at, heard: at, delayed: None }
    }

    /// Seconds of the exchange that goes on.
    pub fn seconds(&self, now: Timestamp) -> Option<i64> {
        match self {
            Self::Nothing | Self::Rests { .. } => None,
            Self::Working { since, .. } => Some((now.as_second() - since.as_second()).max(0)),
        }
    }

    /// Something of it came.
    pub fn hears(&mut self, at: Timestamp) {
        if let Self::Working { heard, .. } = self {
            *heard = at;
        }
    }

    /// When the exchange that goes on was last heard of.
    pub fn heard(&self) -> Option<Timestamp> {
        match self {
            Self::Working { heard, .. } => Some(*heard),
            Self::Nothing | Self::Rests { .. } => None,
        }
    }

    /// Another try is waited for, or no longer.
    pub fn waits(&mut self, for_it: Option<Delayed>) {
        if let Self::Working { delayed, .. } = self {
            *delayed = for_it;
        }
    }

    /// The wait for another try.
    pub fn delayed(&self) -> Option<&Delayed> {
        match self {
            Self::Working { delayed, .. } => delayed.as_ref(),
            Self::Nothing | Self::Rests { .. } => None,
        }
    }
}
