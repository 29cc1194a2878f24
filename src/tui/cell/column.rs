//! Cells below one another. A place in the column is a cell and a row of it; the blank row that
//! keeps two thoughts apart belongs to the lower one.

use std::sync::Arc;

use ratatui::text::Line;

use super::{Body, Cell, Scene};

/// A cell, and a row of it.
pub type Spot = (usize, usize);

/// Whether a blank row stands above this cell.
pub fn gap(cells: &[Cell], at: usize) -> bool {
    let speech = |cell: &Cell| {
        matches!(cell.body, Body::Said { .. } | Body::Text { .. } | Body::Notice { .. })
    };
    let goes_on = matches!(cells[at].body, Body::Text { inside: Some(_), .. });
    // A thought begins a turn.
    let thinks = matches!(cells[at].body, Body::Thinking(_));
    at > 0 && !goes_on && (thinks || speech(&cells[at]) || speech(&cells[at - 1]))
}

/// The rows a cell takes, the blank one included.
pub fn height(cells: &[Cell], at: usize, scene: &Scene<'_>) -> usize {
    super::height(&cells[at], scene) + usize::from(gap(cells, at))
}

/// The row at a spot, if the cell has one there; the blank one is absent.
pub fn row(
    cells: &[Cell],
    (cell, row): Spot,
    laid: &Arc<Vec<Line<'static>>>,
) -> Option<Line<'static>> {
    let row = row.checked_sub(usize::from(gap(cells, cell)))?;
    laid.get(row).cloned()
}

/// The spot so many rows further up, or the very beginning.
pub fn up(cells: &[Cell], scene: &Scene<'_>, (mut cell, mut row): Spot, mut by: usize) -> Spot {
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
pub fn down(cells: &[Cell], scene: &Scene<'_>, (mut cell, mut row): Spot, mut by: usize) -> Spot {
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
    let row = cells.get(last).map_or(0, |_| height(cells, last, scene).saturating_sub(1));
    (last, row)
}

/// Where the top is if the last row stands at the bottom.
pub fn follow(cells: &[Cell], scene: &Scene<'_>, rows: usize) -> Spot {
    let Some(last) = cells.len().checked_sub(1) else { return (0, 0) };
    let end = height(cells, last, scene).saturating_sub(1);
    up(cells, scene, (last, end), rows.saturating_sub(1))
}

/// Rows from a spot to the end.
pub fn rest(cells: &[Cell], scene: &Scene<'_>, (cell, row): Spot) -> usize {
    let all: usize = (cell..cells.len()).map(|at| height(cells, at, scene)).sum();
    all.saturating_sub(row)
}
