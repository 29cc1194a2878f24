//! What actions are called: in the file of keys, and in the list of all commands.

use super::{Action, Begin, Edit, Go, Grow, Jump, Letter, Move, Output, Part, Place, Preset};

/// Whether an action stands in the list of all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// By this title. One that ends in … asks again, or opens something.
    As(&'static str),
    /// It does not; why.
    Not(&'static str),
}

const BY_HAND: Listed = Listed::Not("moving and typing are done where the eye is");
const GUARDED: Listed = Listed::Not("a question is answered where it is read, by its own keys");
const IN_A_FORM: Listed = Listed::Not("it belongs to an open form or list, which shows its keys");

/// The title of an action in a place.
#[expect(clippy::wildcard_enum_match_arm, reason = "a title differs in a few places only")]
pub fn listed(place: Place, action: Action) -> Listed {
    match place {
        Place::Start => {
            return Listed::Not("the first screen shows it, and all of it counts everywhere");
        }
        Place::Because
        | Place::Wider
        | Place::Search
        | Place::Edit
        | Place::Several
        | Place::Undo
        | Place::Filter
        | Place::Offers
        | Place::Find
        | Place::Connect
        | Place::Quit
        | Place::Mode
        | Place::Stop
        | Place::Script
        | Place::Held
        | Place::Delete
        | Place::Rename
        | Place::Save
        | Place::Said
        | Place::Rewind
        | Place::Files
        | Place::Picture
        | Place::Help
        | Place::Commands
        | Place::Themes => return IN_A_FORM,
        Place::Everywhere
        | Place::Composer
        | Place::Question
        | Place::Transcript
        | Place::Output
        | Place::Lines
        | Place::Sessions
        | Place::Waiting
        | Place::Changes
        | Place::Grants
        | Place::Decisions
        | Place::File
        | Place::Log => {}
    }
    Listed::As(match action {
        Action::Go(go) => match go {
            Go::Question => "Go to what needs you",
            Go::NextPane | Go::PreviousPane => return BY_HAND,
            Go::Help => "Help for this pane",
            Go::Sessions => "Sessions and agents",
            Go::Waiting => "What waits for you",
            Go::Output => "Output of what runs",
            Go::Changes => "Review changes",
            Go::Grants => "Grants and rules",
            Go::Decisions => "Decisions so far",
            Go::Away => "Since you looked away",
            Go::Log => "Log of what was said",
            Go::Files => "Open a file, to read it…",
            Go::Mode => "Mode…",
            Go::Picture => "A picture in full",
            Go::Back => "Back to the session before",
            Go::Forward => "Forward again",
            Go::Parent => "Up to the parent",
            Go::PreviousQuestion => "Previous question",
            Go::NextQuestion => "Next question",
            Go::Session(_) => return Listed::Not("the list of sessions has them all"),
            Go::Commands => return Listed::Not("it is this list"),
            Go::Themes => "Theme…",
            Go::KeysFile => "Keys: open the file with yours",
        },
        Action::Move(_) | Action::Edit(_) | Action::Size(_) => return BY_HAND,
        Action::Fold | Action::Unfold | Action::Complete => return BY_HAND,
        Action::Steer => "Send at the next step",
        Action::Recall => "Search earlier words",
        Action::Output(of) => match of {
            Output::Follow => "Follow an output, or fix the view",
            Output::Wrap => "Wrap the lines of an output, and back",
            Output::Save => "Save an output to a file…",
            Output::Pin => "Pin an output, and back",
            Output::Close => "Close an output; the program goes on",
            Output::Next => "Next output",
            Output::Previous => "Previous output",
        },
        Action::Zoom => "This pane alone, and back",
        Action::Jump(jump) => match jump {
            Jump::NextError => "Next error",
            Jump::PreviousError => "Previous error",
            Jump::NextChange => "Next change",
            Jump::PreviousChange => "Previous change",
        },
        Action::Answer(_) | Action::Refuse | Action::Confirm => return GUARDED,
        Action::Begin(begin) => match begin {
            Begin::Chosen => return IN_A_FORM,
            Begin::Connect => "Connect a model…",
            Begin::Tour => "Take the tour",
        },
        Action::Open => match place {
            Place::Question => "The question in full, and back",
            Place::Transcript => "Fold, unfold; enter an agent",
            Place::Changes => "A change in full",
            Place::Decisions => "Go to where it was decided",
            Place::Log => "Go to the session of a line in the log",
            Place::Grants => "The calls that a rule decided",
            _ => return BY_HAND,
        },
        Action::NotNow => "A question: not now, and back",
        Action::Copy => match place {
            Place::Question => "Copy what is asked about",
            Place::Decisions => "Copy a decision as a line",
            Place::Log => "Copy a line of the log",
            Place::Transcript => "Copy a part of the transcript",
            _ => "Copy",
        },
        Action::Script => "The script that asks",
        Action::Compare => "Side by side, and back",
        Action::Search => match place {
            Place::Question => "Search in what is asked about",
            Place::Transcript => "Search the transcript",
            Place::File => "Search the file",
            _ => "Search",
        },
        Action::Line => "Go to a line of the file",
        Action::Changed => "What was changed in the file, and back",
        Action::File => match place {
            Place::Changes => "Read the changed file",
            _ => "Read the file of a call",
        },
        Action::Order if place == Place::Sessions => "Sessions in another order",
        Action::Order => "Another order of what waits",
        Action::Several => "Answer several of one script…",
        Action::Choose => return BY_HAND,
        Action::Editor(_) => match place {
            Place::Changes => "The changed file, in your editor",
            Place::Grants => "The file of a rule, in your editor",
            Place::Log => "The log for developers, in your editor",
            Place::File => "The file, in your editor",
            _ => "In your editor",
        },
        Action::Stop => match place {
            Place::Sessions => "Stop another session or agent…",
            _ => "Stop this turn…",
        },
        Action::Preset(Preset::Plain) => "Keys: plain",
        Action::Preset(Preset::Vim) => "Keys: plain and vim-like",
        Action::Delete => "Delete a session…",
        Action::Resume => "Resume a session: carry it on here",
        Action::Message => "Write to a session",
        Action::Add => match place {
            Place::Grants => "Rules: open the file with yours",
            _ => "Add a session",
        },
        Action::Rename => "Rename a session…",
        Action::Said => match place {
            Place::Sessions => "Go back in another session…",
            _ => "Go back to before a message…",
        },
        Action::Fork => "Fork a session: go on in a copy",
        Action::Filter => match place {
            Place::Sessions => "Filter sessions and agents",
            Place::Waiting => "Filter what waits",
            Place::Grants => "Filter grants and rules",
            Place::Decisions => "Filter decisions",
            Place::Log => "Filter the log",
            _ => "Filter",
        },
        Action::Lasting => return IN_A_FORM,
        Action::Undo => match place {
            Place::Transcript => "Undo what this part wrote…",
            _ => "Undo changes…",
        },
        Action::Revoke => "Take a grant back",
        Action::Clear => "Empty the draft",
        Action::Leave => return BY_HAND,
        Action::Quit => "Quit…",
        Action::Suspend => "Suspend, until fg",
        Action::Mouse => "Mouse: heard here, or left to the terminal",
        Action::Motion => "Reduced motion, and back",
        Action::Rekey => return IN_A_FORM,
    })
}

impl Action {
    /// Its name in the file of keys; no two in one place have the same.
    pub fn name(self) -> &'static str {
        match self {
            Self::Go(go) => match go {
                Go::Question => "question",
                Go::NextPane => "next-pane",
                Go::PreviousPane => "previous-pane",
                Go::Help => "help",
                Go::Sessions => "sessions",
                Go::Waiting => "waiting",
                Go::Output => "output",
                Go::Changes => "changes",
                Go::Grants => "grants",
                Go::Decisions => "decisions",
                Go::Away => "away",
                Go::Log => "log",
                Go::Files => "files",
                Go::Mode => "mode",
                Go::Picture => "picture",
                Go::Back => "back",
                Go::Forward => "forward",
                Go::Parent => "parent",
                Go::PreviousQuestion => "previous-question",
                Go::NextQuestion => "next-question",
                Go::Session(number) => {
                    const NAMES: [&str; 9] = [
                        "session-1",
                        "session-2",
                        "session-3",
                        "session-4",
                        "session-5",
                        "session-6",
                        "session-7",
                        "session-8",
                        "session-9",
                    ];
                    NAMES[usize::from(number).clamp(1, NAMES.len()) - 1]
                }
                Go::Commands => "commands",
                Go::Themes => "themes",
                Go::KeysFile => "keys-file",
            },
            Self::Move(by) => match by {
                Move::Up => "up",
                Move::Down => "down",
                Move::PageUp => "page-up",
                Move::PageDown => "page-down",
                Move::Home => "first",
                Move::End => "last",
                Move::PreviousCell => "previous",
                Move::NextCell => "next",
            },
            Self::Answer(letter) => match letter {
                Letter::Yes => "yes",
                Letter::No => "no",
                Letter::Because => "because",
                Letter::StopTurn => "stop-turn",
                Letter::Edit => "edit",
                Letter::Several => "several",
                Letter::Wider => "wider",
            },
            Self::Edit(edit) => match edit {
                Edit::Send => "send",
                Edit::NewLine => "new-line",
                Edit::Left => "left",
                Edit::Right => "right",
                Edit::WordLeft => "word-left",
                Edit::WordRight => "word-right",
                Edit::Up => "line-up",
                Edit::Down => "line-down",
                Edit::LineStart => "line-start",
                Edit::LineEnd => "line-end",
                Edit::Backspace => "backspace",
                Edit::Delete => "delete",
                Edit::KillWord => "delete-word",
                Edit::KillToStart => "delete-to-start",
                Edit::KillToEnd => "delete-to-end",
            },
            Self::Begin(begin) => match begin {
                Begin::Chosen => "begin",
                Begin::Connect => "connect",
                Begin::Tour => "tour",
            },
            Self::Zoom => "zoom",
            Self::Size(Grow::Width(true)) => "wider-pane",
            Self::Size(Grow::Width(false)) => "narrower-pane",
            Self::Size(Grow::Height(true)) => "higher-pane",
            Self::Size(Grow::Height(false)) => "lower-pane",
            Self::Complete => "complete",
            Self::Steer => "steer",
            Self::Recall => "recall",
            Self::Output(of) => match of {
                Output::Follow => "follow",
                Output::Wrap => "wrap",
                Output::Save => "save",
                Output::Pin => "pin",
                Output::Close => "close",
                Output::Next => "next-output",
                Output::Previous => "previous-output",
            },
            Self::Fold => "fold",
            Self::Unfold => "unfold",
            Self::Jump(jump) => match jump {
                Jump::NextError => "next-error",
                Jump::PreviousError => "previous-error",
                Jump::NextChange => "next-change",
                Jump::PreviousChange => "previous-change",
            },
            Self::Open => "open",
            Self::NotNow => "not-now",
            Self::Copy => "copy",
            Self::Script => "script",
            Self::Compare => "compare",
            Self::Search => "search",
            Self::Line => "line",
            Self::Changed => "changed",
            Self::File => "file",
            Self::Order => "order",
            Self::Several => "several",
            Self::Choose => "choose",
            Self::Refuse => "refuse",
            Self::Editor(Part::Field) => "editor",
            Self::Editor(Part::Whole) => "editor-whole",
            Self::Stop => "stop",
            Self::Preset(Preset::Plain) => "plain-keys",
            Self::Preset(Preset::Vim) => "vim-keys",
            Self::Fork => "fork",
            Self::Delete => "delete-session",
            Self::Resume => "resume",
            Self::Message => "message",
            Self::Add => "add",
            Self::Rename => "rename",
            Self::Said => "said",
            Self::Filter => "filter",
            Self::Lasting => "lasting",
            Self::Undo => "undo",
            Self::Revoke => "revoke",
            Self::Confirm => "confirm",
            Self::Clear => "clear",
            Self::Leave => "leave",
            Self::Quit => "quit",
            Self::Suspend => "suspend",
            Self::Mouse => "mouse",
            Self::Motion => "motion",
            Self::Rekey => "set-key",
        }
    }

    /// Whether it answers a question, so that no file moves its key.
    pub fn answers(self) -> bool {
        matches!(self, Self::Answer(_) | Self::Confirm | Self::Refuse)
    }
}
