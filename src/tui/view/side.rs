//! What waits, in the left column, below the sessions.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, split_top};
use crate::tui::{
    clean,
    state::{Focus, State, waiting::Waiting},
    theme::{Mark, Role},
    words,
};

/// What waits.
pub(super) fn queue(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let here = state.focus == Focus::Waiting && state.popup.is_none();
    let all = state.queue.listed();
    let count = match all.len() {
        0 => Vec::new(),
        count => vec![pen.span(count.to_string(), Role::Need)],
    };
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
    for (at, waiting) in all.iter().enumerate().skip(first).take(fit) {
        let top = u16::try_from((at - first) * 3).unwrap_or(0);
        let marked = if here { at == marked } else { Some(waiting.question.id) == current };
        for (row, line) in entry(state, pen, waiting, at + 1).into_iter().enumerate() {
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

fn entry(state: &State, pen: &Pen<'_>, waiting: &Waiting, number: usize) -> [Line<'static>; 3] {
    let question = &waiting.question;
    let time = pen.look.clock(words::seconds(waiting.asked, state.now.wall));
    let mark = if waiting.put_off { Mark::NotNow } else { Mark::Needs };
    let path = format!(" {} ", pen.look.mark(Mark::Path));
    let first = vec![
        Span::raw(" "),
        pen.mark(mark),
        pen.span(format!(" {number} {}  ", clean::pad_left(&time, 5)), Role::Quiet),
        pen.span(waiting.effect(), Role::Bright),
    ];
    let indent = || vec![Span::raw(" "), Span::raw("     ")];
    let mut object = indent();
    object.extend(pen.name(&waiting.object(), Role::Text));
    if let Some(fact) = question.preview.facts.first().filter(|fact| fact.starts_with(['+', '−']))
    {
        object.extend(pen.spans(&format!("  {fact}"), Role::Quiet));
    }
    let mut who = indent();
    who.extend(pen.name(&question.path.join(&path), Role::Quiet));
    [Line::from(first), Line::from(object), Line::from(who)]
}
