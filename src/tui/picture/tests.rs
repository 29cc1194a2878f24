use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use pretty_assertions::assert_eq;
use ratatui::style::Color;

use super::*;
use crate::tui::terminal::Drawing;

const CELL: Option<(u16, u16)> = Some((8, 16));

fn how(means: Means) -> How {
    How { means, cell: CELL, few_colours: false }
}

fn gallery(means: Means, height: u16) -> Gallery {
    let mut gallery = Gallery::default();
    gallery.show(how(means));
    gallery.fit(height);
    gallery
}

fn picture(width: u32, height: u32) -> Picture {
    let mut bytes = Vec::new();
    RgbImage::new(width, height).write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    Picture::of(&bytes, "a.png").unwrap()
}

fn wanted(width: u32) -> Wanted {
    let shape = Shape { cols: 4, rows: 2 };
    Wanted { session: 1.into(), picture: picture(width, 1).id, shape }
}

#[test]
fn a_picture_takes_no_more_than_its_size_the_width_and_half_the_screen() {
    for (size, width, height, expected) in [
        ((640, 480), 76, 24, (32, 12)),
        ((640, 480), 76, 40, (53, 20)),
        ((640, 480), 36, 12, (16, 6)),
        ((640, 480), 20, 60, (20, 8)),
        ((16, 16), 76, 24, (2, 1)),
        ((1, 1), 76, 24, (1, 1)),
        ((4000, 1), 76, 24, (76, 1)),
        ((1, 4000), 76, 24, (1, 12)),
        ((640, 480), 1, 1, (1, 1)),
    ] {
        let shape = gallery(Means::Blocks, height).among(&picture(size.0, size.1), width);
        let (cols, rows) = expected;
        assert_eq!(shape, Some(Shape { cols, rows }), "{size:?} in {width}x{height}");
    }
    let alone = |means| gallery(means, 24).alone(&picture(320, 240), (78, 20));
    assert_eq!(alone(Means::Blocks), Some(Shape { cols: 53, rows: 20 }));
    assert_eq!(alone(Means::Sixel), Some(Shape { cols: 40, rows: 15 }));
    let large = |means| How { cell: Some((16, 32)), ..how(means) };
    let mut gallery_of = Gallery::default();
    gallery_of.fit(24);
    for (means, cols, rows) in [(Means::Blocks, 32, 12), (Means::Sixel, 20, 8)] {
        gallery_of.show(large(means));
        let shape = gallery_of.among(&picture(320, 240), 76);
        assert_eq!(shape, Some(Shape { cols, rows }), "{means:?}");
    }
    assert_eq!(gallery(Means::Words, 24).among(&picture(640, 480), 76), None);
    assert_eq!(gallery(Means::Blocks, 24).among(&picture(640, 480), 0), None);
}

#[test]
fn only_what_is_near_is_kept_and_none_is_made_twice() {
    let mut gallery = gallery(Means::Blocks, 24);
    let all: Vec<_> = (1..20).map(wanted).collect();
    let made = gallery.want(all.clone(), Others::Go);
    assert_eq!(made.len(), MOST);
    assert_eq!(gallery.want(all.clone(), Others::Go), []);
    let one = vec![all[3].clone()];
    assert_eq!(gallery.want(one.clone(), Others::Go), []);
    assert_eq!(gallery.ready.len(), 1);
    assert_eq!(gallery.want(Vec::new(), Others::Stay), []);
    assert_eq!(gallery.ready.len(), 1);
    let Some(Effect::Paint(again, ..)) = gallery.want(all.clone(), Others::Go).into_iter().next()
    else {
        panic!("nothing is made again");
    };
    assert_eq!(again, all[0]);
}

#[test]
fn what_was_made_for_another_way_or_is_wanted_no_more_is_let_go() {
    let mut gallery = gallery(Means::Blocks, 24);
    let painted = || Err("is damaged".to_owned());
    gallery.want(vec![wanted(1)], Others::Go);
    gallery.came(&wanted(1), how(Means::Sixel), painted());
    gallery.came(&wanted(2), how(Means::Blocks), painted());
    let one = wanted(1);
    assert!(matches!(gallery.get(one.picture, one.shape), Some(Ready::Soon)));
    gallery.came(&one, how(Means::Blocks), painted());
    assert!(matches!(gallery.get(one.picture, one.shape), Some(Ready::Not(_))));
    assert!(gallery.show(how(Means::Sixel)) && gallery.ready.is_empty());
}

