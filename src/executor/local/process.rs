//! One run, from its start until nothing of it is left.

use std::{
    convert::Infallible,
    ffi::{OsStr, OsString},
    io,
    os::{fd::OwnedFd, unix::process::ExitStatusExt},
    path::{Path, PathBuf},
    pin::Pin,
    process::{ExitStatus as StdStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use futures_util::future::{FusedFuture, FutureExt};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    sync::Notify,
    time::{Instant, timeout_at},
};

use super::{
    Settings,
    mark::{self, Mark},
    output::{self, Output},
    session,
    sweep::Traces,
};
use crate::{
    executor::bridge::{self, Bridge, Seen},
    kernel::{
        error::CallError,
        event::{ExitStatus, Seal},
        port::{Ended, HostCalls, Job, Notice, Program, Stream},
    },
};

/// From the soft signal to the hard one, when somebody stops a run.
const GRACE_CANCELLED: Duration = Duration::from_millis(1200);
/// The same when the running time is used up.
const GRACE_TIMED_OUT: Duration = Duration::from_millis(500);
/// How long others may still write once the program itself has ended.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// A run that is ready to start.
pub(super) struct Run {
    command: Command,
    scratch: TempDir,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// uv, with Python below it.
    Python,
    Program,
}

/// Why a run comes to its end.
enum Cause {
    Ended,
    Cancelled,
    TimedOut,
}

impl Run {
    /// Python as uv's child, with what it needs beside the environment of every run.
    pub(super) fn python(
        settings: &Settings,
        scratch: TempDir,
        command: Command,
        environment: &[(&str, &OsStr)],
    ) -> Self {
        let home = scratch.path().to_owned();
        let mut run = Self::of(settings, scratch, command, &home, Kind::Python);
        run.command.envs(environment.iter().copied());
        run
    }

    /// A program with its arguments, found as a shell would find it from `cwd`.
    pub(super) fn program(
        settings: &Settings,
        scratch: TempDir,
        argv: &[String],
        cwd: &Path,
    ) -> Result<Self, CallError> {
        let Some((name, arguments)) = argv.split_first() else {
            return Err(CallError::failed("No program is named.\nGive its name and arguments."));
        };
        if let Some(word) = argv.iter().find(|word| word.contains('\0')) {
            return Err(CallError::failed(format!(
                "{word:?} holds a NUL character, which no program can be given.\nLeave it out."
            )));
        }
        let mut command = Command::new(find(name, &settings.search_path, cwd)?);
        command.arg0(name).args(arguments);
        let home = settings.home.clone().unwrap_or_else(|| scratch.path().to_owned());
        Ok(Self::of(settings, scratch, command, &home, Kind::Program))
    }

    /// Sets the small environment that is the same for every run, whatever ours holds.
    fn of(
        settings: &Settings,
        scratch: TempDir,
        mut command: Command,
        home: &Path,
        kind: Kind,
    ) -> Self {
        command
            .env_clear()
            .env("PATH", &settings.search_path)
            .env("HOME", home)
            .env("TMPDIR", scratch.path())
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("PYTHONUNBUFFERED", "1")
            .env("PYTHONUTF8", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Self { command, scratch, kind }
    }

    /// Runs it to its end, all its processes known by `mark`. Dropping the future kills it.
    pub(super) async fn run(mut self, job: Job, mark: Mark) -> Result<Ended, CallError> {
        let (calls, channel) = match &job.what {
            Program::Python { calls, .. } => (Some(calls.clone()), Some(bridge::channel())),
            Program::Argv(_) => (None, None),
        };
        let (mut bridge, channel) = channel.transpose().map_err(|error| unstarted(&error))?.unzip();
        let (mut child, whole) = self.start(&job, channel, mark)?;
        (job.notice)(Notice::Started(Seal::None));

        let news = Notify::new();
        let mut out = Output::new(Stream::Out, job.spool.clone());
        let mut err = Output::new(Stream::Err, job.spool.clone());
        let (out_pipe, err_pipe) = (child.stdout.take(), child.stderr.take());
        let mut printing = Box::pin(
            async {
                tokio::select! {
                    _ = async { tokio::join!(out.take(out_pipe, &news), err.take(err_pipe, &news)) } => {}
                    never = output::tell(&news, &*job.notice) => match never {},
                }
            }
            .fuse()
        );

        let cause = beside(printing.as_mut(), async {
            tokio::select! {
                biased;
                () = job.cancel.cancelled() => Cause::Cancelled,
                // Losing this arm leaves the status to the next wait.
                _ = child.wait() => Cause::Ended,
                () = job.clock.exhausted() => Cause::TimedOut,
                never = serve(bridge.as_mut(), calls) => match never {},
            }
        })
        .await;
        job.clock.finish();
        let stopped = beside(printing.as_mut(), async {
            if let Some(bridge) = &mut bridge {
                bridge.close().await;
            }
            match cause {
                Cause::Ended => Stopped::ByItself,
                Cause::Cancelled => self.stop(&mut child, GRACE_CANCELLED).await,
                Cause::TimedOut => self.stop(&mut child, GRACE_TIMED_OUT).await,
            }
        })
        .await;
        if matches!(stopped, Stopped::ByItself) {
            // Others of the run may be writing their last words.
            last_output(printing.as_mut()).await;
        }
        let left = whole.end().await;
        last_output(printing.as_mut()).await;
        drop(printing);
        if out.came() || err.came() {
            (job.notice)(Notice::Output);
        }
        let (stdout, stderr) = (out.finish(), err.finish());
        let status = match cause {
            Cause::Cancelled => ExitStatus::Cancelled,
            Cause::TimedOut => ExitStatus::TimedOut,
            Cause::Ended => {
                let status = child.wait().await.map_err(|error| unstarted(&error))?;
                let seen = bridge.as_mut().map(Bridge::seen);
                exit_status(status, seen, &stderr)
            }
        };
        let leftovers = match stopped {
            Stopped::ByItself => left,
            Stopped::Not => 0,
        };
        remove(self.scratch).await;
        Ok(Ended { status, stdout, stderr, leftovers })
    }

    fn start(
        &mut self,
        job: &Job,
        channel: Option<OwnedFd>,
        mark: Mark,
    ) -> Result<(Child, Whole), CallError> {
        self.command.current_dir(&job.cwd).env(mark::VARIABLE, &mark.run);
        if let Some(channel) = &channel {
            let number = descriptor(channel).map_err(|error| unstarted(&error))?;
            self.command.env("FOOTPLATE_FD", number);
        }
        let child = session::spawn(&mut self.command, channel.as_ref(), Some(mark.locks));
        let child = child.map_err(|error| {
            if job.cwd.is_dir() { unstarted(&error) } else { no_folder(&job.cwd) }
        })?;
        let pid = pid(&child).expect("a child that nobody waited for has a pid");
        Ok((child, Whole(Some(Traces::of(pid, mark)))))
    }

    /// Asks it to end, and gives it some time to.
    async fn stop(&self, child: &mut Child, grace: Duration) -> Stopped {
        if let Some(pid) = pid(child) {
            // It may have ended at this very moment, which is as good.
            let _ = match self.kind {
                // uv hands it on, so that Python sees it once.
                Kind::Python => kill_process(pid, Signal::INT),
                Kind::Program => kill_process_group(pid, Signal::INT),
            };
        }
        match timeout_at(Instant::now() + grace, child.wait()).await {
            Ok(_) => Stopped::ByItself,
            Err(_) => Stopped::Not,
        }
    }
}

enum Stopped {
    ByItself,
    Not,
}

/// All processes of a run. Dropped before its end, it kills them.
struct Whole(Option<Traces>);

impl Whole {
    /// Kills what is left and says how many there were.
    async fn end(mut self) -> u32 {
        let Some(traces) = self.0.take() else { return 0 };
        // It cannot be cancelled once it is begun, and it takes milliseconds.
        tokio::task::spawn_blocking(move || traces.end()).await.unwrap_or(0)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some(traces) = self.0.take() {
            traces.end();
        }
    }
}

/// `main`, while the output goes on being taken.
async fn beside<T>(
    printing: Pin<&mut impl FusedFuture<Output = ()>>,
    main: impl Future<Output = T>,
) -> T {
    let printing = async {
        printing.await;
        std::future::pending().await
    };
    tokio::select! {
        value = main => value,
        // A fused future that is over is pending as well.
        value = printing => value,
    }
}

async fn last_output(printing: Pin<&mut impl FusedFuture<Output = ()>>) {
    if !printing.is_terminated() {
        // Whoever still holds the pipe then does not hold us.
        let _ = timeout_at(Instant::now() + LAST_OUTPUT, printing).await;
    }
}

/// Serves the bridge, where there is one; never ends.
async fn serve(bridge: Option<&mut Bridge>, calls: Option<Arc<dyn HostCalls>>) -> Infallible {
    if let (Some(bridge), Some(calls)) = (bridge, calls) {
        bridge.serve(calls).await;
    }
    std::future::pending().await
}

async fn remove(scratch: TempDir) {
    let path = scratch.path().to_owned();
    let removed = tokio::task::spawn_blocking(move || scratch.close()).await;
    if !matches!(removed, Ok(Ok(()))) {
        tracing::warn!(path = %path.display(), "a scratch folder was left");
    }
}

/// How a program ended. For Python, uv stands between, so its own word is asked as well.
fn exit_status(status: StdStatus, seen: Option<Seen>, stderr: &str) -> ExitStatus {
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, signal) => return ExitStatus::Signalled { signal: signal.unwrap_or(0) },
    };
    match seen {
        Some(Seen { up: false, .. }) if code != 0 => ExitStatus::NotStarted {
            message: format!(
                "Python did not start: {}\nRun it again; if that does not help, remove the folders \
                 \"python\" and \"uv\" in footplate's data folder, and they are made anew.",
                stderr.trim().lines().last().unwrap_or("uv said nothing")
            ),
        },
        Some(Seen { leaving: false, .. }) if (129..=192).contains(&code) => {
            ExitStatus::Signalled { signal: code - 128 }
        }
        Some(_) | None => ExitStatus::Exited { code },
    }
}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id()?.cast_signed())
}

