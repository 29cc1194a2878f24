//! Starting a program in a session of its own: no controlling terminal, its own process group.

use std::{
    io,
    os::fd::{AsRawFd, BorrowedFd, OwnedFd},
};

use tokio::process::{Child, Command};

use super::mark::Mark;

/// Starts `command` in a new session, with that limit of file locks as its mark. It inherits
/// `channel`, if there is one, under the number it has here; every other descriptor of ours closes.
#[expect(unsafe_code, reason = "between fork and exec only; the one place for it")]
pub(super) fn spawn(
    command: &mut Command,
    channel: Option<&OwnedFd>,
    locks: Option<u64>,
) -> io::Result<Child> {
    let channel = channel.map(AsRawFd::as_raw_fd);
    let begin = move || {
        rustix::process::setsid()?;
        if let Some(locks) = locks {
            Mark::limit(locks);
        }
        if let Some(channel) = channel {
            // SAFETY: the caller keeps the descriptor open until `spawn` returns, and the child has
            // a copy of it from the fork on.
            let channel = unsafe { BorrowedFd::borrow_raw(channel) };
            // Cleared in the child alone, or a program started by another thread might inherit it.
            rustix::io::fcntl_setfd(channel, rustix::io::FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: `begin` makes three system calls and neither allocates nor locks.
    unsafe { command.pre_exec(begin) };
    command.spawn()
}
