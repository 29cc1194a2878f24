//! A small file of the person's that is watched while they edit it.

use std::{
    fs,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// An editor writes a file in several steps; it is read when none came for this long.
const QUIET: Duration = Duration::from_millis(40);

/// Steps after which a file that never rests is read all the same.
const PATIENCE: usize = 50;

/// As much of a file is compared.
const LONGEST: u64 = 2 << 20;

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
    _watcher: Arc<Mutex<RecommendedWatcher>>,
}

/// Calls `changed` with what the file says after each edit of it. The folder is what is watched, for
/// editors replace files by new ones; it has to be there, the file need not. A file that is gone for a
/// moment is no edit.
pub fn watch(
    file: &Path,
    mut changed: impl FnMut(&str) + Send + 'static,
) -> Result<Watch, WatchError> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let eyes = Eyes::new(file, |_| true)?;
    eyes.at(folder)?;
    let path = file.to_owned();
    let mut last = fs::read_to_string(file).ok();
    eyes.each_time(move |_| {
        if let Some(source) = read_new(&path, &mut last) {
            changed(&source);
        }
    })
}

/// Calls `changed` each time that the file is another than it was. It is one of a folder in `top`, which has to be
/// there; the folder need not. A file that is gone or cannot be read is another as well.
pub fn follow(
    top: &Path,
    file: &Path,
    mut changed: impl FnMut() + Send + 'static,
) -> Result<Watch, WatchError> {
    let folder = file.parent().unwrap_or(top).to_owned();
    let (around, own, path) = (top.to_owned(), folder.clone(), file.to_owned());
    // Of what happens beside the folder nothing counts, and there may be much of it.
    let eyes = Eyes::new(file, move |path| path.parent() != Some(&*around) || *path == *own)?;
    eyes.at(top)?;
    let mut seen = Vec::new();
    let mut look = move |gaze: &Gaze| {
        // Either may be there only now, or be another by now; and the file may be a link.
        let real = path.canonicalize().ok();
        let places = [Some(&*folder), real.as_deref().and_then(Path::parent)];
        let places: Vec<_> = places.into_iter().flatten().filter_map(placed).collect();
        for place in places.iter().filter(|place| !seen.contains(*place)) {
            gaze.at(&place.0);
        }
        seen = places;
        bytes(&path).map_err(|error| error.kind())
    };
    let mut last = look(&eyes.gaze());
    eyes.each_time(move |gaze| {
        let now = look(gaze);
        if now != last {
            last = now;
            changed();
        }
    })
}

/// A folder, and which one it is.
fn placed(folder: &Path) -> Option<(PathBuf, u64, u64)> {
    let found = folder.metadata().ok()?;
    Some((folder.to_owned(), found.dev(), found.ino()))
}

/// What stands in a file, as far as it is compared. No pipe or device is opened.
fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Sees what happens in folders.
struct Eyes {
    /// The file's bare name: the line that says what is wrong is short, and the person knows the folder.
    name: String,
    watcher: Arc<Mutex<RecommendedWatcher>>,
    told: Receiver<()>,
}

/// Has folders looked at, for as long as somebody watches.
struct Gaze(Weak<Mutex<RecommendedWatcher>>);

impl Gaze {
    fn at(&self, folder: &Path) {
        if let Some(watcher) = self.0.upgrade()
            && let Err(error) = begin(&watcher, folder)
        {
            tracing::debug!(%error, folder = %folder.display(), "a folder is not watched");
        }
    }
}

fn begin(watcher: &Mutex<RecommendedWatcher>, folder: &Path) -> notify::Result<()> {
    let mut watcher = watcher.lock().unwrap_or_else(PoisonError::into_inner);
    watcher.watch(folder, RecursiveMode::NonRecursive)
}

impl Eyes {
    /// For that file; only what happens at places that count is told.
    fn new(
        file: &Path,
        counts: impl Fn(&Path) -> bool + Send + 'static,
    ) -> Result<Self, WatchError> {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        let (tell, told) = channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading the file is itself an event, and must not cause the next reading.
            let is_edit = |event: notify::Event| {
                !matches!(event.kind, EventKind::Access(_))
                    && (event.paths.is_empty() || event.paths.iter().any(|path| counts(path)))
            };
            if event.is_ok_and(is_edit) {
                // Nobody listens once the watch ends.
                let _ = tell.send(());
            }
        });
        match watcher {
            Ok(watcher) => Ok(Self { name, watcher: Arc::new(Mutex::new(watcher)), told }),
            Err(error) => Err(WatchError { file: name, what: error.to_string() }),
        }
    }

    fn at(&self, folder: &Path) -> Result<(), WatchError> {
        begin(&self.watcher, folder).map_err(|error| self.failed(&error))
    }

    fn gaze(&self) -> Gaze {
        Gaze(Arc::downgrade(&self.watcher))
    }

    fn failed(&self, why: &dyn std::fmt::Display) -> WatchError {
        WatchError { file: self.name.clone(), what: why.to_string() }
    }

    /// Does `step` each time something has happened and is at rest, in a thread of its own.
    fn each_time(self, mut step: impl FnMut(&Gaze) + Send + 'static) -> Result<Watch, WatchError> {
        let gaze = self.gaze();
        let Self { name, watcher, told } = self;
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                while settled(&told) {
                    step(&gaze);
                }
            })
            .map_err(|error| WatchError { file: name, what: error.to_string() })?;
        Ok(Watch { _watcher: watcher })
    }
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

    #[test]
    fn a_file_is_followed_before_its_folder_is_there_and_after_another_took_its_place() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (folder, elsewhere) = (top.join(".own"), top.join("elsewhere"));
        let file = folder.join("rules.toml");
        let (tell, told) = channel();
        let seen = file.clone();
        let changed = move || tell.send(fs::read_to_string(&seen).ok()).unwrap();
        let watch = follow(&top, &file, changed).unwrap();
        // Steps in between may be seen as well.
        let until = |text: Option<&str>| {
            let next = || told.recv_timeout(Duration::from_secs(20)).expect("a change is told");
            while next().as_deref() != text {}
        };
        let fill = |text: &str| {
            fs::create_dir(&folder).unwrap();
            fs::write(&file, text).unwrap();
        };
        fill("one");
        until(Some("one"));
        fs::write(&file, "two").unwrap();
        until(Some("two"));
        fs::remove_dir_all(&folder).unwrap();
        until(None);
        fill("three");
        until(Some("three"));
        fs::rename(&folder, top.join("away")).unwrap();
        until(None);

        // A link into another folder, and an edit there.
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("real.toml"), "four").unwrap();
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(elsewhere.join("real.toml"), &file).unwrap();
        until(Some("four"));
        fs::write(elsewhere.join("real.toml"), "five").unwrap();
        until(Some("five"));

        drop(watch);
        assert!(told.recv_timeout(Duration::from_secs(20)).is_err(), "the thread ends with it");
    }
}
