//! What is asked about one session: to watch it, to delete it, to name it, to go back in it.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    choice, composer,
    pen::{Keys, Pen, inset, split_bottom, split_top},
};
use crate::{
    kernel::{id::SessionId, port::Whereabouts},
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Move, Place},
        state::{Popup, State},
        theme::{Mark, Role},
        update::whereabouts,
        words,
        wrap::wrap_text,
    },
};

/// Rows of messages that are listed at once, at most.
const LISTED: usize = 12;

/// What goes with a session that is deleted, and what does not.
const GOES: &str = "All it said and printed goes, and the agents below it; files it wrote stay.";

/// What can be done with a session that another process has.
const HELD: &str = "Only one can carry it on. What it shows can be watched here.";

/// A sentence in rows, between the margins.
fn sentence(text: &str, width: u16) -> Vec<&str> {
    wrap_text(text, usize::from(width.saturating_sub(4)).max(1))
}

/// The rows it takes.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are drawn elsewhere")]
pub(super) fn rows(state: &State, popup: Popup, width: u16) -> u16 {
    let of = |text| u16::try_from(sentence(text, width).len()).unwrap_or(u16::MAX);
    match popup {
        Popup::Delete { .. } => 4 + of(GOES) + choice::note_rows(width),
        Popup::Rewind { .. } => 6 + choice::note_rows(width),
        Popup::Held { .. } => 2 + of(HELD),
        Popup::Said { .. } => {
            let said = state.sessions.tree.form.said.len().clamp(1, LISTED);
            u16::try_from(said + 2).unwrap_or(u16::MAX)
        }
        _ => 3,
    }
}

/// Draws it. Gives the place of the cursor.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are drawn elsewhere")]
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    popup: Popup,
) -> Option<(u16, u16)> {
    pen.clear(area);
    match popup {
        Popup::Held { session } => held(state, pen, area, session),
        Popup::Delete { session, row } => delete(state, pen, area, session, row),
        Popup::Rename { session } => return rename(state, pen, area, session),
        Popup::Said { session, row } => said(state, pen, area, session, row),
        Popup::Rewind { session, before, row } => rewind(state, pen, area, session, (before, row)),
        _ => {}
    }
    None
}

fn called(state: &State, session: SessionId) -> String {
    if let Some(node) = state.sessions.get(session) {
        return node.called().to_owned();
    }
    let listed = state.sessions.tree.listed.iter().find(|one| one.session.spec.id == session);
    let called = listed.and_then(|listed| listed.session.called());
    called.map_or_else(|| session.short().to_string(), str::to_owned)
}

fn title(state: &State, pen: &mut Pen<'_>, area: Rect, text: (&str, SessionId, &str), right: &str) {
    let (before, session, after) = text;
    let taken = clean::width(before) + clean::width(after) + clean::width(right) + 8;
    let room = usize::from(area.width).saturating_sub(taken).max(8);
    let name = clean::truncate(&clean::shown(&called(state, session)), room);
    let title = pen.spans(&format!("{before}{name}{after}"), Role::Bright);
    let right = pen.spans(right, Role::Quiet);
    pen.rule(area, 0, Keys::Here, title, right);
}

fn held(state: &State, pen: &mut Pen<'_>, area: Rect, session: SessionId) {
    let by = match whereabouts(state, session) {
        Whereabouts::There(by) => by.unwrap_or_default(),
        Whereabouts::Free | Whereabouts::Here => "it is free now".to_owned(),
    };
    let mark = format!("{} ", pen.look.mark(Mark::Warning));
    let narrow = area.width < 60;
    let (by, open) = match narrow {
        true => ("", " is open elsewhere"),
        false => (by.as_str(), " is open in another footplate"),
    };
    title(state, pen, area, (&mark, session, open), by);
    let mut row = 1;
    for line in sentence(HELD, area.width) {
        pen.text(inset(area, 1, 0), row, line, Role::Text);
        row += 1;
    }
    let hints = Hints::of(&state.controls, Place::Held)
        .with(Action::Open, if narrow { "watch" } else { "watch, read only" })
        .with(Action::Resume, if narrow { "take later" } else { "take over when it lets go" })
        .with(Action::Fork, if narrow { "fork" } else { "fork it" })
        .leave("back");
    pen.hints(split_top(area, row).1, hints);
}

