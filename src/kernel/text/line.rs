//! One line of a terminal: what is written over it, and what it looks like in the end.

use unicode_width::UnicodeWidthChar;

/// A line longer than this is handed on in parts, which nothing overwrites any more.
const LONGEST: usize = 16 << 10;

#[derive(Debug, Default)]
pub(super) struct Line {
    /// The line, while everything was written at its end.
    text: String,
    /// The line by columns, once something was written elsewhere.
    cells: Option<Cells>,
    escape: Escape,
    /// A carriage return came; what follows decides whether it ends the line.
    returned: bool,
    /// The beginning of this line was handed on.
    cut: bool,
}

/// Where in an escape sequence the stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// After ESC.
    Begun,
    /// After ESC and an intermediate byte, such as `(`.
    Charset,
    /// In a control sequence, with its first number.
    Control { number: u16 },
    /// In an operating system command or another control string.
    Text,
    /// After an ESC in such a string.
    TextEnds,
}

impl Line {
    /// Whether it is at the beginning of a line that nothing from before bears on.
    pub(super) fn rests(&self) -> bool {
        let empty = self.text.is_empty() && self.cells.is_none();
        empty && self.escape == Escape::None && !self.returned && !self.cut
    }

    /// Takes decoded text; appends to `out` what is finished.
    pub(super) fn feed(&mut self, mut text: &str, out: &mut String) {
        while let Some(first) = text.chars().next() {
            let plain = if self.escape == Escape::None && !self.returned && self.cells.is_none() {
                text.bytes().position(|byte| !matches!(byte, b' '..=b'~' | b'\t'))
            } else {
                Some(0)
            };
            let (run, rest) = text.split_at(plain.unwrap_or(text.len()));
            if run.is_empty() {
                self.character(first, out);
                text = &text[first.len_utf8()..];
            } else {
                self.text.push_str(run);
                text = rest;
            }
            self.cut_if_long(out);
        }
    }

    /// The stream ended: appends the line as it is.
    pub(super) fn finish(&mut self, out: &mut String) {
        if std::mem::take(&mut self.escape) == Escape::Begun {
            self.show_code('\u{1b}');
        }
        self.returned = false;
        self.settle();
        out.push_str(&std::mem::take(&mut self.text));
        self.cut = false;
    }

    /// Ends the line, unless it has nothing on it.
    pub(super) fn end_if_begun(&mut self, out: &mut String) {
        let cut = self.cut;
        let before = out.len();
        self.finish(out);
        if cut || out.len() > before {
            out.push('\n');
        }
    }

    fn character(&mut self, char: char, out: &mut String) {
        match (self.escape, char) {
            (Escape::None, _) => self.plain(char, out),
            (Escape::Begun, '[') => self.escape = Escape::Control { number: 0 },
            (Escape::Begun, ']' | 'P' | 'X' | '^' | '_') => self.escape = Escape::Text,
            (Escape::Begun | Escape::Charset, ' '..='/') => self.escape = Escape::Charset,
            (Escape::Begun | Escape::Charset, '0'..='~') => self.escape = Escape::None,
            (Escape::Begun, _) => {
                self.escape = Escape::None;
                self.show_code('\u{1b}');
                self.plain(char, out);
            }
            (Escape::Control { number }, '0'..='9') => {
                let digit = u32::from(char).saturating_sub(u32::from('0')) as u16;
                let number = number.saturating_mul(10).saturating_add(digit);
                self.escape = Escape::Control { number };
            }
            (Escape::Control { .. }, ' '..='?') => {}
            (Escape::Control { number }, '@'..='~') => {
                self.escape = Escape::None;
                self.control(char, number);
            }
            (Escape::Text, '\u{1b}') => self.escape = Escape::TextEnds,
            (Escape::TextEnds, '\\') | (Escape::Text, '\u{7}' | '\u{18}' | '\u{1a}') => {
                self.escape = Escape::None;
            }
            // An unfinished string must not swallow all that follows: it ends with its line.
            (Escape::Text, '\n') => {
                self.escape = Escape::None;
                self.plain(char, out);
            }
            (Escape::Text, _) => {}
            (Escape::TextEnds, _) => {
                self.escape = Escape::Begun;
                self.character(char, out);
            }
            (Escape::Charset | Escape::Control { .. }, _) => {
                self.escape = Escape::None;
                self.plain(char, out);
            }
        }
    }

