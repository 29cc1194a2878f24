//! The table itself, in the order in which help shows it.

use crossterm::event::KeyCode;

use super::{
    Action::{self, Answer, Begin as First, Edit as Text, Go as To, Move as By},
    Begin, Edit, Go, Grow, Jump, Key, Letter, Move, Output as Of, Part,
    Place::{
        self, Because, Changes, Commands, Composer, Connect, Decisions, Delete, Everywhere, Filter,
        Find, Grants, Held, Help, Lines, Offers, Output, Question, Quit, Rename, Rewind, Said,
        Script, Search, Sessions, Several, Start, Stop, Themes, Transcript, Waiting, Wider,
    },
    Preset, Row,
};

type Keys = &'static [(Key, Action)];

const fn row(place: Place, keys: Keys, does: &'static str) -> Row {
    Row { place, keys, does }
}

const UP: Key = Key::plain(KeyCode::Up);
const DOWN: Key = Key::plain(KeyCode::Down);
const LEFT: Key = Key::plain(KeyCode::Left);
const RIGHT: Key = Key::plain(KeyCode::Right);
const ENTER: Key = Key::plain(KeyCode::Enter);
const ESC: Key = Key::plain(KeyCode::Esc);

const SCROLL: Keys = &[
    (UP, By(Move::Up)),
    (DOWN, By(Move::Down)),
    (Key::plain(KeyCode::PageUp), By(Move::PageUp)),
    (Key::plain(KeyCode::PageDown), By(Move::PageDown)),
];
const PAGES: Keys = &[
    (Key::plain(KeyCode::PageUp), By(Move::PageUp)),
    (Key::plain(KeyCode::PageDown), By(Move::PageDown)),
];
const ENDS: Keys =
    &[(Key::plain(KeyCode::Home), By(Move::Home)), (Key::plain(KeyCode::End), By(Move::End))];
const FILTER: Keys = &[(Key::char('/'), Action::Filter)];
const SAID: Keys = &[(Key::char('b'), Action::Said)];
const OPEN: Keys = &[(ENTER, Action::Open)];

