//! Looks at a file and changes it: whole or not at all, and only if it is still the one that was
//! seen, which is asked of the opened file and not of its path.
//!
//! A file is *replaced* where nothing is lost by it: the new bytes are written to a file without a
//! name, which takes the old one's mode, owner and extended attributes and then its place in one
//! step. Whoever looks, and whatever ends us, finds the old bytes or the new ones.
//!
//! It is written *in place* where a replacement would lose something: it has more names than this
//! one (hard links), its owner or attributes may not be given to another file, nothing can be made
//! or moved in its folder, or it is a mount of its own. Room is taken first, and on a fault the old
//! bytes are put back; only an end of the process, or of power, amid the one write leaves it half
//! changed.
//!
//! As with any write, the right to run as its owner (setuid) and capabilities do not pass on to new
//! bytes.

use std::{
    ffi::{CStr, OsStr},
    fs::File,
    io::Read as _,
    os::{fd::OwnedFd, unix::fs::FileExt as _},
    path::Path,
};

use jiff::Timestamp;
use rustix::{
    fs::{AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid, XattrFlags},
    io::Errno,
};

use super::{
    fault::Fault,
    partial::Partial,
    place::{make_folder, open_exactly, open_folder},
};
use crate::kernel::port::{MAX_FILE_BYTES, Mark, Over, Seen, Standing};

/// Not blocking, or a pipe would be waited for.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// A plain file, and its length.
pub(super) fn open_file(path: &Path) -> Result<(File, u64), Fault> {
    let file = File::from(open_exactly(path, READ)?);
    regular(&rustix::fs::fstat(&file)?)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// What stands there, to be changed.
pub(super) fn look(path: &Path) -> Result<Standing, Fault> {
    let file = match open_exactly(path, READ) {
        Ok(file) => File::from(file),
        Err(Fault::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Standing::Nothing);
        }
        Err(fault) => return Err(fault),
    };
    let stat = rustix::fs::fstat(&file)?;
    regular(&stat)?;
    if stat.st_mode & 0o222 == 0 {
        return Err(Fault::ReadOnly);
    }
    Ok(Standing::File(seen(&file, &stat)?))
}

pub(super) fn write(path: &Path, over: Over<'_>, bytes: &[u8]) -> Result<(), Fault> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Fault::TooLarge(bytes.len() as u64));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Fault::Folder);
    };
    match over {
        Over::Nothing { mode } => {
            // Around what is for its owner alone, so are they.
            let is_private = mode.is_some_and(|mode| mode & 0o077 == 0);
            let around = Mode::from_raw_mode(if is_private { 0o700 } else { 0o777 });
            let folder = make_folder(folder, around)?;
            let partial = Partial::create(&folder, Mode::from_raw_mode(0o666))?;
            partial.fill(bytes, mode.map(permissions))?;
            partial.become_new(name)
        }
        Over::File(mark) => {
            let folder = open_folder(folder)?;
            let current = Current::open(&folder, name, mark)?;
            match current.replacement() {
                Some(partial) => {
                    let mode = Mode::from_raw_mode(current.stat.st_mode & 0o1777);
                    partial.fill(bytes, Some(mode))?;
                    current.check_name()?;
                    match partial.become_old(name) {
                        // A mount of its own has no place that another file could take, and in a
                        // folder such as `/tmp` the file of another person keeps its own.
                        Err(
                            Errno::BUSY
                            | Errno::XDEV
                            | Errno::PERM
                            | Errno::ACCESS
                            | Errno::NOENT
                            | Errno::OPNOTSUPP,
                        ) => current.write_in_place(bytes),
                        done => Ok(done?),
                    }
                }
                None => current.write_in_place(bytes),
            }
        }
    }
}

pub(super) fn remove(path: &Path, mark: &Mark) -> Result<(), Fault> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Fault::Folder);
    };
    let folder = open_folder(folder)?;
    let current = Current::open(&folder, name, mark)?;
    current.check_name()?;
    Ok(rustix::fs::unlinkat(&folder, name, AtFlags::empty())?)
}

/// The file that was seen, opened.
struct Current<'a> {
    folder: &'a OwnedFd,
    name: &'a OsStr,
    file: File,
    stat: Stat,
    bytes: Vec<u8>,
}

