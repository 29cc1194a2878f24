//! The columns of a line that was written over.

use unicode_width::UnicodeWidthChar;

/// Columns of a line, so that writing over some of them costs no more than writing.
#[derive(Debug, Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    cursor: usize,
    /// The bytes in them.
    size: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Cell {
    /// The character; `None` in the further columns of a wide one.
    char: Option<char>,
    /// What combines with it.
    marks: String,
}

const BLANK: Cell = Cell { char: Some(' '), marks: String::new() };
const FURTHER: Cell = Cell { char: None, marks: String::new() };

impl Cell {
    fn size(&self) -> usize {
        self.char.map_or(0, char::len_utf8) + self.marks.len()
    }
}

fn size(cells: &[Cell]) -> usize {
    cells.iter().map(Cell::size).sum()
}

impl Cells {
    /// The characters of a text, with the cursor behind them.
    pub(super) fn of(text: &str) -> Self {
        let mut cells = Self::default();
        text.chars().for_each(|char| cells.put(char));
        cells
    }

    /// What it costs to keep: its bytes, or its columns where those are more.
    pub(super) fn size(&self) -> usize {
        self.size.max(self.cells.len())
    }

    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts the cursor into that column, or behind the last one.
    pub(super) fn go(&mut self, column: usize) {
        self.cursor = column.min(self.cells.len());
    }

    pub(super) fn put(&mut self, char: char) {
        let width = match char {
            '\t' => 8 - self.cursor % 8,
            _ => char.width().unwrap_or(1),
        };
        if width == 0 {
            match self.owner(self.cursor) {
                Some(owner) => {
                    self.cells[owner].marks.push(char);
                    self.size += char.len_utf8();
                }
                None => self.set(Cell { char: Some(char), marks: String::new() }, 1),
            }
        } else if char == '\t' && self.cursor < self.cells.len() {
            // Over what is written, a tab only moves.
            self.cursor = (self.cursor + width).min(self.cells.len());
        } else {
            self.set(Cell { char: Some(char), marks: String::new() }, width);
        }
    }

    fn set(&mut self, cell: Cell, width: usize) {
        let end = self.cursor + width;
        self.split(self.cursor);
        if end < self.cells.len() {
            self.split(end);
        } else {
            self.cells.resize(end, FURTHER);
        }
        let cells = &mut self.cells[self.cursor..end];
        // What is written over counts no more: a line may be drawn any number of times.
        self.size = self.size + cell.size() - size(cells);
        cells.fill(FURTHER);
        cells[0] = cell;
        self.cursor = end;
    }

    /// Makes sure that no wide character spans the border before `column`.
    fn split(&mut self, column: usize) {
        if self.cells.get(column).is_some_and(|cell| cell.char.is_none()) {
            let start = self.owner(column).unwrap_or(0);
            let width = self.cells[start..].iter().skip(1).take_while(|c| c.char.is_none()).count();
            let cells = &mut self.cells[start..=start + width];
            self.size = self.size + cells.len() - size(cells);
            cells.fill(BLANK);
        }
    }

    /// The column of the character that is written before `column`.
    fn owner(&self, column: usize) -> Option<usize> {
        self.cells[..column].iter().rposition(|cell| cell.char.is_some())
    }

    /// What was written last before the cursor.
    pub(super) fn before(&self) -> Option<char> {
        let cell = &self.cells[self.owner(self.cursor)?];
        cell.marks.chars().next_back().or(cell.char)
    }

    pub(super) fn erase_right(&mut self) {
        self.split(self.cursor);
        self.size -= size(&self.cells[self.cursor..]);
        self.cells.truncate(self.cursor);
    }

    pub(super) fn write(&self, out: &mut String) {
        for cell in &self.cells {
            out.extend(cell.char);
            out.push_str(&cell.marks);
        }
    }
}
