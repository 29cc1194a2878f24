//! A comparison with both sides beside each other.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::{Diff, DiffKind, DiffRow, part};
use crate::tui::{
    clean,
    row::Row,
    theme::{Mark, Marks, Role, Theme},
    words,
    wrap::{Layout, rows},
};

/// Narrower than this, two columns of code cannot be read.
pub const LEAST: usize = 70;

/// Where the two columns of text stand.
pub(super) struct Columns {
    half: usize,
    digits: usize,
}

impl Columns {
    pub(super) fn new(width: usize, digits: usize) -> Self {
        Self { half: width.saturating_sub(1) / 2, digits }
    }

    /// A blank, the number, a blank, the mark, a blank.
    fn margin(&self) -> usize {
        self.digits + 4
    }

    pub(super) fn old(&self) -> Range<usize> {
        self.margin()..self.half
    }

    pub(super) fn new_text(&self) -> Range<usize> {
        self.half + 1 + self.margin()..2 * self.half + 1
    }

    fn room(&self) -> usize {
        self.half.saturating_sub(self.margin()).max(1)
    }
}

impl Diff {
    /// All rows with the old text at the left and the new one at the right. Lines that take each
    /// other's place stand in one row.
    pub fn draw_sides(&self, width: usize, theme: &Theme, marks: Marks) -> Vec<Row> {
        let columns = Columns::new(width, self.digits());
        let pen = Sides { columns, theme, marks };
        let mut out = Vec::new();
        let mut at = 0;
        while at < self.rows.len() {
            let run = |from: usize, kind: DiffKind| {
                self.rows[from..].iter().take_while(|row| row.kind == kind).count()
            };
            let removed = run(at, DiffKind::Remove);
            let added = run(at + removed, DiffKind::Add);
            if removed + added == 0 {
                let row = &self.rows[at];
                match row.kind {
                    DiffKind::Gap(_) => out.extend(self.draw_row(row, width, theme, marks)),
                    DiffKind::Same | DiffKind::Add | DiffKind::Remove => {
                        pen.pair(&mut out, Some(row), Some(row));
                    }
                }
                at += 1;
                continue;
            }
            let (old, new) = (&self.rows[at..at + removed], &self.rows[at + removed..]);
            for pair in 0..removed.max(added) {
                pen.pair(&mut out, old.get(pair), new[..added].get(pair));
            }
            at += removed + added;
        }
        out
    }
}

struct Sides<'a> {
    columns: Columns,
    theme: &'a Theme,
    marks: Marks,
}

impl Sides<'_> {
    fn pair(&self, out: &mut Vec<Row>, old: Option<&DiffRow>, new: Option<&DiffRow>) {
        let same = old.is_some_and(|row| row.kind == DiffKind::Same);
        let left = old.map(|row| self.side(row, row.old_no)).unwrap_or_default();
        let right = new.map(|row| self.side(row, row.new_no)).unwrap_or_default();
        let seam = Span::styled(self.marks.get(Mark::Column), self.theme.style(Role::Rule));
        for at in 0..left.len().max(right.len()) {
            let mut spans = left.get(at).cloned().unwrap_or_default();
            let used = words::cells(&Line::from(spans.clone()));
            spans.push(Span::raw(" ".repeat(self.columns.half.saturating_sub(used))));
            spans.push(seam.clone());
            spans.extend(right.get(at).cloned().unwrap_or_default());
            // What stands on both sides is found once.
            let old = if same { 0..0 } else { self.columns.old() };
            let texts = [old, self.columns.new_text()];
            out.push(Row { line: Line::from(spans), texts, goes_on: at > 0 });
        }
    }

    fn side(&self, row: &DiffRow, number: Option<usize>) -> Vec<Vec<Span<'static>>> {
        let (mark, role) = match row.kind {
            DiffKind::Same | DiffKind::Gap(_) => (" ", Role::Text),
            DiffKind::Add => (self.marks.get(Mark::Add), Role::Add),
            DiffKind::Remove => (self.marks.get(Mark::Remove), Role::Remove),
        };
        let (style, quiet) = (self.theme.style(role), self.theme.style(Role::Quiet));
        let pieces = row.pieces();
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let digits = self.columns.digits;
        rows(&text, Layout::exact(self.columns.room()))
            .enumerate()
            .map(|(at, range)| {
                let mut spans = if at == 0 {
                    let number = clean::pad_left(
                        &number.map(|number| number.to_string()).unwrap_or_default(),
                        digits,
                    );
                    vec![
                        Span::styled(format!(" {number} "), quiet),
                        Span::styled(format!("{mark} "), style),
                    ]
                } else {
                    let goes_on = self.marks.get(Mark::GoesOn);
                    vec![Span::styled(format!("{}{goes_on} ", " ".repeat(digits + 2)), quiet)]
                };
                spans.extend(part(&pieces, range, style, self.theme.style(Role::Escape)));
                spans
            })
            .collect()
    }
}