fn delete(state: &State, pen: &mut Pen<'_>, area: Rect, session: SessionId, row: usize) {
    title(state, pen, area, ("delete? ", session, ""), "for good");
    let mut first = 1;
    for line in sentence(GOES, area.width) {
        pen.text(inset(area, 3, 0), first, line, Role::Text);
        first += 1;
    }
    let choices = [
        ("keep it", "", Role::Text),
        ("delete it, with its agents", "nothing brings it back", Role::Text),
    ];
    choice::rows(pen, area, first, &choices, (row, choice::keys(state, Place::Delete, "keep it")));
}

fn rename(state: &State, pen: &mut Pen<'_>, area: Rect, session: SessionId) -> Option<(u16, u16)> {
    title(state, pen, area, ("another name for ", session, ""), "");
    let (_, rest) = split_top(area, 1);
    pen.line(rest, 0, Line::from(vec![Span::raw(" "), pen.mark(Mark::Path)]));
    let (field, _) = split_top(inset(rest, 3, 1), 1);
    let cursor = composer::text(pen, field, &state.sessions.tree.form.name, true);
    let hints = Hints::of(&state.controls, Place::Rename).with(Action::Confirm, "rename it");
    pen.hints(split_top(area, 2).1, hints.leave("keep the old one"));
    cursor
}

fn said(state: &State, pen: &mut Pen<'_>, area: Rect, session: SessionId, row: usize) {
    let said = &state.sessions.tree.form.said;
    let (_, rest) = split_top(area, 1);
    let (list, keys) = split_bottom(rest, 1);
    let height = usize::from(list.height);
    let first = (row + 1).saturating_sub(height);
    let count = words::count(said.len(), "message");
    let right = pen.ends((first, height, said.len()), &count, area.width);
    let right: String = right.iter().map(|span| span.content.as_ref()).collect();
    title(state, pen, area, ("go back in ", session, ""), &right);
    for (y, (at, one)) in said.iter().enumerate().skip(first).take(height).enumerate() {
        let y = u16::try_from(y).unwrap_or(0);
        let bar = if at == row { pen.mark(Mark::Here) } else { Span::raw(" ") };
        let when = format!("{:>4}  {}  ", one.number, state.records.minute(one.at));
        let mut left = vec![bar, pen.span(when, Role::Quiet)];
        let role = if at == row { Role::Bright } else { Role::Text };
        left.extend(pen.spans(words::first_line(&one.text), role));
        pen.line(list, y, Line::from(left));
    }
    if said.is_empty() {
        pen.text(list, 0, "   Nothing is said in it.", Role::Quiet);
    }
    let hints = Hints::of(&state.controls, Place::Said)
        .moves([Action::Move(Move::Up), Action::Move(Move::Down)], "choose")
        .with(Action::Open, "go back to before it…")
        .leave("back");
    pen.hints(keys, hints);
}

fn rewind(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    session: SessionId,
    (before, row): (usize, usize),
) {
    let number = format!("back to before message {before} of ");
    title(state, pen, area, (&number, session, ""), "");
    let said = state.sessions.tree.form.said.iter().find(|said| said.number == before);
    let said = said.map_or("", |said| words::first_line(&said.text));
    pen.line(inset(area, 3, 1), 1, Line::from(pen.spans(said, Role::Text)));
    let choices = [
        ("leave it as it is", "", Role::Text),
        ("begin a copy of what came before", "this one stays as it is", Role::Text),
        ("go back in it", "files too, unless changed since", Role::Text),
    ];
    choice::rows(pen, area, 2, &choices, (row, choice::keys(state, Place::Rewind, "back")));
}
