//! What the calls of a session have replaced: `outputs/<call>.before`, whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use crate::kernel::{
    id::CallId,
    port::{KEPT_FILE_BYTES, KEPT_SESSION_BYTES, Kept},
};

const EXTENSION: &str = "before";

pub(super) fn path(outputs: &Path, call: CallId) -> PathBuf {
    outputs.join(format!("{call}.{EXTENSION}"))
}

/// Whether these bytes are kept, beside so many.
pub(super) fn verdict(so_far: u64, bytes: &[u8]) -> Kept {
    let bytes = bytes.len() as u64;
    if bytes > KEPT_FILE_BYTES {
        Kept::TooLarge
    } else if so_far + bytes > KEPT_SESSION_BYTES {
        Kept::Full
    } else {
        Kept::Whole
    }
}

/// How many bytes are kept in the folder.
pub(super) fn all(outputs: &Path) -> io::Result<u64> {
    let mut all = 0;
    for entry in fs::read_dir(outputs)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == EXTENSION) {
            all += entry.metadata()?.len();
        }
    }
    Ok(all)
}

/// Writes them down to the disk; what could not be written whole is removed.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half of it would be worse than nothing.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_no_more_than_its_bound_and_counts_what_is_there() {
        let bytes = [0; 10];
        assert_eq!(verdict(KEPT_SESSION_BYTES - 10, &bytes), Kept::Whole);
        assert_eq!(verdict(KEPT_SESSION_BYTES - 9, &bytes), Kept::Full);
        assert_eq!(verdict(KEPT_SESSION_BYTES, b""), Kept::Whole);
        let outputs = tempfile::tempdir().unwrap();
        for (call, bytes) in [(1_u128, &b"three"[..]), (2, b"and four")] {
            write(&path(outputs.path(), call.into()), bytes).unwrap();
        }
        fs::write(outputs.path().join("an output"), "not counted").unwrap();
        assert_eq!(all(outputs.path()).unwrap(), 13);
        let twice = write(&path(outputs.path(), 1.into()), b"other").unwrap_err();
        assert_eq!(twice.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(path(outputs.path(), 1.into())).unwrap(), b"three");
    }
}
