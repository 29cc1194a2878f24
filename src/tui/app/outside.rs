//! Pages of transcripts outside of memory: in a file without a name, which only this program can open and
//! which is gone with it, however it ends. What cannot be written stays in memory, and nothing is lost.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::task::JoinSet;

use super::{Remember, work::Memory};
use crate::{
    kernel::id::SessionId,
    tui::{cell::Cell, message::Came, state::transcript::cells::PAGE},
};

/// What the screen keeps elsewhere.
pub(super) struct Kept {
    pub(super) sizes: Memory,
    pub(super) pages: Outside,
}

impl Kept {
    pub(super) fn of(remember: Remember, cache: Option<PathBuf>) -> Self {
        Self { sizes: Memory::of(remember), pages: Outside::in_folder(cache) }
    }
}

/// Of which transcript, and the how many-eth.
type Page = (SessionId, usize);

/// The pages of all transcripts. Work on the file is done one after the other, beside the loop.
#[derive(Clone)]
pub(super) struct Outside {
    /// Held for no longer than it takes to move a page, so the loop may wait for it.
    leaving: Arc<Mutex<Leaving>>,
    kept: Arc<Mutex<Spilled>>,
    /// How many words were looked for so far in each session.
    finds: Arc<Mutex<BTreeMap<SessionId, usize>>>,
}

/// What is to be written.
#[derive(Default)]
struct Leaving {
    pages: BTreeMap<Page, Vec<Cell>>,
    /// Whether somebody writes them.
    writing: bool,
}

struct Spilled {
    folder: Option<PathBuf>,
    file: Option<File>,
    /// Where the next page goes.
    end: u64,
    places: BTreeMap<Page, Place>,
    /// Those that could not be written.
    unwritten: BTreeMap<Page, Vec<Cell>>,
}

#[derive(Clone, Copy)]
struct Place {
    at: u64,
    len: usize,
}

impl Outside {
    /// In a folder, which is made when it is needed; where there is none, among the files of the system that
    /// nobody misses.
    pub(super) fn in_folder(folder: Option<PathBuf>) -> Self {
        let (places, unwritten) = (BTreeMap::new(), BTreeMap::new());
        let kept = Spilled { folder, file: None, end: 0, places, unwritten };
        Self { leaving: Arc::default(), kept: Arc::new(Mutex::new(kept)), finds: Arc::default() }
    }

    /// Takes a page.
    pub(super) fn put(
        &self,
        work: &mut JoinSet<Came>,
        session: SessionId,
        page: usize,
        cells: Vec<Cell>,
    ) {
        let mut leaving = lock(&self.leaving);
        leaving.pages.insert((session, page), cells);
        if std::mem::replace(&mut leaving.writing, true) {
            return;
        }
        let outside = self.clone();
        work.spawn_blocking(move || {
            outside.write();
            Came::Nothing
        });
    }

    /// Writes all there is to be written.
    fn write(&self) {
        loop {
            // First, so that nobody finds a page nowhere.
            let mut kept = lock(&self.kept);
            let mut leaving = lock(&self.leaving);
            let Some((page, cells)) = leaving.pages.pop_first() else {
                leaving.writing = false;
                return;
            };
            drop(leaving);
            kept.write(page, cells);
        }
    }

    /// Reads a page back.
    pub(super) fn read(&self, work: &mut JoinSet<Came>, session: SessionId, page: usize) {
        let outside = self.clone();
        work.spawn_blocking(move || {
            let read = outside.page((session, page)).map_err(|error| error.to_string());
            Came::Back(session, page, read)
        });
    }

    /// Looks for a word in these pages. Whoever looks for another one in that session waits for nothing of
    /// it any more.
    pub(super) fn find(
        &self,
        work: &mut JoinSet<Came>,
        session: SessionId,
        word: String,
        pages: Vec<usize>,
    ) {
        let outside = self.clone();
        let mut finds = lock(&self.finds);
        let count = finds.entry(session).or_default();
        *count += 1;
        let turn = *count;
        drop(finds);
        work.spawn_blocking(move || {
            let mut found = Vec::new();
            for page in pages {
                if lock(&outside.finds).get(&session) != Some(&turn) {
                    return Came::Nothing;
                }
                match outside.page((session, page)) {
                    Ok(cells) => {
                        let cells = (page * PAGE..).zip(&cells);
                        let holding = cells.filter(|(_, cell)| cell.body.holds(&word));
                        found.extend(holding.map(|(at, _)| at));
                    }
                    Err(error) => tracing::error!(%error, page, "a page cannot be looked through"),
                }
            }
            Came::FoundOutside(session, word, found)
        });
    }

