//! Folders that are there for as long as this host is, or less; their names say whose they are.

use std::path::{Path, PathBuf};

use super::{cannot, remove};
use crate::kernel::error::CallError;

/// The folder of one run. Dropped, it is removed with all in it.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = remove::folder(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "a scratch folder was left");
        }
    }
}

/// A folder for one run, which goes with it.
pub(super) fn scratch(cache: &Path) -> Result<Scratch, CallError> {
    let runs = cache.join("runs");
    std::fs::create_dir_all(&runs).map_err(|error| cannot("make", &runs, &error))?;
    let prefix = format!("{}-", std::process::id());
    tempfile::Builder::new()
        .prefix(&prefix)
        .tempdir_in(&runs)
        .map(|folder| Scratch(folder.keep()))
        .map_err(|error| cannot("make a folder in", &runs, &error))
}

/// Removes the folders of hosts that are gone: their names are this prefix and a process id.
pub(super) fn sweep(folder: &Path, prefix: &str) {
    for left in of_the_gone(folder, prefix) {
        // What cannot be removed now is tried again by the next host.
        let _ = remove::folder(&left);
    }
}

/// Those folders.
pub(super) fn of_the_gone(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let is_of_the_gone = |entry: &std::fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let owner = name.and_then(|name| name.split_once('-')?.0.parse().ok());
        owner.and_then(rustix::process::Pid::from_raw).is_some_and(|owner| {
            rustix::process::test_kill_process(owner) == Err(rustix::io::Errno::SRCH)
        })
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_of_the_gone).map(|entry| entry.path()).collect()
}
