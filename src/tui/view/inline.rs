//! The screen as a few rows at the end of what the terminal itself keeps: what is over in the session in
//! view goes above them for good, and what goes on stays in them. What needs more room than that is shown
//! on the whole screen, as long as it is looked at.

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

use super::{
    Room, composer,
    pen::{Pen, inset, split_bottom},
    plain, question, status,
};
use crate::{
    config::Surface,
    kernel::id::SessionId,
    tui::{
        cell::{Cell, Scene, column},
        layout::Layout,
        state::{
            Drawn, DrawnText, Focus, State, sessions::Node, transcript::cells::Cells, waiting::Form,
        },
        theme::{Mark, Role},
        words,
    },
};

/// Rows of what is over that are printed at once, at most: a session of a year is not said again.
pub(in crate::tui) const MOST_PRINTED: usize = 500;

/// Rows for what goes on, of three.
const GOING: u16 = 2;

/// What is to be printed for good, and how many rows are needed below it.
pub(in crate::tui) struct Inline {
    pub(in crate::tui) above: Buffer,
    pub(in crate::tui) rows: u16,
    /// The session whose cells are printed now, and how many of them.
    pub(in crate::tui) printed: Option<(SessionId, usize)>,
}

/// How the screen stands in such a window as rows at the end; absent where all of the window is needed.
pub(in crate::tui) fn inline(state: &State, window: Size) -> Option<Inline> {
    let leaves = state.place.leave.is_some();
    if state.panes.surface == Surface::Whole || !(leaves || fits(state, window)) {
        return None;
    }
    let (above, printed) = finished(state, window.width, leaves);
    let rows = if leaves { 1 } else { Rows::of(state, window).all() };
    Some(Inline { above, rows, printed })
}

/// Whether what has the keys can be read and done in a part of the window.
fn fits(state: &State, window: Size) -> bool {
    let room = Room::of(window.width, window.height);
    let composes = matches!(state.focus, Focus::Composer | Focus::Question);
    let asked = state.queue.current();
    let whole = asked.is_some_and(|waiting| waiting.zoomed || room < Room::Plain);
    let form = matches!(state.queue.form, Some(Form::Edit(_) | Form::Wider(_)));
    room > Room::Tiny
        && composes
        && state.popup.is_none()
        && !state.panes.zoomed(state.focus, state.popup)
        && !whole
        && !form
}

/// The rows of each part.
struct Rows {
    going: u16,
    question: u16,
    composer: u16,
}

impl Rows {
    fn of(state: &State, window: Size) -> Self {
        // A row stays for what was there before.
        let area = Rect::new(0, 0, window.width, window.height.saturating_sub(2));
        let composer = composer::rows(state, area).min(area.height);
        let area = Rect { height: area.height - composer, ..area };
        let question = question::rows(state, area, room(window)).min(area.height);
        let left = (area.height - question) * GOING / 3;
        let going = state.sessions.node().map_or(0, |node| {
            let lines = going(state, node, window.width, usize::from(left));
            u16::try_from(lines.len()).unwrap_or(left)
        });
        Self { going, question, composer }
    }

    fn all(&self) -> u16 {
        self.going + self.question + self.composer + 1
    }
}

fn room(window: Size) -> Room {
    Room::of(window.width, window.height).min(Room::Plain)
}

/// Draws those rows; where there are more of them, the first stay empty.
pub(in crate::tui) fn live(state: &State, window: Size, frame: &mut Frame<'_>) -> Drawn {
    let area = frame.area();
    let mut drawn = Drawn { width: window.width, height: window.height, ..Drawn::default() };
    if state.place.leave.is_some() {
        return drawn;
    }
    let rows = Rows::of(state, window);
    let (rest, line) = split_bottom(area, 1);
    let (rest, composer) = split_bottom(rest, rows.composer);
    let (rest, question) = split_bottom(rest, rows.question);
    let (_, text) = split_bottom(rest, rows.going);
    let mut pen = Pen { buf: frame.buffer_mut(), look: &state.look };
    pen.clear(area);
    if let Some(node) = state.sessions.node() {
        let lines = going(state, node, window.width, usize::from(text.height));
        for (y, line) in (0..).zip(lines) {
            pen.line(inner(text), y, line);
        }
        let (first, end) = (printed(node), node.transcript.cells.len());
        let height = usize::from(text.height);
        let width = usize::from(inner(text).width);
        drawn.transcript = DrawnText { width, height, top: (first, 0), end, below: 0 };
    }
    status::line(state, &mut pen, line);
    let mut cursor = composer::draw(state, &mut pen, composer, room(window));
    if question.height > 0 {
        let shown = super::question(state, &mut pen, question, room(window), &mut drawn);
        cursor = shown.or(cursor);
    }
    unpaint(state, frame.buffer_mut());
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    let panes =
        [(Focus::Composer, composer), (Focus::Question, question), (Focus::Transcript, text)];
    let panes = panes.into_iter().filter(|(_, area)| area.height > 0).collect();
    drawn.layout = Layout { room: room(window), status: line, panes, ..Layout::default() };
    drawn
}

