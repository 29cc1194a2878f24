//! Pictures that somebody attaches, read off the loop: regular files alone, since a pipe or a device
//! could keep whoever opens it for ever.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::OFlags;
use tokio::task::JoinSet;

use super::pictures::bytes;
use crate::{
    kernel::{
        picture::{Enclosed, MOST_BYTES, NotAPicture, pixels},
        port::Desk,
    },
    tui::{
        attach::{Attached, Because, Unread, Wanted},
        files,
        message::Came,
    },
};

pub(super) fn read(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    home: Option<PathBuf>,
    wanted: Wanted,
) {
    if let Because::Said(session, picture) = wanted.because {
        work.spawn(async move {
            let bytes = bytes(&*desk, session, picture).await.map_err(Unread::Other);
            let read = bytes.and_then(|bytes| kept(bytes, &wanted));
            Came::Picture(wanted, read)
        });
        return;
    }
    work.spawn_blocking(move || {
        let path = match (wanted.named.path.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) => home.join(rest),
            (Ok(_), None) | (Err(_), _) => wanted.folder.join(&wanted.named.path),
        };
        let read = open(&path);
        Came::Picture(wanted, read)
    });
}

/// One that a session keeps.
fn kept(bytes: Vec<u8>, wanted: &Wanted) -> Result<Attached, Unread> {
    let name = wanted.named.path.to_string_lossy();
    let enclosed = Enclosed::of(bytes, &name).map_err(|fault| Unread::Other(fault.to_string()))?;
    // No file is known any more that could be named in its place.
    Ok(Attached { enclosed, written: wanted.named.said.clone() })
}

fn open(path: &Path) -> Result<Attached, Unread> {
    let gone = [ErrorKind::NotFound, ErrorKind::NotADirectory];
    let failed = |error: std::io::Error| match gone.contains(&error.kind()) {
        true => Unread::NotThere,
        false => Unread::Other(format!("cannot be read: {error}")),
    };
    let waits_not = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(waits_not).open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    let not = |fault: NotAPicture| Unread::Other(fault.to_string());
    if !found.is_file() {
        return Err(Unread::Other("is no file".to_owned()));
    }
    if found.len() > MOST_BYTES {
        return Err(not(NotAPicture::TooLarge));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let enclosed = Enclosed::of(bytes, &name).map_err(not)?;
    pixels(&enclosed.bytes).map_err(not)?;
    Ok(Attached { enclosed, written: format!("@{}", files::name(path)) })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use image::{DynamicImage, ImageFormat, RgbImage};
    use pretty_assertions::assert_eq;
    use rustix::fs::{CWD, Mode};

    use super::*;
    use crate::tui::{app::tests::Host, attach::Named};

    async fn came(folder: &Path, path: &str) -> Result<Attached, Unread> {
        let named = Named { said: String::new(), path: path.into() };
        let wanted = Wanted { named, folder: folder.to_owned(), because: Because::Meant };
        let mut work = JoinSet::new();
        read(&mut work, Arc::new(Host::default()), Some(folder.join("home")), wanted);
        let Came::Picture(_, read) = work.join_next().await.unwrap().unwrap() else { panic!() };
        read
    }

    #[tokio::test]
    async fn only_regular_files_that_are_pictures_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (root, home) = (folder.path(), folder.path().join("home"));
        fs::create_dir(&home).unwrap();
        let png = root.join("a b.png");
        DynamicImage::ImageRgb8(RgbImage::new(3, 2))
            .save_with_format(&png, ImageFormat::Png)
            .unwrap();
        fs::copy(&png, home.join("h.png")).unwrap();
        symlink(&png, root.join("link.png")).unwrap();
        fs::write(root.join("words.png"), "words").unwrap();
        fs::create_dir(root.join("folder.png")).unwrap();
        let bytes = fs::read(&png).unwrap();
        fs::write(root.join("cut.png"), &bytes[..bytes.len() - 20]).unwrap();
        fs::File::create(root.join("vast.png")).unwrap().set_len(MOST_BYTES + 1).unwrap();
        rustix::fs::mkfifoat(CWD, root.join("pipe.png"), Mode::RUSR | Mode::WUSR).unwrap();

        let read = came(root, "a b.png").await.unwrap();
        assert_eq!(read.enclosed.picture.to_string(), "a b.png 3x2");
        assert_eq!(read.written, format!("@\"{}\"", png.display()));
        for path in ["~/h.png", "link.png", &format!("{}/./a b.png", root.display())] {
            assert!(came(root, path).await.is_ok(), "{path}");
        }
        let other = |why: &str| Err(Unread::Other(why.to_owned()));
        for (path, expected) in [
            ("gone.png", Err(Unread::NotThere)),
            ("a b.png/x.png", Err(Unread::NotThere)),
            ("folder.png", other("is no file")),
            ("pipe.png", other("is no file")),
            ("/dev/zero", other("is no file")),
            ("words.png", other("is no picture: PNG, JPEG, GIF and WebP are")),
            ("cut.png", other("is a damaged picture and cannot be read")),
            ("vast.png", other("is too large: a picture has at most 20 MB")),
        ] {
            assert_eq!(came(root, path).await, expected, "{path}");
        }
    }
}
