//! What programs print, a pane each.

use std::collections::VecDeque;

use ratatui::{layout::Rect, text::Line};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::{
    kernel::id::CallId,
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Output as Of, Part, Place},
        state::{
            Drawn, DrawnOutput, State,
            output::{Look, Run, Search, Wrap},
        },
        theme::{Mark, Role},
        words,
        wrap::{Layout, wrap_with},
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
    let here = state.output_here() == Some(call);
    // Alone, it has room for the numbers of lines and for its keys.
    let whole = here && (state.popup.is_some() || state.panes.zoomed(state.focus, state.popup));
    let search = output.search.as_ref().filter(|search| search.call == call);
    // While a word is typed, the letters that do something here are text.
    let (body, keys) = split_bottom(body, u16::from(whole || search.is_some()));
    let digits = words::grouped(run.total()).len();
    let numbers = if whole && body.width >= 60 { digits + 3 } else { 0 };
    let text = inset(body, 1 + u16::try_from(numbers).unwrap_or(0), 1);
    let rows = laid(state, run, text);
    let top = rows.first().map_or((0, 0), |row| (row.line, row.row));
    title(state, pen, head, run, top.0, here);
    if rows.is_empty() {
        pen.text(text, 0, &nothing(state, run), Role::Quiet);
    }
    for (y, row) in rows.into_iter().enumerate() {
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        if numbers > 0 && row.row == 0 {
            let number = clean::pad_left(&words::grouped(row.line + 1), numbers - 1);
            pen.text(Rect { width: text.x - body.x, ..body }, y, &number, Role::Quiet);
        }
        pen.line(text, y, row.text);
        if let Some(search) = search {
            let at = search.found.get(search.at) == Some(&row.line);
            let role = if at { Role::Select } else { Role::Match };
            pen.find(Rect { y: text.y + y, height: 1, ..text }, &search.word.text(), role);
            if at && row.row == 0 {
                pen.line(body, y, Line::from(pen.mark(Mark::Here)));
            }
        }
    }
    if let Some(search) = search {
        find(state, pen, keys, search);
    } else if whole {
        let follow = if run.look == Look::Follow { "fix the view" } else { "follow" };
        let hints = Hints::of(&state.controls, Place::Output)
            .with(Action::Output(Of::Follow), follow)
            .with(Action::Output(Of::Wrap), "wrap")
            .with(Action::Copy, "copy")
            .with(Action::Output(Of::Save), "save…")
            .with(Action::Output(Of::Pin), "pin")
            .with(Action::Search, "search")
            .with(Action::Editor(Part::Whole), "in $PAGER")
            .leave(if state.popup.is_some() { "back" } else { "unzoom" });
        pen.hints(keys, hints);
    }
    let (rows, width) = (usize::from(text.height), usize::from(text.width));
    Some(DrawnOutput { call, rows, width, top })
}

/// A row in sight.
struct Laid {
    line: u64,
    /// Which row of its line it is.
    row: usize,
    text: Line<'static>,
}

/// The rows that are in sight, and no others.
fn laid(state: &State, run: &Run, area: Rect) -> Vec<Laid> {
    let (height, width) = (usize::from(area.height), usize::from(area.width));
    let Some(page) = &run.page else { return Vec::new() };
    let end = page.first + page.lines.len() as u64;
    let mut rows = VecDeque::new();
    let row = |line: u64, row: usize, text: Line<'static>| Laid { line, row, text };
    match run.look {
        Look::Held { top, row: skip, .. } => {
            for line in top..end {
                if rows.len() >= height {
                    break;
                }
                let skip = if line == top { skip } else { 0 };
                let text = lines_of(state, run, line, width);
                let text = text.into_iter().enumerate().skip(skip);
                rows.extend(text.map(|(at, text)| row(line, at, text)));
            }
            rows.truncate(height);
        }
        Look::Follow => {
            for line in (page.first..end).rev() {
                let text = lines_of(state, run, line, width);
                for (at, text) in text.into_iter().enumerate().rev() {
                    rows.push_front(row(line, at, text));
                }
                if rows.len() >= height {
                    break;
                }
            }
            rows.drain(..rows.len().saturating_sub(height));
        }
    }
    rows.into()
}

