//! The state as a frame. A plain function: it reads nothing but the state, changes nothing, and
//! says what it has shown, for the screen acts only on what was really there.

mod arrange;
mod away;
mod choice;
mod compared;
pub(super) mod composer;
mod connect;
mod decided;
mod edit;
mod file;
mod filter;
mod forms;
mod help;
mod inline;
mod lists;
mod log;
mod offered;
mod offers;
mod output;
mod palette;
mod parts;
mod pen;
pub(super) mod picture;
mod popup;
mod question;
mod right;
mod save;
pub(super) mod script;
mod search;
mod sessions;
mod several;
pub(super) mod sheet;
mod side;
mod standing;
mod start;
mod status;
mod themes;
mod transcript;
mod tree;
mod wider;
pub(super) mod written;

#[cfg(test)]
mod tests;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Rect, Size},
};

pub(in crate::tui) use self::{
    arrange::{in_sight, panes},
    inline::{MOST_PRINTED, inline, live},
    lists::state_words,
    question::facts,
    right::{lines, touched},
};

use self::arrange::arrange;
use self::pen::{Keys, Pen, split_bottom, split_top};
use super::{
    clean,
    hints::Hints,
    keymap,
    layout::{Layout, Room},
    state::{Drawn, Focus, Popup, State, pointer::Held, waiting::Form},
    theme::{Mark, Role},
    words,
};

pub use status::title;

/// Draws the screen.
pub fn view(state: &State, frame: &mut Frame<'_>) -> Drawn {
    let area = frame.area();
    let layout = arrange(state, Size { width: area.width, height: area.height });
    let mut drawn = Drawn { width: area.width, height: area.height, ..Drawn::default() };
    let mut pen = Pen { buf: frame.buffer_mut(), look: &state.look };
    pen.clear(area);
    let mut cursor = None;
    if layout.room == Room::Tiny {
        status::tiny(state, &mut pen, area);
    } else {
        status::line(state, &mut pen, layout.status);
        cursor = body(state, &mut pen, &layout, &mut drawn);
        for line in &layout.seams {
            seam(&mut pen, *line);
        }
    }
    if let Some(Held::Text(selection)) = &state.panes.pointer.held
        && selection.moved
    {
        drawn.selected = Some(pen.select(selection));
    }
    drawn.pictures.retain(|drawn| picture::is_free(&pen, drawn));
    plain(state, frame.buffer_mut());
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    drawn.layout = layout;
    drawn
}

