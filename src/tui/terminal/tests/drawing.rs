//! What is drawn, and when nothing is.

use pretty_assertions::assert_eq;

use super::*;

#[tokio::test]
async fn a_screen_at_rest_writes_nothing() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    let hello = |frame: &mut Frame<'_>| frame.render_widget(Line::from("hello"), frame.area());
    terminal.wait_ready().await;
    terminal.draw(hello).unwrap();
    terminal.wait_ready().await;
    terminal.set_title("t");
    terminal.flush();
    terminal.wait_ready().await;
    let before = fake.text().len();
    terminal.set_title("t");
    terminal.set_progress(Progress::None);
    terminal.flush();
    terminal.wait_ready().await;
    assert_eq!(fake.text().len(), before);
}

#[tokio::test]
async fn a_frame_like_the_one_before_writes_nothing() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    let mut written = |text: &'static str, cursor: Option<(u16, u16)>| {
        let draw = |frame: &mut Frame<'_>| {
            frame.render_widget(Line::from(text), frame.area());
            if let Some(at) = cursor {
                frame.set_cursor_position(at);
            }
        };
        let before = fake.text().len();
        while !terminal.draw(draw).unwrap() {
            std::thread::yield_now();
        }
        while !terminal.ready() {
            std::thread::yield_now();
        }
        fake.text()[before..].to_owned()
    };
    assert!(written("hello", Some((3, 0))).contains("hello"));
    assert_eq!(written("hello", Some((3, 0))), "");
    assert!(written("hello", Some((4, 0))).contains("\x1b[1;5H"));
    assert!(written("hello", None).contains("\x1b[?25l"));
    assert_eq!(written("hello", None), "");
    // What was written moved it.
    let again = written("jello", Some((4, 0)));
    assert!(again.contains("\x1b[?25h") && again.contains("\x1b[1;5H"), "{again:?}");
}

#[tokio::test]
async fn a_stopped_terminal_stops_only_the_drawing() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    terminal.wait_ready().await;
    fake.set(|state| state.stopped = true);
    assert!(terminal.draw(|frame| frame.render_widget(Line::from("one"), frame.area())).unwrap());
    assert!(!terminal.ready());
    assert!(!terminal.draw(|_| panic!("no frame is laid out meanwhile")).unwrap());
    terminal.bell();
    terminal.flush();
    fake.set(|state| state.stopped = false);
    terminal.wait_ready().await;
    assert!(terminal.draw(|frame| frame.render_widget(Line::from("two"), frame.area())).unwrap());
    terminal.wait_ready().await;
    assert!(fake.text().contains('\x07'));
    // Only the two letters that differ are written.
    assert!(fake.text().contains("one") && fake.text().contains("tw"));
}

/// What a real terminal shows after these draws is what one draw of the last state shows.
#[tokio::test]
async fn no_cell_is_left_over_after_resizes_and_wide_letters() {
    let texts = [
        "全角 and 👩\u{200d}👧 in a row",
        "e\u{301}\u{301} 🇩🇪 x",
        "plain ascii",
        "❤\u{fe0f} 1\u{fe0f}\u{20e3}",
        "",
    ];
    let draw = |frame: &mut Frame<'_>, step: usize| {
        let text = crate::tui::clean::shown(texts[step]).into_owned();
        let lines: Vec<Line<'_>> = (0..frame.area().height).map(|_| text.clone().into()).collect();
        frame.render_widget(ratatui::text::Text::from(lines), frame.area());
    };
    let contents = |fake: &Fake, from: usize, size: Size| {
        let mut screen = vt100::Parser::new(size.height, size.width, 0);
        screen.process(&fake.text().as_bytes()[from..]);
        // A cell that was cleared and one that was never written look the same.
        let rows = screen.screen().rows(0, size.width);
        rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>()
    };
    let size = Size::new(40, 8);
    for last in 0..texts.len() {
        let fake = Fake::default();
        let mut terminal = enter(&fake);
        let mut from = 0;
        for (step, width) in
            [(0, 20), (1, 60), (2, 7), (4, 40), (0, 40), (3, 40), (1, 40), (last, 40)]
        {
            terminal.wait_ready().await;
            if width != size.width {
                from = fake.text().len();
            }
            terminal.resize(Size::new(width, 8));
            terminal.draw(|frame| draw(frame, step)).unwrap();
        }
        terminal.wait_ready().await;
        let fresh = Fake::default();
        let mut terminal = Terminal::enter(fresh.clone(), fresh.clone(), size, ALL).unwrap();
        terminal.wait_ready().await;
        terminal.draw(|frame| draw(frame, last)).unwrap();
        terminal.wait_ready().await;
        assert_eq!(contents(&fake, from, size), contents(&fresh, 0, size), "after {last}");
    }
}

#[tokio::test]
async fn tiny_windows_are_drawn_without_a_panic() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    for (width, height) in [(0, 0), (1, 1), (2, 1), (0, 5), (5, 0), (200, 60)] {
        terminal.wait_ready().await;
        terminal.resize(Size::new(width, height));
        let mut seen = None;
        terminal.draw(|frame| seen = Some(frame.area().as_size())).unwrap();
        assert_eq!(seen, Some(Size::new(width, height)));
    }
}
