//! What was written: chosen, undone, and what became of that.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    kernel::{event::Origin, id::CallId},
    tui::{
        keymap::Place,
        stage::{LEX, result},
        state::Popup,
    },
};

fn open() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "main.py", LEX);
    stage.planned = stage.written();
    stage.key("F5");
    stage
}

fn undone(stage: &mut Stage, call: u128, ok: bool, text: &str) {
    stage.event(
        1.into(),
        Event::CallFinished {
            call: call.into(),
            parent: None,
            origin: Origin::Person,
            result: result(
                "undo",
                ok,
                if ok { json!(text) } else { json!({ "error": "failed", "message": text }) },
            ),
            decision: None,
        },
    );
}

fn undo(calls: &[u128]) -> Effect {
    let calls: Vec<CallId> = calls.iter().map(|call| (*call).into()).collect();
    Effect::Send(Command::Undo { session: 1.into(), calls })
}

#[test]
fn what_was_written_is_listed_with_what_it_changed() {
    let mut stage = open();
    let screen = stage.screen();
    for text in ["± src/lex.rs", "▲ docs/tabs.md", "main.py:12", "3 changes · +31 −4", "three"]
    {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    stage.key("space");
    assert_eq!(stage.effects, []);
}

#[test]
fn undo_says_first_what_it_would_do_and_does_nothing_before_ctrl_s() {
    let mut stage = open();
    for key in ["down", "u"] {
        stage.key(key);
    }
    let screen = stage.screen();
    assert!(screen.contains("undo 1 of 1 change?"), "{screen}");
    assert!(screen.contains("src/lex/tab.rs  removed: this session made it"), "{screen}");
    stage.key("enter");
    assert_eq!(stage.effects, []);
    stage.key("esc");
    assert_eq!(stage.state.key_place(), Place::Changes, "esc keeps all");
    stage.key("u");
    stage.key("ctrl+s");
    assert_eq!(stage.effects, [undo(&[32])]);
}

#[test]
fn space_chooses_and_what_is_left_alone_is_named_with_its_reason() {
    let mut stage = open();
    for key in [" ", "down", "down", " ", "u"] {
        stage.key(key);
    }
    let screen = stage.screen();
    assert!(screen.contains("undo 1 of 2 changes?"), "{screen}");
    assert!(screen.contains("left alone: another program changed it"), "{screen}");
    for key in ["up", " "] {
        stage.key(key);
    }
    assert!(stage.screen().contains("undo 2 of 3 changes?"), "the choice can be changed");
    stage.key("ctrl+s");
    assert_eq!(stage.effects, [undo(&[31, 32, 33])]);
}

#[test]
fn nothing_is_sent_where_nothing_can_be_undone() {
    let mut stage = open();
    for key in ["end", "u", "ctrl+s"] {
        stage.key(key);
    }
    assert_eq!(stage.effects, []);
    assert_eq!(toast(&stage), "Nothing of it can be undone.");
}

#[test]
fn what_became_of_an_undo_is_told() {
    let mut stage = open();
    for key in [" ", "u", "ctrl+s"] {
        stage.key(key);
    }
    undone(&mut stage, 60, true, "src/lex.rs: its bytes of before were put back");
    undone(&mut stage, 61, false, "docs/tabs.md: left alone: another program changed it");
    assert_eq!(toast(&stage), "1 undone, 1 left alone. F5 says why.");
    let screen = stage.screen();
    assert!(screen.contains("↶ src/lex.rs: its bytes of before were put back"), "{screen}");
    assert!(screen.contains("▲ docs/tabs.md: left alone"), "{screen}");
}

#[test]
fn the_list_is_read_again_when_something_was_written() {
    let mut stage = open();
    stage.key("down");
    let mut first = stage.planned[0].clone();
    first.recorded.call = 40.into();
    let change = first.recorded.change.clone();
    stage.planned.insert(0, first);
    stage.event(1.into(), Event::ChangeBegun { call: 40.into(), change });
    assert_eq!(stage.state.records.written.all.len(), 4);
    assert_eq!(stage.state.popup, Some(Popup::Changes { row: 2 }), "it holds the chosen one");
}
