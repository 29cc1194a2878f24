//! All the screen knows. Each part owns its own; nothing here waits, reads a clock or a file.

pub mod away;
pub mod compared;
pub mod composer;
pub mod controls;
pub mod draft;
pub mod drafts;
mod drawn;
pub mod edit;
pub mod file;
pub mod filter;
pub mod log;
pub mod look;
pub mod offered;
pub mod output;
pub mod palette;
pub mod panes;
pub mod pointer;
pub mod records;
pub mod sessions;
pub mod several;
pub mod status;
pub mod transcript;
pub mod tree;
pub mod waiting;

use composer::Composer;
use controls::Controls;
pub use drawn::{
    Drawn, DrawnChange, DrawnFile, DrawnOutput, DrawnPicture, DrawnQuestion, DrawnText, Unlaid,
};
use look::Look;
use output::Output;
use panes::Panes;
use records::Records;
use sessions::Sessions;
use status::{Place, Status};
use tokio::time::Instant;
use waiting::{Queue, Waiting};

use crate::{
    kernel::id::{CallId, SessionId},
    tui::{guard::Guard, keymap, layout::Room},
};

/// One moment by both clocks: the one that only counts, and the one on the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub at: Instant,
    pub wall: jiff::Timestamp,
}

/// The screen.
#[derive(Debug)]
pub struct State {
    pub now: Moment,
    pub look: Look,
    pub place: Place,
    pub controls: Controls,
    pub sessions: Sessions,
    pub queue: Queue,
    pub output: Output,
    pub records: Records,
    pub composer: Composer,
    pub status: Status,
    pub popup: Option<Popup>,
    pub focus: Focus,
    pub panes: Panes,
    pub guard: Guard,
    pub drawn: Drawn,
}

/// Which pane has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    Start,
    Composer,
    Question,
    Transcript,
    /// The output of that call.
    Output(CallId),
    Sessions,
    Waiting,
    /// What the session means to do.
    Plan,
    /// What was written, in short.
    Changes,
    /// What happened while nobody looked.
    Away,
}

/// What lies over the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Popup {
    Sessions,
    Waiting {
        row: usize,
    },
    Output,
    /// Into which file an output is to be saved.
    Save {
        call: CallId,
    },
    Changes {
        row: usize,
    },
    Grants {
        row: usize,
    },
    Decisions {
        row: usize,
    },
    /// A file that is looked at, and the list from which one is chosen.
    File,
    Files {
        row: usize,
    },
    /// What was said in passing.
    Log {
        row: usize,
    },
    Help {
        of: keymap::Place,
        top: usize,
    },
    Connect {
        row: usize,
    },
    /// All commands.
    Commands,
    Themes {
        row: usize,
    },
    /// What happened while nobody looked.
    Away {
        row: usize,
    },
    Quit {
        row: usize,
    },
    Mode {
        row: usize,
    },
    /// Whether this one is to be stopped.
    Stop {
        session: SessionId,
        row: usize,
    },
    /// What one script asks for, to be answered together.
    Several {
        row: usize,
    },
    /// The script that asks, from this row on.
    Script {
        top: usize,
    },
    /// What to do about a session that another process has.
    Held {
        session: SessionId,
    },
    /// Whether this one is to be deleted.
    Delete {
        session: SessionId,
        row: usize,
    },
    /// Another name for it.
    Rename {
        session: SessionId,
    },
    /// What was said in it, to go back to before that.
    Said {
        session: SessionId,
        row: usize,
    },
    /// That picture of the session, alone.
    Picture {
        at: usize,
    },
    /// How to go back to before that message.
    Rewind {
        session: SessionId,
        before: usize,
        row: usize,
    },
}

impl Popup {
    /// Whether words narrow what it shows.
    pub fn is_narrowed(self) -> bool {
        matches!(
            self,
            Self::Waiting { .. }
                | Self::Grants { .. }
                | Self::Decisions { .. }
                | Self::Log { .. }
                | Self::Help { .. }
        )
    }
}

