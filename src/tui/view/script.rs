//! The script around the line that asks.

use ratatui::{layout::Rect, text::Line};

use super::pen::{Keys, Pen, split_bottom, split_top};
use crate::{
    kernel::event::Origin,
    tui::{
        cell::Code,
        clean, highlight,
        hints::Hints,
        keymap::{Action, Move, Place},
        state::{State, waiting::Waiting},
        theme::{Mark, Role},
        update::asker,
        words,
        wrap::{Layout, wrap_with},
    },
};

/// Cells before a line: mark, number and a gap.
const MARGIN: usize = 9;

/// The script in which a question was asked, if one did.
pub(in crate::tui) fn of<'a>(state: &'a State, waiting: &Waiting) -> Option<&'a Code> {
    let question = &waiting.question;
    let call = question.script.or(question.call.parent)?;
    state.sessions.get(question.session)?.transcript.code(call)
}

/// The line of it that asks, from 1.
pub(in crate::tui) fn asking_line(waiting: &Waiting) -> Option<usize> {
    match waiting.question.call.origin {
        Origin::Python { line } => line.and_then(|line| usize::try_from(line).ok()),
        Origin::Model | Origin::Person => None,
    }
}

/// Draws it from a line on. Gives the line from which all to the end has room.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, top: usize) -> usize {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let Some(waiting) = state.queue.current() else { return 0 };
    let Some(code) = of(state, waiting) else { return 0 };
    let title = pen.spans(&format!("script{}{}", pen.look.dot(), asker(waiting)), Role::Bright);
    let count = words::count(code.script.count(), "line");
    pen.rule(head, 0, Keys::Here, title, vec![pen.span(count, Role::Quiet)]);
    let asks = asking_line(waiting);
    let height = usize::from(rest.height);
    let line = |pen: &Pen<'_>, (at, text): (usize, &str)| {
        let here = asks == Some(at + 1);
        let mark = if here { pen.look.mark(Mark::Folded) } else { " " };
        let role = if here { Role::Bright } else { Role::Quiet };
        let mut spans = vec![pen.span(format!(" {mark}{:>5}  ", at + 1), role)];
        spans.extend(highlight::styled(text, code.colours.line(at), &pen.look.theme).spans);
        // Code that asks is read whole: it goes on in the next row, behind a mark.
        let layout = Layout::exact(usize::from(rest.width).max(1)).hanging(MARGIN);
        let mut rows = wrap_with(&Line::from(spans), layout);
        for row in rows.iter_mut().skip(1) {
            let goes_on = format!("{:>6} {} ", "", pen.look.mark(Mark::GoesOn));
            row.spans[0] = pen.span(clean::pad(&goes_on, MARGIN), Role::Quiet);
        }
        rows
    };
    // At the end, as much as there is room for.
    let count = code.script.count();
    let tail = count.saturating_sub(height);
    let tail: Vec<_> = code.script.lines().enumerate().skip(tail).map(|at| line(pen, at)).collect();
    let mut room = height;
    let fits = |rows: &&Vec<_>| {
        let left = room.checked_sub(rows.len());
        room = left.unwrap_or(0);
        left.is_some()
    };
    let last = count - tail.iter().rev().take_while(fits).count();
    let rows: Vec<_> = if top < last {
        let from = code.script.lines().enumerate().skip(top).take(height);
        from.flat_map(|at| line(pen, at)).collect()
    } else {
        let rows: Vec<_> = tail.into_iter().flatten().collect();
        let over = rows.len().saturating_sub(height);
        rows.into_iter().skip(over).collect()
    };
    for (row, line) in rows.into_iter().take(height).enumerate() {
        pen.line(rest, u16::try_from(row).unwrap_or(u16::MAX), line);
    }
    let hints = Hints::of(&state.controls, Place::Script)
        .moves([Action::Move(Move::Up), Action::Move(Move::Down)], "scroll")
        .leave("back to the question");
    pen.hints(keys, hints);
    last
}
