//! How the program ends: a code, one line that says what is wrong, one that says what to do.

use std::fmt;

use crate::{host::HostError, kernel::port::StoreError};

/// What the exit code tells a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Done,
    /// It did not work.
    Failed,
    /// The command line or the configuration is wrong.
    Usage,
    /// Something was denied for want of anyone to ask.
    NobodyToAsk,
    /// A limit was reached.
    Limit,
    /// A person stopped it.
    Interrupted,
    /// A signal ended it; the code that shells expect for that.
    Signal(u8),
}

impl Exit {
    /// The code itself.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NobodyToAsk => 3,
            Self::Limit => 4,
            Self::Interrupted => 130,
            Self::Signal(code) => code,
        }
    }
}

/// The one error type of the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The exit code.
    pub(super) exit: Exit,
    /// What is wrong, in one line.
    pub(super) what: String,
    /// What to do, in one line; empty where there is nothing to add.
    pub(super) hint: String,
}

impl Failure {
    /// A failure with exit code 1.
    pub(super) fn new(what: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, what: what.to_string(), hint: hint.into() }
    }

    /// A failure with exit code 1 from a message whose first line says what is wrong and whose rest
    /// says what to do.
    pub(super) fn in_two_lines(message: impl fmt::Display) -> Self {
        let message = message.to_string();
        let (what, hint) = message.split_once('\n').unwrap_or((&message, ""));
        Self::new(what, hint)
    }

    /// As [`Failure::in_two_lines`], with exit code 2.
    pub(super) fn usage_in_two_lines(message: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, ..Self::in_two_lines(message) }
    }

    /// A wrong command line or configuration: exit code 2.
    pub(super) fn usage(what: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(what, hint) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "footplate: {}", self.what)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\n{}", self.hint) }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let hint = match &error {
            full if full.is_full() => {
                "make room on that disk, or set FOOTPLATE_HOME to a folder on another"
            }
            StoreError::Io { .. } => "make it readable and writable, or set FOOTPLATE_HOME",
            StoreError::Held { session, .. } => {
                let copy = format!("footplate sessions fork {}", session.short());
                return Self::new(error, format!("close it there, or go on in a copy: {copy}"));
            }
            StoreError::Unknown(_) => "see all of them with: footplate sessions list",
            StoreError::Damaged { .. } => "nothing of it was touched; start a new session",
        };
        Self::new(error, hint)
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Store(error) => error.into(),
            HostError::Model(error) => Self::usage_in_two_lines(error),
            HostError::Unpriced { .. } => Self::usage_in_two_lines(error),
            HostError::Workspace { .. } => {
                let hint = "put it back, or go on elsewhere: footplate -C DIR, for a session that was \
                            there: footplate -C DIR sessions fork ID";
                Self::new(error, hint)
            }
        }
    }
}
