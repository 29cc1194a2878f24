//! A file that is not whole yet. Where the system can, it has no name until it is, so that nothing
//! is left of it whatever ends us; elsewhere, and for the moment in which it takes another's place,
//! it has one that the next write in the folder knows and sweeps away.

use std::{ffi::OsStr, fs::File, io::Write as _, os::fd::OwnedFd};

use rustix::{
    fs::{AtFlags, FlockOperation, Mode, OFlags},
    io::Errno,
};

use super::fault::Fault;

const BEGINNING: &str = ".footplate-";
const END: &str = ".partial";

/// A file that is not whole yet; gone when dropped.
pub(super) struct Partial<'a> {
    folder: &'a OwnedFd,
    file: File,
    /// Its name, once it has one.
    name: Name<'a>,
}

/// A name that is taken back by drop.
struct Name<'a> {
    folder: &'a OwnedFd,
    name: Option<String>,
}

impl Drop for Name<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // There is nobody left to tell.
            let _ = rustix::fs::unlinkat(self.folder, name, AtFlags::empty());
        }
    }
}

impl<'a> Partial<'a> {
    /// An empty one.
    pub(super) fn create(folder: &'a OwnedFd, mode: Mode) -> Result<Self, Fault> {
        sweep(folder);
        let mut name = Name { folder, name: None };
        let file = match create_unnamed(folder, mode) {
            Some(file) => file,
            None => {
                let fresh = fresh_name();
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                let file = rustix::fs::openat(folder, &fresh, flags, mode)?;
                name.name = Some(fresh);
                file
            }
        };
        // Whoever sweeps sees by this that somebody is at it.
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // Not every file system knows locks; then nothing is swept there either.
            Ok(()) | Err(_) => {}
        }
        Ok(Self { folder, file: File::from(file), name })
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Writes all of it, down to the disk.
    pub(super) fn fill(&self, bytes: &[u8], mode: Option<Mode>) -> Result<(), Fault> {
        (&self.file).write_all(bytes)?;
        if let Some(mode) = mode {
            rustix::fs::fchmod(&self.file, mode)?;
        }
        // Or a loss of power could leave an empty file under the old name.
        self.file.sync_data()?;
        Ok(())
    }

    /// Gets a name that nothing has.
    pub(super) fn become_new(mut self, name: &OsStr) -> Result<(), Fault> {
        let named = match &self.name.name {
            None => link(&self.file, self.folder, name),
            Some(own) => rename_to_new(self.folder, own, name),
        };
        match named {
            Err(Errno::EXIST) => Err(Fault::Changed),
            Err(error) => Err(error.into()),
            Ok(()) => {
                self.name.name = None;
                Ok(())
            }
        }
    }

    /// Takes the place of what has that name.
    pub(super) fn become_old(mut self, name: &OsStr) -> Result<(), Errno> {
        if self.name.name.is_none() {
            let fresh = fresh_name();
            link(&self.file, self.folder, OsStr::new(&fresh))?;
            self.name.name = Some(fresh);
        }
        if let Some(own) = &self.name.name {
            rustix::fs::renameat(self.folder, own, self.folder, name)?;
        }
        self.name.name = None;
        Ok(())
    }
}

fn fresh_name() -> String {
    format!("{BEGINNING}{}{END}", uuid::Uuid::now_v7().simple())
}

#[cfg(target_os = "linux")]
fn create_unnamed(folder: &OwnedFd, mode: Mode) -> Option<OwnedFd> {
    if !std::path::Path::new("/proc/self/fd").is_dir() {
        return None;
    }
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    rustix::fs::openat(folder, ".", flags, mode).ok()
}

#[cfg(not(target_os = "linux"))]
fn create_unnamed(_: &OwnedFd, _: Mode) -> Option<OwnedFd> {
    None
}

/// Gives a file without a name one that nothing has.
fn link(file: &File, folder: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    use std::os::fd::AsRawFd as _;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::linkat(rustix::fs::CWD, own, folder, name, AtFlags::SYMLINK_FOLLOW)
}

fn rename_to_new(folder: &OwnedFd, own: &str, name: &OsStr) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    match rustix::fs::renameat_with(folder, own, folder, name, rustix::fs::RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        done => return done,
    }
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => rustix::fs::renameat(folder, own, folder, name),
        Err(error) => Err(error),
    }
}

/// Removes what a process that was killed has left here.
fn sweep(folder: &OwnedFd) {
    let Ok(entries) = rustix::fs::Dir::read_from(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let bytes = name.to_bytes();
        if !bytes.starts_with(BEGINNING.as_bytes()) || !bytes.ends_with(END.as_bytes()) {
            continue;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(folder, name, flags, Mode::empty()) else { continue };
        if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            // Left as it is where it cannot be removed.
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
        }
    }
}
