//! The second step of an answer: a no with words, and a yes for the session.

use ratatui::{layout::Rect, text::Line};

use super::{
    Room, composer,
    pen::{Pen, inset, split_bottom, split_top},
    question,
};
use crate::tui::{
    clean,
    state::{
        Focus, State,
        waiting::{Form, Waiting},
    },
    theme::Role,
    wrap::{Layout, rows as wrapped},
};

/// Rows of the exact call that are shown before it is saved; all of it was seen already.
const CALL: usize = 6;

pub(super) fn rows(waiting: &Waiting, form: &Form, area: Rect) -> u16 {
    let rows = match form {
        Form::Because(_, draft) => 3 + draft.shown().0.len().clamp(2, 8),
        Form::Wider(_) => 7 + call(waiting, usize::from(area.width)).len(),
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
            let cursor = composer::text(pen, inset(field, 3, 1), draft, here);
            let text = " enter say no   ctrl+j new line   esc back, still open";
            pen.text(keys, 0, text, Role::Bright);
            cursor.filter(|_| here)
        }
        Form::Wider(_) => {
            question::title(state, pen, area, waiting, &format!("wider{dot}"), here);
            let (_, rest) = split_top(area, 1);
            question::headline(pen, rest, waiting, Room::Plain);
            let (_, rest) = split_top(rest, 1);
            let (rest, keys) = split_bottom(rest, 1);
            pen.text(rest, 0, " Remembered until the session ends: this exact call.", Role::Text);
            let lines = call(waiting, usize::from(area.width));
            for (at, line) in lines.iter().enumerate() {
                let row = u16::try_from(at + 2).unwrap_or(u16::MAX);
                pen.text(inset(rest, 3, 0), row, line, Role::Bright);
            }
            let row = u16::try_from(lines.len() + 3).unwrap_or(u16::MAX);
            let text = " Any other path, argument or text asks again.";
            pen.text(rest, row, text, Role::Quiet);
            pen.text(keys, 0, " ctrl+s save, and say yes   esc back, still open", Role::Bright);
            None
        }
        Form::Edit(edit) => super::edit::draw(state, pen, area, waiting, edit),
        Form::Search(_) => None,
    }
}

/// The call as it is remembered, to the letter; of a long one the beginning.
fn call(waiting: &Waiting, width: usize) -> Vec<String> {
    let call = &waiting.question.call;
    let text = format!("{} {}", call.name, call.input);
    let shown = clean::shown(&text);
    let layout = Layout::exact(width.saturating_sub(5).max(1));
    let mut rows = wrapped(&shown, layout);
    let mut out: Vec<String> = rows.by_ref().take(CALL).map(|row| shown[row].to_owned()).collect();
    if let Some(next) = rows.next() {
        let left = shown[next.start..].chars().count();
        out.push(format!("… {left} more characters, as the question shows them"));
    }
    out
}
