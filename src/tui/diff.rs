//! What a write changes, line by line, as it is asked about.

mod sides;

pub use self::sides::{Columns, LEAST as LEAST_FOR_SIDES, Pair};

use std::time::Duration;

use ratatui::text::{Line, Span};
use similar::{Algorithm, ChangeTag};

use super::clean;
use super::ink::{Brush, Ink};
use super::row::Row;
use super::theme::{Mark, Marks, Role};
use super::words::grouped;

/// Lines shown around a change.
const CONTEXT: usize = 2;

/// More lines than this between the first and the last change are not compared one by one.
const LINES: usize = 50_000;

/// Bytes likewise.
const BYTES: usize = 8 * 1024 * 1024;

/// After this the comparison becomes coarser; it stays right.
const PATIENCE: Duration = Duration::from_millis(400);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffKind {
    Same,
    Add,
    Remove,
    /// So many lines left out, the same in both.
    Gap(usize),
}

/// One row of a comparison. Lines count from 1; the text is as it is in the file, without its
/// line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRow {
    pub old_no: Option<usize>,
    pub new_no: Option<usize>,
    pub kind: DiffKind,
    pub text: String,
    /// The file ends here without a line feed.
    pub unended: bool,
}

impl DiffRow {
    /// Its text as it is drawn, hidden characters as codes.
    pub fn ink(&self) -> Ink {
        let pieces = clean::revealed(&self.text, &clean::deceits(&self.text));
        let mut ink = Ink::of(pieces, self.role());
        if self.unended {
            ink.push("⟨no line end⟩", Role::Escape);
        }
        ink
    }

    pub fn role(&self) -> Role {
        match self.kind {
            DiffKind::Same => Role::Text,
            DiffKind::Add => Role::Add,
            DiffKind::Remove => Role::Remove,
            DiffKind::Gap(_) => Role::Quiet,
        }
    }

    fn mark(&self, brush: Brush<'_>) -> &'static str {
        match self.kind {
            DiffKind::Same | DiffKind::Gap(_) => " ",
            DiffKind::Add => brush.mark(Mark::Add),
            DiffKind::Remove => brush.mark(Mark::Remove),
        }
    }
}

/// A comparison of two texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    pub rows: Vec<DiffRow>,
    pub added: usize,
    pub removed: usize,
    /// There was no file before.
    pub new_file: bool,
    /// Too long to compare line by line: all between the first and the last change is shown as
    /// removed and added.
    pub coarse: bool,
}

impl Diff {
    /// Compares a file with what is to be written; no old text means a new file.
    pub fn new(old: Option<&str>, new: &str) -> Self {
        let mut diff = Self { new_file: old.is_none(), ..Self::default() };
        let (old, new) = (lines(old.unwrap_or_default()), lines(new));
        let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let tail = old[head..].iter().rev().zip(new[head..].iter().rev());
        let tail = tail.take_while(|(a, b)| a == b).count();
        let (old_end, new_end) = (old.len() - tail, new.len() - tail);
        let (old_mid, new_mid) = (&old[head..old_end], &new[head..new_end]);
        let bytes = old_mid.iter().chain(new_mid).map(|line| line.len()).sum::<usize>();
        diff.coarse = (old_mid.len() + new_mid.len() > LINES || bytes > BYTES)
            && !old_mid.is_empty()
            && !new_mid.is_empty();

        let mut same = Same { old: 0, new: 0, count: head };
        if diff.coarse {
            diff.changes(&mut same, old_mid, ChangeTag::Delete);
            diff.changes(&mut same, new_mid, ChangeTag::Insert);
        } else {
            let compared = similar::TextDiff::configure()
                .algorithm(Algorithm::Myers)
                .timeout(PATIENCE)
                .diff_slices(old_mid, new_mid);
            for change in compared.iter_all_changes() {
                match change.tag() {
                    ChangeTag::Equal => same.count += 1,
                    tag @ (ChangeTag::Delete | ChangeTag::Insert) => {
                        diff.gap(&mut same, &old, CONTEXT);
                        diff.change(&mut same, change.value(), tag);
                    }
                }
            }
        }
        same.count += tail;
        diff.gap(&mut same, &old, 0);
        diff
    }

    /// `+4 −2`, or what there is of it.
    pub fn summary(&self, marks: Marks) -> String {
        let part = |mark, count: usize| format!("{}{}", marks.get(mark), grouped(count as u64));
        let parts = [(Mark::Add, self.added), (Mark::Remove, self.removed)];
        let parts: Vec<String> =
            parts.iter().filter(|(_, n)| *n > 0).map(|(mark, n)| part(*mark, *n)).collect();
        if parts.is_empty() { "no change".to_owned() } else { parts.join(" ") }
    }

    /// The digits the line numbers need.
    pub fn digits(&self) -> usize {
        let last = self.rows.iter().rev().take(self.rows.len().min(64));
        let most = last.filter_map(|row| row.old_no.max(row.new_no)).max();
        most.unwrap_or_default().max(100).ilog10() as usize + 1
    }

