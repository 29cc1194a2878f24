//! The terminal of a run: a pair of ends, of which the run has one and the host the other.

use std::{convert::Infallible, io, os::fd::OwnedFd, process::Stdio};

use rustix::{
    fs::OFlags,
    pty::{OpenptFlags, openpt, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use tokio::{
    io::{AsyncRead, AsyncWriteExt as _},
    net::unix::pipe,
    process::{ChildStdout, Command},
    sync::mpsc,
};

use crate::kernel::port::Pty;

/// A terminal from both sides.
pub(super) struct Terminal {
    /// What is shown there.
    shown: pipe::Receiver,
    /// Where it is typed at.
    keys: Keys,
    /// What the run reads from and writes to.
    end: OwnedFd,
}

/// What types at a terminal.
pub(super) struct Keys {
    keyboard: pipe::Sender,
    typed: mpsc::Receiver<Vec<u8>>,
}

impl Terminal {
    /// A new one, which does not become the host's own.
    pub(super) fn open(pty: Pty) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        #[cfg(target_os = "linux")]
        let flags = flags | OpenptFlags::CLOEXEC;
        let ours = openpt(flags)?;
        rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::CLOEXEC)?;
        rustix::pty::grantpt(&ours)?;
        unlockpt(&ours)?;
        let end = other_end(&ours)?;
        let (ws_row, ws_col) = (pty.rows, pty.cols);
        tcsetwinsize(&ours, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 })?;
        let flags = rustix::fs::fcntl_getfl(&ours)?;
        rustix::fs::fcntl_setfl(&ours, flags | OFlags::NONBLOCK)?;
        // It is read and written as a pipe is, though it is none.
        let keyboard = pipe::Sender::from_owned_fd_unchecked(ours.try_clone()?)?;
        let shown = pipe::Receiver::from_owned_fd_unchecked(ours)?;
        Ok(Self { shown, keys: Keys { keyboard, typed: pty.typed }, end })
    }

    /// Its parts: what is shown, what types, the run's end.
    pub(super) fn parts(self) -> (pipe::Receiver, Keys, OwnedFd) {
        (self.shown, self.keys, self.end)
    }
}

/// By the descriptor itself, since a name may mean another terminal elsewhere.
#[cfg(target_os = "linux")]
fn other_end(ours: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    Ok(rustix::pty::ioctl_tiocgptpeer(ours, flags)?)
}

#[cfg(not(target_os = "linux"))]
fn other_end(ours: &OwnedFd) -> io::Result<OwnedFd> {
    let name = rustix::pty::ptsname(ours, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(name, flags, rustix::fs::Mode::empty())?)
}

/// Has a program read from the run's end, and write to it.
pub(super) fn give(command: &mut Command, end: &OwnedFd) -> io::Result<()> {
    let copy = || end.try_clone().map(Stdio::from);
    command.stdin(copy()?).stdout(copy()?).stderr(copy()?);
    Ok(())
}

/// Takes the run's end back from a command whose program has begun: else the host would hold it open.
pub(super) fn take_back(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
}

/// What a run prints: at its terminal, if it has one.
pub(super) fn either(
    pipe: Option<ChildStdout>,
    shown: Option<pipe::Receiver>,
) -> Option<Box<dyn AsyncRead + Send + Unpin>> {
    match (shown, pipe) {
        (Some(shown), _) => Some(Box::new(shown)),
        (None, Some(pipe)) => Some(Box::new(pipe)),
        (None, None) => None,
    }
}

/// Types at the terminal, where there is one; never ends. Losing this future may lose what was being
/// typed.
pub(super) async fn type_in(keys: Option<&mut Keys>) -> Infallible {
    if let Some(Keys { keyboard, typed }) = keys {
        while let Some(bytes) = typed.recv().await {
            // One that is gone takes nothing any more, and its end is noticed elsewhere.
            let _ = keyboard.write_all(&bytes).await;
        }
    }
    std::future::pending().await
}
