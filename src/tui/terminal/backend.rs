//! What stands between the frame and the bytes.

use std::collections::BTreeSet;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Cell, CellWidth};
use ratatui::layout::{Position, Size};
use unicode_width::UnicodeWidthChar;

use super::inline::length;

/// A backend that is told its size and never asks the terminal anything, for the answer would
/// have to be read among the keys.
///
/// Terminals do not agree on how wide joined emoji and flags are, so one may draw them over the
/// cells beside them. A row that holds or held such a character is therefore drawn in full
/// whenever anything in it changes.
///
/// A frame like the one before writes nothing at all, not even where the cursor is.
pub(super) struct Sized<B> {
    inner: B,
    size: Size,
    /// What the terminal was told to show.
    cells: Vec<Cell>,
    cursor: Cursor,
    /// The cells that were written, while somebody wants to know.
    written: Option<Vec<Position>>,
}

/// What the terminal was told of its cursor, where nothing was written since.
#[derive(Default)]
struct Cursor {
    shown: Option<bool>,
    at: Option<Position>,
}

impl<B: Backend> Sized<B> {
    pub(super) fn new(inner: B, size: Size) -> Self {
        let mut backend =
            Self { inner, size, cells: Vec::new(), cursor: Cursor::default(), written: None };
        backend.forget();
        backend
    }

    pub(super) fn set_size(&mut self, size: Size) {
        self.size = size;
        self.forget();
    }

    /// How far something stands in each row.
    pub(super) fn lengths(&self) -> Vec<u16> {
        let rows = (0..self.size.height).map(|y| length(self.row(y).iter()));
        rows.map(|length| u16::try_from(length).unwrap_or(u16::MAX)).collect()
    }

    /// Notes from now on which cells are written, or no longer.
    pub(super) fn note_written(&mut self, note: bool) {
        self.written = note.then(Vec::new);
    }

    /// The cells that were written since it was asked to note them.
    pub(super) fn written(&mut self) -> Vec<Position> {
        self.written.take().unwrap_or_default()
    }

    /// Writes these rows again, as they are.
    pub(super) fn draw_again(&mut self, rows: BTreeSet<u16>) -> Result<(), B::Error> {
        let height = self.size.height;
        rows.into_iter().filter(|y| *y < height).try_for_each(|y| self.draw_row(y))
    }

    fn forget(&mut self) {
        let count = usize::from(self.size.width) * usize::from(self.size.height);
        self.cells = vec![Cell::EMPTY; count];
        self.cursor = Cursor::default();
    }

    fn row(&self, y: u16) -> &[Cell] {
        let width = usize::from(self.size.width);
        self.cells.get(usize::from(y) * width..(usize::from(y) + 1) * width).unwrap_or_default()
    }

    fn at(&mut self, x: u16, y: u16) -> Option<&mut Cell> {
        let width = usize::from(self.size.width);
        (x < self.size.width).then_some(())?;
        self.cells.get_mut(usize::from(y) * width + usize::from(x))
    }

    fn draw_row(&mut self, y: u16) -> Result<(), B::Error> {
        let width = self.size.width;
        if let Some(written) = &mut self.written {
            written.extend((0..width).map(|x| Position { x, y }));
        }
        self.inner.set_cursor_position(Position { x: 0, y })?;
        self.inner.clear_region(ClearType::UntilNewLine)?;
        let mut covered = 0;
        let row: Vec<(u16, u16, Cell)> = (0..)
            .zip(self.row(y))
            .filter(|(x, cell)| {
                let stands = *x >= covered;
                if stands {
                    covered = x + cell.cell_width().max(1);
                }
                stands
            })
            .map(|(x, cell)| (x, y, cell.clone()))
            .collect();
        self.inner.draw(row.iter().map(|(x, y, cell)| (*x, *y, cell)))
    }
}

/// Whether terminals may disagree on the width of this cell.
fn disputed(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    if symbol.is_ascii() || symbol.chars().nth(1).is_none() {
        return false;
    }
    let apart = symbol.chars().filter_map(UnicodeWidthChar::width).sum::<usize>();
    // The letters of a flag are drawn as one, side by side, or each as a wide one.
    apart != usize::from(cell.cell_width())
        || symbol.contains(|c| matches!(c, '\u{1f1e6}'..='\u{1f1ff}'))
}

impl<B: Backend> Backend for Sized<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), B::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let content: Vec<_> = content.collect();
        if content.is_empty() {
            return Ok(());
        }
        self.cursor.at = None;
        if let Some(written) = &mut self.written {
            written.extend(content.iter().map(|(x, y, _)| Position { x: *x, y: *y }));
        }
        let touched: BTreeSet<u16> = content.iter().map(|(_, y, _)| *y).collect();
        let held = |backend: &Self, y: &u16| backend.row(*y).iter().any(disputed);
        let mut in_full: BTreeSet<u16> =
            touched.iter().filter(|y| held(self, y)).copied().collect();
        for (x, y, cell) in &content {
            // A wide character covers the cells behind it.
            for covered in 1..cell.cell_width() {
                if let Some(known) = self.at(x + covered, *y) {
                    known.reset();
                }
            }
            if let Some(known) = self.at(*x, *y) {
                known.clone_from(cell);
            }
        }
        in_full.extend(touched.iter().filter(|y| held(self, y)));
        self.inner.draw(content.into_iter().filter(|(_, y, _)| !in_full.contains(y)))?;
        in_full.into_iter().try_for_each(|y| self.draw_row(y))
    }

    fn hide_cursor(&mut self) -> Result<(), B::Error> {
        if self.cursor.shown.replace(false) == Some(false) {
            return Ok(());
        }
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), B::Error> {
        if self.cursor.shown.replace(true) == Some(true) {
            return Ok(());
        }
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, B::Error> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), B::Error> {
        let position = position.into();
        if self.cursor.at.replace(position) == Some(position) {
            return Ok(());
        }
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), B::Error> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), B::Error> {
        self.forget();
        self.inner.clear_region(region)
    }

    fn size(&self) -> Result<Size, B::Error> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> Result<WindowSize, B::Error> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::ZERO })
    }

    fn flush(&mut self) -> Result<(), B::Error> {
        self.inner.flush()
    }
}
