//! What programs print, a pane each.

use ratatui::{layout::Rect, text::Line};

use super::pen::{Keys, Pen, inset, split_top};
use crate::{
    kernel::id::CallId,
    tui::{
        clean,
        state::{Drawn, DrawnOutput, Focus, State},
        theme::{Mark, Role},
        words,
    },
};

/// The place where outputs will be.
pub(super) fn idle(pen: &mut Pen<'_>, area: Rect) {
    pen.clear(area);
    let (head, body) = split_top(area, 1);
    pen.rule(head, 0, Keys::Elsewhere, vec![pen.span("output", Role::Bright)], Vec::new());
    pen.text(inset(body, 1, 0), 0, "No program has run yet.", Role::Quiet);
}

/// Those of the list that lies over the transcript, above each other.
pub(super) fn list(state: &State, pen: &mut Pen<'_>, area: Rect, drawn: &mut Drawn) {
    let outputs = super::in_sight(state);
    if outputs.is_empty() {
        idle(pen, area);
        return;
    }
    let mut rest = area;
    for (at, call) in outputs.iter().enumerate() {
        let left = u16::try_from(outputs.len() - at).unwrap_or(1);
        let (pane, below) = split_top(rest, rest.height / left);
        drawn.outputs.extend(draw(state, pen, pane, *call));
        rest = below;
    }
}

/// Draws one.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    call: CallId,
) -> Option<DrawnOutput> {
    pen.clear(area);
    let (head, body) = split_top(area, 1);
    let output = &state.output;
    let run = output.run(call)?;
    let path = format!(" {} ", pen.look.mark(Mark::Path));
    let agent = state.sessions.get(run.session).map_or("", |node| node.spec.agent());
    let title = pen.spans(&format!("{agent}{path}{}", run.program), Role::Bright);
    let mut facts = Vec::new();
    // The oldest lines are dropped while more come, and a view that was moved to them moves on.
    let page = run.page.as_ref().map_or(&[][..], |page| &page.lines);
    let rows = usize::from(body.height);
    let end = page.len().saturating_sub(run.above).max(rows.min(page.len()));
    match page.len() - end {
        0 if run.ended.is_none() => facts.push("follow".to_owned()),
        0 => {}
        below => facts.push(format!("{} below", words::count(below, "line"))),
    }
    let read = run.page.as_ref().map_or(0, |page| page.total);
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
    let here = match state.popup {
        Some(_) => output.current().is_some_and(|current| current.call == call),
        None => state.focus == Focus::Output(call),
    };
    pen.rule(head, 0, Keys::here(here), title, right);
    let drawn = Some(DrawnOutput { call, rows });
    let body = inset(body, 1, 1);
    if page.is_empty() {
        let text = if run.ended.is_some() {
            "It printed nothing.".to_owned()
        } else {
            let seconds = words::seconds(run.since, state.now.wall);
            format!("No output yet. Running for {}.", words::clock(seconds))
        };
        pen.text(body, 0, &text, Role::Quiet);
        return drawn;
    }
    for (at, line) in page[end.saturating_sub(rows)..end].iter().enumerate() {
        let line = clean::beginning(line, usize::from(body.width));
        let line = Line::from(clean::spans(line, pen.style(Role::Text), pen.style(Role::Escape)));
        pen.line(body, u16::try_from(at).unwrap_or(0), line);
    }
    drawn
}
