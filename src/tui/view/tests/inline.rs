//! The screen as rows below the terminal's own. A dotted line is where those begin that change.

use ratatui::{Terminal, backend::TestBackend, layout::Size};

use super::*;
use crate::{
    config::Surface,
    tui::{message::Message, state::Focus, view},
};

/// What is printed for good, and the rows below it; and the screen knows that they were seen.
fn seen(stage: &mut Stage, (width, height): (u16, u16)) -> String {
    let window = Size { width, height };
    let inline = view::inline(&stage.state, window).expect("it stands in rows");
    let mut text = String::new();
    for row in inline.above.area.rows() {
        let cells = row.columns().filter_map(|cell| inline.above.cell((cell.x, cell.y)));
        let line: String = cells.map(ratatui::buffer::Cell::symbol).collect();
        text.push_str(&format!("{}\n", line.trim_end()));
    }
    text.push_str(&format!("{}\n", "┄".repeat(usize::from(width))));
    let mut terminal = Terminal::new(TestBackend::new(width, inline.rows)).unwrap();
    let mut drawn = crate::tui::state::Drawn::default();
    terminal.draw(|frame| drawn = view::live(&stage.state, window, frame)).unwrap();
    drawn.printed = inline.printed;
    stage.draws = false;
    stage.send(Message::Drawn(stage.now(), Box::new(drawn)));
    text + &terminal.backend().to_string().replace('"', "")
}

fn inline(mut stage: Stage) -> Stage {
    stage.state.panes.surface = Surface::Inline;
    stage
}

#[test]
fn rows_at_the_end_of_what_is_over() {
    for size in SIZES {
        let mut stage = inline(Stage::new(size.0, size.1));
        text_shot(&format!("inline_empty_{}", size.0), &seen(&mut stage, size));
        let mut stage = inline(streaming(size.0, size.1));
        text_shot(&format!("inline_streaming_{}", size.0), &seen(&mut stage, size));
        stage.streams(1, "use the old rule.\n\nNext I");
        text_shot(&format!("inline_goes_on_{}", size.0), &seen(&mut stage, size));
    }
}

#[test]
fn a_question_stands_in_the_rows_and_is_answered_there() {
    for size in SIZES {
        let mut stage = Stage::new(size.0, size.1);
        stage.at_work();
        let mut stage = inline(stage);
        seen(&mut stage, size);
        stage.wait(1_000);
        stage.asks(write_question(1));
        for _ in 0..12 {
            stage.wait(50);
            seen(&mut stage, size);
        }
        assert_eq!(stage.state.focus, Focus::Question);
        text_shot(&format!("inline_question_{}", size.0), &seen(&mut stage, size));
        stage.key("y");
        stage.wait(200);
        assert_eq!(stage.effects.len(), 1, "{:?}", stage.effects);
    }
}

#[test]
fn what_needs_room_has_all_of_the_window() {
    let size = (80, 24);
    let window = Size { width: 80, height: 24 };
    let mut stage = inline(Stage::new(80, 24));
    stage.at_work();
    seen(&mut stage, size);
    for (key, back) in [("F2", "esc"), ("ctrl+p", "esc"), ("F1", "esc"), ("shift+tab", "tab")] {
        stage.key(key);
        assert!(view::inline(&stage.state, window).is_none(), "{key}");
        stage.key(back);
        assert!(view::inline(&stage.state, window).is_some(), "{key} {back}");
    }
    stage.wait(1_000);
    stage.asks(write_question(1));
    stage.key("tab");
    seen(&mut stage, size);
    stage.key("enter");
    assert!(view::inline(&stage.state, window).is_none(), "in full");
    stage.key("enter");
    assert!(view::inline(&stage.state, window).is_some());
    let narrow = Size { width: 50, height: 12 };
    assert!(view::inline(&stage.state, narrow).is_none(), "a question where there is little room");
}

#[test]
fn each_part_is_printed_once_and_what_goes_on_when_the_screen_is_left() {
    let size = (80, 24);
    let mut stage = inline(streaming(80, 24));
    let mut all = seen(&mut stage, size);
    stage.streams(1, "use the old rule.\n\nNext I\u{1b}[31m");
    all += &seen(&mut stage, size);
    assert!(!all.contains('\u{1b}'), "what is printed is clean as all is");
    stage.state.place.leave = Some(crate::tui::state::Leave::Quit);
    let last = seen(&mut stage, size);
    let above = |text: &str| text.split('┄').next().unwrap_or_default().to_owned();
    assert!(above(&last).contains("Next I"), "{last}");
    all += &last;
    for part in ["try.py", "scan.py", "one test for a line", "tally / fix-parser"] {
        assert_eq!(all.matches(part).count() - usize::from(part.starts_with("one")), 1, "{part}");
    }
    assert_eq!(
        view::inline(&stage.state, Size { width: 80, height: 24 }).unwrap().above.area.height,
        0
    );
}

#[test]
fn a_long_session_that_is_carried_on_is_not_said_again_from_its_beginning() {
    let mut stage = inline(Stage::new(80, 24));
    stage.at_work();
    for n in 0..2_000 {
        stage.streams(1, &format!("part {n}\n\n"));
    }
    let text = seen(&mut stage, (80, 24));
    assert!(text.lines().count() < 600, "{}", text.lines().count());
    assert!(text.contains("are not printed again") && text.contains("part 1998"));
}
