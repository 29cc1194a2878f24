//! A small file of the person's that is watched while they edit it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// An editor writes a file in several steps; it is read when none came for this long.
const QUIET: Duration = Duration::from_millis(40);

/// Steps after which a file that never rests is read all the same.
const PATIENCE: usize = 50;

/// Edits are not seen; the next start sees them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} is not watched: {what}; changes show after the next start")]
pub struct WatchError {
    file: String,
    what: String,
}

/// Watches while it lives.
#[derive(Debug)]
pub struct Watch {
    _watcher: RecommendedWatcher,
}

/// Calls `changed` with what the file says after each edit of it. The folder is what is watched, for
/// editors replace files by new ones; it has to be there, the file need not. A file that is gone for a
/// moment is no edit.
pub fn watch(
    file: &Path,
    mut changed: impl FnMut(&str) + Send + 'static,
) -> Result<Watch, WatchError> {
    // Its bare name: the line that says what is wrong is short, and the person knows the folder.
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let failed = |what: String| WatchError { file: name.clone(), what };
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (tell, told) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading the file is itself an event, and must not cause the next reading.
        if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
            // Nobody listens once the watch ends.
            let _ = tell.send(());
        }
    })
    .map_err(|error| failed(error.to_string()))?;
    watcher
        .watch(folder, RecursiveMode::NonRecursive)
        .map_err(|error| failed(error.to_string()))?;
    let path = file.to_owned();
    let mut last = fs::read_to_string(file).ok();
    thread::Builder::new()
        .name("watch".to_owned())
        .spawn(move || {
            while settled(&told) {
                if let Some(source) = read_new(&path, &mut last) {
                    changed(&source);
                }
            }
        })
        .map_err(|error| failed(error.to_string()))?;
    Ok(Watch { _watcher: watcher })
}

/// Waits for an event and then for rest; false when the watch has ended.
fn settled(told: &Receiver<()>) -> bool {
    if told.recv().is_err() {
        return false;
    }
    for _ in 0..PATIENCE {
        match told.recv_timeout(QUIET) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// What the file says, if that is anything new.
fn read_new(path: &PathBuf, last: &mut Option<String>) -> Option<String> {
    let source = fs::read_to_string(path).ok()?;
    // An empty file is one that is just being written.
    if source.is_empty() || last.as_ref() == Some(&source) {
        return None;
    }
    *last = Some(source.clone());
    Some(source)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn each_edit_of_a_file_is_told_and_so_is_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        let (tell, told) = channel();
        let watch = watch(&file, move |source| tell.send(source.to_owned()).unwrap()).unwrap();
        let next = || told.recv_timeout(Duration::from_mins(5)).expect("an edit is told");

        fs::write(&file, "one").unwrap();
        assert_eq!(next(), "one");
        fs::write(&file, "two").unwrap();
        assert_eq!(next(), "two");

        // As editors do it: a new file moved over the old one.
        let new = folder.path().join(".mine.toml.new");
        fs::write(&new, "moved").unwrap();
        fs::rename(&new, &file).unwrap();
        assert_eq!(next(), "moved");

        drop(watch);
        let over = told.recv_timeout(Duration::from_mins(5));
        assert_eq!(over, Err(RecvTimeoutError::Disconnected), "the thread ends with it");
    }
}
