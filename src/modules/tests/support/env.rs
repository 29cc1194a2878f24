//! A workspace on the real disk.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Component, Path, PathBuf},
};

use jiff::Timestamp;

use crate::kernel::{
    BoxFuture,
    capability::Reach,
    error::CallError,
    port::{Env, Mark, Over, ResolvedPath, Seen, Standing},
};

/// A workspace on the real disk, resolved as far as it exists.
pub(super) struct FakeEnv(pub(super) PathBuf);

impl Env for FakeEnv {
    fn root(&self) -> &Path {
        &self.0
    }

    fn resolve_path(&self, path: &str) -> Result<ResolvedPath, CallError> {
        let real = real(&self.0.join(path));
        let inside = real.strip_prefix(&self.0).ok();
        let shown = inside.unwrap_or(&real).to_str().unwrap();
        Ok(ResolvedPath {
            shown: if shown.is_empty() { ".".to_owned() } else { shown.to_owned() },
            reach: if inside.is_some() { Reach::Workspace } else { Reach::Outside },
            real,
        })
    }

    fn read_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
    ) -> BoxFuture<'a, Result<Vec<u8>, CallError>> {
        let read = fs::read(&path.real);
        Box::pin(async move { read.map_err(|error| failed(path, &error)) })
    }

    fn is_secret(&self, real: &Path) -> bool {
        real.starts_with(self.0.join(".ssh"))
    }

    fn look<'a>(&'a self, path: &'a ResolvedPath) -> BoxFuture<'a, Result<Standing, CallError>> {
        let standing = match fs::metadata(&path.real) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Standing::Nothing),
            Ok(metadata) if metadata.is_dir() => {
                Err(CallError::failed(format!("Cannot write {}: it is a folder.", path.shown)))
            }
            Ok(metadata) => {
                fs::read(&path.real).map_err(|error| failed(path, &error)).map(|bytes| {
                    let identity = Some((metadata.dev(), metadata.ino()));
                    Standing::File(Seen {
                        mark: Mark { identity, ..Mark::of(&bytes) },
                        bytes,
                        names: metadata.nlink(),
                        mode: metadata.mode(),
                        changed: Timestamp::UNIX_EPOCH,
                    })
                })
            }
            Err(error) => Err(CallError::failed(format!("Cannot write {}: {error}", path.shown))),
        };
        Box::pin(async move { standing })
    }

    fn write_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        _: Over<'a>,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move {
            fs::create_dir_all(path.real.parent().unwrap())
                .and_then(|()| fs::write(&path.real, bytes))
                .map_err(|error| failed(path, &error))
        })
    }

    fn remove_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        _: &'a Mark,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move { fs::remove_file(&path.real).map_err(|error| failed(path, &error)) })
    }
}

fn failed(path: &ResolvedPath, error: &io::Error) -> CallError {
    CallError::failed(format!("{}: {error}", path.shown))
}

/// The real place of a path of which the end may not exist yet.
fn real(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => real.push(part),
        }
        if let Ok(target) = real.read_link() {
            real = self::real(&real.parent().unwrap().join(target));
        }
    }
    real
}
