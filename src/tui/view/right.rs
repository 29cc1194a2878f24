//! The lists of the right column: what the session means to do, what was written, and what happened
//! while nobody looked.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, split_top};
use crate::{
    kernel::todo::State as Progress,
    tui::{
        clean,
        state::{Focus, State, records::Touched},
        theme::{Mark, Role},
        words,
    },
};

/// How many lines a list has.
pub(in crate::tui) fn lines(state: &State, pane: Focus) -> usize {
    match pane {
        Focus::Plan => state.sessions.node().map_or(0, |node| node.plan.len()),
        Focus::Changes => touched(state).len(),
        Focus::Away => state.status.away.told.as_ref().map_or(0, |told| told.news.len()),
        Focus::Start
        | Focus::Composer
        | Focus::Question
        | Focus::Transcript
        | Focus::Output(_)
        | Focus::Sessions
        | Focus::Waiting => 0,
    }
}

/// One of its lines, what is at its right, and its title.
struct List {
    title: Vec<Span<'static>>,
    right: String,
    lines: Vec<(Line<'static>, Line<'static>)>,
    /// Said where there is none.
    empty: &'static str,
    /// The line that is to be in sight when nobody moves in it.
    at: usize,
}

pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, pane: Focus) {
    pen.clear(area);
    let list = if pane == Focus::Plan {
        plan(state, pen)
    } else if pane == Focus::Away {
        away(state, pen)
    } else {
        changes(state, pen, usize::from(area.width))
    };
    let here = state.focus == pane && state.popup.is_none();
    let right = match list.right.is_empty() {
        true => Vec::new(),
        false => vec![pen.span(list.right, Role::Quiet)],
    };
    pen.rule(area, 0, Keys::here(here), list.title, right);
    let (_, body) = split_top(area, 1);
    if list.lines.is_empty() {
        pen.text(body, 0, &format!(" {}", list.empty), Role::Quiet);
        return;
    }
    let height = usize::from(body.height);
    let marked = if here { state.panes.row.min(list.lines.len() - 1) } else { list.at };
    let first = (marked + 1).saturating_sub(height);
    let count = list.lines.len();
    for (at, (left, right)) in list.lines.into_iter().enumerate().skip(first).take(height) {
        let row = u16::try_from(at - first).unwrap_or(0);
        let hidden = count - at - 1;
        if row + 1 == body.height && hidden > 0 && !here {
            let gap = pen.look.mark(Mark::Gap);
            pen.text(body, row, &format!(" {gap} {} more", hidden + 1), Role::Quiet);
            break;
        }
        pen.apart(Rect { width: body.width.saturating_sub(1), ..body }, row, left, right);
        if here && at == marked {
            pen.line(body, row, Line::from(pen.mark(Mark::Here)));
        }
    }
}

fn titled(pen: &Pen<'_>, what: &str, of: &str) -> Vec<Span<'static>> {
    let mut title = vec![pen.span(what.to_owned(), Role::Bright)];
    if !of.is_empty() {
        title.extend(pen.spans(&format!("{}{of}", pen.look.dot()), Role::Quiet));
    }
    title
}

fn plan(state: &State, pen: &Pen<'_>) -> List {
    let node = state.sessions.node();
    let items = node.map_or(&[][..], |node| &node.plan);
    let done = items.iter().filter(|item| item.state == Progress::Done).count();
    let lines = items.iter().map(|item| {
        let (mark, role) = match item.state {
            Progress::Open => (Mark::Queued, Role::Text),
            Progress::Doing => (Mark::Running, Role::Bright),
            Progress::Done => (Mark::Done, Role::Quiet),
            Progress::Dropped => (Mark::Withdrawn, Role::Quiet),
        };
        let mut left = vec![Span::raw(" "), pen.mark(mark), Span::raw(" ")];
        left.extend(pen.spans(&item.text, role));
        (Line::from(left), Line::default())
    });
    let doing = items.iter().position(|item| item.state == Progress::Doing);
    List {
        title: titled(pen, "plan", node.map_or("", |node| node.called())),
        right: if items.is_empty() { String::new() } else { format!("{done} of {}", items.len()) },
        lines: lines.collect(),
        empty: "No plan was made.",
        at: doing.unwrap_or(0),
    }
}

fn away(state: &State, pen: &Pen<'_>) -> List {
    let told = state.status.away.told.as_ref();
    let lines = told.map(|told| super::away::lines(state, pen, told)).unwrap_or_default();
    let lines = lines.into_iter().map(|line| (line, Line::default()));
    List {
        title: titled(pen, super::away::TITLE, ""),
        right: told.map(super::away::lasted).unwrap_or_default(),
        lines: lines.collect(),
        empty: "",
        at: 0,
    }
}

pub(in crate::tui) fn touched(state: &State) -> Vec<Touched> {
    let root = state.sessions.viewed().map(|viewed| state.records.root(viewed));
    root.map_or(Vec::new(), |root| state.records.files(root))
}

fn changes(state: &State, pen: &Pen<'_>, width: usize) -> List {
    let all = touched(state);
    let lines = all.iter().map(|file| {
        let mut left = vec![Span::raw(" "), pen.mark(Mark::CanUndo), Span::raw(" ")];
        left.extend(pen.spans(&file.shown, Role::Text));
        let sum = words::lines(file.more, file.fewer);
        left.push(pen.span(format!("  {sum}"), Role::Quiet));
        let by = state.sessions.get(file.session);
        // Who wrote gives way before what was written does.
        let room = width.saturating_sub(words::cells(&Line::from(left.clone())) + 9).min(24);
        let by = by.map_or(String::new(), |node| clean::truncate(&state.way_to(node, room), room));
        let right = format!("{}  {by}", state.records.minute(file.at));
        (Line::from(left), Line::from(pen.span(right, Role::Quiet)))
    });
    let (more, fewer) =
        all.iter().fold((0, 0), |(more, fewer), file| (more + file.more, fewer + file.fewer));
    let dot = pen.look.dot();
    let right = match all.len() {
        0 => String::new(),
        count => format!("{}{dot}{}", words::count(count, "file"), words::lines(more, fewer)),
    };
    List {
        title: titled(pen, "changes", &state.folder()),
        right,
        lines: lines.collect(),
        empty: "Nothing was written through the gate.",
        at: 0,
    }
}
