//! The host's side of a sealed run: the command that begins with the launcher, and the program as
//! its keeper tells of it.

use std::{
    io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{net::UnixDatagram as StdDatagram, process::ExitStatusExt},
    },
    path::PathBuf,
    process::Stdio,
    time::Duration,
};

use rustix::{
    net::SendFlags,
    process::{Pid, Signal, kill_process, kill_process_group},
};
use tokio::{
    net::UnixDatagram,
    process::{Child, Command},
};

use super::process::Kind;
use crate::{
    executor::{
        bridge::pair,
        seal::{Form, Level, Plan, SUBCOMMAND},
    },
    kernel::{
        event::{Exceeded, Seal},
        patience::within,
    },
};

/// No signal when nobody is there any more; where there is no such flag, there is no keeper.
#[cfg(target_os = "linux")]
const QUIETLY: SendFlags = SendFlags::NOSIGNAL;
#[cfg(not(target_os = "linux"))]
const QUIETLY: SendFlags = SendFlags::empty();

/// What a run is sealed with.
#[derive(Clone, Debug)]
pub(super) struct Sealing {
    pub(super) launcher: PathBuf,
    pub(super) plan: Plan,
}

impl Sealing {
    /// Whether somebody reports on the run.
    pub(super) fn has_keeper(&self) -> bool {
        self.plan.form.has_keeper()
    }

    /// What the journal calls it, and by what it is held.
    pub(super) fn seal(&self) -> (Seal, Form) {
        let seal = match self.plan.level {
            Level::Sealed => Seal::Sealed,
            Level::Workspace => Seal::Workspace,
            Level::Open => Seal::Open,
        };
        (seal, self.plan.form)
    }

    /// The command that seals itself and then becomes `command`, under that name. Its output is
    /// taken.
    pub(super) fn around(
        &self,
        command: &Command,
        name: &std::ffi::OsStr,
        channel: Option<&OwnedFd>,
        report: Option<&OwnedFd>,
    ) -> Command {
        let plan = Plan {
            channel: channel.map(AsRawFd::as_raw_fd),
            report: report.map(AsRawFd::as_raw_fd),
            ..self.plan.clone()
        };
        let inner = command.as_std();
        let mut outer = Command::new(&self.launcher);
        outer
            .arg(SUBCOMMAND)
            .args(plan.words())
            .arg("--")
            .args([inner.get_program(), name])
            .args(inner.get_args())
            .env_clear()
            .envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        outer
    }
}

/// How the program of a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    Exited(i32),
    Signalled(i32),
    /// By its keeper, with all of the run, since that used too much.
    Over(Exceeded),
    /// The launcher could not seal it, so it never began.
    Fault(String),
}

/// Our end of what a launcher reports on, and its own.
pub(super) fn report() -> io::Result<(Keeper, OwnedFd)> {
    let (ours, theirs) = pair()?;
    let ours = StdDatagram::from(ours);
    ours.set_nonblocking(true)?;
    Ok((Keeper { socket: UnixDatagram::from_std(ours)?, ended: None }, theirs))
}

/// Who looks after a sealed run. Dropping it ends the run.
pub(super) struct Keeper {
    socket: UnixDatagram,
    ended: Option<How>,
}

enum Word {
    How(How),
    Left(u32),
    Other,
    Gone,
}

impl Keeper {
    /// The next thing it says. Losing this future loses nothing.
    async fn word(&self) -> Word {
        let mut word = vec![0; 4096];
        match self.socket.recv(&mut word).await {
            Ok(length @ 1..) => parse(&String::from_utf8_lossy(&word[..length])),
            Ok(0) | Err(_) => Word::Gone,
        }
    }

    async fn ended(&mut self) -> How {
        loop {
            if let Some(how) = &self.ended {
                return how.clone();
            }
            match self.word().await {
                Word::How(how) => self.ended = Some(how),
                Word::Left(_) | Word::Other => {}
                // Killed from outside, and everything with it.
                Word::Gone => self.ended = Some(How::Signalled(9)),
            }
        }
    }

    fn say(&self, word: &str) {
        // One that is gone has ended the run already.
        let _ = rustix::net::send(&self.socket, word.as_bytes(), QUIETLY);
    }

    /// Has it end what is left; gives how many that were, if it said so.
    async fn end(&self) -> Option<u32> {
        self.say("end");
        loop {
            match self.word().await {
                Word::Left(left) => return Some(left),
                Word::How(_) | Word::Other => {}
                Word::Gone => return None,
            }
        }
    }
}

fn parse(word: &str) -> Word {
    let (what, rest) = word.split_once(' ').unwrap_or((word, ""));
    let number = rest.parse::<i32>();
    match (what, number) {
        ("exit", Ok(code)) => Word::How(How::Exited(code)),
        ("signal", Ok(signal)) => Word::How(How::Signalled(signal)),
        ("fault", _) => Word::How(How::Fault(rest.to_owned())),
        ("over", _) => match Exceeded::ALL.into_iter().find(|limit| limit.name() == rest) {
            Some(limit) => Word::How(How::Over(limit)),
            None => Word::Other,
        },
        ("left", Ok(left)) => Word::Left(u32::try_from(left).unwrap_or(0)),
        _ => Word::Other,
    }
}

/// The first process of a run: the program itself, or the launcher that it is behind.
pub(super) struct First {
    child: Child,
    keeper: Option<Keeper>,
}

impl First {
    pub(super) fn new(child: Child, keeper: Option<Keeper>) -> Self {
        Self { child, keeper }
    }

    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until the program has ended. May be lost and asked again.
    pub(super) async fn ended(&mut self) -> io::Result<How> {
        if let Some(keeper) = &mut self.keeper {
            return Ok(keeper.ended().await);
        }
        let status = self.child.wait().await?;
        Ok(match (status.code(), status.signal()) {
            (Some(code), _) => How::Exited(code),
            (None, signal) => How::Signalled(signal.unwrap_or(0)),
        })
    }

    /// Asks the program to end.
    pub(super) fn interrupt(&self, kind: Kind) {
        let Some(pid) = pid(&self.child) else { return };
        // It may have ended at this very moment, which is as good.
        let _ = match (kind, &self.keeper) {
            // uv hands it on, so that Python sees it once.
            (Kind::Python, Some(keeper)) => {
                keeper.say("interrupt");
                Ok(())
            }
            (Kind::Python, None) => kill_process(pid, Signal::INT),
            (Kind::Program, _) => kill_process_group(pid, Signal::INT),
            (Kind::Terminal, Some(keeper)) => {
                keeper.say("hangup");
                Ok(())
            }
            (Kind::Terminal, None) => kill_process_group(pid, Signal::HUP),
            // A shell has its own in the background ignore the other.
            (Kind::Beside, _) => kill_process_group(pid, Signal::TERM),
        };
    }

    /// Ends what is left of a sealed run and waits for its launcher; gives how many processes that
    /// were. Nothing for one that is not sealed, or whose keeper takes longer: then others look.
    pub(super) async fn finish(&mut self, longest: Duration) -> Option<u32> {
        let keeper = self.keeper.take()?;
        let ending = async {
            let left = keeper.end().await;
            // Its own end; what becomes of a launcher that failed was told already.
            let _ = self.child.wait().await;
            left
        };
        within(longest, ending).await.flatten()
    }
}

pub(super) fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id()?.cast_signed())
}