/// Every binding there is.
pub const TABLE: &[Row] = &[
    row(Question, &[(Key::char('y'), Answer(Letter::Yes))], "yes, once"),
    row(Question, &[(Key::char('n'), Answer(Letter::No))], "no, and go on"),
    row(Question, &[(Key::char('f'), Answer(Letter::Because))], "no, because…"),
    row(Question, &[(Key::char('N'), Answer(Letter::StopTurn))], "no, stop the turn"),
    row(Question, &[(Key::char('e'), Answer(Letter::Edit))], "edit the arguments, then yes…"),
    row(Question, &[(Key::char('m'), Answer(Letter::Several))], "several of one script…"),
    row(
        Question,
        &[(Key::char('w'), Answer(Letter::Wider))],
        "wider: a rule for more than this once…",
    ),
    row(Question, SCROLL, "scroll"),
    row(Question, ENDS, "first, last line"),
    row(Question, OPEN, "in full, and back"),
    row(Question, &[(Key::char('v'), Action::Compare)], "side by side, and back"),
    row(Question, &[(Key::char('/'), Action::Search)], "search"),
    row(Question, &[(Key::char('p'), Action::Script)], "the script that asks"),
    row(Question, &[(Key::char('c'), Action::Copy)], "copy what is asked about"),
    row(
        Question,
        &[(LEFT, To(Go::PreviousQuestion)), (RIGHT, To(Go::NextQuestion))],
        "other questions",
    ),
    row(Because, &[(ENTER, Action::Confirm)], "say no"),
    row(Because, NEW_LINE, "new line"),
    row(Because, EDITING, "move and edit"),
    row(Because, KILLING, "delete"),
    row(Wider, &[(Key::ctrl('s'), Action::Confirm)], "save as it stands, and say yes"),
    row(Wider, &[(Key::ctrl('t'), Action::Lasting)], "for this session, for always"),
    row(Wider, &[(ENTER, Text(Edit::NewLine))], "new line"),
    row(Wider, EDITING, "move and edit"),
    row(Wider, KILLING, "delete"),
    row(Search, OPEN, "next"),
    row(Search, &[(UP, By(Move::Up))], "previous"),
    row(Search, PAGES, "scroll"),
    row(Search, SHORT, "move and edit"),
    row(Search, KILLING, "delete"),
    row(
        Place::Edit,
        &[
            (Key::plain(KeyCode::Tab), By(Move::NextCell)),
            (Key::shift(KeyCode::Tab), By(Move::PreviousCell)),
        ],
        "next, previous field",
    ),
    row(Place::Edit, &[(Key::ctrl('s'), Action::Confirm)], "yes, as edited"),
    row(
        Place::Edit,
        &[
            (Key::ctrl('o'), Action::Editor(Part::Field)),
            (Key::alt(KeyCode::Char('o')), Action::Editor(Part::Whole)),
        ],
        "the field, all of it as JSON, in $EDITOR",
    ),
    row(Place::Edit, &[(ENTER, Text(Edit::Send))], "new line, next item, next field"),
    row(Place::Edit, NEW_LINE, "new line"),
    row(Place::Edit, EDITING, "move and edit"),
    row(Place::Edit, KILLING, "delete; an empty item goes"),
    row(Several, SCROLL, "move"),
    row(Several, ENDS, "first, last"),
    row(Several, &[(Key::char(' '), Action::Choose)], "choose, and back"),
    row(Several, OPEN, "see it"),
    row(Several, &[(Key::ctrl('s'), Action::Confirm)], "yes, once, to these"),
    row(Several, &[(Key::char('n'), Action::Refuse)], "no to these"),
    row(Start, &[(ENTER, First(Begin::Chosen))], "do what is marked"),
    row(Start, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Start, &[(Key::char('c'), First(Begin::Connect))], "connect a model"),
    row(Start, &[(Key::char('t'), To(Go::Themes))], "another theme…"),
    row(Composer, &[(ENTER, Text(Edit::Send))], "send, after this turn if one runs"),
    row(Composer, &[(Key::ctrl('s'), Action::Steer)], "send, at the next step if a turn runs"),
    row(Composer, NEW_LINE, "new line"),
    row(Composer, EDITING, "move; beyond the edge: what waits, earlier words"),
    row(Composer, &[(Key::ctrl('r'), Action::Recall)], "search earlier words"),
    row(Composer, KILLING, "delete, as in a shell"),
    row(Composer, PAGES, "scroll the transcript"),
    row(Offers, OPEN, "take it; a command is done"),
    row(Offers, &[(Key::plain(KeyCode::Tab), Action::Complete)], "put it in the draft"),
    row(Offers, SCROLL, "move"),
    row(Offers, &[(Key::ctrl('r'), By(Move::Down))], "next"),
    row(Offers, NEW_LINE, "new line"),
    row(Offers, SHORT, "move and edit"),
    row(Offers, KILLING, "delete"),
    row(Transcript, SCROLL, "scroll"),
    row(Transcript, ENDS, "beginning, end"),
    row(
        Transcript,
        &[
            (Key::shift(KeyCode::Up), By(Move::PreviousCell)),
            (Key::shift(KeyCode::Down), By(Move::NextCell)),
        ],
        "previous, next part",
    ),
    row(Transcript, OPEN, "fold, unfold; enter an agent"),
    row(Transcript, &[(LEFT, Action::Fold), (RIGHT, Action::Unfold)], "fold, unfold"),
    row(Transcript, &[(Key::char('/'), Action::Search)], "search"),
    row(
        Transcript,
        &[
            (Key::char('e'), Action::Jump(Jump::NextError)),
            (Key::char('E'), Action::Jump(Jump::PreviousError)),
        ],
        "next, previous error",
    ),
    row(
        Transcript,
        &[
            (Key::char('d'), Action::Jump(Jump::NextChange)),
            (Key::char('D'), Action::Jump(Jump::PreviousChange)),
        ],
        "next, previous change",
    ),
    row(Transcript, &[(Key::char('c'), Action::Copy)], "copy this part"),
    row(Transcript, &[(Key::char('u'), Action::Undo)], "what was written, to undo it…"),
    row(Transcript, SAID, "go back to before a message, or copy it up to there…"),
    row(Output, SCROLL, "scroll"),
    row(Output, ENDS, "first line, follow"),
    row(Output, &[(Key::char('f'), Action::Output(Of::Follow))], "follow, or hold the view"),
    row(Output, &[(Key::char('w'), Action::Output(Of::Wrap))], "wrap long lines, or cut them"),
    row(Output, &[(Key::char('/'), Action::Search)], "search"),
    row(Output, &[(Key::char('c'), Action::Copy)], "copy what is in sight"),
    row(Output, &[(Key::char('s'), Action::Output(Of::Save))], "save all of it to a file…"),
    row(Output, &[(Key::ctrl('o'), Action::Editor(Part::Whole))], "all of it, in $PAGER"),
    row(Output, &[(Key::char('p'), Action::Output(Of::Pin))], "pin: it keeps its pane"),
    row(Output, &[(Key::char('q'), Action::Output(Of::Close))], "close; the program goes on"),
    row(
        Output,
        &[(LEFT, Action::Output(Of::Previous)), (RIGHT, Action::Output(Of::Next))],
        "other outputs",
    ),
    row(Find, OPEN, "next"),
    row(Find, &[(UP, By(Move::Up))], "previous"),
    row(Find, PAGES, "scroll"),
    row(Find, SHORT, "move and edit"),
    row(Find, KILLING, "delete"),
    row(Lines, SCROLL, "move"),
    row(Lines, ENDS, "first, last"),
    row(Lines, OPEN, "open it"),
    row(Sessions, SCROLL, "move"),
    row(Sessions, ENDS, "first, last"),
    row(Sessions, OPEN, "show it; open a fold"),
    row(Sessions, &[(LEFT, Action::Fold), (RIGHT, Action::Unfold)], "fold, unfold"),
    row(Sessions, &[(Key::char('s'), Action::Stop)], "stop its turn…"),
    row(Sessions, &[(Key::char('d'), Action::Delete)], "delete it, with its agents…"),
    row(Sessions, &[(Key::char('r'), Action::Resume)], "carry it on here"),
    row(Sessions, &[(Key::char('m'), Action::Message)], "write to it"),
    row(Sessions, &[(Key::char('a'), Action::Add)], "add a session"),
    row(Sessions, &[(Key::char('e'), Action::Rename)], "rename it…"),
    row(Sessions, &[(Key::char('f'), Action::Fork)], "go on in a copy of it"),
    row(Sessions, SAID, "go back to before a message, or copy it up to there…"),
    row(Sessions, &[(Key::char('o'), Action::Order)], "by attention, by age"),
    row(Sessions, FILTER, "filter; leaving it shows all again"),
    row(Held, OPEN, "watch it, read only"),
    row(Held, &[(Key::char('t'), Action::Resume)], "take it over when it is let go"),
    row(Held, &[(Key::char('f'), Action::Fork)], "go on in a copy of it"),
    row(Delete, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Delete, OPEN, "do it"),
    row(Rename, &[(ENTER, Action::Confirm)], "take the name"),
    row(Rename, SHORT, "move and edit"),
    row(Rename, KILLING, "delete"),
    row(Place::Save, &[(ENTER, Action::Confirm)], "save it"),
    row(Place::Save, SHORT, "move and edit"),
    row(Place::Save, KILLING, "delete"),
    row(Said, SCROLL, "move"),
    row(Said, ENDS, "first, last"),
    row(Said, OPEN, "go back to before it…"),
    row(Rewind, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Rewind, OPEN, "do it"),
    row(Waiting, SCROLL, "move"),
    row(Waiting, ENDS, "first, last"),
    row(Waiting, OPEN, "open the question"),
    row(Waiting, &[(Key::char('l'), Action::NotNow)], "not now, and back"),
    row(Waiting, &[(Key::char('o'), Action::Order)], "another order"),
    row(Waiting, FILTER, "filter; leaving it shows all again"),
    row(Waiting, &[(Key::char('m'), Action::Several)], "several of one script…"),
    row(Changes, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "move; scroll what is in full"),
    row(Changes, PAGES, "scroll what was changed"),
    row(Changes, ENDS, "last, first"),
    row(Changes, OPEN, "in full, and back"),
    row(Changes, &[(Key::char('v'), Action::Compare)], "side by side, and back"),
    row(Changes, &[(Key::ctrl('o'), Action::Editor(Part::Whole))], "the file, in $EDITOR"),
    row(Changes, &[(Key::char(' '), Action::Choose)], "choose, or no longer"),
    row(Changes, &[(Key::char('u'), Action::Undo)], "undo those chosen, or this one…"),
    row(Place::Undo, &[(Key::ctrl('s'), Action::Confirm)], "undo what can be undone"),
    row(Place::Undo, &[(Key::char(' '), Action::Choose)], "choose, or no longer"),
    row(Place::Undo, SCROLL, "move"),
    row(Place::Undo, ENDS, "last, first"),
    row(Grants, SCROLL, "move"),
    row(Grants, ENDS, "first, last"),
    row(Grants, &[(Key::char('d'), Action::Revoke)], "take it back"),
    row(Grants, OPEN, "the calls it decided"),
    row(Grants, &[(Key::char('e'), Action::Editor(Part::Whole))], "its file, in $EDITOR"),
    row(Grants, FILTER, "filter; leaving it shows all again"),
    row(Decisions, SCROLL, "move"),
    row(Decisions, ENDS, "newest, oldest"),
    row(Decisions, OPEN, "go there"),
    row(Decisions, &[(Key::char('c'), Action::Copy)], "copy it as a line"),
    row(Decisions, FILTER, "filter; leaving it shows all again"),
    row(Filter, &[(ENTER, Action::Confirm)], "filter by these words"),
    row(Filter, EDITING, "move and edit"),
    row(Filter, KILLING, "delete"),
    row(Help, SCROLL, "scroll"),
    row(Help, ENDS, "first, last"),
    row(Help, FILTER, "find a key; leaving it shows all again"),
    row(Help, &[(Key::ctrl('o'), To(Go::KeysFile))], "your file of keys, in $EDITOR"),
    row(Commands, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Commands, PAGES, "choose, a page on"),
    row(Commands, OPEN, "do it"),
    row(Commands, SHORT, "move and edit"),
    row(Commands, KILLING, "delete"),
    row(Themes, SCROLL, "try"),
    row(Themes, ENDS, "first, last"),
    row(Themes, OPEN, "keep it"),
    row(Quit, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Quit, OPEN, "do it"),
    row(Place::Mode, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Place::Mode, OPEN, "take it"),
    row(Stop, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Stop, OPEN, "do it"),
    row(Script, SCROLL, "scroll"),
    row(Script, ENDS, "first, last line"),
    row(Connect, &[(UP, By(Move::Up)), (DOWN, By(Move::Down))], "choose"),
    row(Connect, OPEN, "take it"),
    row(Everywhere, &[(Key::ctrl('p'), To(Go::Commands))], "every command"),
    row(Everywhere, &[(Key::ctrl('g'), To(Go::Question))], "what needs you; again: the next"),
    row(
        Everywhere,
        &[
            (Key::plain(KeyCode::Tab), To(Go::NextPane)),
            (Key::shift(KeyCode::Tab), To(Go::PreviousPane)),
        ],
        "next, previous pane",
    ),
    row(Everywhere, &[(Key::plain(KeyCode::F(1)), To(Go::Help))], "this help"),
    row(
        Everywhere,
        &[
            (Key::plain(KeyCode::F(2)), To(Go::Sessions)),
            (Key::plain(KeyCode::F(3)), To(Go::Waiting)),
            (Key::plain(KeyCode::F(4)), To(Go::Output)),
        ],
        "sessions, waiting, output",
    ),
    row(
        Everywhere,
        &[
            (Key::plain(KeyCode::F(5)), To(Go::Changes)),
            (Key::plain(KeyCode::F(6)), To(Go::Grants)),
            (Key::plain(KeyCode::F(7)), To(Go::Decisions)),
        ],
        "changes, grants, decisions",
    ),
    row(Everywhere, &[(Key::plain(KeyCode::F(8)), To(Go::Mode))], "mode…"),
    row(Everywhere, &[(Key::plain(KeyCode::F(9)), Action::Zoom)], "this pane alone, and back"),
    row(
        Everywhere,
        &[
            (Key::alt_shift(KeyCode::Left), Action::Size(Grow::Width(false))),
            (Key::alt_shift(KeyCode::Right), Action::Size(Grow::Width(true))),
            (Key::alt_shift(KeyCode::Down), Action::Size(Grow::Height(false))),
            (Key::alt_shift(KeyCode::Up), Action::Size(Grow::Height(true))),
        ],
        "this pane narrower, wider, lower, higher",
    ),
    row(
        Everywhere,
        &[
            (Key::alt(KeyCode::Left), To(Go::Back)),
            (Key::alt(KeyCode::Right), To(Go::Forward)),
            (Key::alt(KeyCode::Up), To(Go::Parent)),
        ],
        "back, forward, up to the parent",
    ),
    row(Everywhere, NUMBERS, "session by number"),
    row(Everywhere, &[(Key::ctrl('x'), Action::Stop)], "stop…"),
    row(Everywhere, &[(ESC, Action::Leave)], "leave; twice: stop the turn"),
    row(Everywhere, &[(Key::ctrl('c'), Action::Clear)], "empty the draft; else twice: quit…"),
    row(Everywhere, &[(Key::ctrl('q'), Action::Quit)], "quit…"),
    row(Everywhere, &[(Key::ctrl('z'), Action::Suspend)], "suspend"),
];

