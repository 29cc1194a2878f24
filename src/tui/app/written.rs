//! What somebody is writing, outside of the screen: files that could be named, and drafts on the disk.

use std::path::{Path, PathBuf};

use tokio::task::JoinSet;

use crate::{
    config::draft,
    kernel::id::SessionId,
    tui::{files::Finder, message::Came, state::Leave},
};

/// The longest draft that is read back, in bytes.
const LONGEST: u64 = 16 << 20;

/// What goes on for somebody who writes.
pub(super) struct Writing {
    finder: Finder,
    /// Where drafts are kept; nowhere if there is none.
    folder: Option<PathBuf>,
}

impl Writing {
    pub(super) fn in_folder(folder: Option<PathBuf>) -> Self {
        Self { finder: Finder::default(), folder }
    }

    /// Looks for files by words.
    pub(super) fn find(&self, work: &mut JoinSet<Came>, root: PathBuf, words: String) {
        let (finder, turn) = (self.finder.clone(), self.finder.turn());
        work.spawn_blocking(move || {
            let found = finder.find(turn, &root, &words);
            // Where something else was asked for since, nobody waits for this.
            found.map_or(Came::Nothing, |found| Came::Files(words, found))
        });
    }

    /// The draft of a session, if one was kept.
    pub(super) fn read(&self, work: &mut JoinSet<Came>, session: SessionId) {
        let Some(file) = self.file(session) else { return };
        work.spawn_blocking(move || {
            let small = std::fs::metadata(&file).is_ok_and(|meta| meta.len() <= LONGEST);
            let text = small.then(|| std::fs::read_to_string(&file).ok()).flatten();
            text.map_or(Came::Nothing, |text| Came::Draft(session, text))
        });
    }

    /// Keeps a draft, whole or as it was before: at once where the screen is left, since nobody would
    /// wait for it then. An empty one needs no file.
    pub(super) fn keep(
        &self,
        work: &mut JoinSet<Came>,
        leave: Option<Leave>,
        session: SessionId,
        text: String,
    ) {
        let Some(file) = self.file(session) else { return };
        let keep = move || {
            if let Err(error) = write(&file, &text) {
                tracing::warn!(%error, %session, "a draft was not kept");
            }
            Came::Nothing
        };
        match leave {
            Some(_) => drop(keep()),
            None => drop(work.spawn_blocking(keep)),
        }
    }

    /// Where the draft of a session is kept.
    pub(super) fn file(&self, session: SessionId) -> Option<PathBuf> {
        Some(draft(self.folder.as_ref()?, session))
    }
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    if text.is_empty() {
        return match std::fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        };
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let new = tempfile::NamedTempFile::new_in(folder)?;
    std::fs::write(new.path(), text)?;
    new.persist(file).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[tokio::test]
    async fn a_draft_comes_back_as_it_was_and_an_empty_one_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("drafts");
        let writing = Writing::in_folder(Some(folder.clone()));
        let mut work = JoinSet::new();
        let mut came = async |text: Option<&str>| {
            if let Some(text) = text {
                writing.keep(&mut work, Some(Leave::Quit), 1.into(), text.to_owned());
            }
            writing.read(&mut work, 1.into());
            let came = work.join_next().await.unwrap().unwrap();
            if let Came::Draft(_, text) = came { Some(text) } else { None }
        };
        assert_eq!(came(None).await, None);
        let text = "half\na thought é";
        assert_eq!(came(Some(text)).await.as_deref(), Some(text));
        assert_eq!(came(Some("")).await, None);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
}
