//! The file that is looked at, and the list from which one is chosen.

use std::{cell::RefCell, path::PathBuf, sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;

use super::{Popup, compared::Compared, draft::Draft};
use crate::{
    kernel::id::SessionId,
    tui::{
        file::{Fault, Mark, Page, Read},
        files::{Found, Name},
        highlight::Colours,
        keymap::Move,
        sheet::{Index, Shape},
        state::waiting::{Compare, Sheet},
    },
};

/// How often it is looked whether the file is still the same.
const LOOKS: Duration = Duration::from_secs(2);

/// Lines that are surely enough for any screen.
const SCREEN: u64 = 300;

/// Fewer lines above the view are not enough for a page up.
const ABOVE: u64 = 100;

/// Both of them.
#[derive(Clone, Debug, Default)]
pub struct Viewer {
    pub choice: Choice,
    pub file: Option<Viewed>,
    /// Something is read of a file, and is to be left when none is looked at.
    pub reads: bool,
}

/// The list.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The session whose folder it is about.
    pub root: PathBuf,
    pub words: Draft,
    /// Those that fit.
    pub found: Found,
    /// Where there are only these to choose from.
    pub given: Option<Vec<PathBuf>>,
    /// The words that were asked for last.
    pub asked: Option<String>,
    /// What was open before.
    pub under: Option<Popup>,
}

impl Choice {
    /// The file of a row.
    pub fn path(&self, row: usize) -> Option<PathBuf> {
        let name = self.found.names.get(row)?;
        Some(self.root.join(name.real()))
    }

    /// The given files that fit the words.
    pub fn sift(&mut self) {
        let Some(given) = &self.given else { return };
        let words = self.words.text().to_lowercase();
        let name = |path: &PathBuf| {
            let path = path.strip_prefix(&self.root).unwrap_or(path);
            Name::of(path)
        };
        let fits = |name: &Name| {
            words.split_whitespace().all(|word| name.path.to_lowercase().contains(word))
        };
        let names: Vec<Name> = given.iter().map(name).filter(fits).collect();
        self.found = Found { fit: names.len(), names, cut: false };
    }
}

/// How a file is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// As it is now.
    #[default]
    Now,
    /// What was changed in it last.
    Change(Compare),
}

/// What is being typed.
#[derive(Clone, Debug)]
pub enum Field {
    /// A word that is looked for.
    Word(Draft),
    /// The number of a line.
    Line(Draft),
}

impl Field {
    pub fn draft(&mut self) -> &mut Draft {
        match self {
            Self::Word(draft) | Self::Line(draft) => draft,
        }
    }
}

/// The places of a word.
#[derive(Clone, Debug, Default)]
pub struct Seek {
    pub word: String,
    /// Absent while they are looked for.
    pub lines: Option<Vec<u64>>,
    pub looks: bool,
    pub more: bool,
    pub at: usize,
}

/// Which file it is, and how it was come to.
#[derive(Clone, Debug)]
pub struct Whose {
    /// The folder that is worked in, and the file.
    pub root: PathBuf,
    pub path: PathBuf,
    pub session: SessionId,
    pub under: Option<Popup>,
}

/// A file that is looked at.
#[derive(Clone, Debug)]
pub struct Viewed {
    pub of: Whose,
    pub page: Option<Page>,
    pub fault: Option<Fault>,
    /// How many lines it has, once they were counted.
    pub count: Option<u64>,
    colours: Vec<Colours>,
    /// The line at the top, and the row of it.
    pub top: (u64, usize),
    /// A line that is marked.
    pub line: Option<u64>,
    pub field: Option<Field>,
    pub seek: Seek,
    pub side: Side,
    /// What was changed in it last through the gate.
    pub change: Option<Compared>,
    /// When it was seen to be another one than before.
    pub changed: Option<Timestamp>,
    pub asked: Asked,
    laid: RefCell<Option<Laid>>,
}

/// The lines that were read, as they are laid out in a shape.
type Laid = (Shape, Arc<Sheet>, Arc<Index>);

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The line around which lines were asked for; nothing is on its way for another one.
    pub page: Option<u64>,
    rest: bool,
    pub compare: bool,
    /// When to look at it again.
    pub look: Option<Instant>,
    /// The view is to stand at the end, and that this was asked for.
    pub last: bool,
    pub sent: bool,
}

