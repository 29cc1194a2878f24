//! Pictures: what a session knows of one, and how its bytes are known and read. The bytes themselves are
//! in no event and no message: they are kept beside the journal, named by what they are.

use std::{fmt, io::Cursor, str::FromStr, sync::Arc};

use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, metadata::Orientation};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Deserializer, Serialize};

use super::text;

/// How a model is told of a picture that people see, at the end of what a run printed.
pub const SHOWN_TO_PEOPLE: &str = ", shown to people";

/// The largest picture that is taken, in bytes.
pub const MOST_BYTES: u64 = 20 << 20;
/// The largest picture that is taken, in pixels.
pub const MOST_PIXELS: u64 = 50_000_000;
/// How many pictures a model is shown at once: they are paid for with each request.
pub const MOST_AT_ONCE: usize = 8;
/// What the pixels of one may take while they are read, in bytes.
const MOST_MEMORY: u64 = 256 << 20;
/// The longest name of one, in characters.
const LONGEST_NAME: usize = 80;

/// A picture that a session keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// What its bytes are known by.
    pub id: PictureId,
    /// What they are.
    pub format: Format,
    /// In pixels, as it is seen: turned as its file says.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// How many bytes it has.
    pub bytes: u64,
    /// The name it had, without a folder: one line, and nothing in it that a terminal obeys.
    #[serde(deserialize_with = "a_name")]
    pub name: String,
}

impl Picture {
    /// Looks at the head of the bytes and at how many they are; `name` is that of the file they come
    /// from. Whether all of it can be read is known only by [`pixels`].
    pub fn of(bytes: &[u8], name: &str) -> Result<Self, NotAPicture> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(NotAPicture::TooLarge);
        }
        let format = Format::of(bytes).ok_or(NotAPicture::Unknown)?;
        let mut decoder = decoder(bytes, format)?;
        let (width, height) = decoder.dimensions();
        let sides = match orientation(&mut decoder) {
            Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH => (height, width),
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => (width, height),
        };
        Ok(Self {
            id: PictureId::of(bytes),
            format,
            width: sides.0,
            height: sides.1,
            bytes: bytes.len() as u64,
            name: clean(name),
        })
    }
}

/// `a.png 640x480`.
impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}x{}", self.name, self.width, self.height)
    }
}

fn a_name<'de, D: Deserializer<'de>>(name: D) -> Result<String, D::Error> {
    // Anybody may have written a journal that was brought in.
    String::deserialize(name).map(|name| clean(&name))
}

fn clean(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    let shown: String = text::shown(name).chars().take(LONGEST_NAME).collect();
    if shown.trim().is_empty() { "picture".to_owned() } else { shown }
}

/// What the bytes of a picture are known by, and the name they are kept under: their SHA-256, in
/// hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PictureId([u8; 32]);

impl PictureId {
    /// That of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut id = [0; 32];
        id.copy_from_slice(digest(&SHA256, bytes).as_ref());
        Self(id)
    }
}

impl fmt::Display for PictureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PictureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// No name of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a picture is named by 64 hexadecimal digits in small letters")]
pub struct NoPictureId;

impl FromStr for PictureId {
    type Err = NoPictureId;

    fn from_str(text: &str) -> Result<Self, NoPictureId> {
        let digit = |at: usize| match text.as_bytes().get(at) {
            Some(digit @ b'0'..=b'9') => Ok(digit - b'0'),
            Some(digit @ b'a'..=b'f') => Ok(digit - b'a' + 10),
            Some(_) | None => Err(NoPictureId),
        };
        let mut id = [0; 32];
        for (at, byte) in id.iter_mut().enumerate() {
            *byte = digit(2 * at)? << 4 | digit(2 * at + 1)?;
        }
        if text.len() == 2 * id.len() { Ok(Self(id)) } else { Err(NoPictureId) }
    }
}

impl TryFrom<String> for PictureId {
    type Error = NoPictureId;

    fn try_from(text: String) -> Result<Self, NoPictureId> {
        text.parse()
    }
}

impl From<PictureId> for String {
    fn from(id: PictureId) -> Self {
        id.to_string()
    }
}

