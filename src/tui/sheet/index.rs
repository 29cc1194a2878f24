//! Where the rows of a text begin.

use std::{collections::HashMap, ops::Range};

use ratatui::text::{Line, Span};

use super::{MOST_FOUND, Shape};
use crate::tui::{
    diff::{Columns, DiffKind, Pair},
    ink::{Brush, Ink},
    row::{self, Hit, Row},
    state::waiting::{Compare, Sheet},
};

/// A line of more bytes is not laid out from its beginning each time.
const LONG: usize = 2 * 1024;

/// After so many rows of a long line it is known where one begins.
pub(super) const EVERY: usize = 64;

/// Where the lines of a sheet begin in one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    shape: Shape,
    /// The first row of each line, and the row behind the last one.
    starts: Vec<usize>,
    /// What stands beside each other, where sides are compared.
    pairs: Vec<Pair>,
    /// What is known of long texts, by their place in the sheet.
    long: HashMap<usize, Long>,
}

/// A long text whose rows can be told apart without reading it again.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Long {
    /// A cell is a byte.
    Plain,
    /// As it is drawn, and the bytes at which some of its rows begin.
    Inked(Ink, Vec<usize>),
}

/// A line of rows.
enum Place {
    /// One text, by its place in the sheet.
    Text(usize),
    Sides(Pair),
    /// So many lines are left out.
    Gap(usize),
}

