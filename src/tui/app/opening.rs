//! What the screen is told at its beginning, and what is left when it is gone.

use std::{path::PathBuf, sync::Arc};

use tokio::sync::mpsc;

use crate::{
    config::{Mouse, Notice},
    kernel::{
        gate::policy::Runs,
        id::SessionId,
        spec::{Mode, SessionSpec},
    },
    tui::{
        effect::Start,
        layout::Remembered,
        message::News,
        state::{
            Leave,
            status::{Check, Player},
        },
        terminal::Signal,
        theme::{Marks, Theme},
    },
};

/// Everything the screen is told at its beginning.
pub struct Opening {
    /// The folder's name, as it is shown.
    pub workspace: String,
    /// The folder itself.
    pub folder: PathBuf,
    /// Where `~/` begins in a rule.
    pub home: Option<PathBuf>,
    /// Who plays the model.
    pub player: Player,
    /// The mode new sessions start in.
    pub mode: Mode,
    /// When code runs unasked.
    pub runs: Runs,
    /// The session that was started or resumed already, which comes into view.
    pub session: Option<SessionId>,
    /// The session that was meant, where another process has it.
    pub held: Option<SessionId>,
    /// What is known of this computer; a line that is still being looked at says so.
    pub looked_at: Vec<Check>,
    /// What the person was last at here, in a line.
    pub last_here: Option<String>,
    /// Describes the session to start, in this folder or for the tour. May block for the time of
    /// small file operations; an error is one line what, one line what to do.
    pub begin: Arc<dyn Fn(Start) -> Result<Beginning, String> + Send + Sync>,
    pub theme: Theme,
    /// Watched, if the theme came from a file.
    pub theme_file: Option<PathBuf>,
    pub marks: Marks,
    pub notice: Notice,
    /// The sizes of panes that were set before, and what keeps them for the next time. May block for
    /// a small file; an error is one line what, one line what to do.
    pub sizes: Remembered,
    pub remember: Arc<dyn Fn(&Remembered) -> Result<(), String> + Send + Sync>,
    pub mouse: Mouse,
    /// What was said here before, oldest first.
    pub history: Vec<String>,
    /// What is learnt about this computer meanwhile.
    pub news: mpsc::UnboundedReceiver<News>,
}

/// A session to be started.
pub struct Beginning {
    pub spec: SessionSpec,
    /// The first words, where the person has not said any.
    pub message: Option<String>,
}

/// What is left when the screen is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Farewell {
    pub leave: Leave,
    /// The signal, if one ended it.
    pub signal: Option<Signal>,
    /// The session that was in view.
    pub session: Option<SessionId>,
}
