//! A search: its field with the count, and the places that are in sight.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    composer,
    pen::{Pen, inset},
    sheet,
};
use crate::tui::{
    hints::Hints,
    keymap::{Action, Move, Place},
    row::Hit,
    sheet::MOST_FOUND,
    state::{
        State,
        draft::Draft,
        waiting::{Search, Waiting},
    },
    theme::Role,
    words,
};

/// Draws the field in its row. Gives the place of the cursor.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    row: Rect,
    waiting: &Waiting,
    search: &Search,
) -> Option<(u16, u16)> {
    let word = search.word.text();
    let hits = sheet::found(state, waiting, usize::from(row.width), &word);
    field(state, pen, row, (&search.word, search.at), hits.map(|hits| hits.len()))
}

/// Draws the field: the word, and which of the places it is found in is looked at; without a count
/// it is still looked for.
pub(super) fn field(
    state: &State,
    pen: &mut Pen<'_>,
    row: Rect,
    (word, at): (&Draft, usize),
    count: Option<usize>,
) -> Option<(u16, u16)> {
    pen.clear(row);
    let keys = keys(state, Place::Search, row);
    let found = match count {
        _ if word.text().is_empty() => String::new(),
        None => "looking…   ".to_owned(),
        Some(0) => "not found   ".to_owned(),
        Some(count) => {
            let least = if count < MOST_FOUND { "" } else { "at least " };
            let at = words::grouped((at + 1) as u64);
            format!("{at} of {least}{}   ", words::grouped(count as u64))
        }
    };
    let right = Line::from(vec![pen.span(found, Role::Bright), pen.span(keys, Role::Quiet)]);
    let taken = u16::try_from(words::cells(&right)).unwrap_or(u16::MAX).saturating_add(2);
    pen.apart(
        inset(row, 1, 1),
        0,
        Line::from(Span::from("/").style(pen.style(Role::Bright))),
        right,
    );
    composer::text(pen, inset(row, 3, taken), word, true)
}

/// The keys of the field; where there is little room, how to get out, for the word has to be seen.
pub(super) fn keys(state: &State, place: Place, row: Rect) -> String {
    let hints = Hints::of(&state.controls, place)
        .with(Action::Open, "next")
        .with(Action::Move(Move::Up), "previous")
        .leave("back");
    if row.width < 60 { hints.fitted(12, "   ") } else { hints.joined("   ") }
}

/// Marks the places that are in sight; `top` is the first row of the area.
pub(super) fn mark(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    search: &Search,
    top: usize,
) {
    let word = search.word.text();
    let Some(hits) = sheet::found(state, waiting, usize::from(area.width), &word) else { return };
    let first = hits.partition_point(|hit| hit.last().is_some_and(|(row, _)| *row < top));
    let height = usize::from(area.height);
    for (at, hit) in hits.iter().enumerate().skip(first) {
        if hit.first().is_some_and(|(row, _)| *row >= top + height) {
            break;
        }
        let role = if at == search.at { Role::Select } else { Role::Match };
        paint(pen, area, hit, top, role);
    }
}

/// Paints one place, as far as it is in sight; `top` is the first row of the area.
pub(super) fn paint(pen: &mut Pen<'_>, area: Rect, hit: &Hit, top: usize, role: Role) {
    let height = usize::from(area.height);
    for (row, cells) in hit {
        let Some(y) = row.checked_sub(top).filter(|y| *y < height) else { continue };
        for cell in cells.start..cells.end.min(usize::from(area.width)) {
            let (Ok(x), Ok(y)) = (u16::try_from(cell), u16::try_from(y)) else { continue };
            if let Some(cell) = pen.buf.cell_mut((area.x + x, area.y + y)) {
                cell.set_style(pen.look.style(role));
            }
        }
    }
}
