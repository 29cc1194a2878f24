//! The pictures of a request: which of them a model is shown, in a form that providers take. The bytes
//! are read from where the session keeps them, so any process makes the same of the same journal.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    io::Cursor,
    sync::{Arc, Mutex, PoisonError},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use image::{
    DynamicImage, ExtendedColorType, ImageEncoder as _, ImageFormat, Rgb, RgbImage,
    codecs::jpeg::JpegEncoder, imageops::FilterType,
};
use serde_json::Value;

use crate::kernel::{
    message::Message,
    picture::{Format, MOST_AT_ONCE, NotAPicture, Picture, PictureId, is_upright, pixels},
    port::{ModelRequest, Pictures, Print},
    provider::Sees,
};

/// Those that are too many go by so many at once, since what stands before a change is read from the
/// provider's cache.
const STEP: usize = 4;
/// The longest edge that is sent, in pixels: what providers make larger ones to.
const EDGE: u32 = 1568;
/// The most bytes that are sent of one, so that all of them together are taken by every provider.
const BYTES: usize = 1_500_000;
/// The least faithful pictures come last.
const QUALITIES: [u8; 4] = [90, 75, 50, 25];
/// About how many bytes of text take as many tokens as a picture does.
pub(super) const LIKE_TEXT: usize = 4800;

/// Makes the pictures of one session ready for its model. Clones share what was made ready.
#[derive(Clone)]
pub struct Gallery {
    kept: Arc<dyn Pictures>,
    /// Those of the last request.
    ready: Arc<Mutex<HashMap<PictureId, Result<Print, String>>>>,
}

impl Gallery {
    /// Of the pictures that are kept there.
    pub fn new(kept: Arc<dyn Pictures>) -> Self {
        Self { kept, ready: Arc::default() }
    }

    /// The session's pictures.
    pub(super) fn kept(&self) -> Arc<dyn Pictures> {
        self.kept.clone()
    }

    /// Puts the pictures in that the messages name. A line says of each what was done to it, or why it
    /// is not shown.
    pub(super) async fn hang(&self, mut request: ModelRequest, sees: Sees) -> ModelRequest {
        let wanted: Vec<Picture> = request.messages.iter().flat_map(of).cloned().collect();
        if wanted.is_empty() {
            return request;
        }
        if sees == Sees::Text {
            for message in &mut request.messages {
                retain(message, |picture| {
                    Placed::Goes(format!("[{picture} is not shown: you are given text alone]"))
                });
            }
            return request;
        }
        let gallery = self.clone();
        let ready = tokio::task::spawn_blocking(move || gallery.ready(&wanted)).await;
        // Only a panic or the end of the program loses the task.
        let ready = ready.unwrap_or_default();
        let mut shown = BTreeMap::new();
        for message in &mut request.messages {
            retain(message, |picture| match ready.get(&picture.id) {
                Some(Ok(made)) => {
                    shown.insert(picture.id, made.clone());
                    let same = (made.width, made.height) == (picture.width, picture.height);
                    let line = format!("[{picture} is shown at {}x{}]", made.width, made.height);
                    Placed::Stays((!same).then_some(line))
                }
                Some(Err(why)) => {
                    Placed::Goes(format!("[{} {why}; it is not shown]", picture.name))
                }
                None => Placed::Goes(format!("[{picture} could not be read and is not shown]")),
            });
        }
        ModelRequest { pictures: shown, ..request }
    }

    /// Blocks for the reading of files, and for the making of pictures that are too large.
    fn ready(&self, wanted: &[Picture]) -> HashMap<PictureId, Result<Print, String>> {
        let mut before = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ready = HashMap::new();
        for picture in wanted {
            if ready.contains_key(&picture.id) {
                continue;
            }
            let made = match before.remove(&picture.id) {
                Some(made @ Ok(_)) => made,
                // What could not be read may be there again.
                Some(Err(_)) | None => self.make(picture.id),
            };
            ready.insert(picture.id, made);
        }
        before.clone_from(&ready);
        ready
    }

    fn make(&self, picture: PictureId) -> Result<Print, String> {
        match self.kept.bytes(picture) {
            Ok(Some(bytes)) => sent(&bytes).map_err(|fault| fault.to_string()),
            Ok(None) => Err("is not kept with this session".to_owned()),
            Err(error) => {
                tracing::warn!(%error, %picture, "a picture could not be read");
                Err("could not be read".to_owned())
            }
        }
    }
}

