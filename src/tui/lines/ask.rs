//! The question that was said last: which it is, how far its text was told, and what may be typed.

use super::{
    Line, Lines,
    paper::{self, Place},
    words::{self, Word},
};
use crate::{
    kernel::id::{ApprovalId, SessionId},
    tui::{
        effect::Effect,
        state::waiting::{Form, NotOffered, Waiting},
        view::script,
    },
};

/// Lines of the script that are told before the one that asks, and behind it.
const AROUND: usize = 5;

/// What words mean now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Open {
    #[default]
    Nothing,
    Question(ApprovalId),
    /// It was answered, and what came of that is not known yet.
    Sent(ApprovalId),
    /// The rule of a wider yes.
    Wider(ApprovalId),
    /// Arguments that came back from an editor.
    Edited(ApprovalId),
    /// What undoing would do.
    Undo,
    /// Whether to quit.
    Quit,
    /// What to do about a session that another process has.
    Held(SessionId),
}

/// How far the text of a question was told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    pub(super) at: Place,
}

impl Open {
    /// The question it is about, if it is about one.
    pub(super) fn question(self) -> Option<ApprovalId> {
        match self {
            Self::Question(id) | Self::Sent(id) | Self::Wider(id) | Self::Edited(id) => Some(id),
            Self::Nothing | Self::Undo | Self::Quit | Self::Held(_) => None,
        }
    }

    /// What a line means here, if it is a word of it.
    pub(super) fn reads(self, line: &str) -> Option<Word> {
        let word = words::read(line)?;
        let known = match self {
            Self::Nothing | Self::Sent(_) => false,
            Self::Question(_) => matches!(
                word,
                Word::Yes
                    | Word::No(_)
                    | Word::Stop
                    | Word::Edit
                    | Word::Later
                    | Word::Wider
                    | Word::More
                    | Word::Full
                    | Word::Script
                    | Word::List
                    | Word::Next
            ),
            Self::Wider(_) => {
                matches!(word, Word::Save | Word::Always | Word::Session | Word::Edit | Word::Back)
            }
            Self::Edited(_) => matches!(word, Word::Yes | Word::Edit | Word::Back),
            Self::Undo => matches!(word, Word::Yes | Word::No(None) | Word::Back),
            Self::Quit => matches!(word, Word::Quit | Word::WhenDone | Word::Back),
            Self::Held(_) => matches!(word, Word::Watch | Word::Wait | Word::Back),
        };
        known.then_some(word)
    }

    /// The words that may be typed.
    pub(super) fn may(self) -> &'static str {
        match self {
            Self::Nothing | Self::Sent(_) => "",
            Self::Question(_) => {
                "yes, no, no because WORDS, stop, edit, later, wider, more, full, script, list, next"
            }
            Self::Wider(_) => "save, always, session, edit, back",
            Self::Edited(_) => "yes, edit, back",
            Self::Undo => "yes, back",
            Self::Quit => "quit, when done, back",
            Self::Held(_) => "watch, wait, back",
        }
    }
}

/// Says the question that is to be answered next, if it is another one than was said last.
pub(super) fn follow(lines: &mut Lines) -> Vec<Effect> {
    let queue = &lines.state.queue;
    let gone = lines.open.question().is_some_and(|id| queue.get(id).is_none());
    let left = match lines.open {
        Open::Wider(id) => !matches!(&queue.form, Some(Form::Wider(wider)) if wider.question == id),
        Open::Edited(id) => !matches!(&queue.form, Some(Form::Edit(edit)) if edit.question == id),
        Open::Nothing
        | Open::Question(_)
        | Open::Sent(_)
        | Open::Undo
        | Open::Quit
        | Open::Held(_) => false,
    };
    if gone || left {
        lines.open = Open::Nothing;
        lines.announce();
    }
    let next = lines.state.queue.current().map(|waiting| waiting.question.id);
    let free = match lines.open {
        Open::Nothing => true,
        Open::Question(id) => next != Some(id),
        Open::Sent(_)
        | Open::Wider(_)
        | Open::Edited(_)
        | Open::Undo
        | Open::Quit
        | Open::Held(_) => false,
    };
    let Some(waiting) = lines.state.queue.current().filter(|_| free) else { return Vec::new() };
    // What its script printed before it asked is told first.
    let script = waiting.question.script;
    if waiting.paper.is_some() && !script.is_some_and(|call| lines.outputs.is_reading(call)) {
        let id = waiting.question.id;
        announce(lines, id);
    }
    Vec::new()
}

/// Says a question, and as much of its text as is short.
fn announce(lines: &mut Lines, id: ApprovalId) {
    lines.state.queue.choose(id);
    let queue = &lines.state.queue;
    let Some(waiting) = queue.get(id) else { return };
    let Some(paper) = waiting.paper.clone() else { return };
    let (place, all) = (queue.place(id), queue.asking() + queue.put_off());
    let (who, clock) = (paper::who(waiting), paper::clock(waiting));
    let head = paper::head(waiting, &paper);
    lines.say(format!("QUESTION {place} of {all}, {who}.{clock}"));
    for line in head {
        say_in(lines, &line);
    }
    lines.open = Open::Question(id);
    lines.reading = Reading::default();
    tell_part(lines, id);
    let Some(waiting) = lines.state.queue.get(id) else { return };
    let script = script::of(&lines.state, waiting).is_some();
    let left = paper::left(&paper.sheet, lines.reading.at);
    let script = if script { ", script" } else { "" };
    let line = match left {
        0 if script.is_empty() => "That was all of it.".to_owned(),
        0 => "That was all of it. Type: script, for what asks.".to_owned(),
        left => format!("{} more {}. Type: more{script}, full.", left, plural(left)),
    };
    say_in(lines, &line);
    let offer = lines.state.queue.get(id).map(offer).unwrap_or_default();
    say_in(lines, &offer);
    ask_again(lines);
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "line" } else { "lines" }
}

