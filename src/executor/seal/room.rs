//! How much room a run takes for files: those in its scratch folder, and those that have no name
//! any more, or never had one.

use std::{
    collections::HashSet,
    fs, io,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::Path,
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat},
    process::Pid,
};

use super::processes::folder;

/// Folders within folders; no honest run goes deeper, and each costs a descriptor.
const DEEPEST: usize = 128;
/// Open files that are looked at in one look.
const MOST_OPEN: usize = 20_000;
/// What the system counts a file's room in.
const BLOCK: u64 = 512;

/// Room for files, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) bytes: u64,
    pub(super) entries: u64,
}

impl Room {
    /// What lies below a folder. Once that is more than `most` entries, or deeper than anybody goes,
    /// it says so and looks no further. What is removed or made meanwhile may be missed.
    pub(super) fn below(place: &Path, most: u64) -> Self {
        let mut room = Self::default();
        let mut linked = HashSet::new();
        let mut open: Vec<Dir> = folder_at(CWD, place).into_iter().collect();
        while let Some(dir) = open.last_mut() {
            let Some(Ok(entry)) = dir.read() else {
                open.pop();
                continue;
            };
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            room.entries += 1;
            if room.entries > most {
                return room;
            }
            let Some(Ok(dir)) = open.last().map(Dir::fd) else { continue };
            let Ok(stat) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            // A file of many names takes its room once.
            if is_folder || stat.st_nlink < 2 || linked.insert((stat.st_dev, stat.st_ino)) {
                room.bytes += u64::try_from(stat.st_blocks).unwrap_or(0) * BLOCK;
            }
            if is_folder && let Ok(folder) = folder_at(dir, name) {
                if open.len() >= DEEPEST {
                    room.entries = u64::MAX;
                    return room;
                }
                open.push(folder);
            }
        }
        room
    }
}

/// Opens a folder to be listed, and nothing a link leads to.
fn folder_at(at: impl std::os::fd::AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Dir::new(openat(at, name, flags, Mode::empty())?)
}

/// What processes hold open that has no name: bytes on disk, and bytes that are memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Nameless {
    pub(super) disk: u64,
    pub(super) memory: u64,
}

impl Nameless {
    /// Of these processes; of one that hides its files, nothing.
    pub(super) fn of(processes: impl Iterator<Item = Pid>) -> Self {
        let mut all = Self::default();
        let mut seen = HashSet::new();
        let files = processes.flat_map(|pid| fs::read_dir(folder(pid).join("fd")));
        for file in files.flatten().flatten().take(MOST_OPEN) {
            let path = file.path();
            let Ok(status) = fs::metadata(&path) else { continue };
            if !status.is_file() || status.nlink() > 0 || !seen.insert((status.dev(), status.ino()))
            {
                continue;
            }
            let bytes = status.blocks() * BLOCK;
            if is_memory(&path).unwrap_or(false) { all.memory += bytes } else { all.disk += bytes }
        }
        all
    }
}

/// Whether the open file behind this link lives in memory alone.
fn is_memory(link: &Path) -> io::Result<bool> {
    let target = fs::read_link(link)?;
    let name = target.as_os_str().as_bytes();
    Ok([&b"/memfd:"[..], b"/dev/shm/"].iter().any(|start| name.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_lies_in_a_folder_is_measured_and_what_lies_behind_a_link_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(Room::below(folder.path(), 10).entries, 0);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/b/full"), vec![1; 1 << 20]).unwrap();
        let before = Room::below(folder.path(), 10);
        assert!((1 << 20..2 << 20).contains(&before.bytes), "{before:?}");
        assert_eq!(before.entries, 3);
        fs::hard_link(at("a/b/full"), at("again")).unwrap();
        std::os::unix::fs::symlink("/usr", at("link")).unwrap();
        fs::File::create(at("empty")).unwrap().set_len(1 << 40).unwrap();
        let after = Room::below(folder.path(), 10);
        assert_eq!((after.bytes, after.entries), (before.bytes, 6));
        assert_eq!(Room::below(folder.path(), 2).entries, 3);
        assert_eq!(Room::below(&at("gone"), 2), Room::default());
    }

    #[test]
    fn who_hides_in_the_depth_is_over_every_limit() {
        let folder = tempfile::tempdir().unwrap();
        let deep: std::path::PathBuf = (0..DEEPEST + 1).map(|_| "d").collect();
        fs::create_dir_all(folder.path().join(deep)).unwrap();
        assert_eq!(Room::below(folder.path(), 10_000).entries, u64::MAX);
    }

    #[test]
    fn open_files_without_a_name_are_found_once() {
        let here = rustix::process::getpid();
        let before = Nameless::of([here].into_iter());
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![1; 3 << 20]).unwrap();
        let _again = file.try_clone().unwrap();
        let memory = rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let mut memory = fs::File::from(memory);
        memory.write_all(&vec![1; 5 << 20]).unwrap();
        let after = Nameless::of([here, here].into_iter());
        // Other tests of this process hold files as well, but none as large.
        let grown = |now: u64, then: u64| (now.saturating_sub(then)) >> 20;
        assert_eq!(grown(after.disk, before.disk), 3);
        assert_eq!(grown(after.memory, before.memory), 5);
    }
}
