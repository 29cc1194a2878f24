//! A comparison with both sides beside each other.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::{Diff, DiffKind, DiffRow};
use crate::tui::{
    clean,
    ink::Brush,
    row::Row,
    theme::{Mark, Role},
    words,
};

/// Narrower than this, two columns of code cannot be read.
pub const LEAST: usize = 70;

/// Where the two columns of text stand.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    half: usize,
    digits: usize,
}

/// What stands beside each other: rows of the comparison by their place in it. A row without
/// changes stands on both sides, and so does what is left out.
pub type Pair = (Option<usize>, Option<usize>);

/// The text of one side in rows.
#[cfg(test)]
type Side = Vec<Vec<Span<'static>>>;

impl Columns {
    pub fn new(width: usize, digits: usize) -> Self {
        Self { half: width.saturating_sub(1) / 2, digits }
    }

    /// A blank, the number, a blank, the mark, a blank.
    fn margin(self) -> usize {
        self.digits + 4
    }

    pub fn old(self) -> Range<usize> {
        self.margin()..self.half
    }

    pub fn new_text(self) -> Range<usize> {
        self.half + 1 + self.margin()..2 * self.half + 1
    }

    /// Cells for the text of one side.
    pub fn room(self) -> usize {
        self.half.saturating_sub(self.margin()).max(1)
    }

    /// What stands before the text of one side.
    pub fn before(
        self,
        row: &DiffRow,
        number: Option<usize>,
        first: bool,
        brush: Brush<'_>,
    ) -> Vec<Span<'static>> {
        if !first {
            let blank = " ".repeat(self.digits + 2);
            return vec![brush.span(format!("{blank}{} ", brush.mark(Mark::GoesOn)), Role::Quiet)];
        }
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        vec![
            brush.span(format!(" {} ", clean::pad_left(&number, self.digits)), Role::Quiet),
            brush.span(format!("{} ", row.mark(brush)), row.role()),
        ]
    }

    /// Both sides in one row. What is the same on both is found once.
    pub fn join(
        self,
        old: Option<Vec<Span<'static>>>,
        new: Option<Vec<Span<'static>>>,
        same: bool,
        goes_on: bool,
        brush: Brush<'_>,
    ) -> Row {
        let mut spans = old.unwrap_or_default();
        let used = words::cells(&Line::from(spans.clone()));
        spans.push(Span::raw(" ".repeat(self.half.saturating_sub(used))));
        spans.push(brush.span(brush.mark(Mark::Column), Role::Rule));
        spans.extend(new.unwrap_or_default());
        let old = if same { 0..0 } else { self.old() };
        Row { line: Line::from(spans), texts: [old, self.new_text()], goes_on }
    }
}

impl Diff {
    /// What stands beside each other, from the top on: lines that take each other's place do.
    pub fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::with_capacity(self.rows.len());
        let mut at = 0;
        while at < self.rows.len() {
            let run = |from: usize, kind: DiffKind| {
                self.rows[from..].iter().take_while(|row| row.kind == kind).count()
            };
            let removed = run(at, DiffKind::Remove);
            let added = run(at + removed, DiffKind::Add);
            if removed + added == 0 {
                pairs.push((Some(at), Some(at)));
                at += 1;
                continue;
            }
            let (old, new) = (at..at + removed, at + removed..at + removed + added);
            pairs.extend((0..removed.max(added)).map(|pair| {
                let there =
                    |side: &Range<usize>| Some(side.start + pair).filter(|at| *at < side.end);
                (there(&old), there(&new))
            }));
            at += removed + added;
        }
        pairs
    }

    /// All rows with the old text at the left and the new one at the right.
    #[cfg(test)]
    pub fn draw_sides(&self, width: usize, brush: Brush<'_>) -> Vec<Row> {
        let columns = Columns::new(width, self.digits());
        let mut out = Vec::new();
        for (old, new) in self.pairs() {
            let row = |at: Option<usize>| at.and_then(|at| self.rows.get(at));
            let (left, right) = (row(old), row(new));
            if let Some(DiffKind::Gap(count)) = left.map(|row| row.kind) {
                out.push(self.draw_gap(count, width, brush));
                continue;
            }
            let side = |row: Option<&DiffRow>, number: fn(&DiffRow) -> Option<usize>| -> Side {
                let Some(row) = row else { return Side::new() };
                let ink = row.ink();
                let rows = ink.rows(columns.room(), 0).enumerate().map(|(at, range)| {
                    let mut spans = columns.before(row, number(row), at == 0, brush);
                    spans.extend(ink.spans(range, brush.style));
                    spans
                });
                rows.collect()
            };
            let (left, right) = (side(left, |row| row.old_no), side(right, |row| row.new_no));
            for at in 0..left.len().max(right.len()) {
                let (left, right) = (left.get(at).cloned(), right.get(at).cloned());
                out.push(columns.join(left, right, old == new, at > 0, brush));
            }
        }
        out
    }
}
