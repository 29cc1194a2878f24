//! Help: the keys that count, of one place and everywhere, or those that were looked for.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::{
    config::Mouse,
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Bound, Go, Move, Place},
        state::State,
        theme::Role,
        wrap::wrap_text,
    },
};

/// Cells of the column of keys, and where there is little room.
const KEYS: usize = 24;
const KEYS_NARROW: usize = 12;

/// Made from the keys that count, for the pane one comes from, then everywhere. Gives the last row to
/// begin at, and the place of the cursor.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    of: Place,
    top: usize,
) -> (usize, Option<(u16, u16)>) {
    pen.clear(area);
    let keymap = &state.controls.keys;
    let filter = &state.records.filter;
    let (head, rest) = split_top(area, 1);
    let what = if filter.is_on() { "all keys" } else { of.shown() };
    let title = vec![pen.span(format!("help{}{what}", pen.look.dot()), Role::Bright)];
    pen.rule(head, 0, Keys::Here, title, vec![pen.span(keymap.words(), Role::Quiet)]);
    let (rest, keys) = split_bottom(rest, 1);
    let (rest, cursor) = super::filter::draw(state, pen, rest);
    let about = if of == Place::Question && !filter.is_on() { 3 } else { 0 };
    let (rest, note) = split_bottom(rest, about);
    if about > 0 {
        let first =
            "No key answers until its letter is drawn and the keyboard was still for 0.4 s.";
        pen.text(inset(note, 1, 0), 1, first, Role::Quiet);
        let second = "Another key within 0.15 s: you are typing, and both are text.";
        pen.text(inset(note, 1, 0), 2, second, Role::Quiet);
    }
    let places: Vec<Place> = match (filter.is_on(), of) {
        (true, _) => Place::ALL.to_vec(),
        (false, Place::Everywhere) => vec![of],
        (false, _) => vec![of, Place::Everywhere],
    };
    let mut lines = Vec::new();
    for place in places {
        let fits = |row: &&Bound| {
            let text = format!("{} {} {}", place.shown(), row.label(), row.does);
            row.place == place && filter.passes(&text)
        };
        let rows: Vec<_> = keymap.rows().iter().filter(fits).collect();
        if rows.is_empty() {
            continue;
        }
        let mut title = place.shown().to_owned();
        title[..1].make_ascii_uppercase();
        lines.push(Line::from(pen.span(format!(" {title}"), Role::Quiet)));
        let width = usize::from(rest.width);
        lines.extend(rows.into_iter().flat_map(|row| entry(pen, row, width)));
        let noted = place == Place::Everywhere && !filter.is_on();
        if noted && state.controls.mouse == Mouse::Footplate {
            let mouse = mouse(area.width).iter();
            lines.extend(mouse.map(|text| Line::from(pen.span(*text, Role::Quiet))));
        }
    }
    if lines.is_empty() {
        lines.push(Line::from(pen.span(" No key has all of these words.", Role::Quiet)));
    }
    let count = lines.len();
    let height = usize::from(rest.height);
    let last = count.saturating_sub(height.max(1));
    let top = top.min(last);
    for (at, line) in lines.into_iter().skip(top).take(height).enumerate() {
        pen.line(rest, u16::try_from(at).unwrap_or(0), line);
    }
    let mut hints = Hints::of(&state.controls, Place::Help);
    if let more @ 1.. = count.saturating_sub(top + height) {
        hints =
            hints.both([Action::Move(Move::Up), Action::Move(Move::Down)], &format!("{more} more"));
    }
    let hints = hints
        .with(Action::Filter, "find a key")
        .with(Action::Go(Go::NextPane), "other panes")
        .with(Action::Go(Go::KeysFile), "keys file");
    pen.hints(keys, super::filter::keys(state, hints, "back"));
    (last, cursor)
}

/// How text is selected while the mouse is heard here.
fn mouse(width: u16) -> &'static [&'static str] {
    match width {
        ..80 => &[" drag selects in a pane; with shift,", " as the terminal does"],
        80.. => &[
            " Drag selects within a pane. For the terminal's own selection hold shift as you",
            " drag (on a Mac option or fn), or leave the mouse to the terminal.",
        ],
    }
}

/// The keys of a row and what they do, in as many rows as that takes: neither is ever cut.
fn entry(pen: &Pen<'_>, row: &Bound, width: usize) -> Vec<Line<'static>> {
    let cells = if width < 60 { KEYS_NARROW } else { KEYS };
    let column = 3 + cells + 2;
    let label = row.label();
    let does = wrap_text(row.does, width.saturating_sub(column + 1).max(1));
    let mut lines = Vec::new();
    let mut first = clean::pad(&label, cells);
    if clean::width(&label) > cells {
        // Many keys have rows of their own.
        let keys = wrap_text(&label, width.saturating_sub(4).max(1)).into_iter();
        let keys = keys.map(|text| pen.span(format!("   {text}"), Role::Bright));
        lines.extend(keys.map(Line::from));
        first = " ".repeat(cells);
    }
    for (at, text) in does.into_iter().enumerate() {
        let keys = if at == 0 { first.clone() } else { " ".repeat(cells) };
        lines.push(Line::from(vec![
            Span::raw("   "),
            pen.span(keys, Role::Bright),
            pen.span(format!("  {text}"), Role::Text),
        ]));
    }
    lines
}
