//! One run, from its start until nothing of it is left.

use std::{
    convert::Infallible,
    ffi::{OsStr, OsString},
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::Path,
    pin::Pin,
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use futures_util::future::{FusedFuture, FutureExt};
use tokio::{process::Command, sync::Notify};

use super::{
    Settings,
    folders::Scratch,
    lookup::find,
    mark::{self, Mark},
    output::{self, Output},
    patience::Patience,
    pictures::Places,
    sealed::{self, First, Keeper, Sealing},
    session::{self, At},
    status::exit_status,
    sweep::Traces,
    terminal::{self, Terminal},
};
use crate::{
    executor::bridge::{self, Bridge},
    kernel::{
        error::CallError,
        event::{ExitStatus, Seal},
        patience::within,
        port::{Ended, Form, HostCalls, Job, Manner, Notice, Program, Stream},
    },
};

/// A run that is ready to start.
pub(super) struct Run {
    command: Command,
    scratch: Scratch,
    kind: Kind,
    /// What the program takes for its own name.
    name: OsString,
    /// The other side is what an unsealed run is called.
    seal: Result<Sealing, Seal>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// uv, with Python below it.
    Python,
    Program,
    /// A program that nobody waits for.
    Beside,
    /// The same at a terminal of its own.
    Terminal,
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
        scratch: Scratch,
        command: Command,
        environment: &[(&str, &OsStr)],
    ) -> Self {
        let home = scratch.path().to_owned();
        let name = command.as_std().get_program().to_owned();
        let mut run = Self::of(settings, scratch, command, (&home, Kind::Python, name));
        run.command.envs(environment.iter().copied());
        run
    }

    /// A program with its arguments, found as a shell would find it from `cwd`.
    pub(super) fn program(
        settings: &Settings,
        scratch: Scratch,
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
        Ok(Self::of(settings, scratch, command, (&home, Kind::Program, name.into())))
    }

    /// Sets the small environment that is the same for every run, whatever ours holds.
    fn of(
        settings: &Settings,
        scratch: Scratch,
        mut command: Command,
        (home, kind, name): (&Path, Kind, OsString),
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
        Self { command, scratch, kind, name, seal: Err(Seal::None) }
    }

    /// The folder that is its own.
    pub(super) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Has it run behind a launcher.
    pub(super) fn seal(&mut self, seal: Sealing) {
        self.seal = Ok(seal);
    }

    /// Has it run as the person could, which is said as this.
    pub(super) fn leave_open(&mut self, said: Seal) {
        self.seal = Err(said);
    }

    /// Runs it to its end, all its processes known by `mark`. Dropping the future kills it.
    pub(super) async fn run(
        mut self,
        mut job: Job,
        mark: Mark,
        patience: Patience,
    ) -> Result<Ended, CallError> {
        let places = Places::of(&job, self.scratch.path());
        let (calls, channel) = match &job.what {
            Program::Python { calls, .. } => (Some(calls.clone()), Some(bridge::channel())),
            Program::Argv(_) => (None, None),
        };
        let (mut bridge, channel) = channel.transpose().map_err(|error| unstarted(&error))?.unzip();
        let keeper = self.seal.as_ref().ok().filter(|seal| seal.has_keeper());
        let keeper = keeper.map(|_| sealed::report());
        let keeper = keeper.transpose().map_err(|error| unstarted(&error))?;
        let manner = std::mem::replace(&mut job.manner, Manner::Awaited);
        let terminal = self.keep(manner).map_err(|error| unstarted(&error))?;
        let (shown, mut keys, end) = match terminal.map(Terminal::parts) {
            Some((shown, keys, end)) => (Some(shown), Some(keys), Some(end)),
            None => (None, None, None),
        };
        let (mut first, whole) = self.start(&job, (channel, keeper, end), mark)?;
        // A launcher that cannot seal it never begins it.
        let (seal, form) = match &self.seal {
            Ok(sealing) => sealing.seal(),
            Err(open) => (*open, Form::None),
        };
        (job.notice)(Notice::Started(seal, form));

        let news = Notify::new();
        let mut out = Output::new(Stream::Out, job.spool.clone());
        let mut err = Output::new(Stream::Err, job.spool.clone());
        let (out_pipe, err_pipe) = (first.child().stdout.take(), first.child().stderr.take());
        let out_pipe = terminal::either(out_pipe, shown);
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
                _ = first.ended() => Cause::Ended,
                () = job.clock.exhausted() => Cause::TimedOut,
                never = serve(bridge.as_mut(), calls) => match never {},
                never = terminal::type_in(keys.as_mut()) => match never {},
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
                Cause::Cancelled => self.stop(&mut first, patience.stopped).await,
                Cause::TimedOut => self.stop(&mut first, patience.timed_out).await,
            }
        })
        .await;
        if matches!(stopped, Stopped::ByItself) {
            // Others of the run may be writing their last words.
            output::last(printing.as_mut()).await;
        }
        let how = match cause {
            Cause::Ended => Some(first.ended().await.map_err(|error| unstarted(&error))?),
            Cause::Cancelled | Cause::TimedOut => None,
        };
        let left = match first.finish(patience.gone).await {
            // All of the run were below its keeper, as children of a namespace's first process or of
            // one that takes in whoever loses a parent; it looked until there were none.
            Some(left) => {
                whole.has_ended();
                left
            }
            None => whole.end(patience.gone).await,
        };
        output::last(printing.as_mut()).await;
        drop(printing);
        if out.came() || err.came() {
            (job.notice)(Notice::Output);
        }
        let (stdout, stderr) = (out.finish(), err.finish());
        let status = match (cause, how) {
            (Cause::Cancelled, _) | (Cause::Ended, None) => ExitStatus::Cancelled,
            (Cause::TimedOut, _) => ExitStatus::TimedOut,
            (Cause::Ended, Some(how)) => {
                let seen = bridge.as_mut().map(Bridge::seen);
                exit_status(how, seen, &stderr, self.seal.is_ok())
            }
        };
        let leftovers = match (&status, stopped) {
            // Those it was ended with were not left behind by it.
            (ExitStatus::OverLimit { .. }, _) | (_, Stopped::Not) => 0,
            (_, Stopped::ByItself) => left,
        };
        let given = bridge.as_mut().map(Bridge::pictures).unwrap_or_default();
        let pictures = places.look(given, self.scratch).await;
        Ok(Ended { status, stdout, stderr, leftovers, aside: Vec::new(), pictures })
    }

    /// Makes ready how it is kept.
    fn keep(&mut self, manner: Manner) -> io::Result<Option<Terminal>> {
        match (manner, self.kind) {
            (Manner::Awaited, _) | (Manner::Beside, Kind::Python) => Ok(None),
            (Manner::Beside, _) => {
                self.kind = Kind::Beside;
                Ok(None)
            }
            (Manner::Terminal(pty), _) => {
                self.kind = Kind::Terminal;
                self.command.env("TERM", "xterm-256color");
                Terminal::open(pty).map(Some)
            }
        }
    }

    fn start(
        &mut self,
        job: &Job,
        (channel, keeper, end): (Option<OwnedFd>, Option<(Keeper, OwnedFd)>, Option<OwnedFd>),
        mark: Mark,
    ) -> Result<(First, Whole), CallError> {
        self.command.env(mark::VARIABLE, &mark.run);
        if let Some(channel) = &channel {
            let number = descriptor(channel).map_err(|error| unstarted(&error))?;
            self.command.env("FOOTPLATE_FD", number);
        }
        let (keeper, report) = keeper.unzip();
        if let Ok(seal) = &self.seal {
            let report = report.as_ref();
            self.command = seal.around(&self.command, &self.name, channel.as_ref(), report);
        }
        self.command.current_dir(&job.cwd);
        let inherited = [channel.as_ref(), report.as_ref()].map(|end| end.map(AsRawFd::as_raw_fd));
        let at = match (&end, &keeper) {
            // Behind a launcher it is the program's own matter.
            (Some(_), None) => At::ItsInput,
            (Some(_), Some(_)) | (None, _) => At::NoTerminal,
        };
        if let Some(end) = &end {
            terminal::give(&mut self.command, end).map_err(|error| unstarted(&error))?;
        }
        let child = session::spawn(&mut self.command, inherited, (Some(mark.locks), at));
        if end.is_some() {
            terminal::take_back(&mut self.command);
        }
        let child = child.map_err(|error| {
            if job.cwd.is_dir() { unstarted(&error) } else { no_folder(&job.cwd) }
        })?;
        let pid = sealed::pid(&child).expect("a child that nobody waited for has a pid");
        Ok((First::new(child, keeper), Whole(Some(Traces::of(pid, mark)))))
    }

    /// Asks it to end, and gives it some time to.
    async fn stop(&self, first: &mut First, grace: Duration) -> Stopped {
        first.interrupt(self.kind);
        match within(grace, first.ended()).await {
            Some(_) => Stopped::ByItself,
            None => Stopped::Not,
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
    async fn end(mut self, longest: Duration) -> u32 {
        let Some(traces) = self.0.take() else { return 0 };
        // It cannot be cancelled once it is begun, and it takes milliseconds.
        tokio::task::spawn_blocking(move || traces.end(longest)).await.unwrap_or(0)
    }

    /// Nothing is left, as somebody else has made sure.
    fn has_ended(mut self) {
        self.0 = None;
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some(traces) = self.0.take() {
            traces.end(Patience::default().gone);
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

/// Serves the bridge, where there is one; never ends.
async fn serve(bridge: Option<&mut Bridge>, calls: Option<Arc<dyn HostCalls>>) -> Infallible {
    if let (Some(bridge), Some(calls)) = (bridge, calls) {
        bridge.serve(calls).await;
    }
    std::future::pending().await
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
