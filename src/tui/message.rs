//! What reaches the screen: a few kinds, by where they come from.

use std::{path::PathBuf, sync::Arc};

use crossterm::event::KeyEvent;

use super::{
    attach::{self, Attached, Unread},
    cell::Cell,
    effect::Setting,
    file::Read,
    files::Found,
    highlight::Colours,
    keymap::Keymap,
    picture::{How, Painted, Wanted},
    row::Hit,
    sheet::Index,
    state::{
        Drawn, Moment,
        pointer::Pointed,
        status::Check,
        waiting::{Paper, Sheet},
    },
    theme::Theme,
};
use crate::kernel::{
    capability::Capability,
    change::Planned,
    clock::Reading,
    event::Envelope,
    gate::{
        approval::{NotAnswered, Scope},
        law::Placed,
    },
    id::{ApprovalId, CallId, SessionId},
    port::{Form, Listed, NotResumed, Numbered, OutputPage, Untrusted},
};

/// One thing that happened to the screen.
#[derive(Clone, Debug)]
pub enum Message {
    /// Time went by; what the clocks of the runs read now.
    Tick(Moment, Vec<(CallId, Reading)>),
    /// Something from the person, at the moment it was read.
    Input(Moment, Input),
    /// A frame reached the terminal.
    Drawn(Moment, Box<Drawn>),
    /// An event of a session.
    Happened(Arc<Envelope>),
    /// What an effect came to.
    Came(Came),
    /// Something about this computer.
    Told(News),
    /// The theme's file was changed, or has a fault, in words.
    Themed(Result<Theme, String>),
    /// The file of keys was changed, or has a fault, in words.
    Rekeyed(Result<Keymap, String>),
    /// The system asks the program to end.
    Signalled,
}

/// What is learnt about this computer while the screen is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A line that was still being looked at is known now.
    Check(usize, Check),
    /// By what runs are held here.
    Seal(Form),
    /// Models on this computer, by the names that choose them.
    Models(Vec<String>),
    /// By what means the terminal shows pictures.
    Pictures(How),
    /// Something the person should hear of, in a line.
    Said(String),
    /// Rules of the project here that nobody has judged, and a name for that question.
    Untrusted(ApprovalId, Untrusted),
}

/// What a person does at the terminal.
#[derive(Clone, Debug)]
pub enum Input {
    Key(KeyEvent),
    Paste(String),
    /// Keys that write, read together, and more of them than fingers press at once.
    Burst(Vec<KeyEvent>),
    /// Something with the mouse.
    Mouse(Pointed),
    /// The window came to the front.
    FocusGained,
    FocusLost,
    /// The window has another size.
    Resized,
}

/// What an effect came to.
#[derive(Clone, Debug)]
pub enum Came {
    /// An answer was too late.
    Refused(ApprovalId),
    /// A session was started.
    Started(SessionId),
    /// None was; one line what, one line what to do.
    NotStarted(String),
    /// The sessions of this home, or why they are not known.
    Listed(Result<Vec<Listed>, String>),
    /// A session was carried on here, or was not.
    Resumed(SessionId, Result<Option<String>, NotResumed>),
    /// A session was deleted, or why not.
    Deleted(Result<(), String>),
    /// A session has another name, or why not.
    Renamed(Result<(), String>),
    /// What was said in a session.
    Said(SessionId, Result<Vec<Numbered>, String>),
    Output(CallId, Option<OutputPage>),
    /// Nothing that anybody still waits for.
    Nothing,
    /// Something of a file that is looked at.
    File(PathBuf, Read),
    /// A picture that was to be attached, or why it is not.
    Picture(attach::Wanted, Result<Attached, Unread>),
    /// The files that fit these words.
    Files(String, Found),
    /// The draft that was kept for a session.
    Draft(SessionId, String),
    /// The lines of an output that have a word, and whether there are more of them.
    Lines {
        call: CallId,
        word: String,
        lines: Vec<u64>,
        more: bool,
    },
    /// An output was written to a file, or why not.
    Saved(Result<PathBuf, String>),
    Coloured(SessionId, CallId, Vec<Colours>),
    /// A page of a transcript was read back, or why not.
    Back(SessionId, usize, Result<Vec<Cell>, String>),
    /// The cells outside that hold a word.
    FoundOutside(SessionId, String, Vec<usize>),
    /// A picture is ready for the terminal, or why it is not.
    Painted(Wanted, How, Result<Arc<Painted>, String>),
    /// A question is ready, and what is called by it.
    Prepared(ApprovalId, Arc<Paper>, Option<Arc<Capability>>),
    /// It is known where the rows of a question begin.
    LaidOut(ApprovalId, Arc<Index>),
    /// It is known where in its text a word is.
    Found(ApprovalId, Arc<Index>, String, Vec<Hit>),
    /// A text came back from an editor for this field of a question, or for all of them.
    Edited(ApprovalId, Option<usize>, Result<String, String>),
    /// The person is back from a file, or could not be sent there.
    Visited(Result<(), String>),
    /// What a session wrote, the last change first, or why that is not known.
    Changes(SessionId, Result<Vec<Planned>, String>),
    /// What undoing these would do.
    Planned(Vec<CallId>, Result<Vec<Planned>, String>),
    /// What a change made of a file.
    Compared(CallId, Result<Arc<Sheet>, String>),
    /// It is known where the rows of that begin.
    ChangeLaidOut(CallId, Arc<Index>),
    /// What a yes of that reach would come to: how many others it would answer.
    Considered(ApprovalId, Scope, Result<usize, NotAnswered>),
    /// The rules that count for a session, and what is wrong with their files.
    Rules(SessionId, Vec<Placed>, Vec<String>),
    /// An answer was refused and its question still waits; why.
    NotDone(String),
    /// Nothing came of a command that takes its time, and why.
    InVain(String),
    /// The sizes of panes are kept, or why not.
    Remembered(Result<(), String>),
    /// A theme of the person's, or its fault.
    Theme(PathBuf, Result<Theme, String>),
    /// A setting was kept, or could not be.
    Kept(Setting, Result<(), String>),
    /// Suspending was refused, and why.
    NotSuspended(String),
}

impl Message {
    /// Its name in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tick(..) => "tick",
            Self::Input(..) => "input",
            Self::Drawn(..) => "drawn",
            Self::Happened(_) => "happened",
            Self::Came(_) => "came",
            Self::Told(_) => "told",
            Self::Themed(_) => "themed",
            Self::Rekeyed(_) => "rekeyed",
            Self::Signalled => "signalled",
        }
    }
}
