//! Cells below one another. A place in the column is a cell and a row of it; the blank row that
//! keeps two thoughts apart belongs to the lower one.

use std::sync::Arc;

use ratatui::text::Line;

use super::{Kind, Scene};
use crate::tui::{
    state::transcript::cells::{Cells, Slot},
    theme::{Mark, Role},
};

/// A cell, and a row of it.
pub type Spot = (usize, usize);

/// Whether a blank row stands above this cell.
pub fn gap(cells: &Cells, at: usize) -> bool {
    let speech = |at: usize| {
        matches!(cells.kind(at), Some(Kind::Said | Kind::Text | Kind::GoesOn | Kind::Notice))
    };
    match cells.kind(at) {
        // A thought begins a turn.
        Some(Kind::Thinking) => at > 0,
        Some(Kind::GoesOn) | None => false,
        Some(Kind::Said | Kind::Text | Kind::Code | Kind::Call | Kind::Agent | Kind::Notice) => {
            at > 0 && (speech(at) || speech(at - 1))
        }
    }
}

/// The rows a cell takes, the blank one included.
pub fn height(cells: &Cells, at: usize, scene: &Scene<'_>) -> usize {
    let rows = match cells.slot(at) {
        Some(Slot::Here(cell)) => super::height(cell, scene),
        Some(Slot::Away(outline, _)) => usize::try_from(outline.rows).unwrap_or(usize::MAX),
        None => return 0,
    };
    rows + usize::from(gap(cells, at))
}

/// The rows of a cell without the blank one. One that is outside has them empty, until it is here.
pub fn rows(cells: &Cells, at: usize, scene: &Scene<'_>) -> Arc<Vec<Line<'static>>> {
    match cells.slot(at) {
        Some(Slot::Here(cell)) => super::rows(cell, scene),
        Some(Slot::Away(outline, why)) => {
            let mut rows = vec![Line::default(); usize::try_from(outline.rows).unwrap_or(0)];
            let first = match why {
                Some(why) => Line::from(scene.spans(
                    &format!("This part cannot be read back: {why}. The journal has it."),
                    Mark::Failed.role(),
                )),
                None => Line::styled(scene.look.mark(Mark::Gap), scene.look.style(Role::Quiet)),
            };
            if let Some(row) = rows.first_mut() {
                *row = first;
            }
            Arc::new(rows)
        }
        None => Arc::default(),
    }
}

/// The row at a spot, if the cell has one there; the blank one is absent.
pub fn row(
    cells: &Cells,
    (cell, row): Spot,
    laid: &Arc<Vec<Line<'static>>>,
) -> Option<Line<'static>> {
    let row = row.checked_sub(usize::from(gap(cells, cell)))?;
    laid.get(row).cloned()
}

/// The spot so many rows further up, or the very beginning.
pub fn up(cells: &Cells, scene: &Scene<'_>, (mut cell, mut row): Spot, mut by: usize) -> Spot {
    loop {
        if by <= row {
            return (cell, row - by);
        }
        if cell == 0 {
            return (0, 0);
        }
        by -= row + 1;
        cell -= 1;
        row = height(cells, cell, scene).saturating_sub(1);
    }
}

/// The spot so many rows further down, or the last row.
pub fn down(cells: &Cells, scene: &Scene<'_>, (mut cell, mut row): Spot, mut by: usize) -> Spot {
    while cell < cells.len() {
        let rows = height(cells, cell, scene);
        if row + by < rows {
            return (cell, row + by);
        }
        by -= rows.saturating_sub(row).min(by);
        cell += 1;
        row = 0;
    }
    let last = cells.len().saturating_sub(1);
    let row = height(cells, last, scene).saturating_sub(1);
    (last, row)
}

/// Where the top is if the last row stands at the bottom.
pub fn follow(cells: &Cells, scene: &Scene<'_>, rows: usize) -> Spot {
    let Some(last) = cells.len().checked_sub(1) else { return (0, 0) };
    let end = height(cells, last, scene).saturating_sub(1);
    up(cells, scene, (last, end), rows.saturating_sub(1))
}

/// Rows from a spot to the end.
pub fn rest(cells: &Cells, scene: &Scene<'_>, (cell, row): Spot) -> usize {
    let all: usize = (cell..cells.len()).map(|at| height(cells, at, scene)).sum();
    all.saturating_sub(row)
}
