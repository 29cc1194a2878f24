//! Every key: where it counts, what it does, and the words help says of it. The table is what there
//! is; a preset adds keys to it, and the person's own file puts others in their place. What comes of
//! it, the [`Keymap`], is what counts and what is shown.
//!
//! The letters of a question are answered by the guard, not here; nothing that touches `y` on a
//! QWERTY, QWERTZ or AZERTY keyboard is bound beside it, and no file can change that.

mod file;
mod key;
mod map;
mod names;
mod place;
mod table;
mod vim;

pub use file::KeysError;
pub use key::Key;
pub use map::{Bound, Keymap, Preset};
pub use names::{Listed, listed};
pub use place::Place;
pub use table::{TABLE, UNBOUND};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Go(Go),
    Move(Move),
    /// Something done with an output.
    Output(Output),
    /// Shows what has the keys alone, and everything again.
    Zoom,
    /// Makes what has the keys larger or smaller.
    Size(Grow),
    Answer(Letter),
    Edit(Edit),
    Begin(Begin),
    /// Opens or folds what is chosen; in a question, shows it in full.
    Open,
    /// Puts a question off, or takes it up again.
    NotNow,
    /// Puts what is asked about on the clipboard.
    Copy,
    /// Shows the script that asks.
    Script,
    /// Shows both sides of a change beside each other, and back.
    Compare,
    /// Folds what is chosen, or opens it.
    Fold,
    Unfold,
    /// To the next of its kind, or to the one before.
    Jump(Jump),
    /// Looks for a word.
    Search,
    /// Goes to the line of a number.
    Line,
    /// Shows what was changed in a file, or the file again.
    Changed,
    /// Shows the file that a row is about.
    File,
    /// Sends the draft for the next step.
    Steer,
    /// Looks for words of before.
    Recall,
    /// Puts what is offered in the draft, and no more.
    Complete,
    /// Puts a list in another order.
    Order,
    /// Shows all that a script asks for.
    Several,
    /// Takes a row in, or out.
    Choose,
    /// No to all that is chosen.
    Refuse,
    /// Opens a text in the person's own editor.
    Editor(Part),
    /// Asks whether the chosen session is to be stopped; elsewhere, the one in view.
    Stop,
    /// Adds the keys of an editor, or takes them away again.
    Preset(Preset),
    /// Begins a copy of the chosen session.
    Fork,
    /// Asks whether the chosen session is to be deleted.
    Delete,
    /// Carries the chosen session on here.
    Resume,
    /// Goes to where words for it are written.
    Message,
    /// Begins a session.
    Add,
    Rename,
    /// Shows what was said, to go back to before that.
    Said,
    /// Types what a list is narrowed by.
    Filter,
    /// Switches between for the session and for always.
    Lasting,
    /// Asks what undoing would do.
    Undo,
    /// Takes the chosen rule back.
    Revoke,
    /// Does what a form describes.
    Confirm,
    /// Empties the draft, else quits on the second press.
    Clear,
    /// Leaves what has the keys.
    Leave,
    Quit,
    Suspend,
    /// Hears the mouse, or leaves it to the terminal.
    Mouse,
    /// Has less move by itself, and back.
    Motion,
    /// Gives a command another key.
    Rekey,
}

/// What of a call is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Field,
    Whole,
}

/// Somewhere else on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Go {
    Question,
    NextPane,
    PreviousPane,
    Help,
    Sessions,
    Waiting,
    Output,
    Changes,
    Grants,
    Decisions,
    /// What happened while nobody looked.
    Away,
    /// What was said in passing.
    Log,
    /// The list from which a file is chosen.
    Files,
    Mode,
    Picture,
    Session(u8),
    Back,
    Forward,
    Parent,
    PreviousQuestion,
    NextQuestion,
    /// The list of all commands.
    Commands,
    /// The list of themes.
    Themes,
    /// The person's file of keys, in their own editor.
    KeysFile,
}

/// What is done with an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// Follows its end, or holds the view.
    Follow,
    Wrap,
    Save,
    Pin,
    /// Takes its pane away; the program goes on.
    Close,
    Next,
    Previous,
}

/// Larger, or smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grow {
    Width(bool),
    Height(bool),
}

/// What is jumped to in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jump {
    NextError,
    PreviousError,
    NextChange,
    PreviousChange,
}

/// Up and down, in text and in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    PreviousCell,
    NextCell,
}

/// What the row of keys of a question offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letter {
    Yes,
    No,
    Because,
    StopTurn,
    Edit,
    Several,
    Wider,
}

/// What is done to a text that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edit {
    Send,
    NewLine,
    Left,
    Right,
    WordLeft,
    WordRight,
    Up,
    Down,
    LineStart,
    LineEnd,
    Backspace,
    Delete,
    KillWord,
    KillToStart,
    KillToEnd,
}

/// What the first screen offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Begin {
    Chosen,
    Connect,
    Tour,
}

/// One row of the table: keys that belong together, and the words for them.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub place: Place,
    pub keys: &'static [(Key, Action)],
    pub does: &'static str,
}

#[cfg(test)]
mod tests;
