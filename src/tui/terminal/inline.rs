//! A few rows that are ours, in a terminal whose other rows stay its own: what is over goes into its
//! scrollback above them. Where on the window they are nobody has to know, for all moves are counted
//! from the row in which the cursor stands.

use std::io;

use ratatui::{
    backend::{Backend, CrosstermBackend},
    buffer::{Buffer, Cell, CellWidth},
};

/// The rows that are ours.
#[derive(Debug, Default)]
pub(super) struct Inline {
    rows: u16,
    /// Where the cursor stands in them.
    row: u16,
    column: u16,
    /// How wide the window was when they were drawn, and how much of each row something stands in.
    width: u16,
    lengths: Vec<u16>,
    /// Whether the terminal breaks rows anew when it gets narrower.
    pub(super) reflows: bool,
}

impl Inline {
    pub(super) fn new(reflows: bool) -> Self {
        Self { reflows, ..Self::default() }
    }

    pub(super) fn rows(&self) -> u16 {
        self.rows
    }

    /// Nothing is ours any more; what follows begins where the cursor is.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.reflows);
    }

    /// Takes them to the end of what is printed above them, and so many of them; they are empty then.
    pub(super) fn begin(&mut self, out: &mut Vec<u8>, above: &Buffer, rows: u16) -> io::Result<()> {
        self.top(out);
        out.extend_from_slice(b"\x1b[J");
        for y in above.area.top()..above.area.bottom() {
            out.extend(printed(above, y)?);
            out.extend_from_slice(b"\r\n");
        }
        // Where there is no room below, this moves what is above into the scrollback.
        out.extend(b"\r\n".repeat(usize::from(rows.saturating_sub(1))));
        up(out, rows.saturating_sub(1));
        (self.rows, self.row, self.column) = (rows, 0, 0);
        self.lengths.clear();
        Ok(())
    }

    /// A frame that was drawn for a whole window of that many rows, for where these are.
    pub(super) fn place(&mut self, page: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(page.len() + 16);
        let mut rest = page;
        let mut moved = true;
        while let Some(at) = rest.windows(2).position(|two| two == b"\x1b[") {
            let (text, sequence) = rest.split_at(at);
            moved &= text.is_empty();
            out.extend_from_slice(text);
            let last = sequence[2..].iter().position(|byte| (0x40..0x7f).contains(byte));
            let Some(end) = last.map(|last| last + 3) else {
                rest = sequence;
                break;
            };
            let (sequence, behind) = sequence.split_at(end);
            match (&sequence[2..end - 1], sequence[end - 1]) {
                (place, b'H') => {
                    let (row, column) = numbers(place);
                    self.go(&mut out, row, column);
                    moved = true;
                }
                (b"2", b'J') => {
                    self.top(&mut out);
                    out.extend_from_slice(b"\x1b[J");
                    moved = true;
                }
                _ => out.extend_from_slice(sequence),
            }
            rest = behind;
        }
        moved &= rest.is_empty();
        out.extend_from_slice(rest);
        if !moved {
            self.go(&mut out, self.row, 0);
        }
        out
    }

    /// The rows were drawn at this width, and so much of each has something in it.
    pub(super) fn drawn(&mut self, width: u16, lengths: Vec<u16>) {
        (self.width, self.lengths) = (width, lengths);
    }

    /// The window has another width since they were drawn: where the cursor stands now.
    pub(super) fn resized(&mut self, width: u16) {
        if self.reflows && (1..self.width).contains(&width) {
            let above = self.lengths.iter().take(usize::from(self.row));
            let rows: u16 = above.map(|length| (*length).max(1).div_ceil(width)).sum();
            self.row = rows + self.column / width;
        }
    }

    /// What takes them away, with the cursor where they began.
    pub(super) fn parting(&self) -> Vec<u8> {
        let mut out = b"\r".to_vec();
        up(&mut out, self.row);
        out.extend_from_slice(b"\x1b[J");
        out
    }

    fn top(&mut self, out: &mut Vec<u8>) {
        out.push(b'\r');
        up(out, self.row);
        (self.row, self.column) = (0, 0);
    }

    fn go(&mut self, out: &mut Vec<u8>, row: u16, column: u16) {
        let row = row.min(self.rows.saturating_sub(1));
        up(out, self.row.saturating_sub(row));
        match row.saturating_sub(self.row) {
            0 => {}
            down => out.extend(format!("\x1b[{down}B").into_bytes()),
        }
        out.extend(format!("\x1b[{}G", u32::from(column) + 1).into_bytes());
        (self.row, self.column) = (row, column);
    }
}

fn up(out: &mut Vec<u8>, rows: u16) {
    if rows > 0 {
        out.extend(format!("\x1b[{rows}A").into_bytes());
    }
}

/// `row;column`, counted from 1 there and from 0 here.
fn numbers(place: &[u8]) -> (u16, u16) {
    let text = String::from_utf8_lossy(place);
    let mut numbers = text.split(';').map(|number| number.parse::<u16>().unwrap_or(1));
    let mut next = || numbers.next().unwrap_or(1).saturating_sub(1);
    (next(), next())
}

/// A row for good, without the blanks at its end.
fn printed(rows: &Buffer, y: u16) -> io::Result<Vec<u8>> {
    let cells: Vec<(u16, &Cell)> = (rows.area.left()..rows.area.right())
        .filter_map(|x| Some((x, rows.cell((x, y))?)))
        .collect();
    let length = length(cells.iter().map(|(_, cell)| *cell));
    let mut covered = 0;
    let stands = cells.into_iter().take(length).filter(|(x, cell)| {
        let stands = *x >= covered;
        if stands {
            covered = x + cell.cell_width().max(1);
        }
        stands
    });
    let mut page = Vec::new();
    CrosstermBackend::new(&mut page).draw(stands.map(|(x, cell)| (x, 0, cell)))?;
    Ok(Inline { rows: 1, ..Inline::default() }.line(&page))
}

impl Inline {
    fn line(mut self, page: &[u8]) -> Vec<u8> {
        self.place(page)
    }
}

/// How far something stands in a row.
pub(super) fn length<'a>(
    cells: impl DoubleEndedIterator<Item = &'a Cell> + ExactSizeIterator,
) -> usize {
    let count = cells.len();
    let blank = cells.rev().take_while(|cell| **cell == Cell::EMPTY).count();
    count - blank
}

#[cfg(test)]
mod tests;