impl Viewed {
    /// A file, with that line (from 0) in sight, before anything of it was read.
    pub fn of(of: Whose, line: Option<u64>) -> Self {
        Self {
            of,
            page: None,
            fault: None,
            count: None,
            colours: Vec::new(),
            top: (line.unwrap_or(0).saturating_sub(5), 0),
            line,
            field: None,
            seek: Seek::default(),
            side: Side::Now,
            change: None,
            changed: None,
            asked: Asked::default(),
            laid: RefCell::default(),
        }
    }

    /// The file that is known.
    pub fn mark(&self) -> Option<Mark> {
        match (&self.page, &self.fault) {
            (_, Some(Fault::Binary(mark))) => Some(*mark),
            (_, Some(_)) => None,
            (page, None) => page.as_ref().map(|page| page.mark),
        }
    }

    /// The line around which lines are to be read now, if any are.
    pub fn wants(&self) -> Option<u64> {
        let line = self.top.0;
        if self.page.as_ref().is_some_and(|page| !page.counted && line >= page.first) {
            return None;
        }
        let near = self.fault.is_none()
            && self.page.as_ref().is_some_and(|page| {
                let end = page.first + page.lines.len() as u64;
                let above = page.first == 0 || page.first + ABOVE <= line;
                above && (page.ends || line + SCREEN <= end)
            });
        // What was asked for around that line is all there is of it.
        match self.asked.page {
            None => Some(line),
            Some(asked) => (!near && asked != line).then_some(line),
        }
    }

    /// Something of it came.
    pub fn came(&mut self, read: Read, now: Timestamp) {
        match read {
            Read::Page(Ok(page)) => {
                if self.mark().is_some_and(|known| known != page.mark) {
                    self.again(now);
                    self.asked.page = Some(self.top.0);
                }
                // What else is to be known of it is that of this file, and is asked for now.
                self.asked.rest |= self.mark() != Some(page.mark);
                self.asked.sent = false;
                if std::mem::take(&mut self.asked.last) {
                    self.top = (page.first + page.lines.len().saturating_sub(1) as u64, 0);
                    self.asked.page = Some(self.top.0);
                }
                if page.ends {
                    let end = page.first + page.lines.len() as u64;
                    self.top.0 = self.top.0.min(end.saturating_sub(1));
                    self.count = if page.counted { Some(end) } else { self.count };
                }
                (self.page, self.fault) = (Some(page), None);
                self.laid.take();
                self.number();
            }
            Read::Page(Err(fault)) => {
                (self.page, self.fault, self.count) = (None, Some(fault), None);
                (self.asked.last, self.asked.sent) = (false, false);
            }
            Read::Count(mark, lines) if Some(mark) == self.mark() => {
                self.count = Some(lines);
                self.number();
            }
            Read::Colours(mark, colours) if Some(mark) == self.mark() => {
                self.colours = colours;
                self.laid.take();
            }
            Read::Count(..) | Read::Colours(..) => {}
            Read::Found { word, lines, more } if word == self.seek.word => {
                let next = lines.partition_point(|line| *line < self.top.0);
                self.seek.at = if next < lines.len() { next } else { 0 };
                (self.seek.lines, self.seek.more, self.seek.looks) = (Some(lines), more, false);
            }
            Read::Found { .. } => {}
            Read::Other => self.again(now),
        }
    }

    /// Gives the lines at the end their numbers, once it is known how many there are.
    fn number(&mut self) {
        let page = self.page.as_mut().filter(|page| !page.counted);
        let (Some(page), Some(count)) = (page, self.count) else { return };
        let first = count.saturating_sub(page.lines.len() as u64);
        if let Some(below) = self.top.0.checked_sub(page.first) {
            self.top.0 = first + below;
            self.asked.page = Some(self.top.0);
        }
        (page.first, page.counted) = (first, true);
        self.laid.take();
    }

    /// It is another one now: all of it is read again.
    fn again(&mut self, now: Timestamp) {
        (self.changed, self.count) = (Some(now), None);
        self.colours.clear();
        self.asked =
            Asked { look: self.asked.look, compare: self.asked.compare, ..Asked::default() };
        (self.seek.lines, self.seek.looks) = (None, false);
    }

