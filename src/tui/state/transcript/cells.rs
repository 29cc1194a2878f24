//! The cells of a transcript, in pages. The last ones, those that may still change and those near what
//! is looked at are here. Of the others an outline each is, and the page lies outside until somebody comes
//! near it: so memory follows the screen, however long a session is.
//!
//! A page is not read again from the journal: a cell is made of events that may stand far apart, of
//! names of other sessions, and of what the person folded.

use std::{collections::BTreeSet, ops::Range};

use crate::{
    kernel::picture::Picture,
    tui::cell::{Cell, Kind, Outline},
};

/// Cells of a page.
pub const PAGE: usize = 64;

/// Pages at the end that are always here: what comes changes them.
const LAST: usize = 2;

/// Cells by their number, from 0.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// All but the last are full.
    pages: Vec<Page>,
    /// Those that are here.
    here: BTreeSet<usize>,
}

#[derive(Clone, Debug)]
enum Page {
    Here { cells: Vec<Cell>, outside: Outside },
    Away(Away),
}

/// What lies outside of a page that is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outside {
    Nothing,
    /// The same.
    Same,
}

#[derive(Clone, Debug)]
struct Away {
    outlines: Vec<Outline>,
    /// The pictures of its cells, each with the number of its cell within the page.
    pictures: Vec<(usize, Picture)>,
    wanted: Wanted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    Not,
    /// Somebody is near.
    Asked,
    /// It could not be read back; why.
    Lost(String),
}

/// A cell, wherever it is.
#[derive(Clone, Copy, Debug)]
pub enum Slot<'a> {
    Here(&'a Cell),
    /// Outside; for the first cell of a page that could not be read back, why.
    Away(Outline, Option<&'a str>),
}

/// A page that goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaving {
    pub page: usize,
    /// Its cells, where they do not lie outside already.
    pub cells: Option<Vec<Cell>>,
}

impl Slot<'_> {
    pub fn opens(self) -> bool {
        match self {
            Self::Here(cell) => cell.opens(),
            Self::Away(outline, _) => outline.opens,
        }
    }

    pub fn is_error(self) -> bool {
        match self {
            Self::Here(cell) => cell.body.is_error(),
            Self::Away(outline, _) => outline.is_error,
        }
    }

    pub fn is_change(self) -> bool {
        match self {
            Self::Here(cell) => cell.body.is_change(),
            Self::Away(outline, _) => outline.is_change,
        }
    }
}

