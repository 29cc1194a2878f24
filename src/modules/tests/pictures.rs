//! `view_image`.

use std::{
    collections::HashMap,
    fs,
    io::Cursor,
    os::unix::fs::symlink,
    sync::{Arc, Mutex},
};

use image::{DynamicImage, ImageFormat, RgbImage};
use serde_json::{Value, json};

use super::{rules::ruled, support::Rig};
use crate::kernel::{
    error::ErrorCode,
    picture::PictureId,
    port::{Kept, Pictures, StoreError},
    spec::Mode,
};

/// Keeps what it is given, unless it says otherwise.
struct Shelf {
    says: Kept,
    kept: Mutex<HashMap<PictureId, Vec<u8>>>,
}

impl Pictures for Shelf {
    fn keep(&self, bytes: &[u8]) -> Result<Kept, StoreError> {
        if self.says == Kept::Whole {
            self.kept.lock().unwrap().insert(PictureId::of(bytes), bytes.to_vec());
        }
        Ok(self.says)
    }

    fn bytes(&self, picture: PictureId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.kept.lock().unwrap().get(&picture).cloned())
    }
}

fn rig(says: Kept) -> (Rig, Arc<Shelf>) {
    let mut rig = Rig::new(Mode::Plan);
    let shelf = Arc::new(Shelf { says, kept: Mutex::default() });
    rig.context.keep.pictures = Some(shelf.clone());
    (rig, shelf)
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let pixels = DynamicImage::ImageRgb8(RgbImage::new(width, height));
    pixels.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn a_picture_of_the_workspace_is_shown_and_kept_with_the_session() {
    let (rig, shelf) = rig(Kept::Whole);
    let bytes = png(31, 7);
    rig.put("plots/a.png", &bytes);
    let result = rig.call("view_image", json!({"path": "plots/a.png"})).await;
    let text = format!("a.png 31x7, image/png, {} bytes", bytes.len());
    assert_eq!((result.ok, result.content), (true, json!(text)));
    let id = PictureId::of(&bytes);
    assert_eq!(result.attachments.iter().map(|it| it.id).collect::<Vec<_>>(), [id]);
    assert_eq!(shelf.bytes(id).unwrap(), Some(bytes.clone()));

    // One that the session keeps is shown without any file.
    fs::remove_file(rig.workspace().join("plots/a.png")).unwrap();
    let again = rig.call("view_image", json!({"picture": id})).await;
    assert_eq!((again.ok, again.attachments[0].id), (true, id), "{again:?}");
}

#[tokio::test]
async fn what_cannot_be_shown_is_said_in_plain_words() {
    let (rig, _) = rig(Kept::Whole);
    let bytes = png(31, 7);
    rig.put("notes.png", "only words");
    rig.put("cut.png", &bytes[..bytes.len() - 20]);
    rig.put("large.png", [&bytes[..], &vec![0; 20 << 20]].concat());
    rig.put(".ssh/key.png", &bytes);
    fs::write(rig.outside().join("theirs.png"), &bytes).unwrap();
    symlink(rig.outside(), rig.workspace().join("outbox")).unwrap();
    let none: Value = json!("0".repeat(64));
    for (input, expected) in [
        (json!({"path": "notes.png"}), "notes.png is no picture: PNG, JPEG, GIF and WebP are."),
        (json!({"path": "cut.png"}), "cut.png is a damaged picture and cannot be read."),
        (json!({"path": "large.png"}), "large.png is too large: a picture has at most 20 MB."),
        (json!({"path": "gone.png"}), "gone.png"),
        (json!({"path": "outbox/theirs.png"}), "must be inside the workspace"),
        (json!({"path": "../outside/theirs.png"}), "must be inside the workspace"),
        (json!({"path": ".ssh/key.png"}), "holds secrets"),
        (json!({}), "Invalid input for view_image: give either path or picture"),
        (json!({"path": "a.png", "picture": none}), "give either path or picture"),
        (
            json!({"picture": "../../etc"}),
            "Invalid input for view_image.picture: a picture is named",
        ),
        (json!({"picture": none}), "This session keeps no picture of that id."),
    ] {
        let result = rig.call("view_image", input.clone()).await;
        assert!(result.is_error && result.text().contains(expected), "{input} {result:?}");
        assert!(result.attachments.is_empty());
    }
}

#[tokio::test]
async fn a_picture_that_is_not_kept_is_not_shown() {
    for (says, expected) in [
        (Kept::Full, "this session keeps 256 MB of pictures already"),
        (Kept::Nowhere, "nothing keeps pictures here"),
    ] {
        let (rig, _) = rig(says);
        rig.put("a.png", png(2, 2));
        let result = rig.call("view_image", json!({"path": "a.png"})).await;
        assert_eq!(result.error_code(), Some(ErrorCode::Failed), "{result:?}");
        assert!(result.text().contains(expected) && result.attachments.is_empty(), "{result:?}");
    }
}

#[tokio::test]
async fn a_rule_that_denies_a_place_denies_to_look_at_it() {
    let (rig, _) = rig(Kept::Whole);
    rig.put("private/a.png", png(2, 2));
    let rig = ruled(rig, "[[deny]]\ncall = \"view_image\"\npath = \"private/**\"\n");
    let result = rig.call("view_image", json!({"path": "private/a.png"})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::DeniedByRule), "{result:?}");
}
