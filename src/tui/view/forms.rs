//! The second step of an answer: a no with words, and a yes for the session.

use ratatui::{layout::Rect, text::Line};

use super::{
    composer,
    pen::{Pen, inset, split_bottom, split_top},
    question,
};
use crate::tui::{
    hints::Hints,
    keymap::{Action, Edit as Text, Place},
    state::{
        Focus, State,
        waiting::{Form, Waiting},
    },
    theme::Role,
};

pub(super) fn rows(form: &Form, area: Rect) -> u16 {
    let rows = match form {
        Form::Because(_, draft) => {
            let width = usize::from(area.width.saturating_sub(4));
            3 + composer::prose(draft, width).0.len().clamp(2, 8)
        }
        Form::Wider(wider) => super::wider::rows(wider, area),
        Form::Edit(edit) => super::edit::rows(edit, usize::from(area.width)),
        // It has a row of the question it looks through.
        Form::Search(_) => 0,
    };
    u16::try_from(rows).unwrap_or(u16::MAX)
}

pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    form: &Form,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let here = state.focus == Focus::Question;
    let dot = pen.look.dot();
    match form {
        Form::Because(_, draft) => {
            question::title(state, pen, area, waiting, &format!("no, because{dot}"), here);
            let (_, rest) = split_top(area, 1);
            let what = &waiting.question;
            let effect = what.category.name().to_uppercase();
            let text = format!(
                " No to {effect} {}. The model reads this and goes on.",
                what.preview.object
            );
            pen.text(rest, 0, &text, Role::Text);
            let (_, rest) = split_top(rest, 1);
            let (field, keys) = split_bottom(rest, 1);
            let prompt = pen.mark(crate::tui::theme::Mark::Path);
            pen.line(inset(field, 1, 0), 0, Line::from(prompt));
            let cursor = composer::words(pen, inset(field, 3, 1), draft, here);
            let hints = Hints::of(&state.controls, Place::Because)
                .with(Action::Confirm, "say no")
                .with(Action::Edit(Text::NewLine), "new line")
                .leave("back, still open");
            pen.hints(keys, hints);
            cursor.filter(|_| here)
        }
        Form::Wider(wider) => super::wider::draw(state, pen, area, waiting, wider),
        Form::Edit(edit) => super::edit::draw(state, pen, area, waiting, edit),
        Form::Search(_) => None,
    }
}
