//! What waits, in the left column, below the sessions.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, split_top};
use crate::{
    kernel::capability::Category,
    tui::{
        clean,
        state::{Focus, State, waiting::Waiting},
        theme::{Mark, Role},
        words,
    },
};

/// Cells before what an entry is about.
const INDENT: usize = 6;

/// What waits.
pub(super) fn queue(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let here = state.focus == Focus::Waiting && state.popup.is_none();
    let all = state.queue.listed();
    let (asking, off) = (state.queue.asking(), state.queue.put_off());
    let mut count = Vec::new();
    if asking > 0 {
        count.push(pen.span(asking.to_string(), Role::Need));
    }
    if off > 0 {
        let dot = if asking > 0 { pen.look.dot() } else { String::new() };
        count.push(pen.span(format!("{dot}{off} not now"), Role::Held));
    }
    pen.rule(area, 0, Keys::here(here), vec![pen.span("waiting", Role::Bright)], count);
    let (_, body) = split_top(area, 1);
    if all.is_empty() {
        pen.text(body, 0, " Nothing waits.", Role::Quiet);
        return;
    }
    let current = state.queue.current().map(|waiting| waiting.question.id);
    let fit = usize::from(body.height / 3).max(1);
    let marked = if here {
        state.queue.cursor
    } else {
        all.iter().position(|one| Some(one.question.id) == current).unwrap_or(0)
    };
    let first = (marked + 1).saturating_sub(fit);
    let width = usize::from(body.width).saturating_sub(INDENT + 1);
    for (at, waiting) in all.iter().enumerate().skip(first).take(fit) {
        let top = u16::try_from((at - first) * 3).unwrap_or(0);
        let marked = if here { at == marked } else { Some(waiting.question.id) == current };
        for (row, line) in entry(state, pen, waiting, at + 1, width).into_iter().enumerate() {
            let mut line = line;
            if marked {
                line.spans[0] = pen.mark(Mark::Here);
            }
            pen.line(body, top + u16::try_from(row).unwrap_or(0), line);
        }
    }
    let hidden = all.len().saturating_sub(first + fit);
    let last = body.height.saturating_sub(1);
    if hidden > 0 && usize::from(last) >= fit * 3 {
        let gap = pen.look.mark(Mark::Gap);
        pen.text(body, last, &format!(" {gap} {hidden} more"), Role::Quiet);
    }
}

fn entry(
    state: &State,
    pen: &Pen<'_>,
    waiting: &Waiting,
    number: usize,
    width: usize,
) -> [Line<'static>; 3] {
    let question = &waiting.question;
    let time = pen.look.clock(words::seconds(waiting.asked, state.now.wall));
    let mark = if waiting.put_off { Mark::NotNow } else { Mark::Needs };
    let first = vec![
        Span::raw(" "),
        pen.mark(mark),
        pen.span(format!(" {number} {}  ", clean::pad_left(&time, 5)), Role::Quiet),
        pen.span(waiting.effect(), Role::Bright),
    ];
    let indent = || vec![Span::raw(" "), Span::raw(" ".repeat(INDENT - 1))];
    let mut object = indent();
    let amounts = question.preview.facts.iter().filter(|fact| fact.starts_with(['+', '−']));
    let fact = amounts.map(|fact| format!("  {fact}")).next().unwrap_or_default();
    let room = width.saturating_sub(clean::width(&fact));
    // The end of a path says more than its beginning.
    let text = match question.category {
        Category::Write => words::tail(&waiting.object(), room),
        Category::Read | Category::Execute | Category::External => {
            clean::truncate(&waiting.object(), room)
        }
    };
    object.extend(pen.name(&text, Role::Text));
    object.extend(pen.spans(&fact, Role::Quiet));
    let mut who = indent();
    who.extend(pen.spans(&state.way(question.session, &question.path, width), Role::Quiet));
    [Line::from(first), Line::from(object), Line::from(who)]
}
