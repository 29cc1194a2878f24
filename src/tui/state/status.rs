//! What is said in passing, and what the host told at the start.

use std::{path::PathBuf, time::Duration};

use tokio::time::Instant;

use super::{
    Leave, Moment,
    away::Away,
    draft::Draft,
    log::{Kind, Log},
};
use crate::{
    kernel::{gate::policy::Runs, port::Form, spec::Mode},
    tui::theme::Mark,
};

/// How long a toast stays.
const TOAST: Duration = Duration::from_secs(4);

/// A second press within this time does what the first one announced.
const TWICE: Duration = Duration::from_secs(1);

/// One toast at a time, the newest wins; and keys that want to be pressed twice.
#[derive(Clone, Debug, Default)]
pub struct Status {
    toast: Option<(String, Instant)>,
    armed: Option<(Twice, Instant)>,
    pub away: Away,
    pub log: Log,
    now: Option<Moment>,
}

/// What a second press does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twice {
    StopTurn,
    Quit,
}

impl Status {
    /// Nothing was said yet, and somebody is there.
    pub fn begun(now: Moment) -> Self {
        Self { away: Away::begun(now), now: Some(now), ..Self::default() }
    }

    /// Says something in passing. The log keeps it.
    pub fn say(&mut self, text: impl Into<String>, now: Instant) {
        self.keep(Kind::Word, text.into(), now);
    }

    /// Says that something failed; what to do about it stands in the same line or in the next.
    pub fn fault(&mut self, text: impl Into<String>, now: Instant) {
        self.keep(Kind::Fault, text.into(), now);
    }

    fn keep(&mut self, kind: Kind, text: String, now: Instant) {
        if let Some(known) = self.now {
            self.log.put(known.wall + now.saturating_duration_since(known.at), kind, &text, None);
        }
        self.show(text, now);
    }

    /// Says something that nobody needs to read again.
    pub fn show(&mut self, text: impl Into<String>, now: Instant) {
        self.toast = Some((text.into(), now + TOAST));
    }

    /// A letter that would be lost without a word.
    pub fn no_key(&mut self, letter: char, now: Instant) {
        self.say(format!("{letter} does nothing here; F1 shows what does."), now);
    }

    pub fn toast(&self, now: Instant) -> Option<&str> {
        self.toast.as_ref().filter(|(_, until)| now < *until).map(|(text, _)| text.as_str())
    }

    /// Takes the toast away, to say it elsewhere.
    pub fn take(&mut self) -> Option<String> {
        self.toast.take().map(|(text, _)| text)
    }

    /// Whether this press is the second; if not, it is the first.
    pub fn twice(&mut self, what: Twice, now: Instant) -> bool {
        let second = self.armed.take_if(|(armed, _)| *armed == what);
        if second.is_some_and(|(_, until)| now <= until) {
            return true;
        }
        self.armed = Some((what, now + TWICE));
        false
    }

    /// Another key came between.
    pub fn disarm(&mut self) {
        self.armed = None;
    }

    /// Forgets what is over.
    pub fn tick(&mut self, now: Moment) {
        self.now = Some(now);
        self.toast.take_if(|(_, until)| *until <= now.at);
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.toast.as_ref().map(|(_, until)| *until)
    }
}

/// What plays the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// None; these were looked for.
    Nobody { looked_for: Vec<String> },
    /// A model, by the name that is shown.
    Model(String),
    /// A script, which is said on the screen as long as it plays.
    Script(String),
}

/// One line about this computer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub mark: Mark,
    pub text: String,
}

/// Where we are.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder's name.
    pub workspace: String,
    /// The folder where sessions are started.
    pub folder: PathBuf,
    pub player: Player,
    /// By what runs are held here, once it was tried.
    pub seal: Option<Form>,
    pub mode: Mode,
    pub runs: Runs,
    pub checks: Vec<Check>,
    /// What the person was last at here, in a line.
    pub last_here: Option<String>,
    /// A session is there from the beginning.
    pub carries_on: bool,
    /// The row of the first screen that has the bar.
    pub row: usize,
    /// A start was asked for and has not come yet, with these words.
    pub starting: Option<Draft>,
    /// To be left as soon as nobody works any more.
    pub leaving: bool,
    /// Set when the screen is to be left.
    pub leave: Option<Leave>,
}

impl Default for Place {
    fn default() -> Self {
        Self {
            workspace: String::new(),
            folder: PathBuf::new(),
            player: Player::Nobody { looked_for: Vec::new() },
            seal: None,
            mode: Mode::Default,
            runs: Runs::BySeal,
            checks: Vec::new(),
            last_here: None,
            carries_on: false,
            row: 0,
            starting: None,
            leaving: false,
            leave: None,
        }
    }
}

impl Place {
    /// Whether there is neither a model nor a session.
    pub fn starts_empty(&self) -> bool {
        matches!(self.player, Player::Nobody { .. }) && !self.carries_on
    }
}
