//! The name of a session beside its journal, so that a list need not read the journal for it. What
//! the journal says counts: the file is written after it, and mended when the session is opened.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// The file.
pub(super) const FILE: &str = "name";
/// The longest name that is believed, in bytes.
const LONGEST: u64 = 400;

/// Writes it, whole or not at all.
pub(super) fn write(folder: &Path, name: &str) -> io::Result<()> {
    let new = folder.join("name.new");
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(name.as_bytes())?;
    fs::rename(&new, folder.join(FILE))
}

/// The name of the session with that journal, if it was given one.
pub(super) fn read(journal: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(journal.with_file_name(FILE)).ok()?;
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    text.retain(|character| !character.is_control());
    (!text.trim().is_empty()).then_some(text)
}

/// Writes the name that the journal says, where the file says something else.
pub(super) fn mend(folder: &Path, name: &str) {
    if read(&folder.join("journal")).as_deref() != Some(name)
        && let Err(error) = write(folder, name)
    {
        tracing::warn!(%error, "the name of a session is not in the list");
    }
}
