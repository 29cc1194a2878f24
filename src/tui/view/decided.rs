//! The list of decisions: what, by whom, how long it waited, and for how long a clock was held.

use ratatui::{layout::Rect, text::Line};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::{
    kernel::{
        event::Decider,
        id::SessionId,
        session::decisions::{Decided, Outcome, Ruling},
    },
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Place},
        state::{
            State,
            records::decided::{by, doubt},
        },
        theme::{Mark, Role},
        words,
    },
};

/// Cells of the two times.
const TIME: usize = 10;

/// How they stand.
const ORDER: &str = "newest first";

/// Cells for who decided.
const BY: usize = 15;

pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    chosen: usize,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let list = &state.records.decisions;
    let filter = &state.records.filter;
    let shown = list.shown(filter);
    let count = if shown.len() == list.all.len() {
        format!("decisions {}", shown.len())
    } else {
        format!("decisions {} of {}", shown.len(), list.all.len())
    };
    let count = vec![pen.span(count, Role::Bright)];
    let order = pen.ends((0, 0, 0), ORDER, head.width);
    pen.rule(head, 0, Keys::Here, count.clone(), order);
    let (rest, cursor) = super::filter::draw(state, pen, rest);
    let (some, none) = (!shown.is_empty(), shown.is_empty());
    let hints = Hints::of(&state.controls, Place::Decisions)
        .when(some, Action::Open, "go there")
        .when(some, Action::Copy, "copy")
        .when(some, Action::Filter, "filter: you, rule, monitor, denied")
        .when(none, Action::Filter, "filter");
    pen.hints(keys, super::filter::keys(state, hints, "back"));
    if shown.is_empty() {
        let text = match (&filter.rule, list.all.is_empty()) {
            (_, true) => "Nothing was decided yet. Reads that simply ran are not listed.",
            (Some(_), false) => "It decided nothing in this session.",
            (None, false) => "No decision has all of these words.",
        };
        pen.text(inset(rest, 1, 0), 0, text, Role::Quiet);
        return cursor;
    }
    let (rest, about) = split_bottom(
        rest,
        match rest.height {
            9.. => 4,
            6..9 => 2,
            ..6 => 0,
        },
    );
    let times = area.width >= 60;
    columns(pen, rest, times);
    let (_, rows) = split_top(rest, 1);
    let height = usize::from(rows.height);
    let first = (chosen + 1).saturating_sub(height);
    let order = pen.ends((first, height, shown.len()), ORDER, head.width);
    pen.rule(head, 0, Keys::Here, count, order);
    for (at, (_, decided)) in shown.iter().enumerate().skip(first).take(height) {
        let row = u16::try_from(at - first).unwrap_or(0);
        let (left, right) = entry(state, pen, decided, times);
        pen.apart(inset(rows, 2, 1), row, left, right);
        if at == chosen {
            pen.line(rows, row, Line::from(pen.mark(Mark::Here)));
        }
    }
    if let Some((session, decided)) = shown.get(chosen) {
        details(state, pen, inset(about, 2, 1), *session, decided);
    }
    cursor
}

fn columns(pen: &mut Pen<'_>, area: Rect, times: bool) {
    let left = if times { "at        effect" } else { "at     effect" };
    let left = Line::from(pen.span(left, Role::Quiet));
    let mut right = clean::pad("by", BY);
    if times {
        right.push_str(&clean::pad_left("waited", TIME));
        right.push_str(&clean::pad_left("held", TIME));
    }
    let right = Line::from(pen.span(right, Role::Quiet));
    pen.apart(inset(area, 2, 1), 0, left, right);
}

fn mark(verdict: Ruling) -> Mark {
    match verdict {
        Ruling::Allowed => Mark::Done,
        Ruling::Denied => Mark::Denied,
        Ruling::Withdrawn => Mark::Withdrawn,
        Ruling::Open => Mark::NotNow,
    }
}

fn entry(
    state: &State,
    pen: &Pen<'_>,
    decided: &Decided,
    times: bool,
) -> (Line<'static>, Line<'static>) {
    let effect = match decided.category {
        Some(category) => words::effect(category, &decided.name),
        None => decided.name.clone(),
    };
    let at =
        if times { state.records.second(decided.at) } else { state.records.minute(decided.at) };
    let mut left = vec![pen.span(format!("{at}  "), Role::Quiet), pen.mark(mark(decided.verdict))];
    left.push(pen.span(" ", Role::Text));
    // Where there is little room, what it was about is worth more than its kind.
    if times || decided.effect == effect {
        left.push(pen.span(format!("{effect} "), Role::Bright));
    }
    if decided.effect != effect {
        left.extend(pen.spans(&decided.effect, Role::Text));
    }
    // The mark is of what was said; what came of it is another thing.
    if decided.outcome.as_ref().is_some_and(|outcome| *outcome != Outcome::Done) {
        left.push(pen.span("  ", Role::Text));
        left.push(pen.mark(Mark::Warning));
        left.push(pen.span(" failed", Role::Warn));
    }
    let by = clean::pad(&clean::shown(&by(decided)), BY);
    let mut right = vec![pen.span(by, Role::Text)];
    if times {
        let (waited, left_out) = waited(state, decided);
        let both =
            format!("{}{}", clean::pad_left(&waited, TIME), clean::pad_left(&left_out, TIME));
        right.push(pen.span(both, Role::Quiet));
    }
    (Line::from(left), Line::from(right))
}

/// How long it waited and what of that no clock counted; a question that is open counts on.
fn waited(state: &State, decided: &Decided) -> (String, String) {
    let dash = || state.look.mark(Mark::Withdrawn).to_owned();
    match (decided.verdict, decided.approval) {
        (_, None) => (dash(), dash()),
        (Ruling::Open, _) => {
            let so_far = state.look.clock(words::seconds(decided.at, state.now.wall));
            (so_far.clone(), so_far)
        }
        (Ruling::Allowed | Ruling::Denied | Ruling::Withdrawn, _) => {
            (tenths(decided.waited.waited_ms), tenths(decided.waited.excluded_ms))
        }
    }
}

/// `0:40.2`.
fn tenths(ms: u64) -> String {
    format!("{}:{:02}.{}", ms / 60_000, ms / 1000 % 60, ms / 100 % 10)
}

fn details(state: &State, pen: &mut Pen<'_>, area: Rect, session: SessionId, decided: &Decided) {
    let mut row = u16::from(area.height > 2);
    if let Some(came) = decided.outcome.as_ref().and_then(Outcome::words) {
        pen.text(area, row, &format!("Allowed; {came}"), Role::Warn);
    } else if let Some(said) = &decided.words {
        pen.text(area, row, &format!("\"{}\"", words::first_line(said)), Role::Text);
    } else if let Some(doubt) = doubt(decided) {
        let tier = doubt.tier.name();
        pen.text(area, row, &format!("monitor: {tier}, \"{}\"", doubt.reason), Role::Text);
    } else if let Some(Decider::Rule { rule }) = &decided.by {
        pen.text(area, row, &format!("by the rule {rule}"), Role::Text);
    } else {
        pen.text(area, row, &decided.effect, Role::Text);
    }
    row += 1;
    let mut place = vec![state.way(session, &decided.agent, 40)];
    if let Some(line) = decided.line {
        place.push(format!("line {line}"));
    }
    place.push(format!("call {}", decided.call.short()));
    place.push(decided.name.clone());
    let text = place.join(&state.look.dot());
    pen.text(area, row, &text, Role::Quiet);
}