/// The answers that there are.
fn offer(waiting: &Waiting) -> String {
    if paper::is_trust(waiting) {
        return match waiting.why_not_wider() {
            Some(NotOffered::HiddenText) => {
                "Type: no, never for this text; later. Not yes: it has hidden text.".to_owned()
            }
            Some(NotOffered::EndUnseen | NotOffered::Monitor) | None => {
                "Type: yes, to trust this text; no, never for this text; later.".to_owned()
            }
        };
    }
    let edit = if waiting.capability.is_some() { ", edit" } else { "" };
    let wider = match waiting.why_not_wider() {
        None => ", wider.",
        Some(NotOffered::EndUnseen) => ", wider after full.",
        Some(NotOffered::HiddenText) => ". Not wider: it has hidden text.",
        Some(NotOffered::Monitor) => ". Not wider: the monitor judges each call.",
    };
    format!("Type: yes, no, no because WORDS, stop{edit}, later{wider}")
}

/// Says a line that belongs to what was said before.
pub(super) fn say_in(lines: &mut Lines, text: &str) {
    lines.said.push(Line::Says(format!("  {}", crate::tui::clean::shown(text))));
}

/// Ends with the place where an answer is written.
pub(super) fn ask_again(lines: &mut Lines) {
    lines.announce();
    prompt(lines);
}

/// The same where nothing was said that would have to be read first.
pub(super) fn prompt(lines: &mut Lines) {
    lines.prompt = match lines.open {
        Open::Question(id) => Some(format!("answer {}> ", lines.state.queue.place(id))),
        Open::Wider(_) => Some("rule> ".to_owned()),
        Open::Edited(_) => Some("as edited> ".to_owned()),
        Open::Undo => Some("undo> ".to_owned()),
        Open::Quit => Some("quit> ".to_owned()),
        Open::Held(_) => Some("open elsewhere> ".to_owned()),
        Open::Nothing | Open::Sent(_) => None,
    };
}

/// Tells the next part of the text, and takes in what was told.
fn tell_part(lines: &mut Lines, id: ApprovalId) {
    let Some(paper) = lines.state.queue.get(id).and_then(|waiting| waiting.paper.clone()) else {
        return;
    };
    let (told, at) = paper::part(&paper.sheet, lines.reading.at);
    for line in told {
        say_in(lines, &line);
    }
    lines.reading.at = at;
    if paper::left(&paper.sheet, at) == 0 {
        all_told(lines, id);
    }
}

/// All of it is there to be read.
fn all_told(lines: &mut Lines, id: ApprovalId) {
    if let Some(waiting) = lines.state.queue.get_mut(id) {
        waiting.saw(0..1, 1);
    }
}

/// Whether all of its text was told.
pub(super) fn is_all_told(waiting: &Waiting) -> bool {
    waiting.end_seen
}

/// `more`.
pub(super) fn more(lines: &mut Lines, id: ApprovalId) {
    tell_part(lines, id);
    ended(lines, id);
}

/// `full`.
pub(super) fn full(lines: &mut Lines, id: ApprovalId) {
    let Some(paper) = lines.state.queue.get(id).and_then(|waiting| waiting.paper.clone()) else {
        return;
    };
    for line in paper::whole(&paper.sheet) {
        say_in(lines, &line);
    }
    lines.reading.at = paper::end_of(&paper.sheet);
    all_told(lines, id);
    ended(lines, id);
}

fn ended(lines: &mut Lines, id: ApprovalId) {
    let left = lines.state.queue.get(id).and_then(|waiting| waiting.paper.clone());
    let left = left.map_or(0, |paper| paper::left(&paper.sheet, lines.reading.at));
    let line = match left {
        0 => "That was all of it.".to_owned(),
        left => format!("{left} more {}. Type: more, full.", plural(left)),
    };
    say_in(lines, &line);
    ask_again(lines);
}

/// `script`: the lines around the one that asks.
pub(super) fn script(lines: &mut Lines, id: ApprovalId) {
    let Some(waiting) = lines.state.queue.get(id) else { return };
    let asks = script::asking_line(waiting);
    let mut told = Vec::new();
    if let Some(code) = script::of(&lines.state, waiting) {
        let here = asks.unwrap_or(1);
        let first = here.saturating_sub(AROUND + 1);
        for (at, text) in code.script.lines().enumerate().skip(first).take(2 * AROUND + 1) {
            let mark = if asks == Some(at + 1) { "asks, " } else { "" };
            let text = words::spelled(&crate::tui::clean::asked_pieces(text, 0));
            told.push(format!("{mark}line {}: {text}", at + 1));
        }
        let count = code.script.count();
        told.insert(0, format!("{}, {}:", code.filename, words::lines(count)));
    } else {
        told.push("No script asks this.".to_owned());
    }
    for line in told {
        say_in(lines, &line);
    }
    ask_again(lines);
}

/// Another question came while one is asked.
pub(super) fn waits_too(lines: &mut Lines, id: ApprovalId) {
    let queue = &lines.state.queue;
    let Some(waiting) = queue.get(id) else { return };
    let all = queue.asking() + queue.put_off();
    let text = format!(
        "Another question waits: {}: {}. {all} wait. Type: next, or list.",
        paper::who(waiting),
        paper::effect(waiting)
    );
    lines.say(text);
    ask_again(lines);
}
