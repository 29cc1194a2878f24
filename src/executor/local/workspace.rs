//! The workspace on this machine's file system: where a path really leads, and files read and
//! written at that place or not at all.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read, Write},
    os::fd::OwnedFd,
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags},
    io::Errno,
};

use crate::kernel::{
    BoxFuture,
    capability::Reach,
    error::{CallError, ErrorCode},
    port::{Env, MAX_FILE_BYTES, ResolvedPath},
};

/// Links on the way to one file, after which it leads nowhere.
const MOST_LINKS: usize = 40;

/// A file up to this is read where it is asked for.
const SMALL_BYTES: u64 = 64 << 10;

/// A folder as the workspace of a session.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The folder must be there and must be readable; the error is what the system says. Blocks for
    /// the time of a look at it.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        std::fs::read_dir(&root)?;
        Ok(Self { root })
    }

    /// Makes a folder of the workspace where it is missing, and gives where it really is. One that
    /// leads out of the workspace is an error, and nothing is made there.
    pub fn make_folder(&self, folder: &Path) -> Result<PathBuf, CallError> {
        let name = folder.display().to_string();
        let real = real_place(&self.root, folder)
            .map_err(|error| failed("make", &name, &Fault::from(error)))?;
        if !real.starts_with(&self.root) {
            return Err(CallError::failed(format!(
                "{name} leads out of the workspace, to {}. Name a folder inside.",
                real.display()
            )));
        }
        make_folder(&real).map_err(|error| failed("make", &name, &error))?;
        Ok(real)
    }

    fn place(&self, real: PathBuf) -> ResolvedPath {
        let (reach, shown) = match real.strip_prefix(&self.root) {
            Ok(inside) if inside.as_os_str().is_empty() => (Reach::Workspace, ".".to_owned()),
            Ok(inside) => (Reach::Workspace, inside.display().to_string()),
            Err(_) => (Reach::Outside, real.display().to_string()),
        };
        ResolvedPath { real, shown, reach }
    }
}

impl Env for Workspace {
    fn root(&self) -> &Path {
        &self.root
    }

    fn resolve_path(&self, path: &str) -> Result<ResolvedPath, CallError> {
        if path.is_empty() || path.contains('\0') {
            return Err(CallError::new(
                ErrorCode::InvalidInput,
                format!(
                    "{path:?} is no path. Give one such as \"src/main.py\"; \".\" is the workspace."
                ),
            ));
        }
        let real = real_place(&self.root, Path::new(path))
            .map_err(|error| failed("find", path, &Fault::from(error)))?;
        Ok(self.place(real))
    }

    fn read_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
    ) -> BoxFuture<'a, Result<Vec<u8>, CallError>> {
        let told = |error: Fault| failed("read", &path.shown, &error);
        Box::pin(async move {
            let (file, length) = open_file(&path.real).map_err(told)?;
            // Another thread would take longer to wake than this takes. Where the file is was looked
            // up on this one as well, so a disk that hangs is no worse.
            if (1..=SMALL_BYTES).contains(&length) {
                return read(file).map_err(told);
            }
            let shown = path.shown.clone();
            off_thread(move || read(file).map_err(|error| failed("read", &shown, &error))).await
        })
    }

    fn write_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>> {
        let (path, bytes) = (path.clone(), bytes.to_vec());
        Box::pin(off_thread(move || {
            write(&path.real, &bytes).map_err(|error| failed("write", &path.shown, &error))
        }))
    }
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> Result<T, CallError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        Err(CallError::new(ErrorCode::Interrupted, "Interrupted: the program is ending."))
    })
}

/// Follows a path one name at a time, links and `..` on the real path. From the first name that is
/// not there on, the rest is taken as it stands.
fn real_place(root: &Path, path: &Path) -> io::Result<PathBuf> {
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
            Ok(_) => real = next,
            Err(error) if error.kind() == io::ErrorKind::NotFound => real = next,
            Err(error) => return Err(error),
        }
    }
    Ok(real)
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

/// A plain file that is not too large, and its length.
fn open_file(path: &Path) -> Result<(File, u64), Fault> {
    // Not blocking, or a pipe would be waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open_exactly(path, flags)?);
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Fault::Folder);
    }
    if !metadata.is_file() {
        return Err(Fault::NoFile);
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Fault::TooLarge(metadata.len()));
    }
    Ok((file, metadata.len()))
}

