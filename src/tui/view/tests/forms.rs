//! The second steps of an answer, and other ways to look at what is asked.

use super::{SIZES, shot, write_asks};
use crate::tui::message::{Input, Message};

#[test]
fn a_change_is_shown_side_by_side_and_searched() {
    for (width, height) in SIZES {
        let mut stage = write_asks(width, height);
        stage.key("v");
        stage.wait(200);
        stage.key("enter");
        stage.wait(500);
        shot("sides", &mut stage);
        stage.key("/");
        stage.wait(200);
        stage.types("self");
        stage.key("enter");
        stage.key("enter");
        shot("search", &mut stage);
    }
}

#[test]
fn a_wider_yes_is_a_rule() {
    for (width, height) in SIZES {
        let mut stage = write_asks(width, height);
        stage.key("end");
        stage.wait(500);
        stage.key("w");
        stage.wait(200);
        shot("wider", &mut stage);
    }
}

#[test]
fn arguments_are_edited() {
    for (width, height) in SIZES {
        let mut stage = write_asks(width, height);
        stage.key("right");
        stage.wait(500);
        stage.key("e");
        stage.wait(200);
        for key in ["down", "down", "down"] {
            stage.key(key);
        }
        stage.types("er");
        shot("edit", &mut stage);
        let pasted = Input::Paste(" c\u{430}t\u{202e}txt\u{2066}".into());
        stage.send(Message::Input(stage.now(), pasted));
        shot("edit_deceives", &mut stage);
    }
}