fn lines_of(state: &State, run: &Run, line: u64, width: usize) -> Vec<Line<'static>> {
    let text = run.line(line).unwrap_or_default();
    // As much as can be in sight: a cell rarely has more than a few bytes.
    let most = match run.wrap {
        Wrap::Cut => text.floor_char_boundary(width * 8 + 64),
        Wrap::Rows => text.len(),
    };
    let look = &state.look;
    let spans = clean::spans(&text[..most], look.style(Role::Text), look.style(Role::Escape));
    let line = Line::from(spans);
    match run.wrap {
        Wrap::Cut => vec![line],
        Wrap::Rows => wrap_with(&line, Layout::exact(width.max(1))),
    }
}

fn nothing(state: &State, run: &Run) -> String {
    if run.page.is_none() && run.lines > 0 {
        return String::new();
    }
    if run.ended.is_some() {
        return "It printed nothing.".to_owned();
    }
    if let Some((_, true)) = state.output.used(run.call) {
        return "No output yet. Its clock stands still.".to_owned();
    }
    let seconds = words::seconds(run.since, state.now.wall);
    format!("No output yet. Running for {}.", state.look.clock(seconds))
}

/// The rule: whose output it is, where the view stands, and how long it runs.
fn title(state: &State, pen: &mut Pen<'_>, head: Rect, run: &Run, top: u64, here: bool) {
    let path = format!(" {} ", pen.look.mark(Mark::Path));
    let agent = state.sessions.get(run.session).map_or("", |node| node.called());
    let agent = clean::truncate(agent, 24);
    let title = pen.name(&format!("{agent}{path}{}", run.program), Role::Bright);
    let mut facts = Vec::new();
    if run.pinned {
        facts.push("pinned".to_owned());
    }
    let total = usize::try_from(run.total()).unwrap_or(usize::MAX);
    match run.look {
        Look::Follow => {
            if run.ended.is_none() {
                facts.push("follow".to_owned());
            }
            facts.push(words::count(total, "line"));
        }
        Look::Held { .. } => {
            let (top, total) = (words::grouped(top + 1), words::grouped(total as u64));
            facts.extend(["view fixed".to_owned(), format!("{top} of {total}")]);
            if run.below() > 0 {
                facts.push(format!("{} new below", words::grouped(run.below())));
            }
        }
    }
    let going = || state.look.clock(words::seconds(run.since, state.now.wall));
    match (&run.ended, state.output.used(run.call)) {
        (Some((how, ms)), _) => facts.push(format!("{how}, {}", words::took(*ms))),
        // What goes on for hours is not told by its limit.
        (None, _) if run.beside => facts.extend(["process".to_owned(), going()]),
        (None, Some((spent, held))) => {
            let held = if held { ", held" } else { "" };
            facts.push(format!("{}{held}", state.look.used(spent, run.limit_ms)));
        }
        (None, None) => {}
    }
    // What does not fit goes from the left: where the view stands is said last of all.
    let room = usize::from(head.width).saturating_sub(clean::width(&run.program).min(24) + 8);
    while facts.len() > 1 && clean::width(&facts.join(&pen.look.dot())) > room {
        facts.pop();
    }
    let right = vec![pen.span(facts.join(&pen.look.dot()), Role::Quiet)];
    pen.rule(head, 0, Keys::here(here), title, right);
}

/// The field of the search.
fn find(state: &State, pen: &mut Pen<'_>, row: Rect, search: &Search) {
    let count = search.found.len();
    let more = if search.more { "+" } else { "" };
    let found = match count {
        0 if search.word.is_empty() => String::new(),
        0 if search.looking => "…   ".to_owned(),
        0 => "not found   ".to_owned(),
        count => format!(
            "{} of {}{more}   ",
            words::grouped((search.at + 1) as u64),
            words::grouped(count as u64)
        ),
    };
    let keys = super::search::keys(state, Place::Find, row);
    let right = Line::from(vec![pen.span(found, Role::Bright), pen.span(keys, Role::Quiet)]);
    let taken = u16::try_from(words::cells(&right)).unwrap_or(u16::MAX).saturating_add(2);
    pen.apart(inset(row, 1, 1), 0, Line::from(pen.span("/", Role::Bright)), right);
    super::composer::text(pen, inset(row, 3, taken), &search.word, true);
}
