//! Grants and rules: every standing yes and no, what it came to, and the key to take it back.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::{
    kernel::{
        gate::{
            law::{Layer, Placed},
            rule::{Effect, Until},
        },
        session::standing::Used,
    },
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Part, Place},
        state::{
            State,
            records::standing::{Row, does, kept},
        },
        theme::{Mark, Role},
        words,
        wrap::{Layout, wrap_with},
    },
};

/// Cells of the columns at the right.
const WHERE: usize = 14;
const AGE: usize = 8;
const USED: usize = 7;

pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    chosen: usize,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let rules = &state.records.rules;
    let filter = &state.records.filter;
    let rows = rules.rows(filter);
    // A fault in a file is told of among them and is none of them.
    let count = rows.iter().filter(|row| matches!(row, Row::Rule(_))).count();
    let title = match filter.words.is_empty() {
        true => format!("grants and rules {count}"),
        false => format!("grants and rules {count} of {}", rules.placed.len()),
    };
    let numbers = area.width >= 60;
    let title = vec![pen.span(title, Role::Bright)];
    let order = if numbers { "this session first" } else { "" };
    let right = pen.ends((0, 0, 0), order, head.width);
    pen.rule(head, 0, Keys::Here, title.clone(), right);
    let (rest, cursor) = super::filter::draw(state, pen, rest);
    let mut hints = Hints::of(&state.controls, Place::Grants);
    if let Some(Row::Rule(placed)) = rows.get(chosen) {
        let layer = placed.cited.layer;
        let (own, file) = (
            matches!(layer, Layer::Session | Layer::User),
            matches!(layer, Layer::User | Layer::Project),
        );
        hints = hints
            .when(own, Action::Revoke, "take it back")
            .when(file, Action::Editor(Part::Whole), "edit its file")
            .when(rules.used(placed).is_some(), Action::Open, &calls(rules.used(placed)));
    }
    let some = !rows.is_empty() || !rules.placed.is_empty();
    let hints = hints.with(Action::Add, "add a rule").when(some, Action::Filter, "filter");
    pen.hints(keys, super::filter::keys(state, hints, "back"));
    if rows.is_empty() {
        let mode = state.sessions.node().map_or(state.place.mode, |node| node.mode);
        let text = match filter.is_on() {
            true => "No rule has all of these words.".to_owned(),
            false => format!("No standing yes or no. The mode alone decides: {}.", mode.name()),
        };
        pen.text(inset(rest, 1, 0), 0, &text, Role::Quiet);
        if !filter.is_on() {
            // Letters that answer have their places for good.
            let how = "w in a question makes one: a rule that you read before it is saved.";
            pen.text(inset(rest, 1, 0), 1, how, Role::Quiet);
        }
        return cursor;
    }
    let (rest, about) = split_bottom(rest, if rest.height > 10 { 6 } else { 0 });
    let left = Line::from(pen.span("  what is allowed or denied", Role::Quiet));
    let mut right = clean::pad("where", WHERE);
    if numbers {
        right.push_str(&clean::pad_left("age", AGE));
        right.push_str(&clean::pad_left("used", USED));
    }
    let right = Line::from(pen.span(right, Role::Quiet));
    pen.apart(inset(rest, 2, 1), 0, left, right);
    let (_, list) = split_top(rest, 1);
    let height = usize::from(list.height);
    let first = (chosen + 1).saturating_sub(height);
    let right = pen.ends((first, height, rows.len()), order, head.width);
    pen.rule(head, 0, Keys::Here, title, right);
    for (at, row) in rows.iter().enumerate().skip(first).take(height) {
        let y = u16::try_from(at - first).unwrap_or(0);
        let (left, right) = match row {
            Row::Rule(placed) => entry(state, pen, placed, numbers),
            Row::Fault(fault) => {
                let mut left = vec![pen.mark(Mark::Warning), Span::raw(" ")];
                left.extend(pen.spans(words::first_line(fault), Role::Warn));
                (Line::from(left), Line::default())
            }
        };
        pen.apart(inset(list, 2, 1), y, left, right);
        if at == chosen {
            pen.line(list, y, Line::from(pen.mark(Mark::Here)));
        }
    }
    if let Some(row) = rows.get(chosen) {
        details(state, pen, inset(about, 2, 1), row);
    }
    cursor
}

