//! The state as a frame. A plain function: it reads nothing but the state, changes nothing, and
//! says what it has shown, for the screen acts only on what was really there.

mod choice;
mod composer;
mod decided;
mod edit;
mod filter;
mod forms;
mod lists;
mod offers;
mod output;
mod parts;
mod pen;
mod popup;
mod question;
pub(super) mod script;
mod search;
mod several;
pub(super) mod sheet;
mod side;
mod standing;
mod start;
mod status;
mod transcript;
mod wider;
pub(super) mod written;

#[cfg(test)]
mod tests;

use ratatui::{Frame, layout::Rect};

use self::pen::{Keys, Pen, inset, split_bottom, split_top};
use super::{
    state::{Drawn, Focus, Popup, State, waiting::Form},
    theme::{Mark, Role},
    words,
};

pub use status::title;

/// The left column.
const SIDE: u16 = 28;

/// Rows of the output pane, its rule included.
const OUTPUT: u16 = 9;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// Nothing can be read, so nothing can be answered.
    Tiny,
    /// One thing at a time.
    Narrow,
    /// Transcript, question, composer, status.
    Plain,
    /// And a left column, and the output below.
    Wide,
}

fn room(width: u16, height: u16) -> Room {
    match (width, height) {
        (..40, _) | (_, ..10) => Room::Tiny,
        (..60, _) | (_, ..15) => Room::Narrow,
        (100.., 30..) => Room::Wide,
        _ => Room::Plain,
    }
}

/// The panes that are there now, in the order in which tab visits them.
pub(super) fn panes(state: &State) -> Vec<Focus> {
    let first = match state.sessions.viewed() {
        None if state.place.starts_empty() => vec![Focus::Start, Focus::Composer],
        _ => vec![Focus::Composer],
    };
    let question = state.queue.current().map(|_| Focus::Question);
    let rest: &[Focus] = match room(state.drawn.width, state.drawn.height) {
        _ if state.sessions.viewed().is_none() => &[],
        Room::Tiny => &[],
        Room::Narrow | Room::Plain => &[Focus::Transcript],
        Room::Wide if output_shown(state) => {
            &[Focus::Output, Focus::Transcript, Focus::Sessions, Focus::Waiting]
        }
        Room::Wide => &[Focus::Transcript, Focus::Sessions, Focus::Waiting],
    };
    first.into_iter().chain(question).chain(rest.iter().copied()).collect()
}

fn output_shown(state: &State) -> bool {
    !state.output.runs.is_empty() && state.queue.current().is_none()
}

/// Whether nothing can be read at this size, so that nothing can be answered or begun.
pub fn is_tiny(width: u16, height: u16) -> bool {
    room(width, height) == Room::Tiny
}

/// Draws the screen.
pub fn view(state: &State, frame: &mut Frame<'_>) -> Drawn {
    let area = frame.area();
    let mut drawn = Drawn { width: area.width, height: area.height, ..Drawn::default() };
    let mut pen = Pen { buf: frame.buffer_mut(), look: &state.look };
    pen.clear(area);
    let room = room(area.width, area.height);
    if is_tiny(area.width, area.height) {
        status::tiny(state, &mut pen, area);
        plain(state, frame);
        return drawn;
    }
    let (area, status) = split_bottom(area, 1);
    status::line(state, &mut pen, status);
    let (main, side) = match room {
        Room::Wide => {
            let side = Rect { width: SIDE, ..area };
            (inset(area, SIDE + 1, 0), Some(side))
        }
        Room::Tiny | Room::Narrow | Room::Plain => (area, None),
    };
    let cursor = column(state, &mut pen, main, room, &mut drawn);
    if let Some(side) = side {
        side::draw(state, &mut pen, side);
        seam(&mut pen, side, main);
    }
    plain(state, frame);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    drawn
}

