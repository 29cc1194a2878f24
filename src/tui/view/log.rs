//! The log: what was said in passing, the newest first, and where the developers' log is.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::tui::{
    hints::Hints,
    keymap::{Action, Part, Place},
    state::{State, log::Said},
    theme::{Mark, Role},
    words,
    wrap::{Layout, wrap_with},
};

/// How they stand.
const ORDER: &str = "newest first";

/// Rows below the list for the whole of a line.
const WHOLE: u16 = 5;

pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    chosen: usize,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let log = &state.status.log;
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let shown = log.shown(&state.records.filter);
    let title = match (shown.len(), log.count()) {
        (shown, all) if shown == all => format!("log {all}"),
        (shown, all) => format!("log {shown} of {all}"),
    };
    let title = vec![pen.span(title, Role::Bright)];
    let order = pen.ends((0, 0, 0), ORDER, head.width);
    pen.rule(head, 0, Keys::Here, title.clone(), order);
    let (rest, cursor) = super::filter::draw(state, pen, rest);
    let said = shown.get(chosen);
    let of_session = matches!(said, Some(Said { session: Some(_), .. }));
    let hints = Hints::of(&state.controls, Place::Log)
        .when(of_session, Action::Open, "go there")
        .when(said.is_some(), Action::Copy, "copy")
        .with(Action::Filter, "filter")
        .when(log.file.is_some(), Action::Editor(Part::Whole), "the developers' log");
    pen.hints(keys, super::filter::keys(state, hints, "back"));
    let (rest, file) = split_bottom(rest, u16::from(rest.height > 3));
    let place = match &log.file {
        Some(file) => format!("For developers  {}", state.records.short(file)),
        None => "For developers  no log is written".to_owned(),
    };
    pen.text(inset(file, 1, 1), 0, &place, Role::Quiet);
    let (rest, whole) = split_bottom(rest, if rest.height > 2 * WHOLE { WHOLE } else { 0 });
    if shown.is_empty() {
        let text = match log.count() {
            0 => "Nothing was said yet.",
            _ => "Nothing that was said has all of these words.",
        };
        pen.text(inset(rest, 1, 0), 0, text, Role::Quiet);
        return cursor;
    }
    let height = usize::from(rest.height);
    let first = (chosen + 1).saturating_sub(height);
    let order = pen.ends((first, height, shown.len()), ORDER, head.width);
    pen.rule(head, 0, Keys::Here, title, order);
    for (at, said) in shown.iter().enumerate().skip(first).take(height) {
        let y = u16::try_from(at - first).unwrap_or(0);
        let times = match said.times {
            1 => Line::default(),
            times => Line::from(pen.span(format!("{times} times"), Role::Quiet)),
        };
        pen.apart(inset(rest, 1, 1), y, entry(state, pen, said), times);
        if at == chosen {
            pen.line(rest, y, Line::from(pen.mark(Mark::Here)));
        }
    }
    if let Some(said) = said {
        all_of(pen, inset(whole, 1, 1), said);
    }
    cursor
}

fn entry(state: &State, pen: &Pen<'_>, said: &Said) -> Line<'static> {
    let mut spans = vec![pen.span(format!("{}  ", state.records.second(said.at)), Role::Quiet)];
    spans.push(said.kind.mark().map_or(Span::raw(" "), |mark| pen.mark(mark)));
    spans.push(Span::raw(" "));
    if let Some(node) = said.session.and_then(|session| state.sessions.get(session)) {
        spans.extend(pen.spans(node.called(), Role::Quiet));
        spans.push(pen.span(": ", Role::Quiet));
    }
    spans.extend(pen.spans(words::first_line(&said.text), Role::Text));
    Line::from(spans)
}

/// The whole of a line, as far as there is room; what to do stands in its later lines.
fn all_of(pen: &mut Pen<'_>, area: Rect, said: &Said) {
    let (head, area) = split_top(area, 1);
    pen.rule(head, 0, Keys::Elsewhere, Vec::new(), Vec::new());
    let width = usize::from(area.width).max(1);
    let lines = said.text.lines().map(|line| Line::from(pen.spans(line, Role::Text)));
    let rows = lines.flat_map(|line| wrap_with(&line, Layout::words(width)));
    let rows: Vec<_> = rows.take(usize::from(area.height) + 1).collect();
    let cut = rows.len() > usize::from(area.height);
    for (y, row) in (0..area.height).zip(rows) {
        pen.line(area, y, row);
    }
    if cut {
        let text = format!("{} c copies all of it", pen.look.mark(Mark::Gap));
        pen.text(area, area.height.saturating_sub(1), &text, Role::Quiet);
    }
}