fn read(file: File) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Fault::TooLarge(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Writes beside the file and moves it there, in the folder that was resolved.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Fault::TooLarge(bytes.len() as u64));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Fault::Folder);
    };
    super::aside::approve(path);
    let folder = make_folder(folder)?;
    let mode = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile if stat.st_mode & 0o222 == 0 => return Err(Fault::ReadOnly),
            FileType::RegularFile => Some(Mode::from_raw_mode(stat.st_mode)),
            FileType::Directory => return Err(Fault::Folder),
            FileType::Symlink => return Err(Fault::Moved),
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => return Err(Fault::NoFile),
        },
        Err(Errno::NOENT) => None,
        Err(error) => return Err(error.into()),
    };
    let partial = Partial::create(&folder)?;
    partial.fill(bytes, mode)?;
    rustix::fs::renameat(&folder, &partial.name, &folder, name)?;
    std::mem::forget(partial);
    Ok(())
}

/// A file that is not whole yet; removed when dropped.
struct Partial<'a> {
    folder: &'a OwnedFd,
    name: String,
    file: File,
}

impl<'a> Partial<'a> {
    fn create(folder: &'a OwnedFd) -> Result<Self, Fault> {
        let name = format!(".{}.partial", uuid::Uuid::now_v7().simple());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(0o666))?;
        Ok(Self { folder, name, file: File::from(file) })
    }

    fn fill(&self, bytes: &[u8], mode: Option<Mode>) -> Result<(), Fault> {
        (&self.file).write_all(bytes)?;
        if let Some(mode) = mode {
            rustix::fs::fchmod(&self.file, mode)?;
        }
        // Or a loss of power could leave an empty file under the old name.
        self.file.sync_data()?;
        Ok(())
    }
}

impl Drop for Partial<'_> {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
    }
}

/// Opens the folder, made where it is missing; no link is followed on the way.
fn make_folder(path: &Path) -> Result<OwnedFd, Fault> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut missing: Vec<&OsStr> = Vec::new();
    let mut there = path;
    let mut folder = loop {
        match open_exactly(there, flags) {
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
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        folder = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
            // It was not there a moment ago.
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(Fault::Moved),
            opened => opened?,
        };
    }
    Ok(folder)
}

/// Opens what is at exactly this place, by a path without links; a link that came there since it
/// was resolved is refused.
fn open_exactly(path: &Path, flags: OFlags) -> Result<OwnedFd, Fault> {
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

/// Why a file could not be read or written.
#[derive(Debug)]
enum Fault {
    Io(io::Error),
    Folder,
    NoFile,
    ReadOnly,
    Moved,
    TooLarge(u64),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => Self::Moved,
            Some(_) | None => Self::Io(error),
        }
    }
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => match Errno::from_io_error(error) {
                Some(Errno::NOENT) => f.write_str("it is not there. Look which files there are."),
                Some(Errno::ACCESS | Errno::PERM) => {
                    f.write_str("the system does not allow it. Choose another place.")
                }
                Some(Errno::NOTDIR) => {
                    f.write_str("a file stands where a folder is needed. Choose another place.")
                }
                Some(Errno::NOSPC | Errno::DQUOT) => {
                    f.write_str("the disk is full. Nothing was written; make room first.")
                }
                Some(_) | None => write!(f, "{error}. Nothing was changed."),
            },
            Self::Folder => f.write_str("it is a folder. Name a file in it."),
            Self::NoFile => f.write_str("it is no regular file. Name another one."),
            Self::ReadOnly => {
                f.write_str("it is read-only. Make it writable first, if that is what you want.")
            }
            Self::Moved => f.write_str(
                "a link stands in its place or leads in a circle. Look where it leads now, then try again.",
            ),
            Self::TooLarge(bytes) => write!(
                f,
                "{bytes} bytes are more than the {MAX_FILE_BYTES} that can be held at once. \
                 Work on a part of it."
            ),
        }
    }
}

fn failed(doing: &str, shown: &str, fault: &dyn std::fmt::Display) -> CallError {
    CallError::failed(format!("Cannot {doing} {shown}: {fault}"))
}

#[cfg(test)]
mod tests;
