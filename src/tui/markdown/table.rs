//! Tables: in columns where they fit, else a line for each cell.

use ratatui::text::{Line, Span};

use super::page::Page;
use crate::tui::clean;
use crate::tui::theme::{Mark, Role};

/// Cells between two columns.
const GAP: usize = 2;

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
        let all = widths.iter().sum::<usize>() + GAP * columns.saturating_sub(1);
        if all <= page.room() {
            self.in_columns(page, &widths, all);
        } else {
            self.in_lines(page);
        }
    }

    fn in_columns(self, page: &mut Page<'_>, widths: &[usize], all: usize) {
        for (at, row) in self.rows.into_iter().enumerate() {
            let mut spans: Cell = Vec::new();
            let last = row.len().saturating_sub(1);
            for (column, cell) in row.into_iter().enumerate() {
                let fill = widths[column].saturating_sub(cells(&cell)) + GAP;
                spans.extend(cell);
                if column < last {
                    spans.push(Span::raw(" ".repeat(fill)));
                }
            }
            page.row(Line::from(spans));
            if at == 0 {
                let rule = page.marks.get(Mark::Rule).repeat(all);
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

fn cells(cell: &Cell) -> usize {
    cell.iter().map(|span| clean::width(&span.content)).sum()
}
