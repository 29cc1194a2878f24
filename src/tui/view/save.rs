//! The name of the file into which an output is saved.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    composer,
    pen::{Keys, Pen, inset, split_top},
};
use crate::{
    kernel::id::CallId,
    tui::{
        hints::Hints,
        keymap::{Action, Place},
        state::State,
        theme::{Mark, Role},
    },
};

/// The rows it takes.
pub(super) const ROWS: u16 = 3;

/// Draws it. Gives the place of the cursor.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    call: CallId,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let run = state.output.run(call)?;
    let title = pen.name(&format!("save the output of {}", run.program), Role::Bright);
    let right = match area.width < 60 {
        true => Vec::new(),
        false => vec![pen.span("in the workspace, or a whole path", Role::Quiet)],
    };
    pen.rule(area, 0, Keys::Here, title, right);
    let (_, rest) = split_top(area, 1);
    pen.line(rest, 0, Line::from(vec![Span::raw(" "), pen.mark(Mark::Path)]));
    let (field, keys) = split_top(rest, 1);
    let cursor = composer::text(pen, inset(field, 3, 1), &state.output.file, true);
    let hints = Hints::of(&state.controls, Place::Save).with(Action::Confirm, "save it");
    pen.hints(keys, hints.leave("back"));
    cursor
}
