//! The programs of a line for a shell, a row each.

use ratatui::text::{Line, Span};

use super::sheet::rows_of;
use crate::tui::{
    clean,
    row::Row,
    shell::Part,
    state::State,
    theme::{Mark, Role},
    words,
};

/// Number, operator and text; what it writes at the right, or below where there is no room.
pub(super) fn rows(state: &State, parts: Option<&[Part]>, width: usize) -> Vec<Row> {
    let look = &state.look;
    let Some(parts) = parts else {
        let mark = look.mark(Mark::Warning);
        let text = format!(" {mark} This line cannot be taken apart, so it is shown whole.");
        return warning(state, text, width);
    };
    let (text, quiet) = (look.style(Role::Text), look.style(Role::Quiet));
    let (escape, warn) = (look.style(Role::Escape), look.style(Role::Warn));
    let mut rows = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let indent = "  ".repeat(part.depth);
        let margin = 9 + indent.len();
        let label = format!("{:>4} {indent}{:<4}", at + 1, part.operator);
        let mut left = vec![Span::styled(label, quiet)];
        left.extend(clean::asked_at(&part.text, margin, text, escape));
        let writes = part.writes.iter().map(|file| format!("writes {file}"));
        let says: Vec<_> = writes.chain(part.note.clone()).collect();
        let right = clean::spans(&says.join(&look.dot()), warn, escape);
        let (left, right) = (Line::from(left), Line::from(right));
        let cells = (words::cells(&left), words::cells(&right));
        if says.is_empty() {
            rows.extend(rows_of(look, &left, width, margin));
        } else if cells.0 + cells.1 + 3 <= width {
            let right_edge = width.saturating_sub(1);
            let line = words::apart(left, right, right_edge);
            rows.extend(Row::of_line(vec![line], margin));
        } else {
            rows.extend(rows_of(look, &left, width, margin));
            let mut below = vec![Span::raw(" ".repeat(margin + 2))];
            below.extend(right.spans);
            rows.extend(rows_of(look, &Line::from(below), width, margin + 2));
        }
    }
    rows
}

/// What a compound line means for a wider yes.
pub(super) fn compound(state: &State, parts: Option<&[Part]>, width: usize) -> Vec<Row> {
    if parts.is_some_and(|parts| parts.len() < 2) {
        return Vec::new();
    }
    let mark = state.look.mark(Mark::Warning);
    let text = format!(" {mark} Compound: a wider yes can only be for this exact line.");
    warning(state, text, width)
}

fn warning(state: &State, text: String, width: usize) -> Vec<Row> {
    let line = Line::styled(text, state.look.style(Role::Warn));
    rows_of(&state.look, &line, width, 3).collect()
}