impl<'a> Current<'a> {
    fn open(folder: &'a OwnedFd, name: &'a OsStr, mark: &Mark) -> Result<Self, Fault> {
        let file = match rustix::fs::openat(folder, name, READ, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT | Errno::LOOP) => return Err(Fault::Changed),
            Err(error) => return Err(error.into()),
        };
        let stat = rustix::fs::fstat(&file)?;
        regular(&stat).map_err(|_| Fault::Changed)?;
        let seen = seen(&file, &stat)?;
        if !mark.means(&seen.mark) {
            return Err(Fault::Changed);
        }
        if stat.st_mode & 0o222 == 0 {
            return Err(Fault::ReadOnly);
        }
        Ok(Self { folder, name, file, stat, bytes: seen.bytes })
    }

    /// Whether the name still leads to this file.
    fn check_name(&self) -> Result<(), Fault> {
        match rustix::fs::statat(self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if identity(&stat) == identity(&self.stat) => Ok(()),
            Ok(_) | Err(Errno::NOENT) => Err(Fault::Changed),
            Err(error) => Err(error.into()),
        }
    }

    /// An empty file that is like this one but for its bytes; absent where there can be none.
    fn replacement(&self) -> Option<Partial<'a>> {
        if self.stat.st_nlink > 1 || self.open_to_write().is_err() {
            // Who may not write the file may not take its place either.
            return None;
        }
        let partial = Partial::create(self.folder, Mode::from_raw_mode(0o600)).ok()?;
        let fresh = rustix::fs::fstat(partial.file()).ok()?;
        if (fresh.st_uid, fresh.st_gid) != (self.stat.st_uid, self.stat.st_gid) {
            let (user, group) = (Uid::from_raw(self.stat.st_uid), Gid::from_raw(self.stat.st_gid));
            rustix::fs::fchown(partial.file(), Some(user), Some(group)).ok()?;
        }
        copy_attributes(&self.file, partial.file()).ok()?;
        Some(partial)
    }

    fn open_to_write(&self) -> Result<File, Fault> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(self.folder, self.name, flags, Mode::empty())?;
        if identity(&rustix::fs::fstat(&file)?) != identity(&self.stat) {
            return Err(Fault::Changed);
        }
        Ok(File::from(file))
    }

    fn write_in_place(&self, bytes: &[u8]) -> Result<(), Fault> {
        let file = self.open_to_write()?;
        let put = |bytes: &[u8]| {
            file.write_all_at(bytes, 0)?;
            file.set_len(bytes.len() as u64)
        };
        let done = take_room(&file, bytes.len() as u64).and_then(|()| put(bytes));
        if let Err(error) = done {
            // It had the room for these.
            put(&self.bytes)?;
            return Err(error.into());
        }
        Ok(file.sync_data()?)
    }
}

/// Takes the room on the disk, so that it does not run out amid a write; where the file system
/// cannot say, the write itself will.
fn take_room(file: &File, bytes: u64) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    if bytes > 0 {
        use rustix::fs::{FallocateFlags, fallocate};
        match fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, bytes);
    Ok(())
}

fn permissions(bits: u32) -> Mode {
    // Narrower on some systems.
    #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
    Mode::from_raw_mode((bits & 0o1777).try_into().unwrap_or(0o600))
}

fn identity(stat: &Stat) -> (u64, u64) {
    // Narrower on some systems.
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)]
    (stat.st_dev as u64, stat.st_ino as u64)
}

fn regular(stat: &Stat) -> Result<(), Fault> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(Fault::Folder),
        FileType::Symlink => Err(Fault::Moved),
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Err(Fault::NoFile),
    }
}

fn seen(file: &File, stat: &Stat) -> Result<Seen, Fault> {
    let bytes = bytes_of(file)?;
    let changed = file.metadata()?.modified()?;
    Ok(Seen {
        mark: Mark { identity: Some(identity(stat)), ..Mark::of(&bytes) },
        bytes,
        // Narrower on some systems.
        #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
        names: stat.st_nlink.try_into().unwrap_or(u64::MAX),
        #[allow(clippy::useless_conversion)]
        mode: u32::from(stat.st_mode) & 0o7777,
        changed: Timestamp::try_from(changed).unwrap_or_default(),
    })
}

/// All of it, if it is not too large.
pub(super) fn bytes_of(file: &File) -> Result<Vec<u8>, Fault> {
    let length = file.metadata()?.len();
    if length > MAX_FILE_BYTES {
        return Err(Fault::TooLarge(length));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Fault::TooLarge(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Given by the system to the bytes themselves: new ones have their own.
const OF_THE_BYTES: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Gives a file the extended attributes of another, access lists and labels among them, and takes
/// away what it got from its folder.
fn copy_attributes(from: &File, to: &File) -> Result<(), Errno> {
    let (theirs, ours) = (attributes(from)?, attributes(to)?);
    for name in ours.iter().filter(|name| !theirs.contains(name)) {
        rustix::fs::fremovexattr(to, name)?;
    }
    for name in &theirs {
        let value = attribute(from, name)?;
        if !ours.contains(name) || attribute(to, name)? != value {
            rustix::fs::fsetxattr(to, name, &value, XattrFlags::empty())?;
        }
    }
    Ok(())
}

fn attributes(file: &File) -> Result<Vec<Vec<u8>>, Errno> {
    let length = match rustix::fs::flistxattr_query(file) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = vec![0_u8; length];
    let length = rustix::fs::flistxattr(file, &mut names[..])?;
    names.truncate(length);
    let names = names.split_inclusive(|byte| *byte == 0);
    let names = names.filter_map(|name| CStr::from_bytes_with_nul(name).ok());
    let names = names.map(|name| name.to_bytes().to_vec());
    Ok(names.filter(|name| !OF_THE_BYTES.contains(&&**name)).collect())
}

fn attribute(file: &File, name: &[u8]) -> Result<Vec<u8>, Errno> {
    let length = rustix::fs::fgetxattr_query(file, name)?;
    let mut value = vec![0_u8; length];
    let length = rustix::fs::fgetxattr(file, name, &mut value[..])?;
    value.truncate(length);
    Ok(value)
}
