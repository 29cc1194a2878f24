//! What the screen wants done outside of it. It cannot do any of this itself.

use std::{path::PathBuf, sync::Arc};

use super::{
    attach,
    cell::Cell,
    file::Ask,
    keymap::{Action, Key, Place, Preset},
    layout::Remembered,
    picture::{How, Wanted},
    sheet::{Index, Shape},
    state::waiting::Sheet,
    theme::Marks,
};
use crate::config::{Motion, Mouse};
use crate::kernel::{
    command::Command,
    gate::approval::{Question, Scope},
    id::{ApprovalId, CallId, SessionId},
    message::Words,
    picture::PictureId,
    port::When,
};

/// One thing to be done; what it comes to is a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask something of the host.
    Send(Command),
    /// Start a session.
    Start {
        what: Start,
        message: Option<Words>,
    },
    /// Have the list of sessions made.
    ListSessions,
    /// Carry a session on here.
    Resume(SessionId, When),
    /// Delete a session with its agents.
    Delete(SessionId),
    /// Give a session that runs nowhere another name.
    Rename(SessionId, String),
    /// Read what was said in a session.
    ReadSaid(SessionId),
    /// Read lines of an output.
    ReadOutput(SessionId, CallId, Part),
    /// Look for a word in all of an output.
    FindInOutput(SessionId, CallId, String),
    /// Write all of an output to a file of that name in the folder worked in, or show it in $PAGER.
    SaveOutput(SessionId, CallId, PathBuf),
    PageOutput(SessionId, CallId),
    /// Make a picture into what the terminal takes; the number tells it from those before it.
    Paint(Wanted, How, u32),
    /// Write a picture to a file of that name, or of one like it.
    SavePicture(SessionId, PictureId, PathBuf),
    /// Ask which rules count for a session.
    ReadRules(SessionId),
    /// Read what a session wrote.
    ReadChanges(SessionId),
    /// Ask what undoing these would do.
    PlanUndo(SessionId, Vec<CallId>),
    /// Compare a file before and after one change.
    Compare(SessionId, CallId),
    /// Ask what a yes of that reach would come to.
    Consider(ApprovalId, Scope),
    /// Read a picture that is to be attached to the draft.
    ReadPicture(attach::Wanted),
    /// Look for files below a folder by these words.
    FindFiles(PathBuf, String),
    /// Read something of a file, where a folder is worked in.
    File(PathBuf, PathBuf, Ask),
    /// Read the draft that was kept for a session.
    ReadDraft(SessionId),
    /// Keep the draft of a session.
    KeepDraft(SessionId, String),
    /// Keep a page of a transcript outside of memory.
    PutAway(SessionId, usize, Vec<Cell>),
    /// Read such a page back.
    BringBack(SessionId, usize),
    /// Look for a word in those pages.
    FindOutside(SessionId, String, Vec<usize>),
    /// Colour a script.
    Colour(SessionId, CallId, String),
    /// Make a question ready to be shown.
    Prepare(Box<Question>),
    /// Keep the sizes of panes for the next time.
    Remember(Remembered),
    /// Find where the rows of a question's text begin.
    LayOut(ApprovalId, Arc<Sheet>, Shape),
    /// Find where the rows of a change begin.
    LayOutChange(CallId, Arc<Sheet>, Shape),
    /// Find a word in it.
    Find(ApprovalId, Arc<Sheet>, Arc<Index>, String, Marks),
    /// Put a text on the clipboard.
    Copy(String),
    /// Call someone who looks elsewhere.
    Notify(String),
    /// Have a text edited in the person's own editor, for a field of a question or all of them.
    Editor {
        question: ApprovalId,
        field: Option<usize>,
        text: String,
    },
    /// Have the person look at a file in their own editor, and change it if they like.
    Visit(PathBuf),
    /// The same, at a line of it, from 1.
    VisitLine(PathBuf, u64),
    /// Read a theme of the person's.
    ReadTheme(PathBuf),
    /// Have the person look at their file of keys, or of rules, which is made if there is none.
    KeysFile,
    RulesFile,
    /// Keep something for good.
    Keep(Setting),
    /// Stop until the shell continues us.
    Suspend,
}

/// Which lines of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Last,
    /// From the line with this number on.
    From(u64),
}

/// What the person chose on the screen, and the settings keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The theme of that name, and the file it comes from if it is the person's own.
    Theme {
        name: String,
        file: Option<PathBuf>,
    },
    Preset(Preset),
    /// The model that new sessions speak to.
    Model(String),
    Mouse(Mouse),
    Motion(Motion),
    /// The key of an action in a place.
    Key(Place, Action, Key),
}

/// What to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A session in this folder.
    Here,
    /// The tour, in a scratch folder.
    Tour,
}
