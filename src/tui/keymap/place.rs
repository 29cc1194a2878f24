//! Where a key counts.

macro_rules! places {
    ($($(#[$doc:meta])* $place:ident = $section:literal $shown:literal,)*) => {
        /// Where a key counts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Place { $($(#[$doc])* $place,)* }

        impl Place {
            pub const ALL: &[Self] = &[$(Self::$place,)*];

            /// Its section in the file of keys.
            pub fn section(self) -> &'static str {
                match self { $(Self::$place => $section,)* }
            }

            /// Its name on the screen.
            pub fn shown(self) -> &'static str {
                match self { $(Self::$place => $shown,)* }
            }
        }
    };
}

places! {
    Everywhere = "everywhere" "everywhere",
    Start = "start" "first screen",
    Composer = "composer" "composer",
    /// A list of what can stand in the draft.
    Offers = "offers" "what is offered",
    Question = "question" "question",
    Because = "because" "no, because",
    Wider = "wider" "wider",
    Search = "search" "search",
    Edit = "edit" "edit",
    Several = "several" "several",
    Transcript = "transcript" "transcript",
    Output = "output" "output",
    /// The word that is looked for in an output.
    Find = "find" "search in output",
    /// The lists of the right column.
    Lines = "lines" "plan, changes, since you looked away",
    Sessions = "sessions" "sessions",
    Waiting = "waiting" "waiting",
    Changes = "changes" "changes",
    /// What undoing would do, asked.
    Undo = "undo" "undo",
    Grants = "grants" "grants and rules",
    Decisions = "decisions" "decisions",
    Log = "log" "log",
    File = "file" "file",
    /// The list from which a file is chosen.
    Files = "files" "open a file",
    /// The words by which a list is narrowed.
    Filter = "filter" "filter",
    Help = "help" "help",
    Connect = "connect" "connect a model",
    Quit = "quit" "quit",
    Mode = "mode" "mode",
    Stop = "stop" "stop",
    Script = "script" "script",
    /// What to do about a session that another process has.
    Held = "held" "open elsewhere",
    Delete = "delete" "delete",
    Rename = "rename" "rename",
    /// The name of the file for an output.
    Save = "save" "save an output",
    /// What was said in a session.
    Said = "said" "what was said",
    Rewind = "rewind" "go back",
    /// One picture, alone.
    Picture = "picture" "picture",
    /// The list of all commands.
    Commands = "commands" "commands",
    /// The list of themes.
    Themes = "themes" "themes",
}

impl Place {
    /// Whether a letter is text there, as it is wherever something is typed; everywhere is such a
    /// place.
    pub fn takes_text(self) -> bool {
        match self {
            Self::Everywhere
            | Self::Start
            | Self::Composer
            | Self::Offers
            | Self::Find
            | Self::Because
            | Self::Wider
            | Self::Search
            | Self::Edit
            | Self::Filter
            | Self::Rename
            | Self::Save
            | Self::Files
            | Self::Commands => true,
            Self::Question
            | Self::Several
            | Self::Transcript
            | Self::Output
            | Self::Lines
            | Self::Sessions
            | Self::Waiting
            | Self::Changes
            | Self::Undo
            | Self::Grants
            | Self::Decisions
            | Self::Log
            | Self::File
            | Self::Help
            | Self::Connect
            | Self::Quit
            | Self::Mode
            | Self::Stop
            | Self::Script
            | Self::Held
            | Self::Delete
            | Self::Said
            | Self::Rewind
            | Self::Picture
            | Self::Themes => false,
        }
    }
}
