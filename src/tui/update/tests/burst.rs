//! A paste from a terminal that marks none comes as keys, in pieces of any length. None of them does
//! anything but write.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{draft, toast};
use crate::tui::{
    effect::Effect,
    guard::Burst,
    keymap::Key,
    message::{Input, Message},
    stage::{Stage, write_question},
    state::{Focus, Popup},
};

fn event(c: char) -> KeyEvent {
    let code = match c {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        c => KeyCode::Char(c),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// What one read of the terminal gives, so many milliseconds after the clock of the stage.
fn read(stage: &mut Stage, text: &str, later: u64) {
    let mut now = stage.now();
    now.at += Duration::from_millis(later);
    let events: Vec<_> = text.chars().map(event).collect();
    let named: Vec<_> = events.iter().map(Key::of).collect();
    if Burst::is_paste(&named) {
        stage.send(Message::Input(now, Input::Burst(events)));
    } else {
        for event in events {
            stage.send(Message::Input(now, Input::Key(event)));
        }
    }
}

/// A question whose letters are live.
fn asked() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.wait(1_000);
    stage.asks(write_question(1));
    stage.wait(600);
    assert!(stage.state.letters_live());
    stage
}

fn sends(stage: &Stage) -> usize {
    stage.effects.iter().filter(|effect| matches!(effect, Effect::Send(_))).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn pieces_of_any_length_answer_nothing_send_nothing_and_lose_nothing(
        asks in any::<bool>(),
        first in "[ynfNmewvpc/a]",
        second in "[bdgt]",
        rest in "[ynfNmewvpcb /@é全\n\t]{3,60}",
        cuts in proptest::collection::vec((1_usize..9, 0_u64..5), 60),
    ) {
        let mut stage = if asks { asked() } else { Stage::new(80, 24) };
        if !asks {
            stage.at_work();
            stage.wait(1_000);
        }
        // An enter at its end that comes by itself is one.
        let text = format!("{first}{second}{rest}z");
        let letters: Vec<char> = text.chars().collect();
        let (mut at, mut later) = (0, 0);
        for (length, gap) in cuts {
            let end = (at + length).min(letters.len());
            let piece: String = letters[at..end].iter().collect();
            read(&mut stage, &piece, later);
            (at, later) = (end, later + gap);
        }
        stage.wait(3_000);
        prop_assert_eq!(sends(&stage), 0, "{:?}", stage.effects);
        prop_assert_eq!(draft(&stage), text);
        prop_assert_eq!((stage.state.popup, stage.state.focus), (None, Focus::Composer));
    }
}

#[test]
fn a_line_end_that_came_with_a_text_is_text_and_the_next_one_sends() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.wait(1_000);
    read(&mut stage, "ls -l\n", 0);
    stage.wait(1_000);
    assert_eq!((sends(&stage), draft(&stage)), (0, "ls -l\n".into()));
    assert_eq!(toast(&stage), "Taken as a paste, for it came all at once. enter sends it.");
    stage.key("enter");
    assert_eq!(sends(&stage), 1);
}

#[test]
fn an_enter_by_itself_right_behind_keys_that_came_all_at_once_sends_when_nothing_follows() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.wait(1_000);
    read(&mut stage, "ls -l", 0);
    read(&mut stage, "\n", 20);
    assert_eq!(sends(&stage), 0, "not yet");
    read(&mut stage, "pwd", 20);
    stage.wait(1_000);
    assert_eq!((sends(&stage), draft(&stage)), (0, "ls -l\npwd".into()));
    read(&mut stage, "; ls", 0);
    read(&mut stage, "\n", 20);
    stage.wait(200);
    assert_eq!((sends(&stage), draft(&stage)), (1, String::new()));
}

#[test]
fn a_long_one_is_folded_as_one_piece_however_it_came() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.wait(1_000);
    let text = "a line\n".repeat(400);
    for (at, piece) in text.as_bytes().chunks(97).enumerate() {
        read(&mut stage, std::str::from_utf8(piece).unwrap(), at as u64 * 30);
    }
    assert!(stage.screen().contains("› [pasted 400 lines]"), "{}", stage.screen());
    assert_eq!(draft(&stage), text);
}

#[test]
fn a_letter_and_enter_from_quick_fingers_send_and_one_that_is_held_down_repeats() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.wait(1_000);
    read(&mut stage, "o", 0);
    read(&mut stage, "k", 30);
    read(&mut stage, "\n", 50);
    assert_eq!((sends(&stage), draft(&stage)), (1, String::new()), "at once");
    stage.wait(1_000);
    read(&mut stage, "k\n", 0);
    assert_eq!(sends(&stage), 1, "not yet");
    stage.wait(200);
    assert_eq!((sends(&stage), draft(&stage)), (2, String::new()));
    read(&mut stage, "zzzzzz", 0);
    read(&mut stage, "\n", 30);
    assert_eq!(sends(&stage), 3, "a key that repeats is no paste");
}

#[test]
fn a_few_letters_that_a_slow_line_has_gathered_are_keys_in_a_list() {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.key("F2");
    read(&mut stage, "oof", 10);
    assert_eq!((stage.state.popup, draft(&stage)), (Some(Popup::Sessions), String::new()));
    read(&mut stage, "a text\nof lines", 600);
    assert_eq!((stage.state.popup, draft(&stage)), (None, "a text\nof lines".into()));
}

#[test]
fn what_an_input_method_commits_is_text_and_the_next_key_is_a_key() {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.wait(1_000);
    read(&mut stage, "こんにちは", 0);
    stage.wait(160);
    stage.key("F2");
    assert_eq!((stage.state.popup, draft(&stage)), (Some(Popup::Sessions), "こんにちは".into()));
}
