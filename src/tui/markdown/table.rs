//! Tables: in columns where they find room, long cells broken between words; else a line for each cell.

use ratatui::text::{Line, Span};

use super::page::Page;
use crate::tui::clean;
use crate::tui::theme::{Mark, Role};
use crate::tui::wrap::wrap;

/// Cells between two columns.
const GAP: usize = 2;

/// The least cells of a column that has more to say.
const LEAST: usize = 12;

type Cell = Vec<Span<'static>>;

/// The rows so far; the first is the head.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn draw(self, page: &mut Page<'_>) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows.iter().filter_map(|row| row.get(column)).map(cells).max().unwrap_or(0)
            })
            .collect();
        let gaps = GAP * columns.saturating_sub(1);
        match shared(widths, page.room().saturating_sub(gaps)) {
            Some(widths) => self.in_columns(page, &widths, gaps),
            None => self.in_lines(page),
        }
    }

    fn in_columns(self, page: &mut Page<'_>, widths: &[usize], gaps: usize) {
        for (at, row) in self.rows.into_iter().enumerate() {
            let cells: Vec<Vec<Line<'static>>> = row
                .into_iter()
                .zip(widths)
                .map(|(cell, width)| wrap(&Line::from(cell), *width))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or_default();
            for part in 0..height.max(1) {
                page.row(across(&cells, part, widths));
            }
            if at == 0 {
                let rule = page.marks.get(Mark::Rule).repeat(widths.iter().sum::<usize>() + gaps);
                page.row(Line::styled(rule, page.theme.style(Role::Rule)));
            }
        }
    }

    fn in_lines(self, page: &mut Page<'_>) {
        let mut rows = self.rows.into_iter();
        let head = rows.next().unwrap_or_default();
        for (at, row) in rows.enumerate() {
            if at > 0 {
                page.row(Line::default());
            }
            for (column, cell) in row.into_iter().enumerate() {
                let mut spans = head.get(column).cloned().unwrap_or_default();
                spans.push(Span::raw(": "));
                spans.extend(cell);
                page.paragraph(spans, GAP);
            }
        }
    }
}

/// The widths in so many cells: the widest give way first. None where one would be too narrow to read.
fn shared(mut widths: Vec<usize>, room: usize) -> Option<Vec<usize>> {
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max()?;
        if *widest <= LEAST {
            return None;
        }
        *widest -= 1;
    }
    Some(widths)
}

/// One row of the screen: that part of each cell.
fn across(cells: &[Vec<Line<'static>>], part: usize, widths: &[usize]) -> Line<'static> {
    let mut spans: Cell = Vec::new();
    let mut blank = 0;
    for (lines, width) in cells.iter().zip(widths) {
        let line = lines.get(part).map(|line| line.spans.clone()).unwrap_or_default();
        let taken = self::cells(&line);
        if taken > 0 {
            spans.push(Span::raw(" ".repeat(std::mem::take(&mut blank))));
            spans.extend(line);
        }
        blank += width.saturating_sub(taken) + GAP;
    }
    Line::from(spans)
}

fn cells(cell: &Cell) -> usize {
    cell.iter().map(|span| clean::width(&span.content)).sum()
}
