use super::*;
use crate::tui::files::{Found, Name};

pub(super) fn resting(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    let outcome = crate::kernel::event::Outcome::Done;
    stage.event(1.into(), Event::ExchangeFinished { outcome });
    stage
}

#[test]
fn files_are_offered() {
    for (width, height) in SIZES {
        let mut stage = resting(width, height);
        let names = ["src/lex.rs", "src/lex/tab.rs", "src/l\u{202e}x.rs", "samples/全角.tl"];
        let name = |path: &str| Name { path: path.into(), text: path.into(), raw: None };
        let names: Vec<_> = names.into_iter().map(name).collect();
        stage.desk.found = Found { fit: 412, cut: true, names };
        stage.types("look at @sl");
        stage.key("down");
        shot("offered_files", &mut stage);
    }
}

#[test]
fn commands_are_offered() {
    for (width, height) in SIZES {
        let mut stage = resting(width, height);
        stage.types("/");
        shot("offered_commands", &mut stage);
    }
}

#[test]
fn words_of_before_are_searched() {
    for (width, height) in SIZES {
        let mut stage = resting(width, height);
        for words in ["count the tabs", "count the lines\nof all files"] {
            stage.state.composer.remember(words);
        }
        stage.key("ctrl+r");
        stage.types("count");
        shot("offered_words", &mut stage);
    }
}

#[test]
fn what_waits_is_in_sight() {
    for (width, height) in SIZES {
        let mut stage = streaming(width, height);
        stage.types("use 4 for the tab stop, not 8");
        stage.key("ctrl+s");
        stage.types(
            "then write the test for mixed indentation, and run all of them once more, please",
        );
        stage.key("enter");
        shot("queued", &mut stage);
    }
}

#[test]
fn a_big_paste_is_folded() {
    let mut stage = resting(80, 24);
    let text = "x\n".repeat(2_000);
    stage.types("see ");
    let paste = crate::tui::message::Input::Paste(text);
    stage.send(crate::tui::message::Message::Input(stage.now(), paste));
    assert!(stage.screen().contains("see [pasted 2,000 lines]"));
}

#[test]
fn words_stay_whole_where_a_message_goes_on_in_the_next_row_and_the_cursor_with_them() {
    let mut stage = resting(40, 12);
    stage.types("round half to even, keep the old tests green");
    let screen = stage.screen();
    assert!(screen.contains("even, keep the old") && screen.contains("   tests green"), "{screen}");
    let beside = |stage: &mut Stage, moves: usize| {
        for _ in 0..moves {
            stage.key("left");
        }
        stage.draw();
        let (x, y) = stage.cursor();
        stage.buffer()[(x, y)].symbol().to_owned()
    };
    assert_eq!(beside(&mut stage, 1), "n");
    assert_eq!(beside(&mut stage, 10), "t", "the first letter of the second row");
    assert_eq!(beside(&mut stage, 2), "d");
}