/// Why the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The person quit.
    Quit,
    /// A signal, or the terminal went away.
    Signal,
    /// Nobody can answer any more what is asked.
    Unanswered,
}

impl State {
    /// Whether something that is in view is being read back.
    pub fn awaits_rows(&self) -> bool {
        let height = self.drawn.transcript.height;
        self.sessions.node().is_some_and(|node| node.transcript.awaited(height))
    }

    /// A screen on which nothing has happened.
    pub fn new(place: Place, look: Look, history: Vec<String>, now: Moment) -> Self {
        let focus = if place.starts_empty() { Focus::Start } else { Focus::Composer };
        Self {
            now,
            look,
            place,
            controls: Controls::default(),
            sessions: Sessions::default(),
            queue: Queue::default(),
            output: Output::default(),
            records: Records::default(),
            composer: Composer::remembering(history),
            status: Status::begun(now),
            popup: None,
            focus,
            panes: Panes::default(),
            guard: Guard::default(),
            drawn: Drawn::default(),
        }
    }

    /// Where a key would count now.
    pub fn key_place(&self) -> keymap::Place {
        use keymap::Place;
        match self.popup {
            Some(popup) if popup.is_narrowed() && self.records.filter.typing => {
                return Place::Filter;
            }
            Some(Popup::Sessions) if self.sessions.tree.filter.typing => return Place::Filter,
            Some(Popup::Sessions) => return Place::Sessions,
            Some(Popup::Held { .. }) => return Place::Held,
            Some(Popup::Delete { .. }) => return Place::Delete,
            Some(Popup::Rename { .. }) => return Place::Rename,
            Some(Popup::Said { .. }) => return Place::Said,
            Some(Popup::Rewind { .. }) => return Place::Rewind,
            Some(Popup::Picture { .. }) => return Place::Picture,
            Some(Popup::Waiting { .. }) => return Place::Waiting,
            Some(Popup::Output) if self.finding() => return Place::Find,
            Some(Popup::Output) => return Place::Output,
            Some(Popup::Save { .. }) => return Place::Save,
            Some(Popup::Changes { .. }) if self.records.written.undo.is_some() => {
                return Place::Undo;
            }
            Some(Popup::Changes { .. }) => return Place::Changes,
            Some(Popup::Grants { .. }) => return Place::Grants,
            Some(Popup::Decisions { .. }) => return Place::Decisions,
            Some(Popup::File) => {
                let file = self.panes.viewer.file.as_ref();
                let typing = file.is_some_and(|file| file.field.is_some());
                return if typing { Place::Search } else { Place::File };
            }
            Some(Popup::Files { .. }) => return Place::Files,
            Some(Popup::Log { .. }) => return Place::Log,
            Some(Popup::Help { .. }) => return Place::Help,
            Some(Popup::Connect { .. }) => return Place::Connect,
            Some(Popup::Commands) => return Place::Commands,
            Some(Popup::Themes { .. }) => return Place::Themes,
            Some(Popup::Away { .. }) => return Place::Lines,
            Some(Popup::Quit { .. }) => return Place::Quit,
            Some(Popup::Mode { .. }) => return Place::Mode,
            Some(Popup::Stop { .. }) => return Place::Stop,
            Some(Popup::Script { .. }) => return Place::Script,
            Some(Popup::Several { .. }) => return Place::Several,
            None => {}
        }
        if self.finding() {
            return Place::Find;
        }
        match self.focus {
            Focus::Start => Place::Start,
            Focus::Composer if self.offers() => Place::Offers,
            Focus::Composer => Place::Composer,
            Focus::Question => match self.queue.form {
                Some(waiting::Form::Because(..)) => Place::Because,
                Some(waiting::Form::Wider(_)) => Place::Wider,
                Some(waiting::Form::Search(_)) => Place::Search,
                Some(waiting::Form::Edit(_)) => Place::Edit,
                None => Place::Question,
            },
            Focus::Transcript if self.sessions.looks_for_a_word() => Place::Search,
            Focus::Transcript => Place::Transcript,
            Focus::Output(_) => Place::Output,
            Focus::Sessions => Place::Sessions,
            Focus::Waiting => Place::Waiting,
            Focus::Plan | Focus::Changes | Focus::Away => Place::Lines,
        }
    }

