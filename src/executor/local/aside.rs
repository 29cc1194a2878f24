//! What a run made that others would obey, without having asked for it: put aside when it has
//! ended, by the host. What a person's yes made is left where it is.

use std::{
    collections::BTreeSet,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use rustix::fs::CWD;

use super::workspace::hold_folder;
use crate::{
    executor::seal::{Change, Obeyed},
    kernel::{
        obeyed::is_obeyed,
        port::{Aside, Job, Level},
    },
};

/// Places that were approved: written through the gate, asked for by name, or made by a run that is
/// not bounded. One run may call another, and several sessions share a folder, so all of this
/// process know them.
static APPROVED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Says that what is obeyed of this path is there because somebody agreed.
pub(super) fn approve(path: &Path) {
    let obeyed = path.ancestors().filter(|path| path.file_name().is_some_and(is_obeyed));
    let environment = path.parent().filter(|_| path.ends_with("pyvenv.cfg"));
    approved(|all| all.extend(obeyed.chain(environment).map(Path::to_owned)));
}

fn approved<T>(with: impl FnOnce(&mut BTreeSet<PathBuf>) -> T) -> T {
    with(&mut APPROVED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Looks at the folders of a run before and after it. Dropped, it does at once what is to be done
/// at the end, so that a run that is cut off leaves no more than another.
pub(super) struct Watch {
    before: Option<Obeyed>,
    level: Level,
    workspace: PathBuf,
    /// What appears below these was asked for.
    asked: Vec<PathBuf>,
    /// Where to put things.
    folder: PathBuf,
}

impl Watch {
    /// Begins with what there is.
    pub(super) fn begin(job: &Job, before: Obeyed) -> Self {
        // Two paths may lead to one place, and what is not there yet has only its own.
        approved(|all| all.extend(job.bounds.writes.iter().cloned()));
        let workspace = job.workspace.canonicalize().unwrap_or_else(|_| job.workspace.clone());
        let folder = job.spool.aside();
        let asked = if job.bounds.keeps { job.bounds.writes.clone() } else { Vec::new() };
        Self { before: Some(before), level: job.bounds.level, workspace, asked, folder }
    }

    /// Puts aside what appeared, once nothing of the run is left.
    pub(super) async fn end(mut self) -> Vec<Aside> {
        let ended = tokio::task::spawn_blocking(move || self.put_aside());
        // Lost with the program alone.
        ended.await.unwrap_or_default()
    }

    fn put_aside(&mut self) -> Vec<Aside> {
        let changes = self.before.take().map(|before| before.changes()).unwrap_or_default();
        match self.level {
            Level::Sealed | Level::Workspace => (1..)
                .zip(changes)
                .filter_map(|(number, change)| self.undo(number, change))
                .collect(),
            Level::Open => {
                for change in changes {
                    let (Change::Appeared(path) | Change::Replaced(path, _)) = change;
                    approved(|all| all.insert(path));
                }
                Vec::new()
            }
        }
    }

    fn undo(&self, number: usize, change: Change) -> Option<Aside> {
        let (Change::Appeared(path) | Change::Replaced(path, _)) = &change;
        let asked = self.asked.iter().any(|asked| path.starts_with(asked));
        if asked || approved(|all| all.contains(path)) {
            return None;
        }
        let there = path.symlink_metadata().is_ok();
        let folder = hold_folder(path.parent()?).inspect_err(|error| {
            tracing::warn!(%error, path = %path.display(), "what a run left could not be reached");
        });
        let now = folder.as_ref().ok().filter(|_| there);
        let now = now.and_then(|folder| self.moved(number, path, folder));
        if let (Change::Replaced(_, target), Ok(folder)) = (&change, &folder)
            && let Err(error) = rustix::fs::symlinkat(target, folder, path.file_name()?)
        {
            // Only over nothing: what could not be moved stays.
            tracing::warn!(%error, path = %path.display(), "a link could not be put back");
        }
        let was = path.strip_prefix(&self.workspace).unwrap_or(path).to_owned();
        there.then_some(Aside { was, now })
    }

    /// Into the folder, or where that is on another disk, to a name beside it that nobody obeys. The
    /// number makes a name its own where several have the same.
    fn moved(&self, number: usize, path: &Path, holding: &OwnedFd) -> Option<PathBuf> {
        let there = path.file_name()?;
        let name = there.to_string_lossy().into_owned();
        let free = |folder: &Path, name: &str| {
            let names = [name.to_owned(), format!("{name}.{number}")];
            names
                .into_iter()
                .map(|name| folder.join(name))
                .find(|place| place.symlink_metadata().is_err())
        };
        let away = || -> io::Result<PathBuf> {
            std::fs::create_dir_all(&self.folder)?;
            let place = free(&self.folder, &name).ok_or(io::ErrorKind::AlreadyExists)?;
            rustix::fs::renameat(holding, there, CWD, &place)?;
            Ok(place)
        };
        let beside = || -> io::Result<PathBuf> {
            let place = path.parent().and_then(|folder| free(folder, &format!("{name}.aside")));
            let place = place.ok_or(io::ErrorKind::AlreadyExists)?;
            let new = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            rustix::fs::renameat(holding, there, holding, new)?;
            Ok(place)
        };
        let moved = away().or_else(|_| beside());
        if let Err(error) = &moved {
            tracing::warn!(%error, path = %path.display(), "what a run left could not be put aside");
        }
        moved.ok()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.put_aside();
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn watch(work: &Path, level: Level, folder: PathBuf) -> Watch {
        let before = Some(Obeyed::look(&[work.to_owned()]));
        Watch { before, level, workspace: work.to_owned(), asked: Vec::new(), folder }
    }

    #[test]
    fn a_link_that_was_replaced_leads_again_where_it_did() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().canonicalize().unwrap();
        let work = top.join("work");
        fs::create_dir_all(work.join("real")).unwrap();
        symlink("real", work.join(".venv")).unwrap();
        for replaced in [false, true] {
            let mut watch = watch(&work, Level::Workspace, top.join("aside"));
            fs::remove_file(work.join(".venv")).unwrap();
            if replaced {
                fs::create_dir(work.join(".venv")).unwrap();
            }
            let now = replaced.then(|| top.join("aside/.venv"));
            let expected = now.map(|now| Aside { was: ".venv".into(), now: Some(now) });
            assert_eq!(watch.put_aside(), Vec::from_iter(expected));
            assert_eq!(fs::read_link(work.join(".venv")).unwrap(), Path::new("real"));
        }
    }

    #[test]
    fn what_another_run_put_in_the_way_leads_to_nobody_else_s_places() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().canonicalize().unwrap();
        let (work, home) = (top.join("work"), top.join("home"));
        fs::create_dir_all(work.join("sub")).unwrap();
        fs::create_dir_all(home.join(".git")).unwrap();
        let watch = watch(&work, Level::Workspace, top.join("aside"));
        fs::remove_dir(work.join("sub")).unwrap();
        symlink(&home, work.join("sub")).unwrap();
        for change in [
            Change::Appeared(work.join("sub/.git")),
            Change::Replaced(work.join("sub/.venv"), "/".into()),
        ] {
            assert_eq!(watch.undo(1, change).and_then(|aside| aside.now), None);
        }
        assert!(home.join(".git").is_dir() && !home.join(".venv").is_symlink());
    }

    #[test]
    fn where_there_is_no_folder_to_put_it_a_thing_gets_a_name_that_nobody_obeys() {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().canonicalize().unwrap();
        fs::write(work.join("file"), "").unwrap();
        let mut watch = watch(&work, Level::Sealed, work.join("file/below"));
        fs::create_dir(work.join(".git")).unwrap();
        fs::write(work.join(".git.aside"), "in the way").unwrap();
        let expected = Aside { was: ".git".into(), now: Some(work.join(".git.aside.1")) };
        assert_eq!(watch.put_aside(), [expected]);
        assert!(!work.join(".git").exists() && work.join(".git.aside.1").is_dir());
    }

    #[test]
    fn what_was_approved_stays() {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().canonicalize().unwrap();
        for (level, made) in [(Level::Workspace, ".github"), (Level::Open, ".idea")] {
            let mut around = watch(&work, Level::Workspace, work.join("aside"));
            let mut watch = watch(&work, level, work.join("aside"));
            fs::create_dir(work.join(made)).unwrap();
            if level == Level::Workspace {
                approve(&work.join(".github/workflows/test.yml"));
            }
            assert_eq!(watch.put_aside(), []);
            // The run around it ends later, and finds it.
            assert_eq!(around.put_aside(), []);
            assert!(work.join(made).is_dir(), "{made}");
        }
    }
}
