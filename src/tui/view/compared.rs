//! What one change made of a file, in rows: only those in sight are laid out.

use ratatui::{layout::Rect, text::Line};

use super::pen::{Pen, inset};
use crate::tui::{
    hints::Hints,
    ink::Brush,
    keymap::{Action, Move},
    state::{DrawnChange, State, compared::Compared, waiting::Compare},
    theme::{Mark, Role},
    words,
    wrap::{Layout, wrap_with},
};

pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    compared: &Compared,
    wished: Compare,
) -> Option<DrawnChange> {
    let height = usize::from(area.height);
    let mut drawn = DrawnChange { call: compared.call, rows: height, unlaid: None };
    if let Some(why) = compared.fault() {
        let line = Line::from(pen.spans(why, Role::Quiet));
        let inner = inset(area, 1, 1);
        let rows = wrap_with(&line, Layout::words(usize::from(inner.width).max(1)));
        for (y, line) in (0..area.height).zip(rows) {
            pen.line(inner, y, line);
        }
        return Some(drawn);
    }
    let sheet = compared.sheet()?;
    let shape = compared.shape(usize::from(area.width).max(1), wished);
    let Some(index) = compared.index(shape) else {
        pen.text(inset(area, 1, 1), 0, "preparing…", Role::Quiet);
        drawn.unlaid = Some(shape);
        return Some(drawn);
    };
    let (first, all) = (compared.first(&index, height), index.total());
    let cut = all > height;
    let room = if cut { height.saturating_sub(1) } else { height };
    let style = |role| state.look.style(role);
    let brush = Brush { style: &style, marks: state.look.marks };
    let rows = index.rows(sheet, first..first + room, brush);
    let last = first + rows.len();
    for (y, row) in (0..area.height).zip(rows) {
        pen.line(area, y, row.line);
    }
    if cut {
        let said = [(first, "above"), (all.saturating_sub(last), "below")].into_iter();
        let said = said.filter(|(count, _)| *count > 0);
        let said = said.map(|(count, side)| format!("{} {side}", words::grouped(count as u64)));
        let said = said.collect::<Vec<_>>().join(&pen.look.dot());
        let pages = [Action::Move(Move::PageUp), Action::Move(Move::PageDown)];
        let keys = Hints::of(&state.controls, state.key_place()).moves(pages, "").keys();
        let text = format!(" {} {said}   {keys}", pen.look.mark(Mark::Gap));
        pen.text(area, area.height.saturating_sub(1), &text, Role::Quiet);
    }
    Some(drawn)
}