impl Cells {
    pub fn len(&self) -> usize {
        match self.pages.len().checked_sub(1) {
            Some(last) => last * PAGE + self.pages[last].len(),
            None => 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Where that cell is; nothing beyond the last one.
    pub fn slot(&self, at: usize) -> Option<Slot<'_>> {
        match self.pages.get(at / PAGE)? {
            Page::Here { cells, .. } => cells.get(at % PAGE).map(Slot::Here),
            Page::Away(away) => {
                let why = match &away.wanted {
                    Wanted::Lost(why) if at.is_multiple_of(PAGE) => Some(why.as_str()),
                    Wanted::Lost(_) | Wanted::Asked | Wanted::Not => None,
                };
                away.outlines.get(at % PAGE).map(|outline| Slot::Away(*outline, why))
            }
        }
    }

    /// That cell, if it is here.
    pub fn get(&self, at: usize) -> Option<&Cell> {
        match self.slot(at)? {
            Slot::Here(cell) => Some(cell),
            Slot::Away(..) => None,
        }
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut Cell> {
        let Page::Here { cells, outside } = self.pages.get_mut(at / PAGE)? else { return None };
        *outside = Outside::Nothing;
        cells.get_mut(at % PAGE)
    }

    /// The same, for what is kept of it beside its content: rows and colours.
    pub fn drawn_mut(&mut self, at: usize) -> Option<&mut Cell> {
        match self.pages.get_mut(at / PAGE)? {
            Page::Here { cells, .. } => cells.get_mut(at % PAGE),
            Page::Away(_) => None,
        }
    }

    /// These cells, if all of them are here.
    pub fn range(&self, range: Range<usize>) -> Option<Vec<&Cell>> {
        range.map(|at| self.get(at)).collect()
    }

    pub fn kind(&self, at: usize) -> Option<Kind> {
        Some(match self.slot(at)? {
            Slot::Here(cell) => cell.body.kind(),
            Slot::Away(outline, _) => outline.kind,
        })
    }

    pub fn last(&self) -> Option<&Cell> {
        self.get(self.len().checked_sub(1)?)
    }

    pub fn last_mut(&mut self) -> Option<&mut Cell> {
        self.get_mut(self.len().checked_sub(1)?)
    }

    /// Gives its number.
    pub fn push(&mut self, cell: Cell) -> usize {
        let at = self.len();
        match self.pages.get_mut(at / PAGE) {
            Some(Page::Here { cells, outside }) => {
                *outside = Outside::Nothing;
                cells.push(cell);
            }
            // A page that went is full, so there is none at this place.
            Some(Page::Away(_)) | None => {
                self.here.insert(self.pages.len());
                self.pages.push(Page::Here { cells: vec![cell], outside: Outside::Nothing });
            }
        }
        at
    }

    /// Takes the last one away again.
    pub fn pop(&mut self) {
        if let Some(Page::Here { cells, .. }) = self.pages.last_mut() {
            cells.pop();
            if cells.is_empty() {
                self.pages.pop();
                self.here.remove(&self.pages.len());
            }
        }
    }

    /// Those that are here, from the first on, each with its number.
    pub fn here(&self) -> impl DoubleEndedIterator<Item = (usize, &Cell)> {
        self.here.iter().flat_map(|page| {
            let cells = match &self.pages[*page] {
                Page::Here { cells, .. } => cells.as_slice(),
                Page::Away(_) => &[],
            };
            cells.iter().enumerate().map(move |(at, cell)| (page * PAGE + at, cell))
        })
    }

    /// The numbers of those that are here.
    pub fn numbers_here(&self) -> Vec<usize> {
        self.here.iter().flat_map(|page| self.of_page(*page)).collect()
    }

    /// The pages that are outside.
    pub fn away(&self) -> impl Iterator<Item = usize> {
        let pages = self.pages.iter().enumerate();
        pages.filter(|(_, page)| matches!(page, Page::Away(_))).map(|(at, _)| at)
    }

    /// Whether one of these is being read back.
    pub fn awaits(&self, range: Range<usize>) -> bool {
        let asked = |page: &Page| matches!(page, Page::Away(Away { wanted: Wanted::Asked, .. }));
        self.pages_of(range).any(|page| self.pages.get(page).is_some_and(asked))
    }

    fn of_page(&self, page: usize) -> Range<usize> {
        let count = self.pages.get(page).map_or(0, Page::len);
        page * PAGE..page * PAGE + count
    }

    fn pages_of(&self, range: Range<usize>) -> Range<usize> {
        let end = range.end.min(self.len());
        if range.start >= end { 0..0 } else { range.start / PAGE..end.div_ceil(PAGE) }
    }

    /// The pages of these cells that are outside and were not asked for yet; they are now.
    pub fn ask(&mut self, near: &[Range<usize>]) -> Vec<usize> {
        let pages: BTreeSet<_> = near.iter().flat_map(|near| self.pages_of(near.clone())).collect();
        let ask = |page: &usize| match self.pages.get_mut(*page) {
            Some(Page::Away(away)) if away.wanted == Wanted::Not => {
                away.wanted = Wanted::Asked;
                true
            }
            Some(Page::Away(_) | Page::Here { .. }) | None => false,
        };
        pages.into_iter().filter(ask).collect()
    }

    /// Lets the pages go that are far from these cells and will not change, from a transcript of that
    /// width. Each is shown to `last` before, with the number of its first cell.
    pub fn leave(
        &mut self,
        near: &[Range<usize>],
        width: usize,
        mut last: impl FnMut(usize, &[Cell]),
    ) -> Vec<Leaving> {
        let free = self.pages.len().saturating_sub(LAST);
        let near: Vec<_> = near.iter().map(|near| self.pages_of(near.clone())).collect();
        let far = |page: &usize| near.iter().all(|near| !near.contains(page));
        let going: Vec<_> = self.here.range(..free).copied().filter(far).collect();
        going.into_iter().filter_map(|page| self.put_away(page, width, &mut last)).collect()
    }

    fn put_away(
        &mut self,
        page: usize,
        width: usize,
        last: &mut impl FnMut(usize, &[Cell]),
    ) -> Option<Leaving> {
        let Page::Here { cells, .. } = self.pages.get(page)? else { return None };
        if !cells.iter().all(Cell::is_over) {
            return None;
        }
        last(page * PAGE, cells);
        let pictures = |(at, cell): (usize, &Cell)| {
            cell.pictures.iter().map(move |picture| (at, picture.clone())).collect::<Vec<_>>()
        };
        let away = Page::Away(Away {
            outlines: cells.iter().map(|cell| cell.outline(width)).collect(),
            pictures: cells.iter().enumerate().flat_map(pictures).collect(),
            wanted: Wanted::Not,
        });
        let Page::Here { cells, outside } = std::mem::replace(&mut self.pages[page], away) else {
            return None;
        };
        self.here.remove(&page);
        Some(Leaving { page, cells: (outside == Outside::Nothing).then_some(cells) })
    }

    /// A page is back, or cannot be had back; why.
    pub fn came(&mut self, page: usize, came: Result<Vec<Cell>, String>) {
        let Some(Page::Away(away)) = self.pages.get_mut(page) else { return };
        match came {
            Ok(mut cells) if cells.len() == away.outlines.len() => {
                let mut outside = Outside::Same;
                // Something may have been pictured since it went.
                for (at, picture) in std::mem::take(&mut away.pictures) {
                    if cells[at].pictures.iter().all(|known| known.id != picture.id) {
                        cells[at].pictures.push(picture);
                        outside = Outside::Nothing;
                    }
                }
                self.pages[page] = Page::Here { cells, outside };
                self.here.insert(page);
            }
            Ok(_) => away.wanted = Wanted::Lost("another part came instead of it".to_owned()),
            Err(why) => away.wanted = Wanted::Lost(why),
        }
    }

    /// The pictures of a cell.
    pub fn pictures(&self, at: usize) -> Vec<&Picture> {
        match self.pages.get(at / PAGE) {
            Some(Page::Here { cells, .. }) => {
                cells.get(at % PAGE).into_iter().flat_map(|cell| &cell.pictures).collect()
            }
            Some(Page::Away(away)) => {
                let of_it = away.pictures.iter().filter(|(of, _)| *of == at % PAGE);
                of_it.map(|(_, picture)| picture).collect()
            }
            None => Vec::new(),
        }
    }

    /// All pictures in order, each with its cell.
    pub fn all_pictures(&self) -> impl DoubleEndedIterator<Item = (usize, &Picture)> {
        self.pages.iter().enumerate().flat_map(|(page, content)| {
            let of: Vec<(usize, &Picture)> = match content {
                Page::Here { cells, .. } => {
                    let cells = cells.iter().enumerate();
                    cells
                        .flat_map(|(at, cell)| cell.pictures.iter().map(move |it| (at, it)))
                        .collect()
                }
                Page::Away(away) => away.pictures.iter().map(|(at, it)| (*at, it)).collect(),
            };
            of.into_iter().map(move |(at, picture)| (page * PAGE + at, picture))
        })
    }

    /// Puts a picture to a cell that does not have it.
    pub fn put_picture(&mut self, at: usize, picture: &Picture) {
        if self.pictures(at).iter().any(|known| known.id == picture.id) {
            return;
        }
        match self.pages.get_mut(at / PAGE) {
            Some(Page::Here { cells, outside }) => {
                if let Some(cell) = cells.get_mut(at % PAGE) {
                    *outside = Outside::Nothing;
                    cell.pictures.push(picture.clone());
                    cell.touch();
                }
            }
            Some(Page::Away(away)) => away.pictures.push((at % PAGE, picture.clone())),
            None => {}
        }
    }
}

impl Page {
    fn len(&self) -> usize {
        match self {
            Self::Here { cells, .. } => cells.len(),
            Self::Away(away) => away.outlines.len(),
        }
    }
}