    fn page(&self, page: Page) -> io::Result<Vec<Cell>> {
        let kept = lock(&self.kept);
        if let Some(cells) = lock(&self.leaving).pages.get(&page) {
            return Ok(cells.clone());
        }
        kept.read(page)
    }
}

impl Spilled {
    fn write(&mut self, page: Page, cells: Vec<Cell>) {
        match self.written(&cells) {
            Ok(place) => {
                self.places.insert(page, place);
                self.unwritten.remove(&page);
            }
            Err(error) => {
                if self.unwritten.is_empty() {
                    tracing::warn!(%error, "a part of a transcript stays in memory");
                }
                self.places.remove(&page);
                self.unwritten.insert(page, cells);
            }
        }
    }

    fn written(&mut self, cells: &[Cell]) -> io::Result<Place> {
        let bytes = serde_json::to_vec(cells)?;
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(unnamed(self.folder.as_deref())?),
        };
        // What a failure leaves there is written over.
        file.write_all_at(&bytes, self.end)?;
        let place = Place { at: self.end, len: bytes.len() };
        self.end += place.len as u64;
        Ok(place)
    }

    fn read(&self, page: Page) -> io::Result<Vec<Cell>> {
        if let Some(cells) = self.unwritten.get(&page) {
            return Ok(cells.clone());
        }
        let place = self.places.get(&page).zip(self.file.as_ref());
        let (place, file) = place.ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = vec![0; place.len];
        file.read_exact_at(&mut bytes, place.at)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

fn unnamed(folder: Option<&Path>) -> io::Result<File> {
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            tempfile::tempfile_in(folder)
        }
        None => tempfile::tempfile(),
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::tui::cell::Body;

    fn cells(page: usize) -> Vec<Cell> {
        let text = |at: usize| format!("part {at} of page {page} \u{1b}[31m \u{e9}\n");
        let cell = |at| Cell::new(Body::Text { text: text(at), live: false, inside: None });
        (0..PAGE).map(cell).collect()
    }

    async fn came(work: &mut JoinSet<Came>) -> Came {
        loop {
            let came = work.join_next().await.expect("something was asked").unwrap();
            if !matches!(came, Came::Nothing) {
                return came;
            }
        }
    }

    /// Puts pages there, and reads each of them back at once and once more.
    async fn comes_back(outside: &Outside) {
        let mut work = JoinSet::new();
        for _ in 0..2 {
            for page in 0..50 {
                outside.put(&mut work, 1.into(), page, cells(page));
                outside.read(&mut work, 1.into(), page);
                let Came::Back(session, at, read) = came(&mut work).await else {
                    panic!("no page")
                };
                assert_eq!((session, at, read), (1.into(), page, Ok(cells(page))));
            }
        }
        outside.read(&mut work, 2.into(), 0);
        let Came::Back(_, _, Err(why)) = came(&mut work).await else { panic!("it is another's") };
        assert!(!why.is_empty());
    }

    #[tokio::test]
    async fn a_page_comes_back_as_it_was_also_while_it_is_written_and_no_file_has_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("made/when/needed");
        comes_back(&Outside::in_folder(Some(place.clone()))).await;
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn what_cannot_be_written_stays_in_memory() {
        let file = tempfile::NamedTempFile::new().unwrap();
        comes_back(&Outside::in_folder(Some(file.path().join("below a file")))).await;
    }

    #[tokio::test]
    async fn a_word_is_looked_for_in_the_pages_that_are_named_alone() {
        let folder = tempfile::tempdir().unwrap();
        let outside = Outside::in_folder(Some(folder.path().to_owned()));
        let mut work = JoinSet::new();
        for page in 0..9 {
            outside.put(&mut work, 1.into(), page, cells(page));
        }
        outside.find(&mut work, 1.into(), "PART 7 of".to_lowercase(), vec![2, 5]);
        let Came::FoundOutside(_, word, found) = came(&mut work).await else { panic!("no word") };
        assert_eq!((&*word, found), ("part 7 of", vec![2 * PAGE + 7, 5 * PAGE + 7]));
    }
}