    fn plain(&mut self, char: char, out: &mut String) {
        if self.returned && !matches!(char, '\n' | '\r') {
            self.returned = false;
            if self.cut {
                self.end_if_begun(out);
            }
            self.cells().cursor = 0;
        }
        match char {
            '\n' => {
                self.returned = false;
                self.settle();
                out.push_str(&self.text);
                out.push('\n');
                self.text.clear();
                self.cut = false;
            }
            '\r' => self.returned = true,
            '\u{8}' => {
                let cells = self.cells();
                cells.cursor = cells.cursor.saturating_sub(1);
            }
            '\u{1b}' => self.escape = Escape::Begun,
            '\t' => self.put('\t'),
            '\u{200c}' | '\u{200d}' if self.joins() => self.put(char),
            _ if is_hidden(char) => self.show_code(char),
            _ => self.put(char),
        }
    }

    /// The few sequences that programs draw one line with; the others only go.
    fn control(&mut self, name: char, number: u16) {
        let number = usize::from(number);
        match (name, number) {
            ('K', 0) => {
                if let Some(cells) = &mut self.cells {
                    cells.erase_right();
                }
            }
            ('K', 2) => {
                self.text.clear();
                self.cells = None;
            }
            ('D', _) => {
                let cells = self.cells();
                cells.cursor = cells.cursor.saturating_sub(number.max(1));
            }
            ('G', _) => {
                let cells = self.cells();
                cells.cursor = cells.cursor.min(number.max(1) - 1);
            }
            _ => {}
        }
    }

    fn put(&mut self, char: char) {
        match &mut self.cells {
            Some(cells) => cells.put(char),
            None => self.text.push(char),
        }
    }

    fn show_code(&mut self, char: char) {
        for shown in super::shown::code(char).chars() {
            self.put(shown);
        }
    }

    /// Whether a joiner has something before it that it belongs to, as in emoji and Persian.
    fn joins(&self) -> bool {
        let before = match &self.cells {
            Some(cells) => cells.before(),
            None => self.text.chars().next_back(),
        };
        before
            .is_some_and(|char| !char.is_ascii() && !matches!(char, '\u{200c}' | '\u{200d}' | '⟩'))
    }

    fn cells(&mut self) -> &mut Cells {
        self.cells.get_or_insert_with(|| {
            let mut cells = Cells::default();
            std::mem::take(&mut self.text).chars().for_each(|char| cells.put(char));
            cells
        })
    }

    fn settle(&mut self) {
        if let Some(cells) = self.cells.take() {
            cells.write(&mut self.text);
        }
    }

    fn cut_if_long(&mut self, out: &mut String) {
        let size = self.text.len()
            + self.cells.as_ref().map_or(0, |cells| cells.size.max(cells.cells.len()));
        if size > LONGEST {
            self.settle();
            out.push_str(&self.text);
            self.text.clear();
            self.cut = true;
        }
    }
}

/// Columns of a line, so that writing over some of them costs no more than writing.
#[derive(Debug, Default)]
struct Cells {
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
    fn put(&mut self, char: char) {
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
    fn before(&self) -> Option<char> {
        let cell = &self.cells[self.owner(self.cursor)?];
        cell.marks.chars().next_back().or(cell.char)
    }

    fn erase_right(&mut self) {
        self.split(self.cursor);
        self.size -= size(&self.cells[self.cursor..]);
        self.cells.truncate(self.cursor);
    }

    fn write(&self, out: &mut String) {
        for cell in &self.cells {
            out.extend(cell.char);
            out.push_str(&cell.marks);
        }
    }
}

/// Controls, and characters that show nothing or turn the reading order.
pub(super) fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
