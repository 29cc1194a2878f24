//! The left column: the sessions with their agents, and below them what waits.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, split_top};
use crate::tui::{
    cell::state_mark,
    clean,
    state::{Focus, State, sessions::Branch, waiting::Waiting},
    theme::{Mark, Role},
    words,
};

/// Cells up to the end of the time, and of the tokens.
const TIME: usize = 20;

/// The sessions, each with its agents.
pub(super) fn tree(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let here = state.focus == Focus::Sessions && state.popup.is_none();
    let title = vec![pen.span("sessions", Role::Bright)];
    pen.rule(area, 0, Keys::here(here), title, Vec::new());
    let (_, body) = split_top(area, 1);
    let rows = state.sessions.rows();
    let height = usize::from(body.height);
    let mark = if here { state.sessions.cursor } else { state.sessions.place() };
    let first = (mark + 1).saturating_sub(height);
    for (at, branch) in rows.iter().enumerate().skip(first).take(height) {
        let row = u16::try_from(at - first).unwrap_or(0);
        let mut line = Line::from(branch_line(state, pen, branch));
        if at == mark {
            let role = if here { Mark::Here } else { Mark::Path };
            line.spans[0] = pen.mark(role);
        }
        pen.line(body, row, line);
    }
    if rows.is_empty() {
        pen.text(body, 0, " No session yet.", Role::Quiet);
    }
}

fn branch_line(state: &State, pen: &Pen<'_>, branch: &Branch) -> Vec<Span<'static>> {
    let Some(node) = state.sessions.get(branch.session) else { return Vec::new() };
    let mark = state_mark(&state.sessions, &state.queue, branch.session);
    let indent = 2 * branch.depth;
    let fold = match (branch.depth, node.children.is_empty(), branch.last) {
        (0, true, _) => Span::raw(" "),
        (0, false, _) => pen.mark(Mark::Open),
        (_, _, true) => pen.mark(Mark::LastChild),
        (_, _, false) => pen.span(pen.look.mark(Mark::MeetsRight), Role::Quiet),
    };
    let time = node.doing.seconds(state.now.wall).map(words::clock);
    let time = time.unwrap_or_else(|| pen.look.mark(Mark::Withdrawn).to_owned());
    let room = TIME.saturating_sub(indent + 5 + clean::width(&time) + 1);
    let name = clean::pad(&clean::shown(node.spec.agent()), room);
    let used = node.usage.input + node.usage.output;
    let used = if used == 0 { String::new() } else { words::tokens(used) };
    let role =
        if Some(branch.session) == state.sessions.viewed() { Role::Bright } else { Role::Text };
    vec![
        Span::raw(" "),
        Span::raw(" ".repeat(indent)),
        fold,
        Span::raw(" "),
        pen.mark(mark),
        Span::raw(" "),
        pen.span(name, role),
        pen.span(format!(" {time}"), Role::Quiet),
        pen.span(clean::pad_left(&used, 7), Role::Quiet),
    ]
}

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
    let time = words::clock(words::seconds(waiting.asked, state.now.wall));
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
    object.extend(pen.spans(&waiting.object(), Role::Text));
    if let Some(fact) = question.preview.facts.first().filter(|fact| fact.starts_with(['+', '−']))
    {
        object.extend(pen.spans(&format!("  {fact}"), Role::Quiet));
    }
    let mut who = indent();
    who.extend(pen.spans(&question.path.join(&path), Role::Quiet));
    [Line::from(first), Line::from(object), Line::from(who)]
}
