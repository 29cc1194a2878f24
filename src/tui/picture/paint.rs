//! A picture made into what the terminal takes. Not for the loop: it takes up to some hundred
//! milliseconds.

use std::sync::Arc;

use image::{DynamicImage, RgbaImage, imageops};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::{Rect, Size},
    style::Color,
    widgets::Widget as _,
};
use ratatui_image::{
    Image,
    protocol::{Protocol, halfblocks::Halfblocks, iterm2::Iterm2, kitty::Kitty, sixel::Sixel},
};

use super::{How, Means, Shape};
use crate::{
    kernel::picture::{NotAPicture, pixels},
    tui::{terminal::Drawing, theme::Rgb},
};

/// The sign in whose place kitty draws a part of a picture.
const PLACE: char = '\u{10eeee}';

/// The names that pictures have at a terminal: few, so that whatever is left there can be removed.
const NAMES: u32 = 64;

/// A picture as the terminal takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painted {
    /// The cells that show it, where it is made of cells.
    cells: Option<Buffer>,
    /// What the terminal has to be sent, if anything.
    pub sent: Option<Arc<Drawing>>,
}

impl Painted {
    /// One of its cells.
    pub fn cell(&self, x: u16, y: u16) -> Option<&Cell> {
        self.cells.as_ref()?.cell((x, y))
    }
}

/// Reads a picture and makes it ready. `count` tells it from the ones before it; the error goes on
/// after the name of the picture.
pub fn paint(bytes: &[u8], shape: Shape, how: How, count: u32) -> Result<Painted, String> {
    let pixels = pixels(bytes).map_err(|fault: NotAPicture| fault.to_string())?;
    let size = Size { width: shape.cols, height: shape.rows };
    let (width, height) = how.pixels();
    let (width, height) =
        (u32::from(shape.cols) * u32::from(width), u32::from(shape.rows) * u32::from(height));
    let scaled = || {
        let smaller = pixels.width() > width || pixels.height() > height;
        opaque(&if smaller {
            pixels.resize(width, height, imageops::Triangle)
        } else {
            pixels.clone()
        })
    };
    let failed = |error: ratatui_image::errors::Errors| format!("cannot be shown: {error}");
    match how.means {
        Means::Words => Err("is not shown here".to_owned()),
        Means::Blocks => {
            let small = pixels.resize_exact(
                u32::from(shape.cols),
                2 * u32::from(shape.rows),
                imageops::Triangle,
            );
            let blocks = Halfblocks::new(opaque(&small), size).map_err(failed)?;
            let mut cells = drawn(Protocol::Halfblocks(blocks), size);
            if how.few_colours {
                cells.content.iter_mut().for_each(nearest);
            }
            Ok(Painted { cells: Some(cells), sent: None })
        }
        Means::Kitty { tmux } => {
            let id = first_name() + count % NAMES;
            let kitty = Kitty::new(scaled(), size, id, tmux, true).map_err(failed)?;
            let mut cells = drawn(Protocol::Kitty(kitty), size);
            let bytes = taken_out(&mut cells);
            let sent = Drawing::Once { id, bytes, away: away(id, tmux) };
            Ok(Painted { cells: Some(cells), sent: Some(Arc::new(sent)) })
        }
        Means::Iterm2 => {
            let bytes = Iterm2::new(scaled(), size, false).map_err(failed)?.data;
            Ok(Painted { cells: None, sent: Some(Arc::new(Drawing::Here(bytes))) })
        }
        Means::Sixel => {
            let bytes = Sixel::new(scaled(), size, false).map_err(failed)?.data;
            Ok(Painted { cells: None, sent: Some(Arc::new(Drawing::Here(bytes))) })
        }
    }
}

/// On white, as plots are meant: what is transparent would have any colour.
fn opaque(pixels: &DynamicImage) -> DynamicImage {
    if !pixels.color().has_alpha() {
        return pixels.clone();
    }
    let (width, height) = (pixels.width(), pixels.height());
    let mut ground = RgbaImage::from_pixel(width, height, image::Rgba([255; 4]));
    imageops::overlay(&mut ground, pixels, 0, 0);
    DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(ground).to_rgb8())
}

fn drawn(protocol: Protocol, size: Size) -> Buffer {
    let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
    let mut cells = Buffer::empty(area);
    Image::new(&protocol).render(area, &mut cells);
    cells
}

/// The colours that every terminal with 256 has.
fn nearest(cell: &mut Cell) {
    for color in [&mut cell.fg, &mut cell.bg] {
        if let Color::Rgb(red, green, blue) = *color {
            *color = Color::Indexed(Rgb(red, green, blue).indexed());
        }
    }
}

/// What stands before the first sign of a picture: its pixels, which are sent apart from the text.
fn taken_out(cells: &mut Buffer) -> String {
    let Some(first) = cells.content.first_mut() else { return String::new() };
    let symbol = first.symbol().to_owned();
    let (sent, sign) = symbol.split_at(symbol.rfind(PLACE).unwrap_or(0));
    first.set_symbol(sign);
    sent.to_owned()
}

/// What removes a picture of that name from the terminal.
fn away(id: u32, tmux: bool) -> String {
    match tmux {
        false => format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\"),
        true => format!("\x1bPtmux;\x1b\x1b_Ga=d,d=I,i={id},q=2\x1b\x1b\\\x1b\\"),
    }
}

/// The first of our names: another screen on the same terminal most likely has others. A name is a
/// colour as well, so it has three bytes.
fn first_name() -> u32 {
    let ours = std::process::id().wrapping_mul(2_654_435_761) >> 15;
    (ours % 0x1_0000 + 0x100) * NAMES
}
