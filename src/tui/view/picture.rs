//! Pictures in the transcript, and one alone.

use ratatui::{
    buffer::Cell,
    layout::{Position, Rect},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::tui::{
    cell::picture::{MARGIN, Place},
    clean,
    hints::Hints,
    keymap::{self, Action, Move, Output},
    layout::Layout,
    picture::{Means, Painted, Ready, Shape},
    state::{DrawnPicture, State},
    theme::Role,
    words,
};

/// A sentence, and what can be done about it.
fn hints_after(says: &str, hints: &Hints<'_>) -> String {
    format!("{says} {}", hints.joined("")).trim_end().to_owned()
}

/// Draws the rows of a picture that are in sight: those from `skip` on, in this area.
pub(super) fn among(
    state: &State,
    pen: &mut Pen<'_>,
    place: &Place<'_>,
    (area, skip): (Rect, u16),
) -> Option<DrawnPicture> {
    let area = inset(area, MARGIN, 0);
    let id = place.picture.id;
    match state.look.pictures.get(id, place.shape) {
        None | Some(Ready::Soon) => None,
        Some(Ready::Not(why)) => {
            pen.text(area, 0, why, Role::Quiet);
            None
        }
        Some(Ready::Painted(painted)) => drawn(pen, painted, (area, skip), place.shape)
            .map(|area| DrawnPicture { picture: id, shape: place.shape, area }),
    }
}

/// Draws it as far as it is within the area. Gives where the terminal has to be sent something.
fn drawn(
    pen: &mut Pen<'_>,
    painted: &Painted,
    (area, skip): (Rect, u16),
    shape: Shape,
) -> Option<Rect> {
    let (cols, rows) = (shape.cols.min(area.width), (shape.rows - skip).min(area.height));
    let seen = Rect { width: cols, height: rows, ..area };
    if !pen.look.pictures.how().means.is_of_cells() {
        // It cannot be cut.
        if cols < shape.cols || rows < shape.rows {
            pen.text(area, 0, "Scroll to see it.", Role::Quiet);
            return None;
        }
        return Some(seen);
    }
    for y in 0..rows {
        for x in 0..cols {
            let Some(from) = painted.cell(x, skip + y) else { continue };
            let Some(cell) = pen.buf.cell_mut((seen.x + x, seen.y + y)) else { continue };
            cell.set_symbol(from.symbol()).set_fg(from.fg);
            if pen.look.pictures.how().means == Means::Blocks {
                cell.set_bg(from.bg);
            }
        }
    }
    painted.sent.is_some().then_some(seen)
}

/// Whether nothing was drawn over it, or its cells marked: what lies over cells cannot lie below.
pub(super) fn is_free(pen: &Pen<'_>, drawn: &DrawnPicture) -> bool {
    let mut empty = Cell::default();
    empty.set_style(pen.look.style(Role::Ground));
    let free = |position: Position| pen.buf.cell(position).is_some_and(|cell| *cell == empty);
    pen.look.pictures.how().means.is_of_cells() || drawn.area.positions().all(free)
}

/// Draws one alone, as large as there is room.
pub(super) fn alone(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    at: usize,
) -> Option<DrawnPicture> {
    pen.clear(area);
    let (head, body) = split_top(area, 1);
    let (body, keys) = split_bottom(body, 1);
    let node = state.sessions.node()?;
    let all: Vec<_> = node.transcript.pictures().map(|(_, picture)| picture).collect();
    let picture = all.get(at)?;
    let title = pen.spans(&picture.name, Role::Bright);
    let facts = [
        format!("{}x{}", picture.width, picture.height),
        bytes(picture.bytes),
        format!("{} of {}", at + 1, all.len()),
    ];
    let room = usize::from(head.width).saturating_sub(clean::width(&picture.name).min(24) + 8);
    let mut facts = facts.to_vec();
    while facts.len() > 1 && clean::width(&facts.join(&pen.look.dot())) > room {
        facts.remove(0);
    }
    let right = vec![pen.span(facts.join(&pen.look.dot()), Role::Quiet)];
    pen.rule(head, 0, Keys::Here, title, right);
    let save = Action::Output(Output::Save);
    let hints = Hints::of(&state.controls, keymap::Place::Picture).with(save, "save…");
    let others = [Action::Move(Move::Up), Action::Move(Move::Down)];
    let hints = if all.len() > 1 { hints.moves(others, "others") } else { hints };
    pen.hints(keys, hints.leave("back"));
    let text = inset(body, 1, 1);
    let Some(shape) = whole(state, picture, (body.width, body.height)) else {
        let hints = Hints::of(&state.controls, keymap::Place::Picture).with(save, "saves it.");
        let why = "This terminal shows no pictures: footplate doctor says more.";
        pen.text(text, 0, &hints_after(why, &hints), Role::Quiet);
        return None;
    };
    match state.look.pictures.get(picture.id, shape) {
        None | Some(Ready::Soon) => None,
        Some(Ready::Not(why)) => {
            pen.text(text, 0, &format!("{} {why}.", picture.name), Role::Quiet);
            None
        }
        Some(Ready::Painted(painted)) => {
            let left = text.width.saturating_sub(shape.cols) / 2;
            let area = inset(text, left, 0);
            drawn(pen, painted, (area, 0), shape).map(|area| DrawnPicture {
                picture: picture.id,
                shape,
                area,
            })
        }
    }
}

/// `12 KB`.
fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{} bytes", words::grouped(count)),
        10_000..10_000_000 => format!("{} KB", words::grouped(count / 1000)),
        _ => format!("{} MB", count / 1_000_000),
    }
}

/// The cells where one is shown alone.
pub(in crate::tui) fn body(layout: &Layout) -> (u16, u16) {
    let area = layout.popup;
    (area.width, area.height.saturating_sub(2))
}

/// The cells a picture takes that is shown alone in a body of that size.
pub(in crate::tui) fn whole(
    state: &State,
    picture: &crate::kernel::picture::Picture,
    (width, height): (u16, u16),
) -> Option<Shape> {
    state.look.pictures.alone(picture, (width.saturating_sub(2), height))
}
