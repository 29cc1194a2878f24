//! What happened while nobody looked, as lines.

use std::borrow::Cow;

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::tui::{
    clean,
    hints::Hints,
    keymap::Action,
    state::{
        State,
        away::{News, Told, What},
    },
    theme::{Mark, Role},
    words,
};

/// The title of the list.
pub(super) const TITLE: &str = "since you looked away";

/// The most cells for who it is about.
const WHO: usize = 14;

/// How long nobody looked.
pub(super) fn lasted(told: &Told) -> String {
    let seconds = words::seconds(told.from, told.until);
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

fn who<'a>(state: &'a State, news: &News) -> Cow<'a, str> {
    let who = state.sessions.get(news.session).filter(|_| news.what != What::Changed);
    who.map_or(Cow::Borrowed(""), |node| clean::shown(node.called()))
}

/// The lines of the list: who, below each other, and what.
pub(super) fn lines(state: &State, pen: &Pen<'_>, told: &Told) -> Vec<Line<'static>> {
    let cells = |news: &News| clean::width(&who(state, news)).min(WHO);
    let cells = told.news.iter().map(cells).max().unwrap_or(0);
    told.news.iter().map(|news| line(state, pen, news, cells)).collect()
}

fn line(state: &State, pen: &Pen<'_>, news: &News, cells: usize) -> Line<'static> {
    let mut spans = vec![pen.span(format!(" {}  ", state.records.minute(news.at)), Role::Quiet)];
    spans.extend([pen.mark(news.mark), Span::raw(" ")]);
    let role = if matches!(news.what, What::Asks(_)) { Role::Bright } else { Role::Text };
    if news.what != What::Changed {
        let who = clean::pad(&who(state, news), cells);
        spans.push(pen.span(format!("{who}  "), Role::Quiet));
    }
    spans.extend(pen.spans(&news.text, role));
    Line::from(spans)
}

/// Rows of the list that opens.
pub(super) fn rows(state: &State) -> u16 {
    let told = state.status.away.told.as_ref();
    let rows = told.map_or(0, |told| told.news.len() + usize::from(told.more > 0));
    // Its rule, a blank row and its keys.
    u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(3)
}

/// The list that opens where there is no pane for it.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, row: usize) {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let Some(told) = &state.status.away.told else { return };
    let hints = Hints::of(&state.controls, state.key_place()).with(Action::Open, "go there");
    pen.hints(keys, hints.leave("mark as read"));
    let height = usize::from(rest.height);
    let row = row.min(told.news.len().saturating_sub(1));
    let first = (row + 1).saturating_sub(height);
    let right = pen.ends((first, height, told.news.len()), &lasted(told), head.width);
    pen.rule(head, 0, Keys::Here, vec![pen.span(TITLE, Role::Bright)], right);
    for (at, line) in lines(state, pen, told).into_iter().enumerate().skip(first).take(height) {
        let y = u16::try_from(at - first).unwrap_or(0);
        pen.line(inset(rest, 0, 1), y, line);
        if at == row {
            pen.line(rest, y, Line::from(pen.mark(Mark::Here)));
        }
    }
    let left = u16::try_from(told.news.len() - first.min(told.news.len())).unwrap_or(u16::MAX);
    if told.more > 0 {
        let text = format!(" {} and {} more", pen.look.mark(Mark::Gap), told.more);
        pen.text(rest, left, &text, Role::Quiet);
    }
}
