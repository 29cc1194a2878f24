//! The last lines of a terminal: what is written over them, and what they look like in the end.

use std::collections::VecDeque;

use super::row::Row;

/// A line longer than this is handed on in parts, which nothing overwrites any more.
const LONGEST: usize = 16 << 10;
/// So many lines above the cursor can still be written over: more than a terminal has rows, and
/// what draws several bars draws them in sight.
const ABOVE: usize = 100;
/// And so much in all of them.
const ABOVE_SIZE: usize = 32 << 10;

#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Lines above the cursor that can still change, and what they cost to keep.
    above: VecDeque<Row>,
    above_size: usize,
    /// The line with the cursor.
    row: Row,
    /// Lines below it, after the cursor went up.
    below: VecDeque<Row>,
    escape: Escape,
    /// A carriage return came; what follows decides whether it ends the line.
    returned: bool,
    /// The beginning of the line with the cursor was handed on, and so is all above it.
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

impl Rows {
    /// Whether it is at the beginning of a line that nothing from before bears on.
    pub(super) fn rests(&self) -> bool {
        let last = self.below.is_empty() && self.row.is_new();
        last && self.escape == Escape::None && !self.returned && !self.cut
    }

    /// Takes whole lines that stay as they are, at the beginning of a line.
    pub(super) fn whole(&mut self, lines: &str, out: &mut String) {
        let body = lines.strip_suffix('\n').unwrap_or(lines);
        let starts = memchr::memrchr_iter(b'\n', body.as_bytes()).map(|at| at + 1).chain([0]);
        let mut kept = lines.len();
        for start in starts.take(ABOVE) {
            if lines.len() - start > ABOVE_SIZE || kept - start > LONGEST + 1 {
                break;
            }
            kept = start;
        }
        let (passed, kept) = lines.split_at(kept);
        if !passed.is_empty() {
            self.hand_on_above(out);
            out.push_str(passed);
        }
        for line in kept.split_terminator('\n') {
            self.row = Row::of(line);
            self.end_row(out);
        }
    }

    /// Takes decoded text; appends to `out` what is finished.
    pub(super) fn feed(&mut self, mut text: &str, out: &mut String) {
        while let Some(first) = text.chars().next() {
            let plain = if self.escape == Escape::None && !self.returned && self.row.is_plain() {
                text.bytes().position(|byte| !matches!(byte, b' '..=b'~' | b'\t'))
            } else {
                Some(0)
            };
            let (run, rest) = text.split_at(plain.unwrap_or(text.len()));
            if run.is_empty() {
                self.character(first, out);
                text = &text[first.len_utf8()..];
            } else {
                self.row.push_str(run);
                text = rest;
            }
            self.cut_if_long(out);
        }
    }

    /// The stream ended: appends the lines as they are.
    pub(super) fn finish(&mut self, out: &mut String) {
        if std::mem::take(&mut self.escape) == Escape::Begun {
            self.show_code('\u{1b}');
        }
        self.returned = false;
        self.cut = false;
        self.hand_on_above(out);
        self.row.hand_on(out);
        for mut row in std::mem::take(&mut self.below) {
            out.push('\n');
            row.hand_on(out);
        }
    }

    /// Ends the lines, the last one with a line end unless it has nothing on it.
    pub(super) fn end_if_begun(&mut self, out: &mut String) {
        let (cut, before) = (self.cut, out.len());
        self.finish(out);
        if cut || (out.len() > before && !out.ends_with('\n')) {
            out.push('\n');
        }
    }