const fn number(digit: u8) -> (Key, Action) {
    (Key::alt(KeyCode::Char(digit as char)), To(Go::Session(digit - b'0')))
}

const NUMBERS: Keys = &[
    number(b'1'),
    number(b'2'),
    number(b'3'),
    number(b'4'),
    number(b'5'),
    number(b'6'),
    number(b'7'),
    number(b'8'),
    number(b'9'),
];

/// What has no key of its own, and can be given one.
pub const UNBOUND: &[(Place, Action, &str)] = &[
    (Everywhere, To(Go::Themes), "theme…"),
    (Everywhere, To(Go::KeysFile), "your file of keys, in $EDITOR"),
    (Everywhere, Action::Preset(Preset::Plain), "plain keys"),
    (Everywhere, Action::Preset(Preset::Vim), "plain and vim-like keys"),
    (Everywhere, First(Begin::Connect), "connect a model…"),
    (Everywhere, First(Begin::Tour), "take the tour"),
];

const NEW_LINE: Keys =
    &[(Key::ctrl('j'), Text(Edit::NewLine)), (Key::alt(KeyCode::Enter), Text(Edit::NewLine))];

const EDITING: Keys = &[
    (LEFT, Text(Edit::Left)),
    (RIGHT, Text(Edit::Right)),
    (UP, Text(Edit::Up)),
    (DOWN, Text(Edit::Down)),
    (Key::plain(KeyCode::Home), Text(Edit::LineStart)),
    (Key::plain(KeyCode::End), Text(Edit::LineEnd)),
    (Key::ctrl('a'), Text(Edit::LineStart)),
    (Key::ctrl('e'), Text(Edit::LineEnd)),
    (Key::alt(KeyCode::Char('b')), Text(Edit::WordLeft)),
    (Key::alt(KeyCode::Char('f')), Text(Edit::WordRight)),
];

/// In a field of one line.
const SHORT: Keys = &[
    (LEFT, Text(Edit::Left)),
    (RIGHT, Text(Edit::Right)),
    (Key::plain(KeyCode::Home), Text(Edit::LineStart)),
    (Key::plain(KeyCode::End), Text(Edit::LineEnd)),
    (Key::ctrl('a'), Text(Edit::LineStart)),
    (Key::ctrl('e'), Text(Edit::LineEnd)),
];

const KILLING: Keys = &[
    (Key::plain(KeyCode::Backspace), Text(Edit::Backspace)),
    (Key::plain(KeyCode::Delete), Text(Edit::Delete)),
    (Key::ctrl('w'), Text(Edit::KillWord)),
    (Key::ctrl('u'), Text(Edit::KillToStart)),
    (Key::ctrl('k'), Text(Edit::KillToEnd)),
];
