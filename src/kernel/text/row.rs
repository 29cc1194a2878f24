//! One line of a terminal.

use super::cells::Cells;

#[derive(Debug, Default)]
pub(super) struct Row {
    /// The line, while everything was written at its end.
    text: String,
    /// The line by columns, once something was written elsewhere.
    cells: Option<Cells>,
}

impl Row {
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), cells: None }
    }

    /// Whether everything was written at its end.
    pub(super) fn is_plain(&self) -> bool {
        self.cells.is_none()
    }

    /// Whether nothing was written on it.
    pub(super) fn is_new(&self) -> bool {
        self.text.is_empty() && self.is_plain()
    }

    /// What it costs to keep.
    pub(super) fn size(&self) -> usize {
        self.text.len() + self.cells.as_ref().map_or(0, Cells::size)
    }

    pub(super) fn put(&mut self, char: char) {
        match &mut self.cells {
            Some(cells) => cells.put(char),
            None => self.text.push(char),
        }
    }

    /// Writes at the end of a plain row.
    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// What was written last before the cursor.
    pub(super) fn before(&self) -> Option<char> {
        match &self.cells {
            Some(cells) => cells.before(),
            None => self.text.chars().next_back(),
        }
    }

    pub(super) fn cells(&mut self) -> &mut Cells {
        self.cells.get_or_insert_with(|| Cells::of(&std::mem::take(&mut self.text)))
    }

    pub(super) fn erase_right(&mut self) {
        if let Some(cells) = &mut self.cells {
            cells.erase_right();
        }
    }

    pub(super) fn erase(&mut self) {
        self.text.clear();
        self.cells = None;
    }

    /// Appends the row to `out` and leaves it new.
    pub(super) fn hand_on(&mut self, out: &mut String) {
        match self.cells.take() {
            Some(cells) => cells.write(out),
            None => out.push_str(&self.text),
        }
        self.text.clear();
    }
}
