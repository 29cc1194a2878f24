//! The last lines of the program that runs, or ran last.

use ratatui::{layout::Rect, text::Line};

use super::pen::{Keys, Pen, inset, split_top};
use crate::tui::{
    clean,
    state::State,
    theme::{Mark, Role},
    words,
};

/// Draws it; gives the rows of text in sight.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, keys: Keys) -> usize {
    pen.clear(area);
    let (head, body) = split_top(area, 1);
    let output = &state.output;
    let Some(run) = output.shown() else {
        pen.rule(head, 0, keys, vec![pen.span("output", Role::Bright)], Vec::new());
        pen.text(inset(body, 1, 0), 0, "No program has run yet.", Role::Quiet);
        return 0;
    };
    let path = format!(" {} ", pen.look.mark(Mark::Path));
    let agent = state.sessions.get(run.session).map_or("", |node| node.spec.agent());
    let title = pen.spans(&format!("{agent}{path}{}", run.program), Role::Bright);
    let mut facts = Vec::new();
    // The oldest lines are dropped while more come, and a view that was moved to them moves on.
    let page = if output.of == Some(run.call) { &output.page.lines[..] } else { &[] };
    let rows = usize::from(body.height);
    let end = page.len().saturating_sub(output.above).max(rows.min(page.len()));
    match page.len() - end {
        0 if run.ended.is_none() => facts.push("follow".to_owned()),
        0 => {}
        below => facts.push(format!("{} below", words::count(below, "line"))),
    }
    let read = if output.of == Some(run.call) { output.page.total } else { 0 };
    let lines = usize::try_from(run.lines.max(read)).unwrap_or(usize::MAX);
    facts.push(words::count(lines, "line"));
    match (&run.ended, output.used(run.call)) {
        (Some((how, ms)), _) => facts.push(format!("{how}, {}", words::took(*ms))),
        (None, Some((spent, held))) => {
            let held = if held { ", held" } else { "" };
            facts.push(format!("{}{held}", words::used(spent, run.limit_ms)));
        }
        (None, None) => {}
    }
    let right = vec![pen.span(facts.join(&pen.look.dot()), Role::Quiet)];
    pen.rule(head, 0, keys, title, right);
    let body = inset(body, 1, 1);
    if page.is_empty() {
        let text = if run.ended.is_some() {
            "It printed nothing.".to_owned()
        } else {
            let seconds = words::seconds(run.since, state.now.wall);
            format!("No output yet. Running for {}.", words::clock(seconds))
        };
        pen.text(body, 0, &text, Role::Quiet);
        return rows;
    }
    for (at, line) in page[end.saturating_sub(rows)..end].iter().enumerate() {
        let line = Line::from(clean::spans(line, pen.style(Role::Text), pen.style(Role::Escape)));
        pen.line(body, u16::try_from(at).unwrap_or(0), line);
    }
    rows
}
