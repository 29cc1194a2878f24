//! The files a session works on.

use std::path::{Path, PathBuf};

use crate::kernel::{BoxFuture, capability::Reach, error::CallError};

/// The workspace as a session sees it.
pub trait Env: Send + Sync {
    /// The folder relative paths start from; absolute.
    fn root(&self) -> &Path;

    /// The real place of a path, symlinks resolved as far as it exists. Does not block for long.
    fn resolve_path(&self, path: &str) -> Result<ResolvedPath, CallError>;

    /// The bytes of a file, at most [`MAX_FILE_BYTES`].
    fn read_file<'a>(&'a self, path: &'a ResolvedPath)
    -> BoxFuture<'a, Result<Vec<u8>, CallError>>;

    /// Replaces a file's bytes, whole or not at all; makes missing folders. The file must still be
    /// at the place that was resolved, or nothing is written.
    fn write_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>>;
}

/// The largest file that is read or written whole.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Where a path really leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPath {
    /// The real place, absolute.
    pub real: PathBuf,
    /// How to name it to people and models: relative to the workspace where it is inside.
    pub shown: String,
    /// Whether it is inside.
    pub reach: Reach,
}