/// The terminal's own ground stays, for its rows above have no other.
fn unpaint(state: &State, rows: &mut Buffer) {
    let ground = state.look.style(Role::Ground);
    for cell in &mut rows.content {
        if Some(cell.bg) == ground.bg {
            cell.bg = ratatui::style::Color::Reset;
        }
        if Some(cell.fg) == ground.fg && cell.symbol() == " " {
            cell.fg = ratatui::style::Color::Reset;
        }
    }
    plain(state, rows);
}

fn inner(area: Rect) -> Rect {
    inset(area, 1, 1)
}

fn scene<'a>(state: &'a State, node: &'a Node, width: u16) -> Scene<'a> {
    let speaker = if node.spec.parent.is_some() { node.spec.agent() } else { "you" };
    Scene {
        width: usize::from(inner(Rect::new(0, 0, width, 1)).width),
        look: &state.look,
        controls: &state.controls,
        now: state.now.wall,
        sessions: &state.sessions,
        output: &state.output,
        queue: &state.queue,
        speaker,
    }
}

/// The cells that are printed already.
fn printed(node: &Node) -> usize {
    node.transcript.printed.min(node.transcript.cells.len())
}

/// The cells that are over behind those.
fn over(node: &Node, leaves: bool) -> usize {
    let cells = &node.transcript.cells;
    let first = printed(node);
    let goes_on = |(at, cell): &(usize, &Cell)| *at >= first && !leaves && !cell.is_over();
    // What is outside is over.
    cells.here().find(goes_on).map_or(cells.len(), |(at, _)| at)
}

/// The last rows of what goes on, at most so many.
fn going(state: &State, node: &Node, width: u16, most: usize) -> Vec<Line<'static>> {
    let scene = scene(state, node, width);
    let cells = &node.transcript.cells;
    let mut blocks = Vec::new();
    let mut count = 0;
    for at in (over(node, false)..cells.len()).rev() {
        let block = block(cells, at, &scene);
        count += block.len();
        blocks.push(block);
        if count >= most {
            break;
        }
    }
    let lines: Vec<_> = blocks.into_iter().rev().flatten().collect();
    let skip = lines.len().saturating_sub(most);
    lines.into_iter().skip(skip).collect()
}

/// A cell with the blank row above it, where one stands there.
fn block(cells: &Cells, at: usize, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let gap = column::gap(cells, at).then(Line::default);
    gap.into_iter().chain(column::rows(cells, at, scene).iter().cloned()).collect()
}

/// What is over and not printed yet, as rows; and what is printed with that.
fn finished(state: &State, width: u16, leaves: bool) -> (Buffer, Option<(SessionId, usize)>) {
    let none = (Buffer::empty(Rect::new(0, 0, width, 0)), None);
    let Some(node) = state.sessions.node() else { return none };
    let (first, end) = (printed(node), over(node, leaves));
    if first == end {
        return none;
    }
    let scene = scene(state, node, width);
    let cells = &node.transcript.cells;
    let mut blocks = Vec::new();
    let mut count = 0;
    let mut begin = end;
    // What went outside was more than that.
    while begin > first && count < MOST_PRINTED && cells.get(begin - 1).is_some() {
        begin -= 1;
        let block = block(cells, begin, &scene);
        count += block.len();
        blocks.push(block);
    }
    let mut lines: Vec<Line<'static>> = blocks.into_iter().rev().flatten().collect();
    if begin > first {
        let text =
            format!("{} before this are not printed again", words::count(begin - first, "part"));
        lines.insert(0, Line::styled(text, state.look.style(Role::Quiet)));
    }
    let id = node.spec.id;
    let head = state.panes.printed != Some(id);
    let rows = lines.len() + 2 * usize::from(head);
    let area = Rect::new(0, 0, width, u16::try_from(rows).unwrap_or(u16::MAX));
    let mut above = Buffer::empty(area);
    let mut pen = Pen { buf: &mut above, look: &state.look };
    pen.clear(area);
    if head {
        let title = format!("{} / {}", state.folder(), state.way_to(node, 60));
        let rule = state.look.mark(Mark::Rule).repeat(2);
        let mut spans = vec![pen.span(format!("{rule} "), Role::Rule)];
        spans.extend(pen.spans(&title, Role::Bright));
        pen.line(area, 1, Line::from(spans));
    }
    for (y, line) in (2 * u16::from(head)..).zip(lines) {
        pen.line(inner(area), y, line);
    }
    unpaint(state, &mut above);
    (above, Some((id, end)))
}
