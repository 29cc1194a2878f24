//! Looking at a question in another way answers nothing.

use pretty_assertions::assert_eq;

use super::{draft, toast};
use crate::{
    kernel::{capability::Body, event::Event},
    tui::{
        message::{Input, Message},
        stage::{Stage, program_question, write_question},
        state::{Focus, waiting::Compare},
    },
};

/// A question about a long new text, in view and live.
fn long(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.wait(1_000);
    let mut question = write_question(1);
    let new: String = (1..=500).map(|n| format!("    \"Line {n}\",\n")).collect();
    question.preview.body = Body::Diff { old: Some("old\n".into()), new, mark: None };
    stage.asks(question);
    stage.wait(500);
    stage
}

fn press(stage: &mut Stage, key: &str) {
    stage.key(key);
    stage.wait(200);
}

#[test]
fn side_by_side_is_kept_for_the_next_question_and_goes_back() {
    let mut stage = long(120, 40);
    press(&mut stage, "v");
    assert_eq!(stage.state.queue.compare, Compare::Sides);
    assert!(stage.screen().contains("v unified"));
    stage.event(
        1.into(),
        Event::ApprovalWithdrawn {
            approval: 1.into(),
            reason: "gone".into(),
            waited_ms: 0,
            excluded_ms: 0,
        },
    );
    stage.asks(write_question(2));
    stage.wait(500);
    assert!(stage.screen().contains("v unified"));
    press(&mut stage, "v");
    assert_eq!(stage.state.queue.compare, Compare::Unified);
    assert_eq!((stage.effects.len(), draft(&stage)), (0, String::new()));
}

#[test]
fn side_by_side_says_why_it_is_not_there() {
    let mut stage = long(60, 24);
    press(&mut stage, "v");
    assert_eq!(toast(&stage), "Side by side needs 70 columns; the question has 60.");
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    stage.asks(program_question(1, 1, &["fix-parser"]));
    stage.wait(500);
    press(&mut stage, "v");
    assert_eq!(toast(&stage), "Only a change to a file has two sides.");
    assert_eq!(stage.state.queue.compare, Compare::Unified);
}

#[test]
fn rows_that_were_laid_out_anew_have_to_be_seen_again() {
    let mut stage = long(100, 40);
    press(&mut stage, "end");
    let end_seen = |stage: &Stage| stage.state.queue.current().is_some_and(|asks| asks.end_seen);
    assert!(end_seen(&stage));
    press(&mut stage, "home");
    stage.wait(400);
    press(&mut stage, "v");
    assert!(!end_seen(&stage));
}

#[test]
fn a_search_counts_goes_round_and_brings_each_place_into_sight() {
    let mut stage = long(100, 40);
    press(&mut stage, "/");
    stage.types("line 49");
    assert!(stage.screen().contains("1 of 11"), "{}", stage.screen());
    assert!(stage.screen().contains("Line 49\""));
    press(&mut stage, "up");
    assert!(stage.screen().contains("11 of 11"));
    assert!(stage.screen().contains("Line 499"));
    press(&mut stage, "enter");
    assert!(stage.screen().contains("1 of 11"));
    stage.types("z");
    assert!(stage.screen().contains("not found"));
    press(&mut stage, "esc");
    stage.wait(400);
    assert_eq!((stage.state.focus, draft(&stage)), (Focus::Question, String::new()));
    assert!(stage.screen().contains("y yes, once"));
}

#[test]
fn no_letter_answers_while_a_word_is_typed() {
    let mut stage = long(100, 40);
    press(&mut stage, "/");
    for letter in ["y", "n", "N", "w", "v", "/"] {
        stage.key(letter);
        stage.wait(1_000);
    }
    stage.send(Message::Input(stage.now(), Input::Paste("y".into())));
    assert_eq!(stage.effects, []);
    assert!(stage.screen().contains("/ ynNwv/y"), "{}", stage.screen());
    stage.event(
        1.into(),
        Event::ApprovalWithdrawn {
            approval: 1.into(),
            reason: "gone".into(),
            waited_ms: 0,
            excluded_ms: 0,
        },
    );
    assert_eq!(draft(&stage), "ynNwv/y");
}

#[test]
fn the_list_has_other_orders_and_opens_the_row_that_is_shown() {
    let mut stage = long(100, 24);
    stage.wait(1_000);
    stage.asks(program_question(2, 1, &["fix-parser", "tests"]));
    stage.key("F3");
    assert!(stage.screen().contains("oldest first"));
    stage.key("o");
    assert!(stage.screen().contains("newest first"));
    stage.key("enter");
    assert_eq!(stage.state.queue.current().map(|asks| asks.question.id), Some(2.into()));
    stage.key("F3");
    stage.key("o");
    assert!(stage.screen().contains("by agent"));
    stage.key("enter");
    assert_eq!(stage.state.queue.current().map(|asks| asks.question.id), Some(1.into()));
}

#[test]
fn letters_that_only_show_something_are_text_where_somebody_types() {
    let mut stage = long(100, 40);
    stage.types("vim /etc/paths");
    stage.wait(500);
    assert_eq!(draft(&stage), "vim /etc/paths");
    assert_eq!((stage.state.queue.compare, &stage.effects[..]), (Compare::Unified, &[][..]));
}

#[test]
fn every_row_is_reached_one_after_the_other_and_nothing_is_passed_over() {
    for (width, height) in [(80, 24), (120, 40), (60, 15), (45, 12)] {
        for key in ["down", "pgdn"] {
            let mut stage = Stage::new(width, height);
            stage.at_work();
            let mut question = write_question(1);
            let new: String = (1..=40).map(|n| format!("line {n}\n")).collect();
            question.preview.body = Body::Diff { old: None, new, mark: None };
            stage.asks(question);
            stage.wait(500);
            for _ in 0..40 {
                stage.draw();
                stage.key(key);
            }
            let screen = stage.screen();
            let waiting = stage.state.queue.current().unwrap();
            let seen = stage.state.drawn.question.clone().unwrap();
            assert_eq!((waiting.seen, waiting.end_seen), (seen.total, true), "{key}\n{screen}");
            stage.key("home");
            stage.key("end");
            stage.draw();
            let end = stage.state.drawn.question.clone().unwrap();
            assert_eq!((end.top, end.rows), (seen.top, seen.rows), "{width}");
        }
    }
}
