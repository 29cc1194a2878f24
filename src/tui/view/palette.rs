//! The list of all commands: a row of what is typed, and below it what fits.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    composer,
    pen::{Keys, Pen, inset, split_bottom, split_top},
};
use crate::tui::{
    clean,
    hints::Hints,
    keymap::{Action, Move, Place},
    state::{
        State,
        palette::{Asks, Entry, entries, found},
    },
    theme::{Mark, Role},
};

/// Rows it takes where there is room: always the same, so that nothing moves while one types.
pub(super) const ROWS: u16 = 14;

pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect) -> Option<(u16, u16)> {
    pen.clear(area);
    let palette = &state.controls.palette;
    let (all, found) = (entries(state).len(), found(state));
    let (head, rest) = split_top(area, 1);
    let count = match found.len() {
        count if count == all => all.to_string(),
        count => format!("{count} of {all}"),
    };
    let title = vec![pen.span(format!("commands {count}"), Role::Bright)];
    pen.rule(head, 0, Keys::Here, title.clone(), Vec::new());
    let (field, rest) = split_top(rest, 1);
    pen.line(inset(field, 1, 0), 0, Line::from(pen.mark(Mark::Path)));
    let cursor = composer::text(pen, inset(field, 3, 1), &palette.words, true);
    let (list, keys) = split_bottom(rest, 1);
    let leaves = Hints::of(&state.controls, Place::Commands);
    match &palette.asks {
        None => {
            let hints = leaves
                .with(Action::Open, "do it")
                .moves([Action::Move(Move::Up), Action::Move(Move::Down)], "choose")
                .with(Action::Rekey, "set a key…")
                .leave("back");
            pen.hints(keys, hints);
        }
        Some(Asks { title, not: None, .. }) => {
            let asks = format!("Press the key for: {title}");
            pen.hints(keys, leaves.says(&asks).leave("not now"));
        }
        Some(Asks { not: Some(not), .. }) => {
            let or = leaves.leave("").joined("");
            let or = if or.is_empty() { or } else { format!(", or {or}") };
            pen.text(inset(keys, 1, 0), 0, &format!("{not} Another{or}."), Role::Warn);
        }
    }
    if found.is_empty() {
        pen.text(inset(list, 3, 1), 0, "No command is called so.", Role::Quiet);
        return cursor;
    }
    let height = usize::from(list.height);
    let row = palette.row.min(found.len() - 1);
    let first = (row + 1).saturating_sub(height);
    let right = pen.ends((first, height, found.len()), "", head.width);
    pen.rule(head, 0, Keys::Here, title, right);
    for (at, entry) in found.iter().enumerate().skip(first).take(height) {
        let y = u16::try_from(at - first).unwrap_or(0);
        let (left, right) = line(pen, entry, at == row, usize::from(list.width));
        pen.apart(inset(list, 0, 1), y, left, right);
    }
    cursor
}

fn line(pen: &Pen<'_>, entry: &Entry, here: bool, width: usize) -> (Line<'static>, Line<'static>) {
    /// Cells for the keys, which stand below each other.
    const KEYS: usize = 26;
    let bar = if here { pen.mark(Mark::Here) } else { Span::raw(" ") };
    let role = match (here, entry.off) {
        (_, Some(_)) => Role::Quiet,
        (true, None) => Role::Bright,
        (false, None) => Role::Text,
    };
    let title = clean::width(entry.title) + 3;
    // A reason is there whole or not at all; a key always is, and the title is cut for it.
    let right = match entry.off {
        Some(why) if title + clean::width(why) + 9 <= width => format!("off: {why}"),
        Some(_) => "off".to_owned(),
        None => entry.keys.clone(),
    };
    let room = width.saturating_sub(title + 2);
    let own = clean::width(&right);
    let cells = if width >= 60 { KEYS.min(room).max(own) } else { own };
    let name = clean::truncate(entry.title, width.saturating_sub(cells + 6));
    let left = Line::from(vec![bar, Span::raw("  "), pen.span(name, role)]);
    (left, Line::from(pen.span(clean::pad(&right, cells), Role::Quiet)))
}
