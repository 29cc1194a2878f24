//! What the screen is told at its beginning, and what is left when it is gone.

use std::{path::PathBuf, sync::Arc};

use tokio::sync::mpsc;

use super::{Own, now};
use crate::{
    config::{Motion, Mouse, Notice, Surface},
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
            Leave, Popup, State,
            look::Look,
            status::{Check, Place, Player},
        },
        terminal::Signal,
        theme::{Marks, Theme},
    },
};

/// Keeps the sizes of panes for the next time. May block for a small file; an error is one line.
pub type Remember = Arc<dyn Fn(&Remembered) -> Result<(), String> + Send + Sync>;

/// The screen as it begins.
pub(super) fn first(opening: &Opening) -> State {
    let mut look = Look::new(opening.look.theme.clone(), opening.look.marks);
    look.motion = opening.look.motion;
    let place = Place {
        workspace: opening.here.name.clone(),
        folder: opening.here.folder.clone(),
        player: opening.player.clone(),
        mode: opening.mode,
        runs: opening.runs,
        checks: opening.looked_at.clone(),
        last_here: opening.last_here.clone(),
        carries_on: matches!(opening.session, Some(Meant::Here(_))),
        ..Place::default()
    };
    let mut state = State::new(place, look, opening.history.clone(), now());
    match opening.session {
        Some(Meant::Here(session)) => state.sessions.prefer(Some(session)),
        Some(Meant::Elsewhere(session)) => state.popup = Some(Popup::Held { session }),
        None => {}
    }
    state.records.zone = jiff::tz::TimeZone::system();
    state.records.home = opening.here.home.clone();
    state.status.log.file = opening.here.log.clone();
    state.panes.sizes = opening.sizes;
    state.controls.themes.own = opening.look.own.themes.clone();
    state.controls.keys = opening.look.own.keymap.clone();
    state.controls.mouse = opening.manners.mouse;
    state.panes.surface = opening.manners.surface;
    state
}

/// Everything the screen is told at its beginning.
pub struct Opening {
    pub here: Here,
    /// Who plays the model.
    pub player: Player,
    /// The mode new sessions start in.
    pub mode: Mode,
    /// When code runs unasked.
    pub runs: Runs,
    /// The session that was meant, if one was.
    pub session: Option<Meant>,
    /// What is known of this computer; a line that is still being looked at says so.
    pub looked_at: Vec<Check>,
    /// What the person was last at here, in a line.
    pub last_here: Option<String>,
    /// Describes the session to start, in this folder or for the tour. May block for the time of
    /// small file operations; an error is one line what, one line what to do.
    pub begin: Arc<dyn Fn(Start) -> Result<Beginning, String> + Send + Sync>,
    pub look: Dress,
    pub manners: Manners,
    /// The sizes of panes that were set before, and what keeps them for the next time. May block for
    /// a small file; an error is one line what, one line what to do.
    pub sizes: Remembered,
    pub remember: Remember,
    /// What was said here before, oldest first.
    pub history: Vec<String>,
    /// What is learnt about this computer meanwhile.
    pub news: mpsc::UnboundedReceiver<News>,
}

/// The session that is there from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// It was started or carried on already, and comes into view.
    Here(SessionId),
    /// Another process has it.
    Elsewhere(SessionId),
}

/// The folders that the screen knows of.
pub struct Here {
    /// The name of the one that sessions are about, as it is shown.
    pub name: String,
    /// The one where sessions are started.
    pub folder: PathBuf,
    /// Where `~/` begins in a rule.
    pub home: Option<PathBuf>,
    /// Where drafts are kept from one start to the next; they are not if there is none.
    pub drafts: Option<PathBuf>,
    /// Where files may lie that nobody misses.
    pub cache: Option<PathBuf>,
    /// Where this program writes for its developers, if it does.
    pub log: Option<PathBuf>,
}

/// How things look, and the person's own files of that.
pub struct Dress {
    pub theme: Theme,
    pub marks: Marks,
    pub motion: Motion,
    pub own: Own,
}

/// How the terminal is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manners {
    pub mouse: Mouse,
    pub surface: Surface,
    pub notice: Notice,
    /// Whether the terminal breaks rows anew when it gets narrower.
    pub reflows: bool,
    /// Whether tmux stands between.
    pub in_tmux: bool,
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
