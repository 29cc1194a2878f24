//! Where a path really leads, and what is opened there without following anything.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    io,
    os::{fd::OwnedFd, unix::fs::MetadataExt as _},
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};

use super::fault::Fault;

/// Links on the way to one file, after which it leads nowhere.
const MOST_LINKS: usize = 40;

/// Follows a path one name at a time, links and `..` on the real path. From the first name that is
/// not there on, the rest is taken as it stands. A name is given as its folder has it, where the
/// file system does not tell capitals from small letters.
pub(super) fn real_place(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let mut real = root.to_owned();
    let mut links = 0;
    let mut ahead: VecDeque<OsString> = VecDeque::new();
    push_front(&mut ahead, &mut real, path);
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&name);
        match next.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = std::fs::read_link(&next)?;
                push_front(&mut ahead, &mut real, &target);
            }
            Ok(metadata) if !metadata.is_dir() && !ahead.is_empty() => {
                return Err(Errno::NOTDIR.into());
            }
            Ok(metadata) => {
                let identity = (metadata.dev(), metadata.ino());
                let named = written(&real, &name, identity, &|path| {
                    path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()))
                });
                real.push(named);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => real = next,
            Err(error) => return Err(error),
        }
    }
    Ok(real)
}

/// How the folder itself writes the name of what was found in it: another writing leads to the same
/// file only where capitals do not matter.
fn written(
    folder: &Path,
    name: &OsStr,
    identity: (u64, u64),
    identity_of: &dyn Fn(&Path) -> Option<(u64, u64)>,
) -> OsString {
    let Some(other) = other_case(name) else { return name.to_owned() };
    if identity_of(&folder.join(other)) != Some(identity) {
        return name.to_owned();
    }
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = None;
    if entries.by_ref().any(|entry| {
        let theirs = entry.file_name();
        let same =
            theirs.eq_ignore_ascii_case(name) && identity_of(&entry.path()) == Some(identity);
        if same && theirs != name {
            found = Some(theirs.clone());
        }
        // The very name, beside a hard link that is written otherwise.
        theirs == name
    }) {
        return name.to_owned();
    }
    found.unwrap_or_else(|| name.to_owned())
}

/// The name with capitals and small letters changed for each other; absent if it has none.
fn other_case(name: &OsStr) -> Option<String> {
    let name = name.to_str()?;
    let swap = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    let other: String = name.chars().map(swap).collect();
    (other != name).then_some(other)
}

/// Puts the names of a path before those still ahead; an absolute one starts over.
fn push_front(ahead: &mut VecDeque<OsString>, real: &mut PathBuf, path: &Path) {
    if path.is_absolute() {
        *real = PathBuf::from("/");
    }
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => ahead.push_front(name.to_owned()),
            Component::ParentDir => ahead.push_front(OsString::from("..")),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}

/// A folder, for names to be looked up in.
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens the folder; no link is followed on the way.
pub(super) fn open_folder(path: &Path) -> Result<OwnedFd, Fault> {
    open_exactly(path, FOLDER)
}

/// Opens the folder, made with these permissions where it is missing; no link is followed on the
/// way.
pub(super) fn make_folder(path: &Path, mode: Mode) -> Result<OwnedFd, Fault> {
    let mut missing: Vec<&OsStr> = Vec::new();
    let mut there = path;
    let mut folder = loop {
        match open_folder(there) {
            Ok(folder) => break folder,
            Err(Fault::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            Err(fault) => return Err(fault),
        }
        let (Some(name), Some(parent)) = (there.file_name(), there.parent()) else {
            return Err(Fault::Moved);
        };
        missing.push(name);
        there = parent;
    };
    for name in missing.into_iter().rev() {
        match rustix::fs::mkdirat(&folder, name, mode) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        folder = match rustix::fs::openat(&folder, name, FOLDER, Mode::empty()) {
            // It was not there a moment ago.
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(Fault::Moved),
            opened => opened?,
        };
    }
    Ok(folder)
}

/// Opens what is at exactly this place, by a path without links; a link that came there since it
/// was resolved is refused.
pub(super) fn open_exactly(path: &Path, flags: OFlags) -> Result<OwnedFd, Fault> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        // The stricter rule takes the place of the weaker, and says more clearly what is wrong.
        let flags = flags.difference(OFlags::NOFOLLOW);
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?),
        }
    }
    let opened = rustix::fs::open(path, flags, Mode::empty())?;
    if real_place(Path::new("/"), path)? != path {
        return Err(Fault::Moved);
    }
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_as_its_folder_has_it_where_capitals_do_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Notes.md"), "").unwrap();
        std::fs::write(folder.path().join("other"), "").unwrap();
        // As on a file system without capitals: each writing of it is the same file.
        let blind = |path: &Path| {
            let name = path.file_name()?.to_ascii_lowercase();
            (name == "notes.md").then_some((1, 1))
        };
        let sharp = |path: &Path| (path.file_name()? == "NOTES.MD").then_some((1, 1));
        for (name, identity_of, expected) in [
            ("NOTES.MD", &blind as &dyn Fn(&Path) -> _, "Notes.md"),
            ("Notes.md", &blind, "Notes.md"),
            ("NOTES.MD", &sharp, "NOTES.MD"),
        ] {
            let named = written(folder.path(), OsStr::new(name), (1, 1), identity_of);
            assert_eq!(named, expected, "{name}");
        }
        assert_eq!(other_case(OsStr::new("123")), None);
    }
}
