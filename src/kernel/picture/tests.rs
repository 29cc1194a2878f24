use std::io::Cursor;

use image::{Rgb, RgbImage};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn painted(width: u32, height: u32) -> DynamicImage {
    let paint = |x: u32, y: u32| Rgb([(x % 256) as u8, (y % 256) as u8, 7]);
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, paint))
}

fn written(pixels: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    pixels.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A JPEG that says that it lies on its side: an Exif block behind its first marker.
fn on_its_side(jpeg: &[u8]) -> Vec<u8> {
    let exif = [
        &b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01"[..],
        b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0",
    ];
    [&jpeg[..2], &exif.concat(), &jpeg[2..]].concat()
}

#[test]
fn a_picture_is_known_by_its_first_bytes_whatever_it_is_called() {
    let rows = [
        (ImageFormat::Png, Format::Png),
        (ImageFormat::Jpeg, Format::Jpeg),
        (ImageFormat::Gif, Format::Gif),
        (ImageFormat::WebP, Format::Webp),
    ];
    for (written_as, format) in rows {
        let bytes = written(&painted(31, 7), written_as);
        let picture = Picture::of(&bytes, "/tmp/shots/a.txt").unwrap();
        assert_eq!((picture.format, picture.width, picture.height), (format, 31, 7));
        assert_eq!((picture.name.as_str(), picture.bytes), ("a.txt", bytes.len() as u64));
        assert_eq!(picture.to_string(), "a.txt 31x7");
        let pixels = pixels(&bytes).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (31, 7));
    }
}

#[test]
fn a_photograph_has_the_size_in_which_it_is_seen() {
    let bytes = on_its_side(&written(&painted(40, 10), ImageFormat::Jpeg));
    let picture = Picture::of(&bytes, "a.jpg").unwrap();
    let pixels = pixels(&bytes).unwrap();
    assert_eq!((picture.width, picture.height), (10, 40));
    assert_eq!((pixels.width(), pixels.height()), (10, 40));
}

#[test]
fn what_is_no_picture_says_why() {
    let png = written(&painted(9, 9), ImageFormat::Png);
    let mut vast = written(&painted(9, 9), ImageFormat::Gif);
    vast[6..10].copy_from_slice(&[0xff; 4]);
    let mut empty = png.clone();
    empty[16..20].copy_from_slice(&[0; 4]);
    let large = vec![0; usize::try_from(MOST_BYTES).unwrap() + 1];
    let rows: [(&[u8], NotAPicture); 8] = [
        (b"", NotAPicture::Unknown),
        (b"plain text", NotAPicture::Unknown),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", NotAPicture::Unknown),
        (b"BM\0\0\0\0", NotAPicture::Unknown),
        (&png[..20], NotAPicture::Damaged),
        (&empty, NotAPicture::Damaged),
        (&vast, NotAPicture::TooManyPixels),
        (&large, NotAPicture::TooLarge),
    ];
    for (bytes, expected) in rows {
        let head = &bytes[..bytes.len().min(20)];
        assert_eq!(Picture::of(bytes, "a.png"), Err(expected), "{head:?}");
    }
    // Its head is fine, and the rest is not there.
    let cut = &png[..png.len() - 20];
    assert!(Picture::of(cut, "a.png").is_ok());
    assert_eq!(pixels(cut).map(|_| ()), Err(NotAPicture::Damaged));
}

#[test]
fn a_name_is_one_harmless_line_also_from_a_journal_of_others() {
    let bytes = written(&painted(2, 2), ImageFormat::Png);
    let named = |name: &str| Picture::of(&bytes, name).unwrap().name;
    assert_eq!(named("a\u{1b}]0;x\u{7}\nb.png"), "a⟨U+001B⟩]0;x⟨U+0007⟩⟨U+000A⟩b.png");
    assert_eq!(named("/"), "picture");
    assert_eq!(named(&"long".repeat(99)).chars().count(), LONGEST_NAME);

    let picture = Picture::of(&bytes, "a.png").unwrap();
    let mut line = serde_json::to_value(&picture).unwrap();
    assert_eq!(serde_json::from_value::<Picture>(line.clone()).unwrap(), picture);
    line["name"] = json!("../\u{1b}[2Jb.png");
    assert_eq!(serde_json::from_value::<Picture>(line.clone()).unwrap().name, "⟨U+001B⟩[2Jb.png");
    for id in ["../../../etc/passwd", "", &"A".repeat(64), &"0".repeat(65)] {
        line["id"] = json!(id);
        assert!(serde_json::from_value::<Picture>(line.clone()).is_err(), "{id}");
    }
}

#[test]
fn an_end_of_a_name_tells_a_picture_in_any_case() {
    let rows = [
        ("a.PNG", Some(Format::Png)),
        ("b.c.jpeg", Some(Format::Jpeg)),
        ("a.webp", Some(Format::Webp)),
        ("png", None),
        ("a.svg", None),
        ("a.png.txt", None),
    ];
    for (name, expected) in rows {
        assert_eq!(Format::of_name(name), expected, "{name}");
    }
}

proptest! {
    #[test]
    fn damaged_bytes_are_refused_and_never_a_panic(
        which in 0usize..4, at in 0usize..400, byte in any::<u8>(), cut in 0usize..400,
    ) {
        let format =
            [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP][which];
        let mut bytes = written(&painted(8, 8), format);
        let len = bytes.len();
        bytes[at % len] = byte;
        bytes.truncate(len - cut % len);
        let looked = Picture::of(&bytes, "a");
        let read = pixels(&bytes);
        // What can be read whole was known by its head as well.
        prop_assert!(looked.is_ok() || read.is_err());
    }
}
