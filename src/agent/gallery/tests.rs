use std::collections::BTreeSet;

use image::Rgba;
use image::RgbaImage;
use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{
    invoke::ToolResult,
    message::CallResult,
    port::{Kept, StoreError},
};

/// Pictures that are kept, and how often one was read.
#[derive(Default)]
struct Shelf {
    kept: Mutex<HashMap<PictureId, Vec<u8>>>,
    read: Mutex<usize>,
}

impl Pictures for Shelf {
    fn keep(&self, bytes: &[u8]) -> Result<Kept, StoreError> {
        self.kept.lock().unwrap().insert(PictureId::of(bytes), bytes.to_vec());
        Ok(Kept::Whole)
    }

    fn bytes(&self, picture: PictureId) -> Result<Option<Vec<u8>>, StoreError> {
        *self.read.lock().unwrap() += 1;
        Ok(self.kept.lock().unwrap().get(&picture).cloned())
    }
}

impl Shelf {
    fn put(&self, bytes: &[u8], name: &str) -> Picture {
        self.keep(bytes).unwrap();
        Picture::of(bytes, name).unwrap()
    }
}

/// A picture that no compression makes much smaller, and can be seen through here and there.
fn noise(width: u32, height: u32) -> DynamicImage {
    let mut state = 1_u32;
    let paint = |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, d] = state.to_be_bytes();
        Rgba([a, b, c, d | 1])
    };
    DynamicImage::ImageRgba8(RgbaImage::from_fn(width, height, paint))
}

fn flat_color(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageRgba8(RgbaImage::from_pixel(width, height, Rgba([10, 20, 30, 255])))
}

