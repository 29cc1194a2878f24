use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::picture::Picture,
    tui::{
        effect::Effect,
        picture::{How, Means},
        state::{Focus, Popup},
    },
};

/// With the smallest screen.
const ALL: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

/// A disc, and below it a line that rises.
fn plot() -> Vec<u8> {
    let pixels = RgbImage::from_fn(320, 240, |x, y| {
        let (dx, dy) = (f64::from(x) - 90.0, f64::from(y) - 90.0);
        if dx.hypot(dy) < 60.0 {
            Rgb([220, 60, 40])
        } else if y > 235 - x / 2 {
            Rgb([40, 90, 200])
        } else {
            Rgb([250, 250, 250])
        }
    });
    let mut bytes = Vec::new();
    pixels.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

/// A run made a picture, and the model goes on.
pub(super) fn pictured((width, height): (u16, u16), means: Means) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.state.look.show_pictures(How { means, cell: Some((8, 16)), few_colours: false });
    stage.session(1, &["plots"], None, "plot it");
    stage.runs(1, 9, "plot.py", "import matplotlib.pyplot as plt\nplt.plot(rows)\nplt.show()\n");
    stage.wait(400);
    let bytes = plot();
    let picture = Picture::of(&bytes, "figure-1.png").unwrap();
    stage.desk.pictures.insert(picture.id, bytes);
    stage.event(1.into(), Event::PictureMade { call: 9.into(), picture });
    stage.run_ends(1, 9, 440, "");
    stage.draw();
    stage
}

#[test]
fn a_picture_stands_below_the_run_that_made_it() {
    for size in ALL {
        let mut stage = pictured(size, Means::Blocks);
        shot("picture", &mut stage);
    }
}

#[test]
fn what_tells_the_model_of_a_picture_is_not_told_to_people_who_see_it() {
    let mut stage = Stage::new(80, 24);
    stage.session(1, &["plots"], None, "plot it");
    stage.runs(1, 9, "plot.py", "plt.show()\n");
    let told = "drawn\n\n[It made figure-1.png 320x240 (picture=\"0f3a\"), shown to people.]";
    let picture = Picture::of(&plot(), "figure-1.png").unwrap();
    stage.event(1.into(), Event::PictureMade { call: 9.into(), picture });
    stage.run_ends(1, 9, 440, told);
    let screen = stage.screen();
    assert!(screen.contains("drawn") && !screen.contains("It made"), "{screen}");
}

#[test]
fn where_no_picture_can_be_drawn_a_line_tells_of_it() {
    for size in ALL {
        let mut stage = pictured(size, Means::Words);
        shot("picture_words", &mut stage);
    }
}

#[test]
fn one_is_shown_alone_as_large_as_there_is_room() {
    for size in ALL {
        let mut stage = pictured(size, Means::Blocks);
        stage.state.focus = Focus::Transcript;
        stage.key("p");
        stage.draw();
        shot("picture_alone", &mut stage);
        stage.key("s");
        assert!(matches!(&stage.effects[..], [.., Effect::SavePicture(_, _, file)]
            if file.ends_with("tally/figure-1.png")));
        stage.key("esc");
        assert_eq!(stage.state.popup, None);
    }
    let mut stage = pictured((80, 24), Means::Words);
    stage.state.focus = Focus::Transcript;
    stage.key("p");
    shot("picture_alone_words", &mut stage);
}

#[test]
fn nothing_moves_when_a_picture_is_ready() {
    let mut stage = Stage::new(80, 24);
    stage.state.look.show_pictures(How { means: Means::Blocks, ..How::default() });
    stage.session(1, &["plots"], None, "plot it");
    stage.runs(1, 9, "plot.py", "print(1)\n");
    let bytes = plot();
    let picture = Picture::of(&bytes, "figure-1.png").unwrap();
    stage.event(1.into(), Event::PictureMade { call: 9.into(), picture: picture.clone() });
    stage.run_ends(1, 9, 440, "");
    stage.streams(1, "Below it.");
    let rows = |stage: &mut Stage| {
        let screen = stage.screen();
        let lines = screen.lines().map(str::to_owned).collect::<Vec<_>>();
        ["figure-1.png", "Below it."].map(|text| lines.iter().position(|line| line.contains(text)))
    };
    let before = rows(&mut stage);
    assert!(before[0].is_some() && stage.screen().contains("is not kept any more"));
    stage.desk.pictures.insert(picture.id, bytes);
    // Shown in another way and back, so that it is made again.
    for means in [Means::Words, Means::Blocks] {
        stage.state.look.show_pictures(How { means, ..How::default() });
        stage.draw();
    }
    assert_eq!(rows(&mut stage), before);
    assert!(stage.screen().contains(['▀', '▄']));
}

#[test]
fn one_that_cannot_be_cut_is_drawn_when_all_of_it_is_in_sight() {
    let mut stage = pictured((80, 24), Means::Sixel);
    let [drawn] = stage.state.drawn.pictures[..] else { panic!("no picture is drawn") };
    assert_eq!((drawn.area.width, drawn.area.height), (drawn.shape.cols, drawn.shape.rows));
    stage.streams(1, &"More.\n\n".repeat(6));
    stage.draw();
    assert_eq!(stage.state.drawn.pictures, []);
    assert!(stage.screen().contains("Scroll to see it."));
    // A list over the transcript, and a choice below it.
    let mut stage = pictured((80, 24), Means::Sixel);
    stage.key("F1");
    stage.draw();
    assert_eq!(stage.state.drawn.pictures, []);
    stage.key("esc");
    stage.draw();
    assert_eq!(stage.state.drawn.pictures, [drawn]);
    stage.key("F8");
    stage.draw();
    assert!(matches!(stage.state.popup, Some(Popup::Mode { .. })));
    let below = |drawn: &crate::tui::state::DrawnPicture| drawn.area.bottom() > 18;
    assert!(!stage.state.drawn.pictures.iter().any(below));
}

#[test]
fn for_kitty_the_part_in_sight_is_placed_by_its_rows() {
    let mut stage = pictured((80, 24), Means::Kitty { tmux: false });
    let places = |stage: &mut Stage| stage.screen().matches('\u{10eeee}').count();
    let [drawn] = stage.state.drawn.pictures[..] else { panic!("no picture is drawn") };
    let (cols, rows) = (usize::from(drawn.shape.cols), usize::from(drawn.shape.rows));
    assert_eq!(places(&mut stage), cols * rows);
    stage.streams(1, &"More.\n\n".repeat(6));
    let part = places(&mut stage);
    assert!(part > 0 && part < cols * rows && part.is_multiple_of(cols), "{part}");
    assert_eq!(stage.state.drawn.pictures.len(), 1);
}
