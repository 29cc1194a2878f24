use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    style::Style,
    text::Line,
};

use super::Inline;
use crate::tui::terminal::{LineMode, Terminal, Wanted, Wishes};

/// A terminal that keeps what scrolls out of it.
#[derive(Clone)]
struct Glass(Arc<Mutex<(vt100::Parser, Vec<u8>)>>);

impl Glass {
    fn new(rows: u16, width: u16) -> Self {
        let mut parser = vt100::Parser::new(rows, width, 10_000);
        parser.process(b"shell$ footplate\r\n");
        Self(Arc::new(Mutex::new((parser, Vec::new()))))
    }

    /// Every row, from the oldest one to the last that something stands in.
    fn all(&self) -> Vec<String> {
        let (parser, _) = &mut *self.0.lock().unwrap();
        let screen = parser.screen_mut();
        let width = screen.size().1;
        screen.set_scrollback(usize::MAX);
        let mut rows = Vec::new();
        for above in (1..=screen.scrollback()).rev() {
            screen.set_scrollback(above);
            rows.extend(screen.rows(0, width).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width));
        while rows.last().is_some_and(|row| row.trim().is_empty()) {
            rows.pop();
        }
        rows.iter().map(|row| row.trim_end().to_owned()).collect()
    }

    fn cursor(&self) -> (u16, u16) {
        self.0.lock().unwrap().0.screen().cursor_position()
    }

    fn bytes(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().1.clone()).unwrap()
    }
}