/// The number of the descriptor and the file it stands for, since numbers are given away again.
fn descriptor(channel: &OwnedFd) -> io::Result<String> {
    use std::os::fd::AsRawFd;
    Ok(format!("{}:{}", channel.as_raw_fd(), rustix::fs::fstat(channel)?.st_ino))
}

fn unstarted(error: &io::Error) -> CallError {
    CallError::failed(format!(
        "The program could not be started: {error}.\nEnd other programs if there are too many, then try again."
    ))
}

fn no_folder(cwd: &Path) -> CallError {
    CallError::failed(format!(
        "There is no folder {} to run in.\nMake it, or run in another one.",
        cwd.display()
    ))
}

/// The program of that name: below `cwd` if it has a slash, else on the search path.
fn find(name: &str, search_path: &OsString, cwd: &Path) -> Result<PathBuf, CallError> {
    if name.contains('/') {
        let path = cwd.join(name);
        return match (path.is_file(), is_program(&path)) {
            (true, true) => Ok(path),
            (true, false) => Err(CallError::failed(format!(
                "{name:?} is no program: the file may not be executed.\nName the program that \
                 reads it first, or make it executable."
            ))),
            (false, _) => Err(CallError::failed(format!(
                "There is no program {name:?}.\nCheck the path; it starts from {}.",
                cwd.display()
            ))),
        };
    }
    search(name, search_path).ok_or_else(|| {
        let shell = if name.contains(char::is_whitespace) {
            " The name and each argument are words of their own; no shell takes them apart."
        } else {
            ""
        };
        CallError::failed(format!(
            "There is no program {name:?} on the search path.\nCheck its name, or install it.{shell}"
        ))
    })
}

/// The first program of that name in the absolute folders of a search path.
pub(super) fn search(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    let folders = std::env::split_paths(search_path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_program(path))
}

pub(super) fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
