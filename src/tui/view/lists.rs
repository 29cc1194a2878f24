//! The lists that open over the transcript: sessions, and what waits.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::{
    kernel::{capability::Body, event::Outcome, id::SessionId},
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Place},
        paper,
        state::{State, sessions::Doing, waiting::Waiting},
        theme::{Mark, Role},
        update::asker,
        words,
    },
};

/// What a session is at, in a few words.
pub(in crate::tui) fn state_words(state: &State, session: SessionId) -> String {
    if let Some(question) = state.sessions.asks_there(session) {
        let effect = question.category.name().to_uppercase();
        return format!("waits there: {effect} {}", question.preview.object);
    }
    let mine = state.queue.of_session(session);
    if let Some(waiting) = mine.first().and_then(|id| state.queue.get(*id)) {
        return format!("{} {}", waiting.effect(), waiting.object());
    }
    let Some(node) = state.sessions.get(session) else { return String::new() };
    match &node.doing {
        Doing::Nothing => "nothing said yet".to_owned(),
        Doing::Working { delayed: Some(delayed), .. } => {
            let delay = &delayed.delay;
            let wait = state.look.retrying(delayed, state.now.wall);
            format!("{wait} ({}, try {} of {})", delay.why, delay.next, delay.of)
        }
        Doing::Working { delayed: None, .. } => node.at.clone(),
        Doing::Rests { outcome, since } => match outcome {
            Outcome::Done if node.spec.parent.is_some() => "done".to_owned(),
            Outcome::Done => format!("idle since {}", state.records.when(*since, state.now.wall)),
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
    let title = vec![pen.span(title, Role::Bright)];
    let right = pen.ends((0, 0, 0), state.queue.order.name(), head.width);
    pen.rule(head, 0, Keys::Here, title.clone(), right);
    let (rest, keys) = split_bottom(rest, 1);
    let (rest, cursor) = super::filter::draw(state, pen, rest);
    let hints = Hints::of(&state.controls, Place::Waiting);
    let hints = match (every, all.get(row)) {
        (0, _) => hints,
        (_, None) => hints.with(Action::Filter, "filter"),
        (_, Some(here)) => {
            let script = here.question.script;
            let of_it = all.iter().filter(|other| other.question.script == script).count();
            hints
                .with(Action::Open, "open")
                .with(Action::NotNow, if here.put_off { "ask now" } else { "not now" })
                .when(script.is_some() && of_it > 1, Action::Several, "several of one script")
                .with(Action::Order, "order")
                .with(Action::Filter, "filter")
        }
    };
    pen.hints(keys, super::filter::keys(state, hints, "back"));
    if all.is_empty() {
        let text = if every == 0 {
            "Nothing waits."
        } else {
            "Nothing that waits has all of these words."
        };
        pen.text(inset(rest, 1, 0), 0, text, Role::Quiet);
        return cursor;
    }
    let narrow = area.width < 60;
    let (list, about) = split_bottom(
        rest,
        match rest.height {
            9.. => 4,
            // Who asks has no room in the rows.
            5..9 if narrow => 1,
            _ => 0,
        },
    );
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
        let text = match list.width < 60 {
            true => "   wait, but never come up by themselves",
            false => "             counts as waiting, but never comes up by itself",
        };
        lines.push((Some(usize::MAX), Line::from(pen.span(text, Role::Quiet))));
    }
    let here = lines.iter().position(|(at, _)| *at == Some(row)).unwrap_or(0);
    let height = usize::from(list.height);
    let first = (here + 1).saturating_sub(height);
    let right = pen.ends((first, height, lines.len()), state.queue.order.name(), head.width);
    pen.rule(head, 0, Keys::Here, title, right);
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
        if about.height == 1 {
            pen.text(inset(about, 1, 1), 0, &who(state, waiting, 38), Role::Quiet);
        } else {
            preview(pen, inset(about, 1, 1), waiting);
        }
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
    let time = pen.look.clock(words::seconds(waiting.asked, state.now.wall));
    let room = (width.saturating_sub(12) / 2).max(8);
    let who = who(state, waiting, room);
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
    // Where there is no room for both, what is asked for is worth more than who asks.
    if width >= 60 {
        spans.extend(pen.spans(&clean::pad(&who, room), Role::Text));
        spans.push(Span::raw(" "));
    }
    spans.push(pen.span(clean::pad(&waiting.effect(), 9), Role::Bright));
    let fact = question.preview.facts.first().filter(|fact| fact.starts_with(['+', '−']));
    let fact = fact.map(|fact| format!(" {fact}")).unwrap_or_default();
    spans.extend(pen.name(&format!("{object}{fact}"), Role::Text));
    Line::from(spans)
}

/// Who asks, and in which line, in so many cells.
fn who(state: &State, waiting: &Waiting, room: usize) -> String {
    let path = format!(" {} ", state.look.mark(Mark::Path));
    let asker = asker(waiting);
    let taken = clean::width(&asker) + clean::width(&path);
    let question = &waiting.question;
    let way = state.way(question.session, &question.path, room.saturating_sub(taken));
    format!("{way}{path}{asker}")
}

/// What the chosen question is about, in two rows; its own screen has all of it.
fn preview(pen: &mut Pen<'_>, area: Rect, waiting: &Waiting) {
    let preview = &waiting.question.preview;
    let first = match &preview.body {
        Body::Program { argv, .. } => paper::line(argv),
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
        let wider = format!("{mark} beyond  {}", preview.wider.join(&pen.look.dot()));
        pen.text(area, 3, &wider, Role::Warn);
    }
}
