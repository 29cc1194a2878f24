//! The row that says what an open list is narrowed by.

use ratatui::layout::Rect;

use super::{
    composer,
    pen::{Pen, inset, split_bottom, split_top},
};
use crate::tui::{
    hints::Hints,
    keymap::{Action, Place},
    state::State,
    theme::Role,
};

/// Draws it at the bottom of the area, if there is one. Gives what is left above, and the cursor.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect) -> (Rect, Option<(u16, u16)>) {
    let filter = &state.records.filter;
    let (rest, row) = split_bottom(area, u16::from(filter.is_on()));
    if row.height == 0 {
        return (rest, None);
    }
    if let (Some(rule), false) = (&filter.rule, filter.typing) {
        let only = format!("only by \"{}\"", rule.says);
        let hints = Hints::of(&state.controls, state.key_place()).says(&only);
        let text = hints.leave("show all again").within(usize::from(row.width.saturating_sub(2)));
        pen.text(inset(row, 1, 1), 0, &text, Role::Quiet);
        return (rest, None);
    }
    pen.text(inset(row, 1, 0), 0, "filter", Role::Quiet);
    let (field, _) = split_top(inset(row, 9, 1), 1);
    let cursor = composer::text(pen, field, &filter.words, filter.typing);
    (rest, cursor.filter(|_| filter.typing))
}

/// The row of keys while it is typed; else that of the list, and what leaving it does then.
pub(super) fn keys<'a>(state: &'a State, list: Hints<'a>, leaves: &str) -> Hints<'a> {
    let filter = &state.records.filter;
    match filter.is_on() {
        _ if filter.typing => typing(state),
        // The row above says it.
        true if filter.rule.is_some() => list,
        true => list.leave("show all again"),
        false => list.leave(leaves),
    }
}

/// The keys of the field in which the words are typed.
pub(super) fn typing(state: &State) -> Hints<'_> {
    Hints::of(&state.controls, Place::Filter)
        .with(Action::Confirm, "filter by these words")
        .leave("show all again")
}