/// Leaves the last pictures in the conversation; for each of the others, a line says that it was there.
pub(super) fn latest(messages: &mut [Message]) {
    let count = |messages: &[Message]| messages.iter().map(|it| of(it).len()).sum::<usize>();
    let too_many = count(messages).saturating_sub(MOST_AT_ONCE);
    // What came since the last answer has not been seen yet.
    let answer = |message: &Message| matches!(message, Message::Assistant { .. });
    let seen = count(&messages[..messages.iter().rposition(answer).unwrap_or(0)]);
    let mut gone = too_many.next_multiple_of(STEP).min(seen.max(too_many));
    for message in messages {
        retain(message, |picture| {
            let Some(left) = gone.checked_sub(1) else { return Placed::Stays(None) };
            gone = left;
            Placed::Goes(format!("[{picture} is not shown: it is not among the last]"))
        });
    }
}

/// The pictures of a message, in order.
pub(super) fn of(message: &Message) -> Vec<&Picture> {
    match message {
        Message::User { pictures, .. } => pictures.iter().collect(),
        Message::Results(results) => {
            results.iter().flat_map(|result| &result.result.attachments).collect()
        }
        Message::Agent(_) | Message::Assistant { .. } => Vec::new(),
    }
}

/// What becomes of a picture in a request.
enum Placed {
    /// It is shown, with a line that says what was done to it, if anything was.
    Stays(Option<String>),
    /// This line stands for it.
    Goes(String),
}

fn retain(message: &mut Message, mut place: impl FnMut(&Picture) -> Placed) {
    match message {
        Message::User { text, pictures } => keep(pictures, text, &mut place),
        Message::Results(results) => {
            for one in results {
                let mut lines = String::new();
                keep(&mut one.result.attachments, &mut lines, &mut place);
                if !lines.is_empty() {
                    one.result.content = Value::String(one.result.text() + &lines);
                }
            }
        }
        Message::Agent(_) | Message::Assistant { .. } => {}
    }
}

fn keep(
    pictures: &mut Vec<Picture>,
    text: &mut String,
    place: &mut impl FnMut(&Picture) -> Placed,
) {
    pictures.retain(|picture| {
        let (stays, line) = match place(picture) {
            Placed::Stays(line) => (true, line),
            Placed::Goes(line) => (false, Some(line)),
        };
        if let Some(line) = line {
            let _ = write!(text, "\n{line}");
        }
        stays
    });
}

/// A picture as every provider takes it: upright, PNG or JPEG, no larger than they look at. What is so
/// already stays as it is. All of it is read first, since a provider refuses the whole conversation
/// for one that is damaged.
fn sent(bytes: &[u8]) -> Result<Print, NotAPicture> {
    let pixels = pixels(bytes)?;
    let format = Format::of(bytes).ok_or(NotAPicture::Unknown)?;
    let small = pixels.width().max(pixels.height()) <= EDGE;
    let fits = match format {
        Format::Png | Format::Jpeg => small && bytes.len() <= BYTES && is_upright(bytes),
        Format::Gif | Format::Webp => false,
    };
    if fits {
        return Ok(shown(format, &pixels, bytes));
    }
    let pixels = if small { pixels } else { pixels.resize(EDGE, EDGE, FilterType::Triangle) };
    let mut made = Vec::new();
    if format != Format::Jpeg {
        let written = pixels.write_to(&mut Cursor::new(&mut made), ImageFormat::Png);
        if written.is_ok() && made.len() <= BYTES {
            return Ok(shown(Format::Png, &pixels, &made));
        }
    }
    let flat = flat(&pixels);
    for quality in QUALITIES {
        made.clear();
        let encoder = JpegEncoder::new_with_quality(&mut made, quality);
        let (width, height) = flat.dimensions();
        let written = encoder.write_image(&flat, width, height, ExtendedColorType::Rgb8);
        if written.is_ok() && made.len() <= BYTES {
            return Ok(shown(Format::Jpeg, &pixels, &made));
        }
    }
    Err(NotAPicture::TooLarge)
}

fn shown(format: Format, pixels: &DynamicImage, bytes: &[u8]) -> Print {
    Print {
        format,
        width: pixels.width(),
        height: pixels.height(),
        base64: STANDARD.encode(bytes).into(),
    }
}

/// What is seen through becomes white, as on paper.
fn flat(pixels: &DynamicImage) -> RgbImage {
    let pixels = pixels.to_rgba8();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [red, green, blue, opacity] = pixels.get_pixel(x, y).0;
        let over = |color: u8| {
            let (color, opacity) = (u32::from(color), u32::from(opacity));
            u8::try_from((color * opacity + 255 * (255 - opacity)) / 255).unwrap_or(u8::MAX)
        };
        Rgb([over(red), over(green), over(blue)])
    })
}

#[cfg(test)]
mod tests;