    fn character(&mut self, char: char, out: &mut String) {
        match (self.escape, char) {
            (Escape::None, _) => self.plain(char, out),
            (Escape::Begun, '[') => self.escape = Escape::Control { number: 0 },
            (Escape::Begun, ']' | 'P' | 'X' | '^' | '_') => self.escape = Escape::Text,
            (Escape::Begun | Escape::Charset, ' '..='/') => self.escape = Escape::Charset,
            (Escape::Begun, 'M') => {
                self.escape = Escape::None;
                self.up(1);
            }
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
                self.control(char, number, out);
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
                self.end_cut(out);
            }
            self.row.cells().go(0);
        }
        match char {
            '\n' => self.down(out),
            '\r' => self.returned = true,
            '\u{8}' => {
                let cells = self.row.cells();
                cells.go(cells.cursor().saturating_sub(1));
            }
            '\u{1b}' => self.escape = Escape::Begun,
            '\t' => self.row.put('\t'),
            '\u{200c}' | '\u{200d}' if self.joins() => self.row.put(char),
            _ if is_hidden(char) => self.show_code(char),
            _ => self.row.put(char),
        }
    }

    /// The few sequences that programs draw lines with; the others only go.
    fn control(&mut self, name: char, number: u16, out: &mut String) {
        let number = usize::from(number);
        let times = number.max(1);
        match (name, number) {
            ('K', 0) => self.row.erase_right(),
            ('K', 2) => self.row.erase(),
            ('J', 0) => {
                self.row.erase_right();
                self.below.clear();
            }
            ('A', _) => self.up(times),
            ('F', _) => {
                self.up(times);
                self.returned = true;
            }
            ('B' | 'E', _) => {
                let column = if name == 'B' { self.column() } else { 0 };
                for _ in 0..times.min(self.below.len()) {
                    self.down(out);
                }
                self.go(column);
            }
            ('D', _) => {
                let cells = self.row.cells();
                cells.go(cells.cursor().saturating_sub(times));
            }
            ('G', _) => {
                let cells = self.row.cells();
                cells.go(cells.cursor().min(times - 1));
            }
            _ => {}
        }
    }

    fn column(&mut self) -> usize {
        self.row.cells().cursor()
    }

    /// Puts the cursor into that column of its line, or behind the last one: lines grow by what is
    /// written on them, and by nothing else.
    fn go(&mut self, column: usize) {
        self.returned = column == 0;
        if column > 0 {
            self.row.cells().go(column);
        }
    }

    /// The cursor goes up, as far as there are lines that can still change.
    fn up(&mut self, times: usize) {
        let times = times.min(self.above.len());
        if times == 0 {
            return;
        }
        let column = self.column();
        for _ in 0..times {
            let Some(row) = self.above.pop_back() else { break };
            self.above_size -= cost(&row);
            self.below.push_front(std::mem::replace(&mut self.row, row));
        }
        self.go(column);
    }

    /// The cursor goes to the beginning of the next line, which is a new one below the last.
    fn down(&mut self, out: &mut String) {
        let next = self.below.pop_front();
        self.returned = next.is_some();
        self.end_row(out);
        self.row = next.unwrap_or_default();
    }

    /// The line with the cursor is now above it.
    fn end_row(&mut self, out: &mut String) {
        if self.cut {
            return self.end_cut(out);
        }
        let row = std::mem::take(&mut self.row);
        self.above_size += cost(&row);
        self.above.push_back(row);
        while self.above.len() > ABOVE || self.above_size > ABOVE_SIZE {
            self.hand_on_first(out);
        }
    }

    fn hand_on_above(&mut self, out: &mut String) {
        while !self.above.is_empty() {
            self.hand_on_first(out);
        }
    }

    fn hand_on_first(&mut self, out: &mut String) {
        if let Some(mut row) = self.above.pop_front() {
            self.above_size -= cost(&row);
            row.hand_on(out);
            out.push('\n');
        }
    }

    fn cut_if_long(&mut self, out: &mut String) {
        if self.row.size() > LONGEST {
            self.hand_on_above(out);
            self.row.hand_on(out);
            self.cut = true;
        }
    }

    /// Ends a line whose beginning was handed on.
    fn end_cut(&mut self, out: &mut String) {
        self.cut = false;
        self.row.hand_on(out);
        out.push('\n');
    }

    fn show_code(&mut self, char: char) {
        super::shown::code(char).chars().for_each(|shown| self.row.put(shown));
    }

    /// Whether a joiner has something before it that it belongs to, as in emoji and Persian.
    fn joins(&self) -> bool {
        let joiner = |char| matches!(char, '\u{200c}' | '\u{200d}' | '⟩');
        self.row.before().is_some_and(|char| !char.is_ascii() && !joiner(char))
    }
}

/// What a line costs to keep, with its end.
fn cost(row: &Row) -> usize {
    row.size() + 1
}

/// Controls, and characters that show nothing or turn the reading order.
pub(super) fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{10eeee}')
}