/// What pictures are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    #[serde(rename = "image/png")]
    Png,
    #[serde(rename = "image/jpeg")]
    Jpeg,
    #[serde(rename = "image/gif")]
    Gif,
    #[serde(rename = "image/webp")]
    Webp,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::Gif, Self::Webp];

    /// As the first bytes say, whatever the name of the file.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let format = image::guess_format(bytes).ok()?;
        Self::ALL.into_iter().find(|known| known.known() == format)
    }

    /// What a file of that name would be: the end of it, in whatever case.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, end) = name.rsplit_once('.')?;
        let formats = [
            ("png", Self::Png),
            ("jpg", Self::Jpeg),
            ("jpeg", Self::Jpeg),
            ("gif", Self::Gif),
            ("webp", Self::Webp),
        ];
        let found = formats.into_iter().find(|(known, _)| end.eq_ignore_ascii_case(known));
        found.map(|(_, format)| format)
    }

    /// `image/png`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    fn known(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
            Self::Webp => ImageFormat::WebP,
        }
    }
}

/// Why bytes are no picture here. `Display` goes on after the name of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAPicture {
    /// They are something else.
    #[error("is no picture: PNG, JPEG, GIF and WebP are")]
    Unknown,
    /// They begin as one and do not go on as one.
    #[error("is a damaged picture and cannot be read")]
    Damaged,
    /// There are more of them than are taken.
    #[error("is too large: a picture has at most {} MB", MOST_BYTES >> 20)]
    TooLarge,
    /// It would take too much room to look at it.
    #[error("has too many pixels: at most {} million", MOST_PIXELS / 1_000_000)]
    TooManyPixels,
}

/// A picture with its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Enclosed {
    /// What is known of it.
    pub picture: Picture,
    /// The bytes that its id names.
    pub bytes: Arc<[u8]>,
}

impl Enclosed {
    /// The picture that these bytes are.
    pub fn of(bytes: Vec<u8>, name: &str) -> Result<Self, NotAPicture> {
        Ok(Self { picture: Picture::of(&bytes, name)?, bytes: bytes.into() })
    }
}

impl fmt::Debug for Enclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Enclosed").field(&self.picture).finish()
    }
}

/// The pixels of a picture, turned as its file says; of one that moves, the first. Takes up to some
/// hundred milliseconds, and [`MOST_PIXELS`] of memory: not for a task that others wait for.
pub fn pixels(bytes: &[u8]) -> Result<DynamicImage, NotAPicture> {
    let format = Format::of(bytes).ok_or(NotAPicture::Unknown)?;
    let mut decoder = decoder(bytes, format)?;
    let orientation = orientation(&mut decoder);
    let mut pixels = DynamicImage::from_decoder(decoder).map_err(|_| NotAPicture::Damaged)?;
    pixels.apply_orientation(orientation);
    Ok(pixels)
}

/// Whether its file does not say that it is to be turned before it is seen.
pub fn is_upright(bytes: &[u8]) -> bool {
    let decoder = Format::of(bytes).map(|format| decoder(bytes, format));
    let Some(Ok(mut decoder)) = decoder else { return true };
    orientation(&mut decoder) == Orientation::NoTransforms
}

fn decoder(bytes: &[u8], format: Format) -> Result<impl ImageDecoder + '_, NotAPicture> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format.known());
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let too_many = |error: &image::ImageError| matches!(error, image::ImageError::Limits(_));
    let decoder = reader.into_decoder().map_err(|error| match too_many(&error) {
        true => NotAPicture::TooManyPixels,
        false => NotAPicture::Damaged,
    })?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(NotAPicture::Damaged);
    }
    let many = u64::from(width) * u64::from(height) > MOST_PIXELS;
    if many || decoder.total_bytes() > MOST_MEMORY {
        return Err(NotAPicture::TooManyPixels);
    }
    Ok(decoder)
}

/// One that cannot be read turns nothing.
fn orientation(decoder: &mut impl ImageDecoder) -> Orientation {
    decoder.orientation().unwrap_or(Orientation::NoTransforms)
}

#[cfg(test)]
mod tests;
