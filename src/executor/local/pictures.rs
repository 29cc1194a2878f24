//! The pictures that a run made: those it hands over itself, and those that lie where it could write
//! when it has ended. Nothing is believed of them but their bytes.

use std::{
    collections::BTreeSet,
    fs::{DirEntry, File, Metadata},
    os::{fd::OwnedFd, unix::fs::FileExt as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use rustix::fs::{Mode, OFlags, openat};

use super::{folders::Scratch, workspace::hold_folder};
use crate::{
    executor::bridge::MOST_PICTURES,
    kernel::{
        picture::{Enclosed, Format, MOST_BYTES, PictureId},
        port::{Job, Level, Program},
    },
};

/// Names that are looked at in one folder, and in all folders of a run.
const MOST_NAMES: usize = 2000;
/// Folders within the scratch folder.
const DEEPEST: usize = 3;
/// Bytes of all pictures of one run.
const MOST_OF_ALL: u64 = 2 * MOST_BYTES;

/// Where to look when a run has ended.
pub(super) struct Places {
    /// When its folder was made ready, as a file system tells the time.
    began: Option<SystemTime>,
    scratch: PathBuf,
    /// The folder it runs in, if it can write there.
    cwd: Option<PathBuf>,
    /// Files that it was told of by name, in folders it can write.
    named: Vec<PathBuf>,
}

impl Places {
    /// Those of a run that is about to begin.
    pub(super) fn of(job: &Job, scratch: &Path) -> Self {
        let sealed = job.bounds.level == Level::Sealed && job.bounds.writes.is_empty();
        let named = match &job.what {
            // What it writes it tells itself.
            Program::Python { .. } => Vec::new(),
            Program::Argv(_) if sealed => Vec::new(),
            Program::Argv(argv) => {
                let words = argv.iter().skip(1).map(|word| {
                    let value = word.strip_prefix("--").and_then(|word| word.split_once('='));
                    value.map_or(word.as_str(), |(_, value)| value)
                });
                let pictures = words.filter(|word| Format::of_name(word).is_some());
                pictures.take(MOST_PICTURES).map(|word| real(&job.cwd).join(word)).collect()
            }
        };
        Self {
            began: scratch.metadata().and_then(|about| about.modified()).ok(),
            scratch: real(scratch),
            cwd: (!sealed).then(|| real(&job.cwd)),
            named,
        }
    }

    /// The pictures of a run that has ended, each once, the ones that it handed over first; its folder
    /// is removed then.
    pub(super) async fn look(
        self,
        given: Vec<(String, OwnedFd)>,
        scratch: Scratch,
    ) -> Vec<Enclosed> {
        let looked = tokio::task::spawn_blocking(move || {
            let pictures = self.found(given);
            drop(scratch);
            pictures
        });
        // Lost with the program alone.
        looked.await.unwrap_or_default()
    }

    fn found(self, given: Vec<(String, OwnedFd)>) -> Vec<Enclosed> {
        let mut found = Found::default();
        for (name, file) in given {
            found.take(&name, &File::from(file), |_| true);
        }
        let (mut names, mut own) = (Vec::new(), Vec::new());
        below(&self.scratch, DEEPEST, &mut own);
        if let Some(cwd) = &self.cwd {
            below(cwd, 0, &mut names);
        }
        names.extend(self.named);
        // All in its own folder is its own, whatever time was set on it.
        let own = own.into_iter().map(|path| (path, true));
        for (path, own) in own.chain(names.into_iter().map(|path| (path, false))) {
            let since = |about: &Metadata| {
                let at = about.modified().ok();
                own || at.zip(self.began).is_some_and(|(at, began)| at >= began)
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(file) = open(&path) {
                found.take(&name, &file, since);
            }
        }
        found.all
    }
}

/// Where it really is: what becomes a link later is not followed.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[derive(Default)]
struct Found {
    all: Vec<Enclosed>,
    known: BTreeSet<PictureId>,
    bytes: u64,
}

impl Found {
    fn take(&mut self, name: &str, file: &File, wanted: impl Fn(&Metadata) -> bool) {
        if self.all.len() == MOST_PICTURES {
            return;
        }
        // What is no plain file may have no end, or none to give.
        let Ok(about) = file.metadata() else { return };
        if !about.is_file() || !wanted(&about) || self.bytes + about.len() > MOST_OF_ALL {
            return;
        }
        let Some(bytes) = read(file, about.len()) else { return };
        self.bytes += about.len();
        match Enclosed::of(bytes, name) {
            Ok(picture) if self.known.insert(picture.picture.id) => self.all.push(picture),
            Ok(_) => {}
            Err(fault) => tracing::debug!(%fault, "a file of a run is not shown"),
        }
    }
}

/// So much of a file, wherever its own position is.
fn read(file: &File, length: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length.min(MOST_BYTES + 1)).ok()?];
    let mut got = 0;
    while got < bytes.len() {
        match file.read_at(&mut bytes[got..], got as u64) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    bytes.truncate(got);
    Some(bytes)
}

/// Opens what has this name, if it is no link; nor is any folder of it followed that became one.
fn open(path: &Path) -> Option<File> {
    let folder = hold_folder(path.parent()?).ok()?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    openat(folder, path.file_name()?, flags, Mode::empty()).ok().map(File::from)
}

/// The names in a folder that pictures have, and in the folders below it. Hidden ones are none that
/// somebody is to see.
fn below(folder: &Path, deepest: usize, names: &mut Vec<PathBuf>) {
    let mut left = MOST_NAMES;
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut entries: Vec<DirEntry> = entries.flatten().take(left).collect();
        left -= entries.len();
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let (Some(text), Ok(kind)) = (name.to_str(), entry.file_type()) else { continue };
            if text.starts_with('.') {
                continue;
            }
            if kind.is_dir() && depth < deepest {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file() && Format::of_name(text).is_some() {
                names.push(entry.path());
            }
        }
    }
}
