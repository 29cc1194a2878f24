//! A long text that is asked about: readable before it is answered, and no frame lays out all of it.

use super::draft;
use crate::{
    kernel::{capability::Body, command::Command},
    tui::{
        effect::Effect,
        message::{Came, Message},
        sheet::{AT_ONCE, Index},
        stage::{Stage, write_question},
        state::waiting::Compare,
        tally,
    },
};

const LINES: usize = 20_000;

fn asked(stage: &mut Stage, new: String) {
    stage.at_work();
    stage.wait(1_000);
    let mut question = write_question(1);
    assert!(new.len() > AT_ONCE);
    question.preview.body = Body::Diff { old: Some("old\n".into()), new, mark: None };
    stage.asks(question);
    stage.wait(1_000);
}

fn lines() -> String {
    (1..=LINES).map(|n| format!("line {n} of a text that nobody reads to its end\n")).collect()
}

fn yes(stage: &Stage) -> bool {
    stage.effects.iter().any(|effect| matches!(effect, Effect::Send(Command::Answer { .. })))
}

/// Has done what was left to be done beside the loop.
fn lay_out(stage: &mut Stage) {
    for effect in std::mem::take(&mut stage.effects) {
        if let Effect::LayOut(question, sheet, shape) = effect {
            let index = std::sync::Arc::new(Index::of(&sheet, shape));
            stage.send(Message::Came(Came::LaidOut(question, index)));
        }
    }
    stage.wait(1_000);
}

#[test]
fn what_is_not_readable_yet_is_not_answered() {
    let mut stage = Stage::new(120, 40);
    stage.lays_out = false;
    asked(&mut stage, lines());
    assert!(stage.screen().contains("preparing…"), "{}", stage.screen());
    for key in ["y", "n", "w", "v", "end", "pgdn"] {
        stage.key(key);
        stage.wait(600);
    }
    assert!(!yes(&stage));
    stage.key("ctrl+u");
    assert_eq!(draft(&stage), "");
    lay_out(&mut stage);
    stage.wait(1_000);
    assert!(stage.screen().contains("line 1 of a text"), "{}", stage.screen());
    // Other rows: they have to be made ready again, and nothing is answered meanwhile.
    stage.resize(100, 40);
    assert!(stage.screen().contains("preparing…"), "{}", stage.screen());
    stage.wait(1_000);
    assert_eq!(stage.state.drawn.question, None);
    lay_out(&mut stage);
    assert!(stage.state.drawn.question.as_ref().is_some_and(|seen| seen.live));
    stage.key("y");
    stage.wait(600);
    assert!(yes(&stage));
}

#[test]
fn one_thing_at_a_time_is_made_ready_however_often_the_window_changes() {
    let mut stage = Stage::new(120, 40);
    stage.lays_out = false;
    asked(&mut stage, lines());
    for width in 90..110 {
        stage.resize(width, 40);
        stage.wait(100);
    }
    assert_eq!(stage.effects.len(), 1, "{:?}", stage.effects.len());
    lay_out(&mut stage);
    assert_eq!(stage.effects.len(), 1);
    lay_out(&mut stage);
    assert!(stage.state.drawn.question.is_some());
}

#[test]
fn no_frame_and_no_key_lays_out_more_than_is_in_sight() {
    for text in [lines(), "x".repeat(1_000_000), format!("\t{}", "全 x ".repeat(100_000))] {
        let mut stage = Stage::new(120, 40);
        asked(&mut stage, text);
        for key in [
            "pgdn", "end", "up", "home", "down", "v", "end", "v", "enter", "pgup", "enter", "esc",
            "F3",
        ] {
            let cost = tally::of(|| {
                stage.key(key);
                stage.draw();
            });
            assert!(cost.rows < 1_000, "{key}: {cost:?}");
            assert!(cost.bytes < 200_000, "{key}: {cost:?}");
        }
    }
}

#[test]
fn all_of_it_is_reached_and_counted_as_seen() {
    let mut stage = Stage::new(120, 40);
    asked(&mut stage, lines());
    let total = stage.state.drawn.question.as_ref().unwrap().total;
    assert_eq!(total, LINES + 1);
    assert!(stage.screen().contains("of 20,001 rows seen"), "{}", stage.screen());
    stage.key("end");
    stage.draw();
    stage.draw();
    assert!(stage.screen().contains("line 20000 of a text"), "{}", stage.screen());
    assert!(stage.screen().contains("end seen"), "{}", stage.screen());
    stage.key("v");
    stage.wait(200);
    assert_eq!(stage.state.queue.compare, Compare::Sides);
    assert!(stage.screen().contains("line 1"), "{}", stage.screen());
}

#[test]
fn a_word_in_it_is_looked_for_beside_the_loop() {
    let mut stage = Stage::new(120, 40);
    asked(&mut stage, lines());
    stage.lays_out = false;
    stage.key("/");
    stage.wait(300);
    stage.types("line 19999");
    stage.draw();
    assert!(stage.screen().contains("looking…"), "{}", stage.screen());
    let finds = |stage: &Stage| {
        stage.effects.iter().filter(|effect| matches!(effect, Effect::Find(..))).count()
    };
    assert_eq!(finds(&stage), 1);
    // The first letter was looked for; what is there now comes next.
    stage.lays_out = true;
    for effect in std::mem::take(&mut stage.effects) {
        if let Effect::Find(question, _, index, word, _) = effect {
            stage.send(Message::Came(Came::Found(question, index, word, Vec::new())));
        }
    }
    stage.draw();
    stage.draw();
    assert!(stage.screen().contains("1 of 1 "), "{}", stage.screen());
    assert!(stage.screen().contains("line 19999 of"), "{}", stage.screen());
}

#[test]
fn a_key_in_the_form_does_not_look_through_a_long_text_again() {
    let mut stage = Stage::new(120, 40);
    let mut question = write_question(1);
    question.call.input = serde_json::json!({ "path": "a.txt", "text": "а tеxt\n".repeat(50_000) });
    stage.at_work();
    stage.asks(question);
    stage.wait(1_000);
    stage.key("e");
    stage.wait(600);
    assert!(stage.screen().contains("100,000 characters here can deceive"), "{}", stage.screen());
    let cost = tally::of(|| {
        stage.key("x");
        stage.draw();
    });
    assert!(cost.bytes < 50_000, "{cost:?}");
    assert!(stage.screen().contains("a.txtx"), "{}", stage.screen());
}