    /// Whether what its lines do not tell is to be read now: not before they are there, since it counts
    /// for that file alone.
    pub fn wants_rest(&mut self) -> bool {
        std::mem::take(&mut self.asked.rest)
    }

    /// Whether it is time to look whether it is the same; from then on it is looked at again later.
    pub fn looks(&mut self, now: Instant) -> bool {
        let due = *self.asked.look.get_or_insert(now + LOOKS) <= now;
        if due {
            self.asked.look = Some(now + LOOKS);
        }
        due
    }

    /// Its lines that were read, as they are laid out.
    pub fn laid(&self, width: usize) -> Option<(Arc<Sheet>, Arc<Index>)> {
        let page = self.page.as_ref()?;
        let shape = Shape { width: width.max(1), compare: Compare::Unified };
        let mut laid = self.laid.borrow_mut();
        if laid.as_ref().is_none_or(|(known, ..)| *known != shape) {
            let first = usize::try_from(page.first).unwrap_or(usize::MAX / 2);
            let colours = self.colours.iter().skip(first).cloned();
            let colours = colours.chain(std::iter::repeat(Vec::new()));
            let sheet = Arc::new(match page.counted {
                true => Sheet::Code(first, page.lines.iter().cloned().zip(colours).collect()),
                false => Sheet::Text(page.lines.clone()),
            });
            let index = Arc::new(Index::of(&sheet, shape));
            *laid = Some((shape, sheet, index));
        }
        laid.as_ref().map(|(_, sheet, index)| (sheet.clone(), index.clone()))
    }

    /// The first row in sight of those that are laid out; nothing where the line at the top is not among
    /// them.
    pub fn first(&self, index: &Index, height: usize) -> Option<usize> {
        let page = self.page.as_ref()?;
        let line = usize::try_from(self.top.0.checked_sub(page.first)?).ok()?;
        if line >= page.lines.len().max(1) {
            return None;
        }
        let row = index.row(line) + self.top.1;
        let last = if page.ends { index.total().saturating_sub(height) } else { index.total() };
        Some(row.min(last))
    }

    /// Moves the view, in which so many rows fit. Whether it was to the end, which has to be read.
    pub fn scroll(&mut self, by: Move, height: usize) {
        let laid = self.laid.get_mut().as_ref().map(|(_, _, index)| index.clone());
        let page = height.saturating_sub(2).max(1);
        let (Some(index), Some(read)) = (laid, &self.page) else { return };
        let (first, ends) = (read.first, read.ends);
        let Some(at) = self.first(&index, height) else { return };
        let to = match by {
            Move::Home => {
                self.top = (0, 0);
                return;
            }
            Move::End if !ends => {
                self.asked.last = true;
                return;
            }
            Move::End => index.total(),
            Move::Up | Move::PreviousCell => at.saturating_sub(1),
            Move::Down | Move::NextCell => at + 1,
            Move::PageUp => at.saturating_sub(page),
            Move::PageDown => at + page,
        };
        let (line, row) = index.spot(to.min(index.total().saturating_sub(1)));
        self.top = (first + line as u64, row);
        // As far as there is something below.
        if let Some(at) = self.first(&index, height) {
            let (line, row) = index.spot(at);
            self.top = (first + line as u64, row);
        }
    }

    /// Brings a line into sight, some way below the top.
    pub fn go(&mut self, line: u64, height: usize) {
        let shown = self.top.0..self.top.0 + (height as u64).saturating_sub(1).max(1);
        self.line = Some(line);
        self.side = Side::Now;
        if !shown.contains(&line) {
            self.top = (line.saturating_sub(height as u64 / 3), 0);
        }
    }

    /// Where a person looks now, as a line from 0.
    pub fn here(&self) -> u64 {
        match (self.side, &self.change) {
            (Side::Change(_), Some(change)) => change.line().unwrap_or(self.top.0),
            (Side::Now | Side::Change(_), _) => {
                let sight = self.top.0..self.top.0 + SCREEN / 6;
                self.line.filter(|line| sight.contains(line)).unwrap_or(self.top.0)
            }
        }
    }
}

#[cfg(test)]
mod tests;