    /// The questions that the list of what waits shows; its pane beside the transcript shows all.
    pub fn inbox(&self) -> Vec<&Waiting> {
        let mut all = self.queue.listed();
        if let Some(Popup::Waiting { .. }) = self.popup {
            all.retain(|waiting| self.records.filter.passes(&waiting.searched()));
        }
        all
    }

    /// Whether a word is being typed that is looked for in an output.
    pub fn finding(&self) -> bool {
        let here = self.output_here();
        self.output.search.as_ref().is_some_and(|search| Some(search.call) == here)
    }

    /// The output that keys act on.
    pub fn output_here(&self) -> Option<CallId> {
        match (self.popup, self.focus) {
            (Some(Popup::Output), _) => self.output.current().map(|run| run.call),
            (None, Focus::Output(call)) => Some(call),
            _ => None,
        }
    }

    /// Whether something is offered for what is being written.
    pub fn offers(&self) -> bool {
        self.composer.offered.as_ref().is_some_and(offered::Offered::is_open)
    }

    /// The session that is written to. None before there is one, which is for the next that begins.
    pub fn written_to(&self) -> Option<SessionId> {
        match self.place.starting {
            Some(_) => None,
            None => self.sessions.expected().or(self.sessions.viewed()),
        }
    }

    /// The session that hears what is written: the one in view, where it is the one that is written to.
    pub fn heard_by(&self) -> Option<SessionId> {
        self.sessions.viewed().filter(|viewed| self.written_to() == Some(*viewed))
    }

    /// What has the keys where nothing asks for them.
    pub fn beside(&self) -> Focus {
        let first = self.place.starts_empty() && self.sessions.viewed().is_none();
        if first && self.composer.draft.is_empty() { Focus::Start } else { Focus::Composer }
    }

    /// Whether the letters of the question in view would answer now.
    pub fn letters_live(&self) -> bool {
        self.focus == Focus::Question
            && self.popup.is_none()
            && self.queue.form.is_none()
            && self.guard.live(self.now.at)
    }

    /// Whether the window is too small for anything to be read. Before the first frame is known to be
    /// out there is no size yet.
    pub fn is_unreadable(&self) -> bool {
        let Drawn { width, height, .. } = self.drawn;
        width > 0 && Room::of(width, height) == Room::Tiny
    }

    /// Whether something on the screen counts seconds.
    pub fn counts(&self) -> bool {
        self.sessions.at_work() > 0 || self.queue.current().is_some()
    }

    /// When something is to be done though nothing comes.
    pub fn deadline(&self) -> Option<Instant> {
        let looked_at = self.popup == Some(Popup::File) && !self.status.away.is_behind();
        let file = self.panes.viewer.file.as_ref().filter(|_| looked_at);
        let file = file.and_then(|file| file.asked.look);
        let away = self.status.away.deadline();
        [self.changes(), self.list_due(), away, file].into_iter().flatten().min()
    }

    /// When something on the screen changes by itself.
    pub fn changes(&self) -> Option<Instant> {
        let second = self.counts().then(|| self.now.at + until_next_second(self.now.wall));
        let (toast, draft) = (self.status.deadline(), self.composer.drafts.deadline());
        [second, toast, draft, self.guard.deadline(self.now.at)].into_iter().flatten().min()
    }
}

fn until_next_second(wall: jiff::Timestamp) -> std::time::Duration {
    let past = u32::try_from(wall.subsec_nanosecond().rem_euclid(1_000_000_000)).unwrap_or(0);
    // A little behind the full second, so that it has surely changed.
    std::time::Duration::from_nanos(1_002_000_000 - u64::from(past))
}
