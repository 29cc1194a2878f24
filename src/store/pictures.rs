//! The pictures of a session: `pictures/<sha256>`, each once, whole or not at all.

use std::{
    collections::HashSet,
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use crate::kernel::{
    picture::{MOST_BYTES, PictureId},
    port::{KEPT_PICTURES_BYTES, Kept},
};

/// What the folder is called.
pub(super) const FOLDER: &str = "pictures";

pub(super) fn path(folder: &Path, picture: PictureId) -> PathBuf {
    folder.join(picture.to_string())
}

/// Whether these bytes are kept, beside so many.
pub(super) fn verdict(so_far: u64, bytes: &[u8]) -> Kept {
    let bytes = bytes.len() as u64;
    if bytes > MOST_BYTES {
        Kept::TooLarge
    } else if so_far.saturating_add(bytes) > KEPT_PICTURES_BYTES {
        Kept::Full
    } else {
        Kept::Whole
    }
}

/// Keeps a picture in the folder, which is there, unless it is there already.
pub(super) fn keep(folder: &Path, bytes: &[u8]) -> io::Result<Kept> {
    let path = path(folder, PictureId::of(bytes));
    if path.metadata().is_ok_and(|there| there.len() == bytes.len() as u64) {
        return Ok(Kept::Whole);
    }
    let verdict = verdict(all(folder)?, bytes);
    if verdict == Kept::Whole {
        // A name of its own for each writer: two may keep the same picture at once.
        let part = tempfile::Builder::new().prefix(".part-").make_in(folder, |part| {
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(part)
        })?;
        part.as_file().write_all(bytes)?;
        part.as_file().sync_data()?;
        part.persist(&path).map_err(|error| error.error)?;
    }
    Ok(verdict)
}

/// A file that has other bytes by now is none of ours.
pub(super) fn read(folder: &Path, picture: PictureId) -> io::Result<Option<Vec<u8>>> {
    let path = path(folder, picture);
    match path.metadata() {
        Ok(there) if there.is_file() && there.len() <= MOST_BYTES => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let bytes = fs::read(&path)?;
    Ok((PictureId::of(&bytes) == picture).then_some(bytes))
}

/// How many bytes are kept in the folder.
fn all(folder: &Path) -> io::Result<u64> {
    let mut all = 0;
    for entry in fs::read_dir(folder)? {
        all += entry?.metadata()?.len();
    }
    Ok(all)
}

/// Gives a copy of a session the pictures of those names. The files are the same ones, where
/// the disk can do that: nobody writes to them any more.
pub(super) fn copy(pictures: &HashSet<PictureId>, from: &Path, to: &Path) -> io::Result<()> {
    for picture in pictures {
        let (from, copy) = (path(from, *picture), path(to, *picture));
        if copy.exists() || !from.exists() {
            continue;
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(to)?;
        if fs::hard_link(&from, &copy).is_err() {
            fs::copy(&from, &copy)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_no_more_pictures_than_its_bound() {
        assert_eq!(verdict(KEPT_PICTURES_BYTES - 3, b"abc"), Kept::Whole);
        assert_eq!(verdict(KEPT_PICTURES_BYTES - 2, b"abc"), Kept::Full);
        let large = vec![0; usize::try_from(MOST_BYTES).unwrap() + 1];
        assert_eq!(verdict(0, &large), Kept::TooLarge);
    }

    #[test]
    fn the_same_picture_is_one_file_and_one_that_was_changed_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            assert_eq!(keep(folder.path(), b"one").unwrap(), Kept::Whole);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let one = PictureId::of(b"one");
        assert_eq!(read(folder.path(), one).unwrap().unwrap(), b"one");
        assert_eq!(read(folder.path(), PictureId::of(b"two")).unwrap(), None);
        fs::write(path(folder.path(), one), b"1!!").unwrap();
        assert_eq!(read(folder.path(), one).unwrap(), None);
    }
}
