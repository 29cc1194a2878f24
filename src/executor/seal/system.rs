//! System calls that nobody wraps, each in one function that cannot be misused. The launcher has
//! one thread, and every function here but one that says so is called from it alone.
#![expect(unsafe_code, reason = "the one place of the launcher that speaks to the system itself")]

use std::{
    ffi::CStr,
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
};

use rustix::{process::Pid, thread::UnshareFlags};

/// Which of the two processes this is after a fork.
pub(super) enum Side {
    Parent(Pid),
    Child,
}

/// The result of a system call in libc's way of telling.
fn told(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

pub(super) fn fork() -> io::Result<Side> {
    // SAFETY: with one thread there is no lock or allocation of another that the child could find
    // half done, so it may go on as any program does.
    let pid = told(unsafe { libc::fork() }.into())?;
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    Ok(pid.map_or(Side::Child, Side::Parent))
}

pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: no flag of ours takes the table of descriptors apart, which is what it is unsafe for.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// A descriptor that was inherited under this number. To be called once for each number.
pub(super) fn inherited(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: asked of the system below before anything else is done with it.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_setfd(borrowed, rustix::io::FdFlags::CLOEXEC)?;
    // SAFETY: it is open, and nothing in this program opened it, so nothing else will close it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Has every descriptor but the first three and this one end with the next `exec`: whoever started
/// the host may have left it some.
pub(super) fn inherit_only(kept: Option<RawFd>) -> io::Result<()> {
    let all = libc::c_uint::MAX;
    // SAFETY: it reads and writes no memory, and closes nothing now.
    told(unsafe { libc::syscall(libc::SYS_close_range, 3, all, libc::CLOSE_RANGE_CLOEXEC) })?;
    let Some(kept) = kept else { return Ok(()) };
    // SAFETY: only asked whether it is open; nothing here closes what the program shall have.
    let kept = unsafe { BorrowedFd::borrow_raw(kept) };
    Ok(rustix::io::fcntl_setfd(kept, rustix::io::FdFlags::empty())?)
}

/// Sets and clears attributes of the mount at `place`, which is one, and of those below it.
pub(super) fn mount_attributes(
    place: impl AsFd,
    set: u64,
    clear: u64,
    recursive: bool,
) -> io::Result<()> {
    let attributes =
        libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | if recursive { libc::AT_RECURSIVE } else { 0 };
    let path: &CStr = c"";
    // SAFETY: path and structure live until the call returns, and the size is the structure's own.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            place.as_fd().as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    told(result).map(drop)
}

/// What the keyboard and the host send to the whole group is for the program alone.
const FOR_THE_PROGRAM: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGTSTP, libc::SIGPIPE];

pub(super) fn ignore_signals() {
    for signal in FOR_THE_PROGRAM {
        // SAFETY: ignoring a signal runs no code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// What is ignored stays so through `exec`: the program shall find nothing changed.
pub(super) fn restore_signals() {
    for signal in FOR_THE_PROGRAM {
        // SAFETY: the default action runs no code of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// A descriptor that can be read when a child has ended.
pub(super) fn ended_children() -> io::Result<OwnedFd> {
    // SAFETY: the set is made empty before it is used, and lives until the calls return.
    let fd = unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        told(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()).into())?;
        libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    told(fd.into())?;
    // SAFETY: just made, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The version of Landlock that this kernel speaks, if any. May be asked by any process.
pub(super) fn landlock_version() -> Option<u32> {
    const VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the call reads and makes nothing, and only gives a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, VERSION) };
    told(version).ok()?.try_into().ok()
}

/// Kills every other process of this namespace, at one stroke, so that none can start another
/// meanwhile. Only where this is the first process of one, and whether it is.
pub(super) fn kill_namespace() -> bool {
    let is_first = rustix::process::getpid().as_raw_nonzero().get() == 1;
    if is_first {
        // SAFETY: it reads and writes no memory. An error means that nobody was there.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    }
    is_first
}

/// Ends this process at once, without a word to anything it shares with its parent.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: it does not return.
    unsafe { libc::_exit(code) }
}
