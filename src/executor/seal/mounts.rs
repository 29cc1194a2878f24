//! The full form's namespaces, and the file system as a run sees it: read-only but for what it may
//! write, without the sockets and the processes of the host.

use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags},
    io::Errno,
    mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags},
    thread::UnshareFlags,
};

use super::{Plan, diagnosis::step, launcher::Fault, system};

const RDONLY: u64 = libc::MOUNT_ATTR_RDONLY;
const NOSUID: u64 = libc::MOUNT_ATTR_NOSUID;

/// Takes this process out of the host's namespaces. Its next child is the first process of its own.
pub(super) fn unshare() -> Result<(), Fault> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWNET;
    system::unshare(flags).map_err(Fault::at(step::NAMESPACES))?;
    let (user, group) = (user.as_raw(), group.as_raw());
    for (file, text) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        std::fs::write(format!("/proc/self/{file}"), text).map_err(Fault::at("map the user"))?;
    }
    Ok(())
}

/// Opens a path that no link is part of.
pub(super) fn open_real(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    Ok(rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?)
}

/// Makes everything read-only but what the plan lets be written.
pub(super) fn arrange(plan: &Plan) -> Result<(), Fault> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).map_err(Fault::at("part the mounts"))?;
    let root = open_real(Path::new("/")).map_err(Fault::at("open the root"))?;
    system::mount_attributes(&root, RDONLY | NOSUID, 0, true)
        .map_err(Fault::at(step::READ_ONLY))?;
    for path in &plan.writes {
        mount_again(path, 0, RDONLY).map_err(Fault::of("make writable", path))?;
    }
    for path in &plan.guarded {
        match mount_again(path, RDONLY, 0) {
            // Gone since the plan was made: there is nothing left to guard.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other.map_err(Fault::of("make read-only", path))?,
        }
    }
    cover(plan, "/run", "mode=0555,size=4k", RDONLY)?;
    cover(plan, "/dev/shm", &format!("mode=1777,size={}", plan.limits.memory), 0)?;
    processes(plan.limits.processes)
}

/// Puts a folder or file on itself as a mount of its own, with other attributes.
fn mount_again(path: &Path, set: u64, clear: u64) -> io::Result<()> {
    let place = open_real(path)?;
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = rustix::mount::open_tree(&place, "", flags)?;
    system::mount_attributes(&tree, set, clear, false)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(rustix::mount::move_mount(&tree, "", &place, "", flags)?)
}

/// Puts an empty file system over a folder of the host, unless the plan needs something in there.
fn cover(plan: &Plan, path: &str, options: &str, set: u64) -> Result<(), Fault> {
    let within = |root: &PathBuf| root.starts_with(path);
    if plan.writes.iter().chain(&plan.reads).any(within) || plan.cwd.starts_with(path) {
        return Ok(());
    }
    let options = std::ffi::CString::new(options).expect("numbers and letters alone");
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    match rustix::mount::mount("tmpfs", path, "tmpfs", flags, options.as_c_str()) {
        Ok(()) => {}
        // A system without that folder.
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(error) => return Err(Fault::of("cover", Path::new(path))(error)),
    }
    let place = open_real(Path::new(path)).map_err(Fault::at("open what is covered"))?;
    system::mount_attributes(&place, set, 0, false).map_err(Fault::at("close what is covered"))
}

/// Shows the processes of this namespace alone, and bounds their number.
fn processes(most: u64) -> Result<(), Fault> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("proc", "/proc", "proc", flags, None)
        .map_err(Fault::at(step::PROCESSES))?;
    // Before, the number was the whole machine's, and not ours to change.
    if kernel_is_at_least(6, 14) {
        // The system takes no smaller one.
        let most = most.max(301).to_string();
        std::fs::write("/proc/sys/kernel/pid_max", most).map_err(Fault::at("bound processes"))?;
    }
    let place = open_real(Path::new("/proc")).map_err(Fault::at("open /proc"))?;
    system::mount_attributes(&place, RDONLY, 0, false).map_err(Fault::at("close /proc"))
}

fn kernel_is_at_least(major: u32, minor: u32) -> bool {
    let name = rustix::system::uname();
    let release = name.release().to_str().unwrap_or_default();
    is_at_least(release, (major, minor))
}

fn is_at_least(release: &str, wanted: (u32, u32)) -> bool {
    let mut numbers = release.split(|char: char| !char.is_ascii_digit()).map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= wanted,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_or_unknown_kernel_is_not_taken_for_a_new_one() {
        for (release, expected) in [
            ("6.14.0", true),
            ("6.18.44-fc-v657", true),
            ("7.0-rc1", true),
            ("6.13.9", false),
            ("5.19.0", false),
            ("6", false),
            ("", false),
            ("next", false),
        ] {
            assert_eq!(is_at_least(release, (6, 14)), expected, "{release}");
        }
    }
}
