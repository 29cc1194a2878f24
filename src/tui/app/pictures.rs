//! Pictures, beside the loop: read, made ready for the terminal, and saved to a file.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::task::JoinSet;

use crate::{
    kernel::{id::SessionId, picture::PictureId, port::Desk},
    tui::{
        message::Came,
        picture::{How, Painted, Wanted, paint},
        state::{Drawn, look::Look},
        terminal::Plate,
    },
};

/// One at a time: the pixels of a large one take much room while they are looked at.
static ONE: Mutex<()> = Mutex::new(());

pub(super) fn make(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    wanted: Wanted,
    how: How,
    count: u32,
) {
    work.spawn(async move {
        let painted = match bytes(&*desk, wanted.session, wanted.picture).await {
            Ok(bytes) => {
                let shape = wanted.shape;
                let made = tokio::task::spawn_blocking(move || {
                    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
                    paint(&bytes, shape, how, count).map(Arc::new)
                });
                made.await.unwrap_or_else(|error| Err(format!("cannot be shown: {error}")))
            }
            Err(why) => Err(why),
        };
        Came::Painted(wanted, how, painted)
    });
}

/// Those of a picture that a session keeps, or why not.
pub(super) async fn bytes(
    desk: &dyn Desk,
    session: SessionId,
    picture: PictureId,
) -> Result<Vec<u8>, String> {
    match desk.picture(session, picture).await {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err("is not kept any more".to_owned()),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

pub(super) fn save(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    (session, picture): (SessionId, PictureId),
    file: PathBuf,
) {
    work.spawn(async move {
        let bytes = match bytes(&*desk, session, picture).await {
            Ok(bytes) => bytes,
            Err(why) => return Came::Saved(Err(format!("Not saved: the picture {why}."))),
        };
        let saved = tokio::task::spawn_blocking(move || {
            let written = beside_others(&file, &bytes);
            written.map_err(|error| format!("Not saved to {}: {error}.", file.display()))
        });
        Came::Saved(saved.await.unwrap_or_else(|error| Err(format!("Not saved: {error}."))))
    });
}

/// Writes a new file of that name, or of one like it: what is there already is left alone.
fn beside_others(file: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let end = file.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
    let others = (2..100).map(|number| file.with_file_name(format!("{stem}-{number}{end}")));
    for place in std::iter::once(file.to_owned()).chain(others) {
        match OpenOptions::new().write(true).create_new(true).open(&place) {
            Ok(mut into) => {
                into.write_all(bytes)?;
                return Ok(place);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// What the terminal has to be sent of the pictures in a frame.
pub(super) fn plates(look: &Look, drawn: &Drawn) -> Vec<Plate> {
    let sent = |painted: &Painted| painted.sent.clone();
    let plates = drawn.pictures.iter().filter_map(|drawn| {
        let picture = look.pictures.painted(drawn.picture, drawn.shape).and_then(sent)?;
        Some(Plate { area: drawn.area, picture })
    });
    plates.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_saved_picture_writes_over_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plot.png");
        assert_eq!(beside_others(&file, b"one").unwrap(), file);
        let second = folder.path().join("plot-2.png");
        assert_eq!(beside_others(&file, b"two").unwrap(), second);
        assert_eq!(
            (fs::read(file).unwrap(), fs::read(second).unwrap()),
            (b"one".to_vec(), b"two".to_vec())
        );
    }
}
