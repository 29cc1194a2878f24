//! The lists that open over the transcript: sessions, and what waits.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::{
    kernel::{capability::Body, event::Outcome, id::SessionId},
    tui::{
        cell::state_mark,
        clean,
        state::{
            State,
            sessions::{Branch, Doing},
            waiting::Waiting,
        },
        theme::{Mark, Role},
        update::asker,
        words,
    },
};

pub(super) fn sessions(state: &State, pen: &mut Pen<'_>, area: Rect) {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let rows = state.sessions.rows();
    let roots = rows.iter().filter(|row| row.depth == 0).count();
    let dot = pen.look.dot();
    let mut title = format!(
        "sessions {roots}{dot}agents {}{dot}{} at work",
        rows.len() - roots,
        state.sessions.at_work()
    );
    let asking = state.queue.asking();
    if asking > 0 {
        let verb = if asking == 1 { "needs" } else { "need" };
        title.push_str(&format!("{dot}{asking} {verb} you"));
    }
    pen.rule(head, 0, Keys::Here, vec![pen.span(title, Role::Bright)], Vec::new());
    let wide = usize::from(area.width) >= 60;
    if wide {
        pen.apart(
            inset(rest, 3, 2),
            0,
            Line::from(pen.span("agent              state", Role::Quiet)),
            Line::from(pen.span("time    tokens", Role::Quiet)),
        );
    }
    let (_, list) = split_top(rest, u16::from(wide));
    let height = usize::from(list.height);
    let cursor = state.sessions.cursor;
    let first = (cursor + 1).saturating_sub(height);
    for (at, branch) in rows.iter().enumerate().skip(first).take(height) {
        let row = u16::try_from(at - first).unwrap_or(0);
        let (left, right) = session(state, pen, branch);
        pen.apart(inset(list, 1, 2), row, left, right);
        if at == cursor {
            pen.line(list, row, Line::from(pen.mark(Mark::Here)));
        }
    }
    pen.text(inset(keys, 1, 0), 0, "enter open   s stop…   ↑↓ move   esc close", Role::Bright);
}

fn session(state: &State, pen: &Pen<'_>, branch: &Branch) -> (Line<'static>, Line<'static>) {
    let Some(node) = state.sessions.get(branch.session) else {
        return (Line::default(), Line::default());
    };
    let mark = state_mark(&state.sessions, &state.queue, branch.session);
    let fold = match (branch.depth, node.children.is_empty(), branch.last) {
        (0, true, _) => Span::raw(" "),
        (0, false, _) => pen.mark(Mark::Open),
        (_, _, true) => pen.mark(Mark::LastChild),
        (_, _, false) => pen.span(pen.look.mark(Mark::MeetsRight), Role::Quiet),
    };
    let indent = 2 + 2 * branch.depth;
    let room = 17_usize.saturating_sub(indent).max(6);
    let mut left = vec![Span::raw(" ".repeat(indent)), fold, Span::raw(" "), pen.mark(mark)];
    left.push(Span::raw(" "));
    left.push(pen.span(clean::pad(&clean::shown(node.spec.agent()), room), Role::Bright));
    left.extend(pen.spans(&format!(" {}", state_words(state, branch.session)), mark.role()));
    let time = node.doing.seconds(state.now.wall).map(words::clock);
    let dash = pen.look.mark(Mark::Withdrawn);
    let time = time.unwrap_or_else(|| dash.to_owned());
    let used = node.usage.input + node.usage.output;
    let used = if used == 0 { dash.to_owned() } else { words::tokens(used) };
    let right = format!("{}{}", clean::pad_left(&time, 8), clean::pad_left(&used, 10));
    (Line::from(left), Line::from(pen.span(right, Role::Quiet)))
}

/// What a session is at, in a few words.
pub(super) fn state_words(state: &State, session: SessionId) -> String {
    let mine = state.queue.of_session(session);
    if let Some(waiting) = mine.first().and_then(|id| state.queue.get(*id)) {
        return format!("{} {}", waiting.effect(), waiting.object());
    }
    let Some(node) = state.sessions.get(session) else { return String::new() };
    match &node.doing {
        Doing::Nothing => "nothing said yet".to_owned(),
        Doing::Working { .. } => node.at.clone(),
        Doing::Rests { outcome, .. } => match outcome {
            Outcome::Done if node.spec.parent.is_some() => "done".to_owned(),
            Outcome::Done => "idle".to_owned(),
            Outcome::Stopped if node.spec.parent.is_some() => "stopped".to_owned(),
            Outcome::Stopped => "stopped by you".to_owned(),
            Outcome::Failed { message } => format!("failed: {}", words::first_line(message)),
            Outcome::Limit { message } => format!("limit: {}", words::first_line(message)),
        },
    }
}