    /// One row of this comparison as it is drawn, whole, which windows are compared with: at least one line, more where it is too long.
    #[cfg(test)]
    pub fn draw_row(&self, row: &DiffRow, width: usize, brush: Brush<'_>) -> Vec<Row> {
        if let DiffKind::Gap(count) = row.kind {
            return vec![self.draw_gap(count, width, brush)];
        }
        let (ink, before) = (row.ink(), self.before(width));
        let lines = ink
            .rows(self.room(width), 0)
            .enumerate()
            .map(|(at, range)| {
                let mut spans = self.margin(row, at == 0, width, brush);
                spans.extend(ink.spans(range, brush.style));
                Line::from(spans)
            })
            .collect();
        Row::of_line(lines, before).collect()
    }

    /// What is said where lines were left out.
    pub fn draw_gap(&self, count: usize, width: usize, brush: Brush<'_>) -> Row {
        let lines = if count == 1 { "line" } else { "lines" };
        let text = format!("{} {} {lines} the same", brush.mark(Mark::Gap), grouped(count as u64));
        let text = format!("{}{text}", " ".repeat(self.numbers()));
        Row::of_words(Line::from(brush.span(clean::truncate(&text, width), Role::Quiet)))
    }

    /// The cells of both numbers.
    fn numbers(&self) -> usize {
        3 + 2 * self.digits() + 1
    }

    /// Cells before the text of a row. The numbers give way before the text does.
    pub fn before(&self, width: usize) -> usize {
        let numbers = if self.numbered(width) { self.numbers() } else { 0 };
        numbers + 1 + self.gap_cells()
    }

    /// Cells for the text of a row.
    pub fn room(&self, width: usize) -> usize {
        width.saturating_sub(self.before(width)).max(1)
    }

    fn numbered(&self, width: usize) -> bool {
        width >= self.numbers() + 12
    }

    fn gap_cells(&self) -> usize {
        if self.new_file { 2 } else { 1 }
    }

    /// What stands before the text of a row: numbers and mark, or that it goes on.
    pub fn margin(
        &self,
        row: &DiffRow,
        first: bool,
        width: usize,
        brush: Brush<'_>,
    ) -> Vec<Span<'static>> {
        let (numbered, gap) = (self.numbered(width), " ".repeat(self.gap_cells()));
        if !first {
            let numbers = " ".repeat(if numbered { self.numbers() } else { 0 });
            return vec![
                brush.span(format!("{numbers}{}{gap}", brush.mark(Mark::GoesOn)), Role::Quiet),
            ];
        }
        let digits = self.digits();
        let number = |no: Option<usize>| {
            format!("{:>digits$}", no.map_or_else(String::new, |no| no.to_string()))
        };
        let numbers = match numbered {
            true => format!(" {}  {} ", number(row.old_no), number(row.new_no)),
            false => String::new(),
        };
        vec![
            brush.span(numbers, Role::Quiet),
            brush.span(format!("{}{gap}", row.mark(brush)), row.role()),
        ]
    }

    /// Ends a stretch of lines that are the same: `after` of them lead to the next change, as many
    /// as the context has follow the one before, and the rest is left out.
    fn gap(&mut self, same: &mut Same, old: &[&str], after: usize) {
        let count = std::mem::take(&mut same.count);
        let before = if self.rows.is_empty() { 0 } else { CONTEXT };
        let mut hidden = count.saturating_sub(before + after);
        // Above the first change and below the last one the line numbers say what is left out.
        let between = before > 0 && after > 0;
        if between && hidden == 1 {
            // One line left out would take the row it saves.
            hidden = 0;
        }
        let before = if hidden == 0 { count } else { before };
        self.same(same, old, before);
        same.old += hidden;
        same.new += hidden;
        if between && hidden > 0 {
            let (kind, text) = (DiffKind::Gap(hidden), String::new());
            self.rows.push(DiffRow { old_no: None, new_no: None, kind, text, unended: false });
        }
        self.same(same, old, count - hidden - before);
    }

    fn same(&mut self, same: &mut Same, old: &[&str], count: usize) {
        for line in old.iter().skip(same.old).take(count) {
            same.old += 1;
            same.new += 1;
            let (text, unended) = ended(line);
            let (old_no, new_no) = (Some(same.old), Some(same.new));
            self.rows.push(DiffRow { old_no, new_no, kind: DiffKind::Same, text, unended });
        }
    }

    fn changes(&mut self, same: &mut Same, lines: &[&str], tag: ChangeTag) {
        for line in lines {
            self.change(same, line, tag);
        }
    }

    fn change(&mut self, at: &mut Same, line: &str, tag: ChangeTag) {
        let (text, unended) = ended(line);
        let mut row = DiffRow { old_no: None, new_no: None, kind: DiffKind::Add, text, unended };
        if tag == ChangeTag::Delete {
            at.old += 1;
            self.removed += 1;
            (row.kind, row.old_no) = (DiffKind::Remove, Some(at.old));
        } else {
            at.new += 1;
            self.added += 1;
            row.new_no = Some(at.new);
        }
        self.rows.push(row);
    }
}

/// How far both texts were read, and how many lines that are the same come next.
struct Same {
    old: usize,
    new: usize,
    count: usize,
}

/// Lines with their line feed; nothing else ends a line.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn ended(line: &str) -> (String, bool) {
    match line.strip_suffix('\n') {
        Some(text) => (text.to_owned(), false),
        None => (line.to_owned(), true),
    }
}

#[cfg(test)]
mod tests;
