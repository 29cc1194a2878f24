//! Starting a program in a session of its own: its own process group, and no controlling terminal
//! but one of its own.

use std::{
    io,
    os::fd::{BorrowedFd, RawFd},
};

use tokio::process::{Child, Command};

use super::mark::Mark;

/// By which terminal a session is controlled.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// By none.
    NoTerminal,
    /// By the one that its first program reads from.
    ItsInput,
}

/// Starts `command` in a new session, with that limit of file locks as its mark. It inherits those
/// descriptors, which the caller keeps open until this returns, under the numbers they have here;
/// every other of ours closes. One with a mark is ended first where memory runs out.
#[expect(unsafe_code, reason = "between fork and exec only; the one place for it")]
pub(super) fn spawn(
    command: &mut Command,
    inherited: [Option<RawFd>; 2],
    (locks, at): (Option<u64>, At),
) -> io::Result<Child> {
    let begin = move || {
        rustix::process::setsid()?;
        match at {
            At::NoTerminal => {}
            At::ItsInput => rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?,
        }
        if let Some(locks) = locks {
            Mark::limit(locks);
            end_first();
        }
        for number in inherited.into_iter().flatten() {
            // SAFETY: the caller keeps the descriptor open until `spawn` returns, and the child has
            // a copy of it from the fork on.
            let end = unsafe { BorrowedFd::borrow_raw(number) };
            // Cleared in the child alone, or a program started by another thread might inherit it.
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: `begin` makes a few system calls and neither allocates nor locks.
    unsafe { command.pre_exec(begin) };
    command.spawn()
}

/// Before the host and the rest of the machine; for between fork and exec. Where that cannot be
/// said, the system chooses by itself.
fn end_first() {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::open(c"/proc/self/oom_score_adj", flags, Mode::empty()) {
            let _ = rustix::io::write(&file, b"1000");
        }
    }
}