pub(super) fn waiting(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    row: usize,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    let all = state.inbox();
    let every = state.queue.listed().len();
    let put_off = all.iter().filter(|waiting| waiting.put_off).count();
    let mut title = match all.len() {
        shown if shown == every => format!("waiting {every}"),
        shown => format!("waiting {shown} of {every}"),
    };
    if put_off > 0 {
        title.push_str(&format!("{}{put_off} not now", pen.look.dot()));
    }
    let right = vec![pen.span(state.queue.order.name(), Role::Quiet)];
    pen.rule(head, 0, Keys::Here, vec![pen.span(title, Role::Bright)], right);
    let (rest, keys) = split_bottom(rest, 1);
    let (rest, cursor) = super::filter::draw(state, pen, rest);
    let text = match (every, all.len()) {
        (0, _) => "esc close",
        (_, 0) => "/ filter   esc close",
        _ => "enter open   l not now   m several of one script   o order   / filter   esc",
    };
    pen.text(inset(keys, 1, 0), 0, super::filter::keys(state, text), Role::Bright);
    if all.is_empty() {
        let text = if every == 0 {
            "Nothing waits."
        } else {
            "Nothing that waits has all of these words."
        };
        pen.text(inset(rest, 1, 0), 0, text, Role::Quiet);
        return cursor;
    }
    let (list, about) = split_bottom(rest, if rest.height > 8 { 4 } else { 0 });
    let asking = all.len() - put_off;
    let mut lines: Vec<(Option<usize>, Line<'static>)> = Vec::new();
    for (at, waiting) in all.iter().enumerate() {
        if at == asking {
            lines.push((None, Line::default()));
        }
        let number = state.queue.listed_at(waiting.question.id);
        lines.push((Some(at), entry(state, pen, waiting, number, usize::from(list.width))));
    }
    if put_off > 0 {
        let text = "             counts as waiting, but never comes up by itself";
        lines.push((Some(usize::MAX), Line::from(pen.span(text, Role::Quiet))));
    }
    let here = lines.iter().position(|(at, _)| *at == Some(row)).unwrap_or(0);
    let height = usize::from(list.height);
    let first = (here + 1).saturating_sub(height);
    for (y, (at, line)) in lines.into_iter().skip(first).take(height).enumerate() {
        let y = u16::try_from(y).unwrap_or(0);
        match at {
            None => pen.rule(
                list,
                y,
                Keys::Elsewhere,
                vec![pen.span("not now", Role::Held)],
                Vec::new(),
            ),
            Some(at) => {
                pen.line(list, y, line);
                if at == row {
                    pen.line(list, y, Line::from(pen.mark(Mark::Here)));
                }
            }
        }
    }
    if let Some(waiting) = all.get(row) {
        preview(pen, inset(about, 1, 1), waiting);
    }
    cursor
}

fn entry(
    state: &State,
    pen: &Pen<'_>,
    waiting: &Waiting,
    number: usize,
    width: usize,
) -> Line<'static> {
    let question = &waiting.question;
    let mark = if waiting.put_off { Mark::NotNow } else { Mark::Needs };
    let time = words::clock(words::seconds(waiting.asked, state.now.wall));
    let path = format!(" {} ", pen.look.mark(Mark::Path));
    let who = format!("{}{path}{}", question.path.join(&path), asker(waiting));
    let object = if question.preview.object.is_empty() {
        question.call.name.clone()
    } else {
        waiting.object()
    };
    let mut spans = vec![
        Span::raw(" "),
        pen.mark(mark),
        pen.span(format!(" {number} {}  ", clean::pad_left(&time, 6)), Role::Quiet),
    ];
    let room = (width.saturating_sub(12) / 2).max(8);
    spans.extend(pen.spans(&clean::pad(&clean::shown(&who), room), Role::Text));
    spans.push(pen.span(format!(" {}", clean::pad(&waiting.effect(), 9)), Role::Bright));
    let fact = question.preview.facts.first().filter(|fact| fact.starts_with(['+', '−']));
    let fact = fact.map(|fact| format!(" {fact}")).unwrap_or_default();
    spans.extend(pen.spans(&format!("{object}{fact}"), Role::Text));
    Line::from(spans)
}

/// What the chosen question is about, in two rows; its own screen has all of it.
fn preview(pen: &mut Pen<'_>, area: Rect, waiting: &Waiting) {
    let preview = &waiting.question.preview;
    let first = match &preview.body {
        Body::Program { argv, .. } => argv.join(" "),
        Body::Packages { asked, .. } => asked.join(", "),
        Body::Code { code, .. } => words::first_line(code).to_owned(),
        Body::Text { text } => words::first_line(text).to_owned(),
        Body::Diff { .. } => waiting.source.clone().unwrap_or_default(),
    };
    let (text, escape) = (pen.style(Role::Text), pen.style(Role::Escape));
    pen.line(area, 1, Line::from(clean::asked_at(&first, 0, text, escape)));
    pen.text(area, 2, &preview.facts.join(&pen.look.dot()), Role::Quiet);
    let mark = pen.look.mark(Mark::Warning);
    if let Some(doubt) = &waiting.question.monitor {
        pen.text(area, 3, &format!("{mark} monitor  {doubt}"), Role::Warn);
    } else if !preview.wider.is_empty() {
        let wider = format!("{mark} wider  {}", preview.wider.join(&pen.look.dot()));
        pen.text(area, 3, &wider, Role::Warn);
    }
}
