//! The workspace on this machine's file system: where a path really leads, and files read and
//! written at that place or not at all.

mod fault;
mod partial;
mod place;
mod write;

use std::{
    io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use self::{
    fault::{Fault, failed, not_done},
    place::{open_exactly, real_place},
};
use crate::kernel::{
    BoxFuture,
    capability::Reach,
    error::{CallError, ErrorCode},
    port::{Env, Mark, Over, ResolvedPath, Standing},
    spec::View,
    text,
};

/// A file up to this is read where it is asked for.
const SMALL_BYTES: u64 = 64 << 10;

/// A folder as the workspace of a session.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    /// Places of secrets.
    secrets: Vec<PathBuf>,
    view: View,
}

impl Workspace {
    /// The folder must be there and must be readable; the error is what the system says. Blocks for
    /// the time of a look at it.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        std::fs::read_dir(&root)?;
        Ok(Self { root, secrets: Vec::new(), view: View::Whole })
    }

    /// A folder that need not be there: it is made with its first file. The error is what the system
    /// says of the way there.
    pub fn unmade(root: &Path) -> io::Result<Self> {
        let root = real_place(Path::new("/"), root)?;
        Ok(Self { root, secrets: Vec::new(), view: View::Whole })
    }

    /// The same, with nothing shown of these real places.
    #[must_use]
    pub fn hiding(self, secrets: Vec<PathBuf>) -> Self {
        Self { secrets, ..self }
    }

    /// The same, with no more done to it than that.
    #[must_use]
    pub fn viewed(self, view: View) -> Self {
        Self { view, ..self }
    }

    fn may_write(&self) -> Result<(), CallError> {
        match self.view {
            View::Whole => Ok(()),
            View::ReadOnly => Err(CallError::failed(
                "Not written: this session only reads its workspace. Say what should be written, and \
                 leave it to the agent above.",
            )),
        }
    }

    /// Where a folder of the workspace really is. One that is not there, or leads out of the workspace,
    /// is an error, and nothing is made.
    pub fn folder(&self, folder: &Path) -> Result<PathBuf, CallError> {
        let name = folder.display().to_string();
        let real = real_place(&self.root, folder)
            .map_err(|error| failed("open", &name, &Fault::from(error)))?;
        if !real.starts_with(&self.root) {
            return Err(CallError::failed(format!(
                "{name} leads out of the workspace, to {}. Name a folder inside.",
                real.display()
            )));
        }
        // To make it is an effect, for which nobody was asked.
        if !real.is_dir() {
            return Err(CallError::failed(format!(
                "There is no folder {name} in the workspace. Name one that is there, or write a file \
                 into it first: files.write makes its folders."
            )));
        }
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
                    "{} is no path. Give one such as \"src/main.py\"; \".\" is the workspace.",
                    text::quoted(path)
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
            let (file, length) = write::open_file(&path.real).map_err(told)?;
            // Another thread would take longer to wake than this takes. Where the file is was looked
            // up on this one as well, so a disk that hangs is no worse.
            if (1..=SMALL_BYTES).contains(&length) {
                return write::bytes_of(&file).map_err(told);
            }
            let shown = path.shown.clone();
            off_thread(move || {
                write::bytes_of(&file).map_err(|error| failed("read", &shown, &error))
            })
            .await
        })
    }

    fn view(&self) -> View {
        self.view
    }

    fn is_secret(&self, real: &Path) -> bool {
        // Both are real places, so that bytes say it: to compare them part by part is half the work
        // of a small read.
        let lies_in = |path: &Path, folder: &Path| {
            let rest = path.as_os_str().as_bytes().strip_prefix(folder.as_os_str().as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        // A workspace in one of them was meant, and nothing else there.
        let was_meant = |secret: &Path| lies_in(&self.root, secret) && lies_in(real, &self.root);
        self.secrets.iter().any(|secret| lies_in(real, secret) && !was_meant(secret))
    }

    fn look<'a>(&'a self, path: &'a ResolvedPath) -> BoxFuture<'a, Result<Standing, CallError>> {
        if let Err(refused) = self.may_write() {
            return Box::pin(async { Err(refused) });
        }
        let path = path.clone();
        Box::pin(off_thread(move || {
            write::look(&path.real).map_err(|error| failed("write", &path.shown, &error))
        }))
    }

    fn write_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        over: Over<'a>,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>> {
        if let Err(refused) = self.may_write() {
            return Box::pin(async { Err(refused) });
        }
        let (path, bytes) = (path.clone(), bytes.to_vec());
        let mark = match over {
            Over::Nothing { mode } => Err(mode),
            Over::File(mark) => Ok(mark.clone()),
        };
        Box::pin(off_thread(move || {
            let over = match &mark {
                Err(mode) => Over::Nothing { mode: *mode },
                Ok(mark) => Over::File(mark),
            };
            super::aside::approve(&path.real);
            write::write(&path.real, over, &bytes)
                .map_err(|error| not_done("write", "written", &path.shown, &error))
        }))
    }

    fn remove_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        mark: &'a Mark,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        if let Err(refused) = self.may_write() {
            return Box::pin(async { Err(refused) });
        }
        let (path, mark) = (path.clone(), mark.clone());
        Box::pin(off_thread(move || {
            write::remove(&path.real, &mark)
                .map_err(|error| not_done("remove", "removed", &path.shown, &error))
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

/// A folder at exactly this place, which stays the same one whatever a run puts there meanwhile.
pub(super) fn hold_folder(folder: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open_exactly(folder, flags).map_err(|fault| io::Error::other(fault.to_string()))
}

#[cfg(test)]
mod crash;
#[cfg(test)]
mod tests;