impl Write for Glass {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (parser, all) = &mut *self.0.lock().unwrap();
        parser.process(bytes);
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LineMode for Glass {
    fn raw(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn cooked(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const WISHES: Wishes = Wishes {
    mouse: false,
    keyboard: false,
    surface: Wanted::Rows { reflows: false },
    wrapped: false,
};

fn enter(glass: &Glass, rows: u16, width: u16) -> Terminal {
    Terminal::enter(glass.clone(), glass.clone(), Size::new(width, rows), WISHES).unwrap()
}

fn lines(width: u16, lines: &[String]) -> Buffer {
    let height = u16::try_from(lines.len()).unwrap();
    let mut rows = Buffer::empty(Rect::new(0, 0, width, height));
    for (y, line) in (0..).zip(lines) {
        rows.set_string(0, y, line, Style::default());
    }
    rows
}

/// Draws `live N` in each row that is ours, the cursor in the last but one.
async fn draw(terminal: &mut Terminal, above: &[String], rows: u16) -> u16 {
    terminal.wait_ready().await;
    let mut height = 0;
    let above = lines(terminal.window().width, above);
    let live = |frame: &mut ratatui::Frame<'_>| {
        height = frame.area().height;
        for row in frame.area().rows() {
            frame.render_widget(Line::from(format!("live {}", row.y)), row);
        }
        frame.set_cursor_position((3, height.saturating_sub(2)));
    };
    assert!(terminal.draw_rows(&above, rows, live).unwrap());
    terminal.wait_ready().await;
    height
}

fn live(rows: u16) -> Vec<String> {
    (0..rows).map(|row| format!("live {row}")).collect()
}

fn said(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|n| format!("said {n}")).collect()
}

fn with_shell(rest: &[Vec<String>]) -> Vec<String> {
    [vec!["shell$ footplate".to_owned()], rest.concat()].concat()
}

#[tokio::test]
async fn what_is_over_scrolls_out_above_the_rows_that_are_ours_and_leaving_takes_those_away() {
    let glass = Glass::new(8, 30);
    let mut terminal = enter(&glass, 8, 30);
    assert_eq!(draw(&mut terminal, &[], 3).await, 3);
    assert_eq!(glass.all(), with_shell(&[live(3)]));
    assert_eq!(glass.cursor(), (2, 3));
    draw(&mut terminal, &said(0..2), 3).await;
    assert_eq!(glass.all(), with_shell(&[said(0..2), live(3)]));
    draw(&mut terminal, &said(2..40), 4).await;
    assert_eq!(glass.all(), with_shell(&[said(0..40), live(4)]));
    assert_eq!(glass.cursor(), (6, 3));
    terminal.leave().unwrap();
    assert_eq!(glass.all(), with_shell(&[said(0..40)]));
    assert_eq!(glass.cursor(), (4, 0), "below what was printed");
    assert!(!glass.bytes().contains("1049"), "the other screen was never asked for");
}

#[tokio::test]
async fn rows_that_are_not_needed_any_more_are_left_to_what_comes_above() {
    let glass = Glass::new(12, 30);
    let mut terminal = enter(&glass, 12, 30);
    assert_eq!(draw(&mut terminal, &[], 8).await, 8);
    assert_eq!(draw(&mut terminal, &[], 3).await, 8, "nothing jumps");
    assert_eq!(draw(&mut terminal, &said(0..2), 3).await, 6);
    assert_eq!(draw(&mut terminal, &said(2..9), 3).await, 3);
    assert_eq!(glass.all(), with_shell(&[said(0..9), live(3)]));
}

#[tokio::test]
async fn what_needs_all_of_the_window_has_it_and_what_was_there_comes_back() {
    let glass = Glass::new(8, 30);
    let mut terminal = enter(&glass, 8, 30);
    draw(&mut terminal, &said(0..3), 3).await;
    let before = glass.all();
    let whole = |frame: &mut ratatui::Frame<'_>| {
        frame.render_widget(Line::from("a list"), frame.area());
    };
    assert!(terminal.draw(whole).unwrap());
    terminal.wait_ready().await;
    assert!(glass.all().contains(&"a list".to_owned()));
    draw(&mut terminal, &said(3..4), 3).await;
    assert_eq!(glass.all(), with_shell(&[said(0..4), live(3)]));
    assert!(terminal.draw(whole).unwrap());
    terminal.wait_ready().await;
    terminal.leave().unwrap();
    assert_eq!(glass.all(), [before[..4].to_vec(), said(3..4)].concat());
    assert_eq!(glass.cursor(), (5, 0));
    let text = glass.bytes();
    assert_eq!(text.matches("\x1b[?1049h").count(), 2);
    assert_eq!(text.matches("\x1b[?1049l").count(), 2, "it is undone once each time");
}

#[tokio::test]
async fn a_stop_takes_the_rows_away_and_they_begin_anew_where_the_shell_is() {
    let glass = Glass::new(8, 30);
    let mut terminal = enter(&glass, 8, 30);
    draw(&mut terminal, &said(0..2), 3).await;
    terminal.leave().unwrap();
    glass.clone().write_all(b"[1]+ Stopped\r\n").unwrap();
    terminal.take_again().unwrap();
    draw(&mut terminal, &said(2..3), 3).await;
    let stopped = vec!["[1]+ Stopped".to_owned()];
    assert_eq!(glass.all(), with_shell(&[said(0..2), stopped, said(2..3), live(3)]));
}

#[test]
fn where_rows_are_broken_anew_the_way_up_is_longer() {
    let mut inline = Inline::new(true);
    inline.begin(&mut Vec::new(), &lines(30, &[]), 4).unwrap();
    inline.place(b"\x1b[3;21Hx\x1b[3;21H");
    inline.drawn(30, vec![30, 5, 25, 30]);
    let up = |inline: &Inline| String::from_utf8(inline.parting()).unwrap();
    assert_eq!(up(&inline), "\r\x1b[2A\x1b[J");
    inline.resized(30);
    inline.resized(80);
    assert_eq!(up(&inline), "\r\x1b[2A\x1b[J", "rows are not joined again");
    inline.resized(15);
    assert_eq!(up(&inline), "\r\x1b[4A\x1b[J", "two rows of the first, one, and one of its own");
    let mut cut = Inline::new(false);
    cut.begin(&mut Vec::new(), &lines(30, &[]), 4).unwrap();
    cut.place(b"\x1b[3;21H");
    cut.drawn(30, vec![30, 5, 25, 30]);
    cut.resized(15);
    assert_eq!(up(&cut), "\r\x1b[2A\x1b[J");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_comes_each_line_is_there_once_and_ours_stand_at_the_end(
        steps in proptest::collection::vec((0_usize..12, 1_u16..7, 20_u16..60), 1..20),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let glass = Glass::new(10, 40);
            let mut terminal = enter(&glass, 10, 40);
            let (mut count, mut rows) = (0, 0);
            for (more, wanted, width) in steps {
                glass.0.lock().unwrap().0.screen_mut().set_size(10, width);
                terminal.resize(Size::new(width, 10));
                rows = draw(&mut terminal, &said(count..count + more), wanted).await;
                count += more;
            }
            assert_eq!(glass.all(), with_shell(&[said(0..count), live(rows)]));
            terminal.leave().unwrap();
            assert_eq!(glass.all(), with_shell(&[said(0..count)]));
        });
    }
}