/// Signs within our own words, where they cannot be drawn. Words are cut in too many places to ask
/// each of them what the terminal can do.
fn plain(state: &State, buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if let Some(plain) = state.look.marks.plain(cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
}

/// Everything but the status. Gives the place of the cursor.
fn body(
    state: &State,
    pen: &mut Pen<'_>,
    layout: &Layout,
    drawn: &mut Drawn,
) -> Option<(u16, u16)> {
    if layout.foot.height > 0 {
        foot(state, pen, layout);
    }
    if layout.idle.height > 0 {
        output::idle(pen, layout.idle);
    }
    let mut writing = None;
    let mut answering = None;
    let mut seeking = None;
    for (pane, area) in &layout.panes {
        let (pane, area) = (*pane, *area);
        match pane {
            Focus::Composer => writing = composer::draw(state, pen, area, layout.room),
            Focus::Question => answering = question(state, pen, area, layout.room, drawn),
            Focus::Sessions => tree::column(state, pen, area),
            Focus::Waiting => side::queue(state, pen, area),
            Focus::Output(call) => drawn.outputs.extend(output::draw(state, pen, area, call)),
            Focus::Plan | Focus::Changes | Focus::Away => right::draw(state, pen, area, pane),
            Focus::Start | Focus::Transcript => {
                let (head, body) = split_top(area, 1);
                if state.popup.is_none() {
                    seeking = text(state, pen, body, drawn);
                }
                header(state, pen, head, drawn.transcript.below);
            }
        }
    }
    match state.popup {
        Some(popup) => popup_over(state, pen, layout, popup, drawn),
        None => seeking.or(answering).or(writing),
    }
}

/// The rule above the status where nothing is written: what is said in passing, and where a question is
/// all there is, how one gets to it or away from it.
fn foot(state: &State, pen: &mut Pen<'_>, layout: &Layout) {
    let hints = Hints::of(&state.controls, keymap::Place::Question);
    let hints = match (state.focus, &state.queue.form) {
        _ if layout.room != Room::Narrow || state.popup.is_some() => hints,
        // A form says what its keys do.
        (Focus::Question, Some(_)) => hints,
        (Focus::Question, None) => hints.leave("not now"),
        _ => hints.with(keymap::Action::Go(keymap::Go::NextPane), "answers"),
    };
    let passing = status::passing(state, layout.foot.width);
    let said = passing.map(|text| pen.spans(text, Role::Bright)).unwrap_or_default();
    let hints = Some(hints.joined("")).filter(|hints| passing.is_none() && !hints.is_empty());
    let hints = hints.map(|hints| pen.span(hints, Role::Quiet)).into_iter().collect();
    pen.rule(layout.foot, 0, Keys::Elsewhere, said, hints);
}

/// The transcript, or what stands in its place before there is one. Gives the place of the cursor,
/// where a word is looked for.
fn text(state: &State, pen: &mut Pen<'_>, area: Rect, drawn: &mut Drawn) -> Option<(u16, u16)> {
    match state.sessions.node() {
        Some(node) => {
            let (seen, cursor) = transcript::draw(state, node, pen, area, &mut drawn.pictures);
            drawn.transcript = seen;
            return cursor;
        }
        None => start::draw(state, pen, area),
    }
    None
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
    question::draw(state, pen, area, waiting, room, drawn)
}

fn popup_over(
    state: &State,
    pen: &mut Pen<'_>,
    layout: &Layout,
    popup: Popup,
    drawn: &mut Drawn,
) -> Option<(u16, u16)> {
    let whole = layout.popup;
    let (_, body) = split_top(whole, 1);
    match popup {
        Popup::Sessions => return tree::draw(state, pen, whole),
        Popup::Waiting { row } => return lists::waiting(state, pen, whole, row),
        Popup::Output => output::list(state, pen, whole, drawn),
        Popup::Decisions { row } => return decided::draw(state, pen, whole, row),
        Popup::File => return file::draw(state, pen, whole, drawn),
        Popup::Files { row } => {
            let below = below(state, pen, body, file::ROWS, drawn);
            return file::choice(state, pen, below, row);
        }
        Popup::Log { row } => return log::draw(state, pen, whole, row),
        Popup::Grants { row } => return standing::draw(state, pen, whole, row),
        Popup::Changes { row } => drawn.change = written::draw(state, pen, whole, row),
        Popup::Help { of, top } => {
            let (last, cursor) = help::draw(state, pen, whole, of, top);
            drawn.last = last;
            return cursor;
        }
        Popup::Connect { row } => connect::draw(state, pen, whole, row),
        Popup::Commands => {
            let below = below(state, pen, body, palette::ROWS, drawn);
            return palette::draw(state, pen, below);
        }
        Popup::Themes { row } => {
            let below = below(state, pen, body, themes::rows(state), drawn);
            themes::draw(state, pen, below, row);
        }
        Popup::Away { row } => {
            let below = below(state, pen, body, away::rows(state), drawn);
            away::draw(state, pen, below, row);
        }
        Popup::Script { top } => drawn.last = script::draw(state, pen, whole, top),
        Popup::Picture { at } => {
            drawn.pictures.extend(picture::alone(state, pen, whole, at));
        }
        Popup::Quit { row } => {
            let below = below(state, pen, body, popup::quit_rows(state, body), drawn);
            popup::quit(state, pen, below, row);
        }
        Popup::Save { call } => {
            let below = below(state, pen, body, save::ROWS, drawn);
            return save::draw(state, pen, below, call);
        }
        Popup::Held { .. }
        | Popup::Delete { .. }
        | Popup::Rename { .. }
        | Popup::Said { .. }
        | Popup::Rewind { .. } => {
            let below = below(state, pen, body, sessions::rows(state, popup, body.width), drawn);
            return sessions::draw(state, pen, below, popup);
        }
        Popup::Several { row } => {
            let below = below(state, pen, body, several::rows(state, body), drawn);
            several::draw(state, pen, below, row);
        }
        Popup::Mode { row } => {
            let below = below(state, pen, body, choice::mode_rows(body.width), drawn);
            choice::mode(state, pen, below, row);
        }
        Popup::Stop { session, row } => {
            let below =
                below(state, pen, body, choice::stop_rows(state, session, body.width), drawn);
            choice::stop(state, pen, below, session, row);
        }
    }
    None
}

/// So many rows at the bottom for a short list; what was there goes on above them.
fn below(state: &State, pen: &mut Pen<'_>, body: Rect, rows: u16, drawn: &mut Drawn) -> Rect {
    let (above, below) = split_bottom(body, rows);
    text(state, pen, above, drawn);
    below
}

/// The rule at the top: where we are, how much is below a view that was moved, and how long this
/// turn has gone on.
fn header(state: &State, pen: &mut Pen<'_>, area: Rect, below: usize) {
    let mut title = state.folder();
    let mut right = Vec::new();
    if below > 0 {
        // Of what lies outside the rows are not counted to the last.
        right.push(format!("{} new below", words::tokens(below as u64)));
    }
    match state.sessions.node() {
        Some(node) => {
            let room = usize::from(area.width).saturating_sub(clean::width(&title) + 20);
            // Alone, a title may have all the room there is.
            let way = match node.spec.parent {
                None => clean::truncate(&clean::name(node.called()), room),
                Some(_) => state.way_to(node, room),
            };
            title = format!("{title} / {way}");
            if node.spec.model.starts_with("scripted") {
                let narrow = area.width < 60;
                let text = if narrow { "a script plays" } else { "a script plays the model" };
                right.push(text.to_owned());
            }
            if let Some(delayed) = node.doing.delayed() {
                let delay = &delayed.delay;
                let wait = pen.look.retrying(delayed, state.now.wall);
                right.push(match area.width {
                    ..60 => wait,
                    60..90 => format!("{wait}, try {} of {}", delay.next, delay.of),
                    90.. => format!("{wait} ({}, try {} of {})", delay.why, delay.next, delay.of),
                });
            }
            // Where both have no room, the wait is what has to be known.
            let waits = area.width < 60 && node.doing.delayed().is_some();
            if let Some(seconds) = node.doing.seconds(state.now.wall).filter(|_| !waits) {
                right.push(format!("turn {}", pen.look.clock(seconds)));
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

/// The line between two columns, joined to the rules that meet it.
fn seam(pen: &mut Pen<'_>, line: Rect) {
    let x = line.x;
    let thin = pen.look.mark(Mark::Rule);
    let heavy = pen.look.mark(Mark::Focus);
    for y in line.top()..line.bottom() {
        let symbol = |x: u16| pen.buf.cell((x, y)).map_or("", |cell| cell.symbol());
        let (left, right) = (symbol(x.saturating_sub(1)), symbol(x + 1));
        let mark = match (left == thin || left == heavy, right == heavy, right == thin) {
            _ if y == line.top() => Mark::MeetsAbove,
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