impl Index {
    /// Finds where the lines begin. Linear in the text: off the loop, where it is long.
    pub fn of(sheet: &Sheet, shape: Shape) -> Self {
        let pairs = match (sheet, shape.compare) {
            (Sheet::Diff(diff), Compare::Sides) => diff.pairs(),
            (Sheet::Diff(_), Compare::Unified)
            | (Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_), _) => {
                Vec::new()
            }
        };
        let mut index = Self { shape, starts: vec![0], pairs, long: HashMap::new() };
        let mut end = 0;
        for line in 0..index.lines(sheet) {
            end += match index.place(sheet, line) {
                Place::Gap(_) => 1,
                Place::Text(at) => index.count(sheet, at),
                Place::Sides((old, new)) if old == new => {
                    old.map_or(0, |at| index.count(sheet, at))
                }
                Place::Sides((old, new)) => {
                    let counts = [old, new].map(|at| at.map_or(0, |at| index.count(sheet, at)));
                    counts[0].max(counts[1])
                }
            };
            index.starts.push(end);
        }
        index
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The text of the sheet that a row is of, and which of its rows it is; of two that stand beside each
    /// other the later one.
    pub fn spot(&self, row: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= row).max(1) - 1;
        let line = line.min(self.starts.len().saturating_sub(2));
        let text = self.pairs.get(line).map_or(line, |(old, new)| new.or(*old).unwrap_or(line));
        (text, row.saturating_sub(self.starts.get(line).copied().unwrap_or_default()))
    }

    /// The first row of that text of the sheet.
    pub fn row(&self, text: usize) -> usize {
        let has = |pair: &Pair| [pair.0, pair.1].contains(&Some(text));
        let line = if self.pairs.is_empty() { Some(text) } else { self.pairs.iter().position(has) };
        let start = line.and_then(|line| self.starts.get(line));
        start.or(self.starts.last()).copied().unwrap_or_default()
    }

    /// How many rows there are.
    pub fn total(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    fn lines(&self, sheet: &Sheet) -> usize {
        match self.shape.compare {
            Compare::Sides if matches!(sheet, Sheet::Diff(_)) => self.pairs.len(),
            Compare::Sides | Compare::Unified => sheet.texts(),
        }
    }

    fn place(&self, sheet: &Sheet, line: usize) -> Place {
        let (at, place) = match self.pairs.get(line) {
            Some(pair) => (pair.0.or(pair.1).unwrap_or(line), Place::Sides(*pair)),
            None => (line, Place::Text(line)),
        };
        match sheet {
            Sheet::Diff(diff) => match diff.rows.get(at).map(|row| row.kind) {
                Some(DiffKind::Gap(count)) => Place::Gap(count),
                Some(DiffKind::Same | DiffKind::Add | DiffKind::Remove) | None => place,
            },
            Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_) => place,
        }
    }

    /// The rows of one text; keeps what is worth to be known of it.
    fn count(&mut self, sheet: &Sheet, at: usize) -> usize {
        let room = sheet.room(self.shape);
        let bytes = sheet.text(at).len();
        if sheet.is_plain(at) {
            if bytes > LONG {
                self.long.insert(at, Long::Plain);
            }
            return bytes.div_ceil(room).max(1);
        }
        let ink = sheet.ink(at);
        let mut marks = Vec::new();
        let mut count = 0;
        for range in ink.rows(room, 0) {
            if count % EVERY == 0 {
                marks.push(range.start);
            }
            count += 1;
        }
        if bytes > LONG {
            self.long.insert(at, Long::Inked(ink, marks));
        }
        count
    }

    /// These rows, and no others.
    pub fn rows(&self, sheet: &Sheet, wanted: Range<usize>, brush: Brush<'_>) -> Vec<Row> {
        let wanted = wanted.start..wanted.end.min(self.total());
        let mut out = Vec::new();
        let mut line = self.starts.partition_point(|start| *start <= wanted.start).max(1) - 1;
        while let (Some(&start), Some(&end)) = (self.starts.get(line), self.starts.get(line + 1))
            && start < wanted.end
        {
            let part = wanted.start.max(start) - start..wanted.end.min(end) - start;
            self.draw(sheet, line, part, brush, &mut out);
            line += 1;
        }
        out
    }

    /// Some rows of one line.
    fn draw(
        &self,
        sheet: &Sheet,
        line: usize,
        part: Range<usize>,
        brush: Brush<'_>,
        out: &mut Vec<Row>,
    ) {
        let width = self.shape.width;
        match (self.place(sheet, line), sheet) {
            (Place::Gap(count), Sheet::Diff(diff)) => out.push(diff.draw_gap(count, width, brush)),
            (Place::Sides((old, new)), Sheet::Diff(diff)) => {
                let columns = Columns::new(width, diff.digits());
                let side = |at: Option<usize>, is_old: bool| {
                    let row = at.and_then(|at| diff.rows.get(at));
                    let (Some(at), Some(row)) = (at, row) else { return Vec::new() };
                    let number = if is_old { row.old_no } else { row.new_no };
                    let texts = self.texts(sheet, at, part.clone(), brush).into_iter();
                    let rows = texts.zip(part.clone()).map(|(text, at)| {
                        let mut spans = columns.before(row, number, at == 0, brush);
                        spans.extend(text);
                        spans
                    });
                    rows.collect::<Vec<_>>()
                };
                let (left, right) = (side(old, true), side(new, false));
                let (mut left, mut right) = (left.into_iter(), right.into_iter());
                for at in part.clone() {
                    let (left, right) = (left.next(), right.next());
                    out.push(columns.join(left, right, old == new, at > 0, brush));
                }
            }
            (Place::Text(at), _) => {
                let before = match sheet {
                    Sheet::Diff(diff) => diff.before(width),
                    Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_) => {
                        sheet.hanging()
                    }
                };
                let texts = self.texts(sheet, at, part.clone(), brush).into_iter();
                out.extend(texts.zip(part).map(|(text, row)| {
                    let mut spans = sheet.margin(at, row == 0, width, brush);
                    spans.extend(text);
                    let line = Line::from(spans);
                    Row { line, texts: [before..usize::MAX, 0..0], goes_on: row > 0 }
                }));
            }
            (Place::Gap(_) | Place::Sides(_), _) => {}
        }
    }

    /// Some rows of one text, as far as it has them.
    fn texts(
        &self,
        sheet: &Sheet,
        at: usize,
        part: Range<usize>,
        brush: Brush<'_>,
    ) -> Vec<Vec<Span<'static>>> {
        let room = sheet.room(self.shape);
        let rows = |ink: &Ink, known: usize, from: usize| {
            let rows = ink.rows(room, from).skip(part.start - known).take(part.len());
            rows.map(|range| ink.spans(range, brush.style)).collect()
        };
        match self.long.get(&at) {
            Some(Long::Plain) => {
                let (text, role) = (sheet.text(at), sheet.role(at));
                let row = |row: usize| {
                    text.get(row * room..text.len().min((row + 1) * room))
                        .filter(|text| !text.is_empty())
                };
                part.map_while(row).map(|text| vec![brush.span(text, role)]).collect()
            }
            Some(Long::Inked(ink, marks)) => {
                let mark = (part.start / EVERY).min(marks.len().saturating_sub(1));
                rows(ink, mark * EVERY, marks.get(mark).copied().unwrap_or_default())
            }
            None => rows(&sheet.ink(at), 0, 0),
        }
    }

    /// Where a word is found, from the top on, the first so many places. Linear in the text, and lays
    /// out the lines that have it: off the loop, where it is long.
    pub fn find(&self, sheet: &Sheet, word: &str, brush: Brush<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for line in 0..self.lines(sheet) {
            let texts = match self.place(sheet, line) {
                Place::Gap(_) => continue,
                Place::Text(at) => [Some(at), None],
                Place::Sides((old, new)) => [old, new],
            };
            let may = |at: usize| !sheet.is_plain(at) || row::has(sheet.text(at), word);
            let (Some(&start), Some(&end)) = (self.starts.get(line), self.starts.get(line + 1))
            else {
                continue;
            };
            if !texts.into_iter().flatten().any(may) {
                continue;
            }
            let mut rows = Vec::new();
            self.draw(sheet, line, 0..end - start, brush, &mut rows);
            hits.extend(row::find(&rows, word).into_iter().map(|hit| row::below(hit, start)));
            if hits.len() >= MOST_FOUND {
                hits.truncate(MOST_FOUND);
                break;
            }
        }
        hits
    }
}