/// What enter shows.
fn calls(used: Option<Used>) -> String {
    match used.map_or(0, |used| used.hits) {
        1 => "its 1 call".to_owned(),
        hits => format!("its {} calls", words::grouped(hits)),
    }
}

fn mark(effect: Effect) -> Mark {
    match effect {
        Effect::Allow => Mark::Done,
        Effect::Ask => Mark::Warning,
        Effect::Deny => Mark::Denied,
    }
}

fn entry(
    state: &State,
    pen: &Pen<'_>,
    placed: &Placed,
    numbers: bool,
) -> (Line<'static>, Line<'static>) {
    let rules = &state.records.rules;
    let effect = placed.cited.effect;
    let mut left = vec![pen.mark(mark(effect)), Span::raw(" ")];
    left.extend(pen.spans(&placed.cited.says, Role::Text));
    if effect == Effect::Ask {
        left.push(pen.span(format!("  {}", does(effect)), Role::Quiet));
    }
    let age = rules.given(placed).map(|given| words::age(words::seconds(given, state.now.wall)));
    let age = age.unwrap_or_else(|| state.look.mark(Mark::Withdrawn).to_owned());
    let used = rules.used(placed).map_or(0, |used| used.hits);
    let mut right = clean::pad(placed.cited.layer.name(), WHERE);
    if numbers {
        right.push_str(&clean::pad_left(&age, AGE));
        right.push_str(&clean::pad_left(&words::grouped(used), USED));
    }
    (Line::from(left), Line::from(pen.span(right, Role::Quiet)))
}

fn details(state: &State, pen: &mut Pen<'_>, area: Rect, row: &Row<'_>) {
    let mut lines = vec![String::new()];
    match row {
        Row::Fault(fault) => lines.extend(fault.lines().map(str::to_owned)),
        Row::Rule(placed) => {
            let rules = &state.records.rules;
            let mut facts = Vec::new();
            match (placed.cited.grant, rules.given(placed)) {
                (Some(grant), Some(given)) => {
                    let at = state.records.minute(given);
                    let place = asked_at(state, grant);
                    facts.push(format!("Given by you at {at}{place}."));
                }
                _ => facts.push(format!("It is {}.", does(placed.cited.effect))),
            }
            match rules.used(placed) {
                Some(used) => {
                    facts.push(format!("Last used {}.", state.records.minute(used.last)));
                }
                None => facts.push("Not used in this session.".to_owned()),
            }
            if let Until::Day(day) = placed.rule.until() {
                facts.push(format!("Until the end of {day}."));
            }
            lines.push(facts.join(" "));
            lines.push(kept(placed));
            let text = placed.rule.text().trim_end().replace('\n', "  ");
            lines.push(text);
        }
    }
    let width = usize::from(area.width).max(1);
    let mut y = 0;
    for (at, text) in lines.iter().enumerate() {
        let role = if at == 1 { Role::Text } else { Role::Quiet };
        let line = Line::from(pen.spans(text, role));
        for line in wrap_with(&line, Layout::words(width)) {
            pen.line(area, y, line);
            y += 1;
        }
    }
}

/// Where the question was asked that a yes was the answer to.
fn asked_at(state: &State, grant: crate::kernel::id::ApprovalId) -> String {
    let Some(session) = state.sessions.viewed() else { return String::new() };
    let all = state.records.decided(state.records.root(session));
    let Some((session, decided)) = all.iter().find(|(_, decided)| decided.approval == Some(grant))
    else {
        return String::new();
    };
    let path = state.way(*session, &decided.agent, 40);
    match decided.line {
        Some(line) => format!(", at {path}, line {line}"),
        None => format!(", at {path}"),
    }
}
