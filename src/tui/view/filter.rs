//! The row that says what an open list is narrowed by.

use ratatui::layout::Rect;

use super::{
    composer,
    pen::{Pen, inset, split_bottom, split_top},
};
use crate::tui::{state::State, theme::Role};

/// Draws it at the bottom of the area, if there is one. Gives what is left above, and the cursor.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect) -> (Rect, Option<(u16, u16)>) {
    let filter = &state.records.filter;
    let (rest, row) = split_bottom(area, u16::from(filter.is_on()));
    if row.height == 0 {
        return (rest, None);
    }
    if let (Some(rule), false) = (&filter.rule, filter.typing) {
        let text = format!("only what \"{}\" decided   esc show all again", rule.says);
        pen.text(inset(row, 1, 1), 0, &text, Role::Quiet);
        return (rest, None);
    }
    pen.text(inset(row, 1, 0), 0, "filter", Role::Quiet);
    let (field, _) = split_top(inset(row, 9, 1), 1);
    let cursor = composer::text(pen, field, &filter.words, filter.typing);
    (rest, cursor.filter(|_| filter.typing))
}

/// The row of keys while it is typed; else that of the list.
pub(super) fn keys<'a>(state: &State, list: &'a str) -> &'a str {
    if state.records.filter.typing {
        "enter filter by these words   esc show all again"
    } else {
        list
    }
}