/// Red above, and below it what cannot be seen.
fn flag() -> Vec<u8> {
    let mut bytes = Vec::new();
    let pixels = RgbaImage::from_fn(2, 2, |_, y| match y {
        0 => Rgba([255, 0, 0, 255]),
        _ => Rgba([0, 0, 0, 0]),
    });
    pixels.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

fn painted(means: Means) -> Painted {
    paint(&flag(), Shape { cols: 2, rows: 1 }, how(means), 7).unwrap()
}

#[test]
fn half_blocks_are_two_pixels_a_cell_and_what_is_transparent_is_white() {
    let painted = painted(Means::Blocks);
    let cell = painted.cell(1, 0).unwrap();
    let colours = [(cell.fg, cell.bg), (cell.bg, cell.fg)];
    let (red, white) = (Color::Rgb(255, 0, 0), Color::Rgb(255, 255, 255));
    assert!(colours.contains(&(red, white)), "{cell:?}");
    assert!(["▀", "▄"].contains(&cell.symbol()), "{cell:?}");
    assert_eq!((painted.cell(2, 0), painted.sent.is_none()), (None, true));
    let few = How { few_colours: true, ..how(Means::Blocks) };
    let painted = paint(&flag(), Shape { cols: 2, rows: 1 }, few, 7).unwrap();
    let cell = painted.cell(0, 0).unwrap();
    assert!(matches!((cell.fg, cell.bg), (Color::Indexed(_), Color::Indexed(_))), "{cell:?}");
}

#[test]
fn for_kitty_a_picture_is_sent_apart_from_the_signs_that_place_it() {
    let painted = painted(Means::Kitty { tmux: false });
    let Some(Drawing::Once { id, bytes, away }) = painted.sent.as_deref() else { panic!() };
    assert!(bytes.starts_with(&format!("\x1b_Gq=2,i={id},a=T,U=1,f=32,o=z,")), "{bytes:?}");
    assert!(bytes.ends_with("\x1b\\"), "{bytes:?}");
    assert_eq!(*away, format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\"));
    let [extra, red, green, blue] = id.to_be_bytes();
    assert_eq!(extra, 0);
    for x in 0..2 {
        let cell = painted.cell(x, 0).unwrap();
        assert!(cell.symbol().starts_with('\u{10eeee}'), "{cell:?}");
        assert!(!cell.symbol().contains(char::is_control), "{cell:?}");
        assert_eq!(cell.fg, Color::Rgb(red, green, blue));
    }
    let within = self::painted(Means::Kitty { tmux: true });
    let Some(Drawing::Once { bytes, away, .. }) = within.sent.as_deref() else { panic!() };
    assert!(bytes.starts_with("\x1bPtmux;\x1b\x1b_G") && away.starts_with("\x1bPtmux;"));
}

#[test]
fn sixels_and_what_iterm2_takes_are_sent_as_they_are() {
    for (means, begins, ends) in
        [(Means::Sixel, "\x1bP", "\x1b\\"), (Means::Iterm2, "\x1b]1337;File=inline=1;", "\x07")]
    {
        let painted = painted(means);
        let Some(Drawing::Here(bytes)) = painted.sent.as_deref() else { panic!("{means:?}") };
        assert!(bytes.contains(begins) && bytes.ends_with(ends), "{means:?}: {bytes:?}");
        assert_eq!(painted.cell(0, 0), None, "{means:?}");
    }
}

#[test]
fn what_is_no_picture_and_what_is_too_large_is_said() {
    let shape = Shape { cols: 2, rows: 1 };
    let why = |bytes: &[u8]| paint(bytes, shape, how(Means::Blocks), 1).unwrap_err();
    assert_eq!(why(b"no"), "is no picture: PNG, JPEG, GIF and WebP are");
    let mut damaged = flag();
    damaged.truncate(60);
    assert_eq!(why(&damaged), "is a damaged picture and cannot be read");
    // Sides of 65,535 pixels in a few bytes.
    let mut bomb = b"GIF89a\xff\xff\xff\xff\0\0\0".to_vec();
    bomb.extend_from_slice(b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02D\x01\0;");
    assert_eq!(why(&bomb), "has too many pixels: at most 50 million");
}

#[test]
fn the_first_pixel_of_a_photograph_is_scaled_and_not_cut() {
    let mut bytes = Vec::new();
    let pixels = RgbImage::from_fn(600, 400, |x, _| Rgb([if x < 300 { 250 } else { 5 }, 0, 0]));
    pixels.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Jpeg).unwrap();
    let painted = paint(&bytes, Shape { cols: 30, rows: 10 }, how(Means::Blocks), 1).unwrap();
    let red = |x| {
        let Color::Rgb(red, ..) = painted.cell(x, 5).unwrap().bg else { panic!("no colour") };
        red
    };
    assert!(red(2) > 200 && red(28) < 50);
}
