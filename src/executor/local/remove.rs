//! Removes a folder of a run, whatever that has made of it: folders that let nobody in, and more of
//! them in each other than a thread has room or a process has descriptors for.

use std::{ffi::CString, io, path::Path};

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, renameat, statat, unlinkat},
    io::Errno,
};

/// Folders within folders that are gone into; deeper ones are moved to the top first.
const DEEPEST: usize = 32;

/// Removes a folder and all in it. No link is followed. Blocks as long as that takes.
pub(super) fn folder(place: &Path) -> io::Result<()> {
    let top = enter(CWD, place)?;
    let mut moved = 0;
    while clear(top.as_fd(), top.as_fd(), &mut moved, 0)? {}
    Ok(unlinkat(CWD, place, AtFlags::REMOVEDIR)?)
}

/// Opens a folder of ours, which lets us in from then on.
fn enter(at: impl AsFd, name: impl rustix::path::Arg + Copy) -> rustix::io::Result<OwnedFd> {
    let stat = statat(&at, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let is_open = Mode::from_raw_mode(stat.st_mode).contains(Mode::RWXU);
    if FileType::from_raw_mode(stat.st_mode) == FileType::Directory && !is_open {
        let_in(&at, name)?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, name, flags, Mode::empty())
}

/// By the folder itself and not by its name, which may be that of a link by now.
#[cfg(target_os = "linux")]
fn let_in(at: impl AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<()> {
    use std::os::fd::AsRawFd as _;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(at, name, flags, Mode::empty())?;
    let itself = format!("/proc/self/fd/{}", folder.as_raw_fd());
    rustix::fs::chmodat(CWD, itself, Mode::RWXU, AtFlags::empty())
}

#[cfg(not(target_os = "linux"))]
fn let_in(at: impl AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<()> {
    rustix::fs::chmodat(at, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

/// Removes what is in a folder, `depth` below the top; says whether something went to the top.
fn clear(
    folder: impl AsFd + Copy,
    top: impl AsFd + Copy,
    moved: &mut u64,
    depth: usize,
) -> io::Result<bool> {
    let before = *moved;
    for name in names(folder)? {
        match unlinkat(folder, &*name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            // The word for a folder differs between systems.
            Err(Errno::ISDIR | Errno::PERM | Errno::ACCESS) => {}
            Err(error) => return Err(error.into()),
        }
        let inner = enter(folder, &*name)?;
        if depth < DEEPEST {
            clear(inner.as_fd(), top, moved, depth + 1)?;
            unlinkat(folder, &*name, AtFlags::REMOVEDIR)?;
        } else {
            to_the_top((folder, &name), top, moved)?;
        }
    }
    Ok(*moved > before)
}

fn to_the_top(
    (folder, name): (impl AsFd, &CString),
    top: impl AsFd,
    moved: &mut u64,
) -> io::Result<()> {
    loop {
        *moved += 1;
        match renameat(&folder, name, &top, format!("{moved}")) {
            Ok(()) => return Ok(()),
            // Something has that name already.
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn names(folder: impl AsFd) -> io::Result<Vec<CString>> {
    let entries = Dir::read_from(folder)?.map(|entry| Ok(entry?.file_name().to_owned()));
    let all: rustix::io::Result<Vec<CString>> = entries.collect();
    Ok(all?.into_iter().filter(|name| &**name != c"." && &**name != c"..").collect())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn a_folder_goes_however_deep_it_is_and_whatever_it_lets_be_done() {
        let outer = tempfile::tempdir().unwrap();
        let (place, kept) = (outer.path().join("place"), outer.path().join("kept"));
        fs::create_dir_all(place.join("shut/inner")).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "").unwrap();
        let before = fs::metadata(&kept).unwrap().permissions();
        std::os::unix::fs::symlink(&kept, place.join("link")).unwrap();
        fs::write(place.join("1"), "").unwrap();
        fs::write(place.join("shut/inner/file"), "").unwrap();
        for shut in ["shut/inner", "shut"] {
            fs::set_permissions(place.join(shut), fs::Permissions::from_mode(0o0)).unwrap();
        }
        let mut deep = openat(CWD, &place, OFlags::RDONLY, Mode::empty()).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&deep, "d", Mode::RWXU).unwrap();
            deep = openat(&deep, "d", OFlags::RDONLY, Mode::empty()).unwrap();
        }
        folder(&place).unwrap();
        assert!(!place.exists());
        assert!(kept.join("file").exists() && kept.is_dir());
        assert_eq!(fs::metadata(&kept).unwrap().permissions(), before);
    }
}