/// Signs within our own words, where they cannot be drawn. Words are cut in too many places to ask
/// each of them what the terminal can do.
fn plain(state: &State, frame: &mut Frame<'_>) {
    for cell in &mut frame.buffer_mut().content {
        if let Some(plain) = state.look.marks.plain(cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
}

/// The main column, from its head to the composer. Gives the place of the cursor.
fn column(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    room: Room,
    drawn: &mut Drawn,
) -> Option<(u16, u16)> {
    let asks = state.queue.current().is_some();
    if room == Room::Narrow && asks && state.popup.is_none() {
        let (area, below) = split_bottom(area, 1);
        pen.rule(below, 0, Keys::Elsewhere, Vec::new(), vec![pen.span("esc not now", Role::Quiet)]);
        return question(state, pen, area, room, drawn);
    }
    let area = if room == Room::Plain {
        let (area, below) = split_bottom(area, 1);
        pen.rule(below, 0, Keys::Elsewhere, Vec::new(), Vec::new());
        area
    } else {
        area
    };
    let (area, below) = split_bottom(area, composer::rows(state, area));
    let writing = composer::draw(state, pen, below);
    let (head, body) = split_top(area, 1);
    if let Some(popup) = state.popup {
        header(state, pen, head, 0);
        return popup_over(state, pen, area, body, popup, drawn);
    }
    let rows = question::rows(state, area, room);
    let (body, below) = split_bottom(body, rows);
    let answering = if rows > 0 { question(state, pen, below, room, drawn) } else { None };
    let body = if room == Room::Wide && output_shown(state) && state.sessions.viewed().is_some() {
        let (body, below) = split_bottom(body, OUTPUT);
        drawn.output = output::draw(state, pen, below, Keys::here(state.focus == Focus::Output));
        body
    } else {
        body
    };
    match state.sessions.node() {
        Some(node) => drawn.transcript = transcript::draw(state, node, pen, body),
        None => start::draw(state, pen, body),
    }
    header(state, pen, head, drawn.transcript.below);
    answering.or(writing)
}

fn question(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    room: Room,
    drawn: &mut Drawn,
) -> Option<(u16, u16)> {
    let waiting = state.queue.current()?;
    if let Some(form) = &state.queue.form
        && form.question() == waiting.question.id
        && !matches!(form, Form::Search(_))
    {
        return forms::draw(state, pen, area, waiting, form);
    }
    let (seen, cursor) = question::draw(state, pen, area, waiting, room);
    drawn.question = seen;
    cursor
}

fn popup_over(
    state: &State,
    pen: &mut Pen<'_>,
    whole: Rect,
    body: Rect,
    popup: Popup,
    drawn: &mut Drawn,
) -> Option<(u16, u16)> {
    match popup {
        Popup::Sessions => lists::sessions(state, pen, whole),
        Popup::Waiting { row } => return lists::waiting(state, pen, whole, row),
        Popup::Output => drawn.output = output::draw(state, pen, whole, Keys::Here),
        Popup::Decisions { row } => return decided::draw(state, pen, whole, row),
        Popup::Grants { row } => return standing::draw(state, pen, whole, row),
        Popup::Changes { row } => drawn.change = written::draw(state, pen, whole, row),
        Popup::Help { of, top } => popup::help(pen, whole, of, top),
        Popup::Connect => popup::connect(state, pen, whole),
        Popup::Script { top } => script::draw(state, pen, whole, top),
        Popup::Quit { row } => {
            let below = below(state, pen, body, popup::quit_rows(state), drawn);
            popup::quit(state, pen, below, row);
        }
        Popup::Several { row } => {
            let below = below(state, pen, body, several::rows(state, body), drawn);
            several::draw(state, pen, below, row);
        }
        Popup::Mode { row } => {
            let below = below(state, pen, body, choice::MODE_ROWS, drawn);
            choice::mode(state, pen, below, row);
        }
        Popup::Stop { session, row } => {
            let below = below(state, pen, body, choice::stop_rows(state, session), drawn);
            choice::stop(state, pen, below, session, row);
        }
    }
    None
}

/// So many rows at the bottom for a short list; what was there goes on above them.
fn below(state: &State, pen: &mut Pen<'_>, body: Rect, rows: u16, drawn: &mut Drawn) -> Rect {
    let (above, below) = split_bottom(body, rows);
    match state.sessions.node() {
        Some(node) => drawn.transcript = transcript::draw(state, node, pen, above),
        None => start::draw(state, pen, above),
    }
    below
}

/// The rule at the top: where we are, how much is below a view that was moved, and how long this
/// turn has gone on.
fn header(state: &State, pen: &mut Pen<'_>, area: Rect, below: usize) {
    let mut title = state.place.workspace.clone();
    let mut right = Vec::new();
    if below > 0 {
        right.push(format!("{} new below", words::grouped(below as u64)));
    }
    match state.sessions.node() {
        Some(node) => {
            let path = node.spec.path.join(&format!(" {} ", pen.look.mark(Mark::Path)));
            title = format!("{title} / {path}");
            if node.spec.model.starts_with("scripted") {
                let narrow = area.width < 60;
                let text = if narrow { "a script plays" } else { "a script plays the model" };
                right.push(text.to_owned());
            }
            if let Some(seconds) = node.doing.seconds(state.now.wall).filter(|_| node.doing.works())
            {
                right.push(format!("turn {}", words::clock(seconds)));
            }
        }
        None => right.push(start::player(state)),
    }
    let keys = Keys::here(matches!(state.focus, Focus::Transcript | Focus::Start));
    let keys = if state.popup.is_some() { Keys::Elsewhere } else { keys };
    let title = pen.spans(&title, Role::Bright);
    let right = pen.spans(&right.join(&pen.look.dot()), Role::Quiet);
    pen.rule(area, 0, keys, title, right);
}

/// The line between the columns, joined to the rules that meet it.
fn seam(pen: &mut Pen<'_>, side: Rect, main: Rect) {
    let x = side.right();
    let thin = pen.look.mark(Mark::Rule);
    let heavy = pen.look.mark(Mark::Focus);
    for y in side.top()..side.bottom() {
        let symbol = |x: u16| pen.buf.cell((x, y)).map_or("", |cell| cell.symbol());
        let (left, right) = (symbol(x - 1), symbol(main.x));
        let mark = match (left == thin || left == heavy, right == heavy, right == thin) {
            _ if y == side.top() => Mark::MeetsAbove,
            (true, true, _) => Mark::FocusThrough,
            (true, false, _) if left == heavy => Mark::FocusLeft,
            (true, false, _) => Mark::MeetsLeft,
            (false, true, _) => Mark::FocusRight,
            (false, false, true) => Mark::MeetsRight,
            (false, false, false) => Mark::Column,
        };
        let (symbol, style) = (pen.look.mark(mark), pen.look.style(Role::Rule));
        if let Some(cell) = pen.buf.cell_mut((x, y)) {
            cell.set_symbol(symbol).set_style(style);
        }
    }
}
