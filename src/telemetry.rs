//! The log for whoever looks for a fault: one file a day in the state folder. Only this program's
//! own lines are in it, never those of the libraries that handle keys and requests; nothing ever
//! goes to the terminal.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_appender::{
    non_blocking::WorkerGuard,
    rolling::{InitError, RollingFileAppender, Rotation},
};
use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt as _};

/// Days of which the log is kept.
const DAYS: usize = 7;

/// Why there is no log. The program can go on without one.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The variable names no level.
    #[error(
        "FOOTPLATE_LOG is {0:?}, which is no level\nset it to one of: off, error, warn, info, debug, trace"
    )]
    Level(String),
    /// The folder cannot be made.
    #[error("cannot make {path} for the log: {source}\nmake it writable, or set FOOTPLATE_HOME")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file cannot be made.
    #[error("cannot write the log: {0}\nmake its folder writable, or set FOOTPLATE_HOME")]
    File(#[from] InitError),
    /// Somebody else listens already.
    #[error("the log was started twice")]
    Twice,
}

/// Writes out what is left of the log when dropped: keep it until the program ends.
#[must_use]
pub struct Guard {
    #[expect(dead_code, reason = "held for what its drop does")]
    worker: WorkerGuard,
    file: Option<PathBuf>,
}

impl Guard {
    /// The file that is written today.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

/// Starts the log of this process in `state`/log. `level` is what `FOOTPLATE_LOG` says; `info` if
/// it says nothing. Logging never blocks: lines that come faster than the disk are dropped.
pub fn start(state: &Path, level: Option<&str>) -> Result<Guard, TelemetryError> {
    let (subscriber, guard) = subscriber(state, level)?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| TelemetryError::Twice)?;
    Ok(guard)
}

fn subscriber(
    state: &Path,
    level: Option<&str>,
) -> Result<(impl Subscriber + Send + Sync + 'static, Guard), TelemetryError> {
    let level = match level {
        None => LevelFilter::INFO,
        Some(name) => name.parse().map_err(|_| TelemetryError::Level(name.to_owned()))?,
    };
    let folder = state.join("log");
    make_private(&folder)
        .map_err(|source| TelemetryError::Folder { path: folder.clone(), source })?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("footplate")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(&folder)?;
    let file = newest(&folder);
    let (writer, worker) = tracing_appender::non_blocking(appender);
    let lines = fmt::layer().with_ansi(false).with_writer(writer);
    let ours = Targets::new().with_target("footplate", level);
    Ok((tracing_subscriber::registry().with(ours).with(lines), Guard { worker, file }))
}

/// The file of today: their names are in the order of the days.
fn newest(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?;
    files.filter_map(|file| Some(file.ok()?.path())).max()
}

/// The log names paths and programs, which are nobody else's business.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(level: Option<&str>, log: impl FnOnce()) -> String {
        let folder = tempfile::tempdir().unwrap();
        let (subscriber, guard) = subscriber(folder.path(), level).unwrap();
        tracing::subscriber::with_default(subscriber, log);
        let file = guard.file().map(Path::to_owned);
        drop(guard);
        let written = fs::read_to_string(file.unwrap()).unwrap();
        let files = fs::read_dir(folder.path().join("log")).unwrap();
        let all: String =
            files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
        assert_eq!(written, all, "the file that is named is the one that is written");
        all
    }

    #[test]
    fn our_lines_of_the_level_are_in_the_file() {
        let text = logged(None, || {
            tracing::info!("heard");
            tracing::debug!("too quiet");
        });
        assert!(text.contains("heard") && !text.contains("too quiet"), "{text}");
        let text = logged(Some("debug"), || tracing::debug!("now heard"));
        assert!(text.contains("now heard"), "{text}");
    }

    #[test]
    fn a_library_that_logs_a_header_is_not_heard_at_any_level() {
        let text = logged(Some("trace"), || {
            tracing::error!(target: "hyper::proto", "x-api-key: secret");
        });
        assert_eq!(text, "");
    }

    #[test]
    fn a_level_that_is_none_is_refused_with_those_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let Err(error) = subscriber(folder.path(), Some("loud")) else { panic!("accepted") };
        assert!(error.to_string().contains("off, error, warn, info, debug, trace"), "{error}");
    }
}
