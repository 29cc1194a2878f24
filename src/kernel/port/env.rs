//! The files a session works on.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use crate::kernel::{BoxFuture, capability::Reach, error::CallError, spec::View};

/// The workspace as a session sees it.
pub trait Env: Send + Sync {
    /// The folder relative paths start from; absolute.
    fn root(&self) -> &Path;

    /// The real place of a path, symlinks resolved as far as it exists. Does not block for long.
    fn resolve_path(&self, path: &str) -> Result<ResolvedPath, CallError>;

    /// Whether this place, or what it lies in, holds secrets: keys, passwords, footplate's own
    /// files. A model is shown nothing of it.
    fn is_secret(&self, _real: &Path) -> bool {
        false
    }

    /// Whether anything may be written here.
    fn view(&self) -> View {
        View::Whole
    }

    /// The bytes of a file, at most [`MAX_FILE_BYTES`].
    fn read_file<'a>(&'a self, path: &'a ResolvedPath)
    -> BoxFuture<'a, Result<Vec<u8>, CallError>>;

    /// What stands at a place, to change it. What cannot be written (a folder, a pipe, a file that
    /// is read-only or has more than [`MAX_FILE_BYTES`]) is an error.
    fn look<'a>(&'a self, path: &'a ResolvedPath) -> BoxFuture<'a, Result<Standing, CallError>>;

    /// Puts these bytes in the place of what stood there, whole or not at all; makes missing folders
    /// for a new file. Nothing is written if something else stands there by then.
    fn write_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        over: Over<'a>,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>>;

    /// Removes a file, if it is still this one.
    fn remove_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        mark: &'a Mark,
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

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing at all.
    Nothing,
    /// A file.
    File(Seen),
}

/// A file as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// All of it.
    pub bytes: Vec<u8>,
    /// What to know it by.
    pub mark: Mark,
    /// How many names it has (hard links), this one included.
    pub names: u64,
    /// Its permissions.
    pub mode: u32,
    /// When its bytes last changed.
    pub changed: Timestamp,
}

/// What a file is known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// How many those are.
    pub bytes: u64,
    /// Which file of which device; absent where any file with these bytes is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<(u64, u64)>,
}

impl Mark {
    /// Of any file with these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let sha256 = digest(&SHA256, bytes);
        let sha256 = sha256.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { sha256, bytes: bytes.len() as u64, identity: None }
    }

    /// Of any file with the same bytes.
    #[must_use]
    pub fn anywhere(&self) -> Self {
        Self { identity: None, ..self.clone() }
    }

    /// Whether a file with that mark is meant by this one.
    pub fn means(&self, other: &Self) -> bool {
        let same_file = self.identity.is_none() || self.identity == other.identity;
        same_file && (&self.sha256, self.bytes) == (&other.sha256, other.bytes)
    }
}

/// What a write may take the place of.
#[derive(Clone, Copy, Debug)]
pub enum Over<'a> {
    /// Nothing: the file is new, with these permissions, or else the usual ones.
    Nothing { mode: Option<u32> },
    /// This file, whose permissions stay.
    File(&'a Mark),
}
