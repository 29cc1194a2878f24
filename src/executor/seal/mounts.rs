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

use super::{Form, Plan, diagnosis::step, launcher::Fault, system};

const RDONLY: u64 = libc::MOUNT_ATTR_RDONLY;
const NOSUID: u64 = libc::MOUNT_ATTR_NOSUID;
/// Where programs share memory by name.
const SHARED_MEMORY: &str = "/dev/shm";

/// Takes this process out of the host's namespaces. Its next child is the first process of its own.
/// The host's network stays, without a right over it, where that may be reached.
pub(super) fn unshare(network: bool) -> Result<(), Fault> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let mut flags =
        UnshareFlags::NEWUSER | UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    if !network {
        flags |= UnshareFlags::NEWNET;
    }
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
    open(path, OFlags::empty())
}

/// The same, where the last name may be a link: then the link itself.
fn open_named(path: &Path) -> io::Result<OwnedFd> {
    open(path, OFlags::NOFOLLOW)
}

fn open(path: &Path, more: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | more;
    Ok(rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?)
}

/// Makes everything read-only but what the plan lets be written.
pub(super) fn arrange(plan: &Plan) -> Result<(), Fault> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).map_err(Fault::at("part the mounts"))?;
    let root = open_real(Path::new("/")).map_err(Fault::at("open the root"))?;
    system::mount_attributes(&root, RDONLY | NOSUID, 0, true)
        .map_err(Fault::at(step::READ_ONLY))?;
    // In any order: each brings along what is mounted below it as it is, so what lies in another
    // counts.
    for path in &plan.writes {
        open_real(path)
            .and_then(|place| mount_again(&place, 0, RDONLY))
            .map_err(Fault::of("make writable", path))?;
    }
    for path in &plan.guarded {
        match open_named(path).and_then(|place| mount_again(&place, RDONLY, 0)) {
            // Not every kernel puts a mount on a link. The host looks after those when all is over.
            Err(_) if path.is_symlink() => {}
            // What is gone since the plan was made may have been moved by another run, to a place where
            // it would be guarded by nothing: then this one does not begin.
            other => other.map_err(Fault::of("make read-only", path))?,
        }
    }
    cover(plan, "/run", "mode=0555,size=4k", RDONLY)?;
    cover(plan, SHARED_MEMORY, &format!("mode=1777,size={}", plan.limits.total_memory), 0)?;
    processes(plan.limits.processes)
}

/// Puts a folder or file on itself as a mount of its own, with other attributes.
fn mount_again(place: &OwnedFd, set: u64, clear: u64) -> io::Result<()> {
    let tree = copied(place)?;
    system::mount_attributes(&tree, set, clear, false)?;
    mount_on(&tree, place)
}

/// A mount of what is at a place, with the attributes it has there, not yet put anywhere.
fn copied(place: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(rustix::mount::open_tree(place, "", flags)?)
}

fn mount_on(tree: &OwnedFd, place: &OwnedFd) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(rustix::mount::move_mount(tree, "", place, "", flags)?)
}

/// Puts an empty file system over a folder of the host, and into it again the single files that the
/// plan needs of it. It stays as it is where the plan needs a whole folder in there.
fn cover(plan: &Plan, path: &str, options: &str, set: u64) -> Result<(), Fault> {
    if needs(plan, path) {
        return Ok(());
    }
    let needed: Result<Vec<_>, Fault> = plan
        .reads
        .iter()
        .filter(|root| root.starts_with(path))
        .map(|path| {
            let file = open_real(path).and_then(|place| copied(&place));
            Ok((path, file.map_err(Fault::of("keep in sight", path))?))
        })
        .collect();
    let needed = needed?;
    let options = std::ffi::CString::new(options).expect("numbers and letters alone");
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    match rustix::mount::mount("tmpfs", path, "tmpfs", flags, options.as_c_str()) {
        Ok(()) => {}
        // A system without that folder.
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(error) => return Err(Fault::of("cover", Path::new(path))(error)),
    }
    for (path, file) in needed {
        put_back(path, &file).map_err(Fault::of("keep in sight", path))?;
    }
    let place = open_real(Path::new(path)).map_err(Fault::at("open what is covered"))?;
    system::mount_attributes(&place, set, 0, false).map_err(Fault::at("close what is covered"))
}

/// Mounts a file where it was, in what is empty now.
fn put_back(path: &Path, file: &OwnedFd) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::create_new(path)?;
    mount_on(file, &open_real(path)?)
}

/// Whether the plan needs a whole folder in there.
fn needs(plan: &Plan, path: &str) -> bool {
    let within = |root: &&PathBuf| root.starts_with(path);
    plan.reads.iter().filter(within).any(|path| !path.is_file())
        || plan.writes.iter().any(|root| within(&root))
        || plan.cwd.starts_with(path)
}

/// Whether the folder of shared memory is the run's alone.
pub(super) fn has_own_shared_memory(plan: &Plan) -> bool {
    plan.form == Form::Full && !needs(plan, SHARED_MEMORY)
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