fn written(pixels: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let rgb = DynamicImage::ImageRgb8(pixels.to_rgb8());
    let pixels = if format == ImageFormat::Jpeg { &rgb } else { pixels };
    pixels.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn user(pictures: Vec<Picture>) -> Message {
    Message::User { text: "see".to_owned(), pictures }
}

fn results(pictures: Vec<Picture>) -> Message {
    let result = ToolResult {
        ok: true,
        name: "view_image".to_owned(),
        input: Value::Null,
        content: "seen".into(),
        is_error: false,
        attachments: pictures,
        duration_ms: 0,
    };
    Message::Results(vec![CallResult { provider_id: "p".to_owned(), result }])
}

fn words(message: &Message) -> String {
    match message {
        Message::User { text, .. } => text.clone(),
        Message::Results(results) => results[0].result.text(),
        Message::Agent(_) | Message::Assistant { .. } => String::new(),
    }
}

async fn hung(gallery: &Gallery, messages: Vec<Message>) -> ModelRequest {
    let request = ModelRequest { messages, ..ModelRequest::default() };
    gallery.hang(request, Sees::Pictures).await
}

#[test]
fn what_every_provider_takes_is_sent_as_it_is_and_all_else_is_made_so() {
    let png = written(&flat_color(30, 20), ImageFormat::Png);
    let jpeg = written(&flat_color(30, 20), ImageFormat::Jpeg);
    for (bytes, format) in [(&png, Format::Png), (&jpeg, Format::Jpeg)] {
        let shown = sent(bytes).unwrap();
        assert_eq!((shown.format, shown.width, shown.height), (format, 30, 20));
        assert_eq!(*shown.base64, *STANDARD.encode(bytes));
    }
    for format in [ImageFormat::Gif, ImageFormat::WebP] {
        let shown = sent(&written(&flat_color(30, 20), format)).unwrap();
        assert_eq!((shown.format, shown.width, shown.height), (Format::Png, 30, 20));
    }
    let long = sent(&written(&flat_color(3136, 8), ImageFormat::Png)).unwrap();
    assert_eq!((long.format, long.width, long.height), (Format::Png, EDGE, 4));
    // What is too large as it is is sent less faithfully, and what is seen through is white.
    let large = sent(&written(&noise(800, 700), ImageFormat::Png)).unwrap();
    assert_eq!((large.format, large.width, large.height), (Format::Jpeg, 800, 700));
    assert!(STANDARD.decode(&*large.base64).unwrap().len() <= BYTES);
    let clear = DynamicImage::ImageRgba8(RgbaImage::from_pixel(1, 1, Rgba([9, 9, 9, 0])));
    assert_eq!(flat(&clear).get_pixel(0, 0).0, [255; 3]);
    assert_eq!(sent(&png[..png.len() - 20]), Err(NotAPicture::Damaged));
}

#[tokio::test]
async fn a_request_has_the_pictures_that_are_there_and_a_line_for_what_is_not() {
    let shelf = Arc::new(Shelf::default());
    let small = shelf.put(&written(&flat_color(3, 2), ImageFormat::Png), "small.png");
    let long = shelf.put(&written(&flat_color(3136, 8), ImageFormat::Png), "long.png");
    let bytes = written(&flat_color(5, 5), ImageFormat::Png);
    let lost = Picture::of(&bytes, "lost.png").unwrap();
    let cut = shelf.put(&bytes[..bytes.len() - 20], "cut.png");
    let gallery = Gallery::new(shelf.clone());
    let talk = vec![user(vec![small.clone(), lost]), results(vec![long.clone(), cut])];

    let request = hung(&gallery, talk.clone()).await;
    let shown: BTreeSet<_> = request.pictures.keys().copied().collect();
    assert_eq!(shown, BTreeSet::from([small.id, long.id]));
    let told: Vec<_> = request.messages.iter().map(words).collect();
    assert_eq!(
        told,
        [
            "see\n[lost.png is not kept with this session; it is not shown]",
            "seen\n[long.png 3136x8 is shown at 1568x4]\
             \n[cut.png is a damaged picture and cannot be read; it is not shown]",
        ]
    );
    let left: Vec<_> = request.messages.iter().flat_map(of).map(|it| it.name.as_str()).collect();
    assert_eq!(left, ["small.png", "long.png"]);

    // The next request is made of what was made for this one, and any other process makes the same.
    let read = *shelf.read.lock().unwrap();
    assert_eq!(hung(&gallery, talk.clone()).await.pictures, request.pictures);
    assert_eq!(*shelf.read.lock().unwrap(), read + 2, "only what was not there is read again");
    assert_eq!(hung(&Gallery::new(shelf), talk).await.pictures, request.pictures);
}

#[tokio::test]
async fn a_model_that_takes_text_alone_reads_a_line_for_each_picture() {
    let shelf = Arc::new(Shelf::default());
    let picture = shelf.put(&written(&flat_color(3, 2), ImageFormat::Png), "a.png");
    let messages = vec![user(vec![picture.clone()]), results(vec![picture])];
    let request = ModelRequest { messages, ..ModelRequest::default() };
    let request = Gallery::new(shelf.clone()).hang(request, Sees::Text).await;
    let told: Vec<_> = request.messages.iter().map(words).collect();
    let line = "[a.png 3x2 is not shown: you are given text alone]";
    assert_eq!(told, [format!("see\n{line}"), format!("seen\n{line}")]);
    assert_eq!((request.pictures.len(), *shelf.read.lock().unwrap()), (0, 0));
}

#[test]
fn only_the_last_pictures_are_shown_again_and_old_ones_go_by_several() {
    let shelf = Shelf::default();
    let picture = shelf.put(&written(&flat_color(3, 2), ImageFormat::Png), "a.png");
    let one = || vec![picture.clone()];
    let answer =
        || Message::Assistant { text: "I see".to_owned(), calls: Vec::new(), thoughts: Vec::new() };
    for (all, stay) in [(0, 0), (1, 1), (8, 8), (9, 5), (12, 8), (13, 5), (100, 8)] {
        let mut talk: Vec<_> = (0..all)
            .map(|at| if at % 2 == 0 { user(one()) } else { results(one()) })
            .chain([answer()])
            .collect();
        latest(&mut talk);
        talk.pop();
        let left: Vec<_> = talk.iter().map(|message| of(message).len()).collect();
        assert_eq!(left.iter().sum::<usize>(), stay, "of {all}");
        assert!(left.is_sorted(), "the last ones stay: {left:?}");
        for message in talk.iter().filter(|message| of(message).is_empty()) {
            let line = "\n[a.png 3x2 is not shown: it is not among the last]";
            assert!(words(message).ends_with(line), "{}", words(message));
        }
    }
}

#[test]
fn what_the_model_has_not_seen_yet_goes_for_no_older_picture() {
    let shelf = Shelf::default();
    let picture = shelf.put(&written(&flat_color(3, 2), ImageFormat::Png), "a.png");
    let many = |count: usize| vec![picture.clone(); count];
    for (before, new, left) in [(1, 8, [0, 8]), (3, 6, [0, 6]), (6, 3, [2, 3]), (2, 12, [0, 8])] {
        let answer = Message::Assistant {
            text: "I see".to_owned(),
            calls: Vec::new(),
            thoughts: Vec::new(),
        };
        let mut talk = vec![user(many(before)), answer, results(many(new))];
        latest(&mut talk);
        assert_eq!([of(&talk[0]).len(), of(&talk[2]).len()], left, "{before} and {new}");
    }
}
