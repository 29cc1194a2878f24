//! The transcript: from its beginning while it is short, then at its end, or where it was left.

use ratatui::{layout::Rect, text::Line};

use super::{
    pen::{Pen, inset, split_bottom, split_top},
    picture, search,
};
use crate::tui::{
    cell::{self, Body, Scene, column, picture::places},
    row,
    state::{
        DrawnPicture, DrawnText, Focus, State,
        sessions::Node,
        transcript::{Scroll, find::Find},
    },
    theme::{Mark, Role},
    words,
};

/// Draws it. Gives what was shown, and the place of the cursor where a word is looked for.
pub(super) fn draw(
    state: &State,
    node: &Node,
    pen: &mut Pen<'_>,
    area: Rect,
    pictures: &mut Vec<DrawnPicture>,
) -> (DrawnText, Option<(u16, u16)>) {
    let find = node.transcript.find.as_ref().filter(|_| state.focus == Focus::Transcript);
    let Some(find) = find.filter(|_| area.height > 1 && state.popup.is_none()) else {
        return (cells(state, node, pen, area, ("", pictures)), None);
    };
    let (above, field) = split_bottom(area, 1);
    let drawn = cells(state, node, pen, above, (&find.word.text(), pictures));
    (drawn, search::field(state, pen, field, (&find.word, find.at), find.count()))
}

fn cells(
    state: &State,
    node: &Node,
    pen: &mut Pen<'_>,
    area: Rect,
    (word, pictures): (&str, &mut Vec<DrawnPicture>),
) -> DrawnText {
    let inner = inset(area, 1, if area.width >= 90 { 2 } else { 1 });
    let speaker = if node.spec.parent.is_some() { node.spec.agent() } else { "you" };
    let scene = Scene {
        width: usize::from(inner.width),
        look: &state.look,
        controls: &state.controls,
        now: state.now.wall,
        sessions: &state.sessions,
        output: &state.output,
        queue: &state.queue,
        speaker,
    };
    let cells = &node.transcript.cells;
    let height = usize::from(area.height);
    let mut drawn = DrawnText { width: scene.width, height, ..DrawnText::default() };
    if cells.is_empty() || height == 0 {
        return drawn;
    }
    if height <= 3
        && node.transcript.scroll == Scroll::Follow
        && asking(state, node, &scene, pen, inner)
    {
        drawn.top = column::follow(cells, &scene, height);
        drawn.end = cells.len();
        return drawn;
    }
    let end = column::follow(cells, &scene, height);
    let top = match node.transcript.scroll {
        Scroll::Follow => end,
        Scroll::Held { cell, row } => (cell.min(cells.len() - 1), row).min(end),
    };
    drawn.top = top;
    let part = node.transcript.part().unwrap_or(0..0);
    let looked = node.transcript.find.as_ref().and_then(Find::cell);
    let mut at = top;
    let mut down = 0;
    while down < height && at.0 < cells.len() {
        let laid = column::rows(cells, at.0, &scene);
        let rows = laid.len() + usize::from(column::gap(cells, at.0));
        let (first, skipped) = (down, at.1);
        while at.1 < rows && down < height {
            let y = u16::try_from(down).unwrap_or(u16::MAX);
            if let Some(line) = column::row(cells, at, &laid) {
                pen.line(inner, y, line);
                if state.focus == Focus::Transcript && part.contains(&at.0) {
                    let bar = Line::from(pen.mark(Mark::Here));
                    pen.line(Rect { width: 1, ..area }, y, bar);
                }
            }
            at.1 += 1;
            down += 1;
        }
        let cell = cells.get(at.0);
        for place in cell.map(|cell| places(cell, &scene, laid.len())).into_iter().flatten() {
            // Rows of the cell, the blank one above it included.
            let top = place.row + usize::from(column::gap(cells, at.0));
            let end = top + usize::from(place.shape.rows);
            let (from, to) = (top.max(skipped), end.min(at.1));
            if from < to {
                let rows = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
                let (_, below) = split_top(inner, rows(first + from - skipped));
                let (seen, _) = split_top(below, rows(to - from));
                pictures.extend(picture::among(state, pen, &place, (seen, rows(from - top))));
            }
        }
        if !word.is_empty() {
            let gap = usize::from(column::gap(cells, at.0));
            let above = u16::try_from(first + gap.saturating_sub(skipped)).unwrap_or(u16::MAX);
            let (_, below) = split_top(inner, above);
            let role = if looked == Some(at.0) { Role::Select } else { Role::Match };
            for hit in row::find(&row::each(&laid), word) {
                search::paint(pen, below, &hit, skipped.saturating_sub(gap), role);
            }
        }
        if at.1 >= rows {
            at = (at.0 + 1, 0);
        }
    }
    drawn.end = (at.0 + 1).min(cells.len());
    if node.transcript.scroll != Scroll::Follow {
        drawn.below = column::rest(cells, &scene, top).saturating_sub(height);
    }
    drawn
}

/// In very few rows: the head of the run that asks, and the line that does.
fn asking(state: &State, node: &Node, scene: &Scene<'_>, pen: &mut Pen<'_>, area: Rect) -> bool {
    let Some(waiting) = state.queue.current() else { return false };
    if waiting.question.session != node.spec.id {
        return false;
    }
    let cells = &node.transcript.cells;
    let Some(at) = node.transcript.cell_of(waiting.question.call.id) else { return false };
    let Some(cell) = cells.get(at).filter(|cell| matches!(cell.body, Body::Code(_))) else {
        return false;
    };
    let rows = cell::rows(cell, scene);
    let waits = |line: &&Line<'static>| {
        line.spans.last().is_some_and(|span| span.content == "waits for you")
    };
    let head = rows.first().cloned();
    let lines = head.into_iter().chain(rows.iter().skip(1).find(waits).cloned());
    for (row, line) in lines.take(usize::from(area.height)).enumerate() {
        let line = words::fit(line, usize::from(area.width));
        pen.line(area, u16::try_from(row).unwrap_or(0), line);
    }
    true
}
