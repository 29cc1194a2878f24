//! A text that holds the mark of its own end goes on as keys behind its paste. They are text, or
//! nothing.

use pretty_assertions::assert_eq;

use super::{draft, toast};
use crate::tui::{
    effect::Effect,
    message::{Input, Message},
    stage::{Stage, write_question},
    state::{Focus, waiting::Form},
};

fn paste(stage: &mut Stage, text: &str) {
    stage.send(Message::Input(stage.now(), Input::Paste(text.into())));
}

/// A question with its arguments in a form.
fn form(letter: &str) -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.wait(1_000);
    stage.asks(write_question(1));
    stage.wait(600);
    stage.key(letter);
    stage.wait(600);
    assert!(stage.state.queue.form.is_some());
    stage
}

#[test]
fn a_key_behind_a_paste_confirms_no_form_until_the_keyboard_was_still() {
    for letter in ["e", "w", "f"] {
        let mut stage = form(letter);
        let confirm = if letter == "f" { "enter" } else { "ctrl+s" };
        paste(&mut stage, "abc");
        for key in [confirm, "ctrl+t", "tab", confirm] {
            stage.key(key);
            stage.wait(100);
        }
        assert_eq!(stage.effects, [], "{letter}");
        assert_eq!(toast(&stage), "Keys right behind a paste only write. Press it again.");
        assert!(stage.state.queue.form.is_some(), "{letter}");
        if let Some(Form::Wider(wider)) = &stage.state.queue.form {
            assert!(!wider.draft.text().contains("always"));
        }
        stage.wait(400);
        stage.key(confirm);
        stage.wait(200);
        let answered = stage.effects.iter().any(|effect| matches!(effect, Effect::Send(_)));
        let refused = matches!(stage.state.queue.form, Some(Form::Edit(_) | Form::Wider(_)));
        assert!(answered || refused, "{letter}: what was pasted is judged now");
    }
}

#[test]
fn enter_behind_a_paste_sends_if_it_stands_alone_and_is_a_line_end_if_more_comes() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.wait(1_000);
    paste(&mut stage, "abc");
    stage.wait(5);
    stage.key("enter");
    stage.wait(200);
    assert_eq!(stage.effects.len(), 1, "{:?}", stage.effects);
    assert_eq!(draft(&stage), "");
    stage.wait(1_000);
    stage.effects.clear();
    paste(&mut stage, "one");
    for key in ["enter", "t", "w", "o", "enter", "y"] {
        stage.key(key);
    }
    stage.wait(1_000);
    assert_eq!((stage.effects.len(), draft(&stage)), (0, "one\ntwo\ny".into()));
}

#[test]
fn no_list_is_opened_or_acted_on_by_keys_behind_a_paste() {
    let mut stage = form("e");
    stage.key("esc");
    stage.wait(600);
    paste(&mut stage, "abc");
    for key in ["esc", "F6", "d", "ctrl+g", "y", "ctrl+x", "ctrl+q"] {
        stage.key(key);
        stage.wait(30);
    }
    stage.wait(1_000);
    assert_eq!(stage.effects, []);
    assert_eq!((stage.state.popup, stage.state.focus), (None, Focus::Composer));
    assert_eq!(draft(&stage), "abcdy");
}

#[test]
fn enter_behind_a_paste_that_was_emptied_again_writes_nothing() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    paste(&mut stage, "abc");
    for key in ["ctrl+c", "enter", "enter"] {
        stage.key(key);
    }
    stage.wait(1_000);
    assert_eq!((stage.effects.len(), draft(&stage)), (0, String::new()));
}
