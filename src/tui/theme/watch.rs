//! A theme file that is watched while someone edits it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Depth, Theme, ThemeError};

/// An editor writes a file in several steps; the theme is read when none came for this long.
const QUIET: Duration = Duration::from_millis(40);

/// Steps after which a file that never rests is read all the same.
const PATIENCE: usize = 50;

/// Watches while it lives.
#[derive(Debug)]
pub struct Watch {
    _watcher: RecommendedWatcher,
}

/// Calls `changed` with the theme after each edit of `file`, or with what is wrong with it; the
/// caller goes on with the theme it has. The folder is what is watched, for editors replace files
/// by new ones. A file that is gone for a moment is no edit.
pub fn watch(
    file: &Path,
    depth: Depth,
    mut changed: impl FnMut(Result<Theme, ThemeError>) + Send + 'static,
) -> Result<Watch, ThemeError> {
    // Its bare name: the line that says what is wrong is short, and the person knows the folder.
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let failed = |what: String| ThemeError {
        file: name.clone(),
        line: 1,
        what,
        hint: "changes show after the next start".to_owned(),
    };
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
    let (path, called) = (file.to_owned(), name.clone());
    let mut last = fs::read_to_string(file).ok();
    thread::Builder::new()
        .name("theme".to_owned())
        .spawn(move || {
            while settled(&told) {
                if let Some(source) = read_new(&path, &mut last) {
                    changed(Theme::parse(&called, &source, depth));
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
