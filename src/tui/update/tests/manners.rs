//! The mouse, what moves by itself, and keys of one's own, chosen on the screen.

use std::time::Duration;

use pretty_assertions::assert_eq;

use super::{draft, toast};
use crate::{
    config::{Motion, Mouse},
    kernel::clock::Reading,
    tui::{
        effect::{Effect, Setting},
        keymap::{Action, Go, Key, Place},
        message::{Came, Message},
        stage::{LEX, Stage, write_question},
        state::{Focus, Popup},
    },
};

fn kept(stage: &mut Stage, setting: &Setting) {
    assert_eq!(stage.effects.pop(), Some(Effect::Keep(setting.clone())));
    stage.send(Message::Came(Came::Kept(setting.clone(), Ok(()))));
}

#[test]
fn a_key_leaves_the_mouse_to_the_terminal_and_takes_it_back() {
    let mut stage = Stage::new(80, 24);
    stage.types("a draft");
    for (mouse, said) in [
        (Mouse::Terminal, "The mouse is left to the terminal."),
        (Mouse::Footplate, "The mouse is heard here."),
    ] {
        stage.key("alt+m");
        assert_eq!((stage.state.controls.mouse, draft(&stage)), (mouse, "a draft".into()));
        kept(&mut stage, &Setting::Mouse(mouse));
        assert_eq!(toast(&stage), said);
    }
}

#[test]
fn with_reduced_motion_seconds_come_in_tens_and_words_in_whole_lines() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 8, "scan.py", "print(1)\n");
    stage.asks(write_question(1));
    let spent = Duration::from_millis(13_400);
    stage.clocks = vec![(8.into(), Reading { spent, excluded: Duration::ZERO, held: false })];
    stage.key("ctrl+p");
    "reduced".chars().for_each(|c| stage.key(&c.to_string()));
    stage.key("enter");
    kept(&mut stage, &Setting::Motion(Motion::Reduced));
    stage.wait(17_000);
    let seventeen = stage.screen();
    assert!(seventeen.contains("held 0:10") && seventeen.contains("turn 0:1"), "{seventeen}");
    assert!(!seventeen.contains("0:17") && !seventeen.contains("13."), "{seventeen}");
    stage.wait(2_000);
    assert_eq!(stage.screen(), seventeen, "nothing moved for two seconds");
    stage.wait(2_000);
    assert!(stage.screen().contains("held 0:20"));

    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.state.look.motion = Motion::Reduced;
    stage.streams(1, "One line that is whole is followed by another which is too long to stand");
    stage.streams(1, " in the row that was");
    let first = stage.screen();
    assert!(
        first.contains("is followed by another which is") && !first.contains("stand"),
        "{first}"
    );
    stage.streams(1, " begun");
    assert_eq!(stage.screen(), first, "no word moves by itself");
    stage.streams(1, ", and is over now.\n\nMore");
    assert!(stage.screen().contains("over now."));
}

#[test]
fn a_command_is_given_a_key_in_the_list_of_commands_and_has_it_at_once() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("ctrl+p");
    "decisions so far".chars().for_each(|c| stage.key(&c.to_string()));
    stage.key("tab");
    let asks = stage.screen();
    assert!(asks.contains("Press the key for: Decisions so far   esc not now"), "{asks}");
    stage.key("F3");
    assert!(stage.screen().contains("F3 is taken in everywhere: sessions, waiting, output."));
    stage.key("k");
    assert!(stage.screen().contains("k is text in [everywhere]: take one with ctrl+ or alt+"));
    assert_eq!(stage.effects, []);
    stage.key("F10");
    let key = Key::parse("F10").unwrap();
    let decisions = Action::Go(Go::Decisions);
    kept(&mut stage, &Setting::Key(Place::Everywhere, decisions, key));
    assert_eq!(toast(&stage), "F10: Decisions so far.");
    assert_eq!(stage.state.popup, Some(Popup::Commands), "one may go on");
    stage.key("esc");
    stage.key("F7");
    assert_eq!(stage.state.popup, None, "it was put in the place of the other");
    stage.key("F10");
    assert_eq!(stage.state.popup, Some(Popup::Decisions { row: 0 }));
}

#[test]
fn what_a_new_key_hides_is_named_and_esc_gives_none() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let give = |stage: &mut Stage, words: &str, key: &str| {
        stage.key("ctrl+p");
        words.chars().for_each(|c| stage.key(&c.to_string()));
        stage.key("tab");
        stage.key(key);
    };
    give(&mut stage, "grants and rules", "esc");
    assert_eq!((stage.effects.len(), stage.state.popup), (0, Some(Popup::Commands)));
    stage.key("esc");
    give(&mut stage, "grants and rules", "ctrl+k");
    let key = Key::parse("ctrl+k").unwrap();
    kept(&mut stage, &Setting::Key(Place::Everywhere, Action::Go(Go::Grants), key));
    assert_eq!(
        toast(&stage),
        "ctrl+k: Grants and rules. In composer it stays: delete, as in a shell."
    );
}

#[test]
fn nothing_that_answers_is_given_a_key_and_no_key_of_an_answer_is_given_away() {
    let stage = Stage::new(80, 24);
    let keys = &stage.state.controls.keys;
    let yes = keys.given(Place::Output, Action::Copy, Key::letter('y')).unwrap_err();
    assert_eq!(yes, "y says yes to a question, and nothing else: take another.");
    let beside = keys.given(Place::Question, Action::Copy, Key::letter('g')).unwrap_err();
    assert_eq!(beside, "g is beside y on some keyboards: take one that is further away.");
    let (given, note) = keys.given(Place::Output, Action::Copy, Key::parse("F5").unwrap()).unwrap();
    assert_eq!(note.unwrap(), "There it no longer does: changes, grants, decisions.");
    assert_eq!(given.action(Place::Output, Key::parse("F5").unwrap()), Some(Action::Copy));
}

#[test]
fn every_pane_is_reached_from_a_question_however_slowly_one_goes() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut stage = Stage::new(width, height);
        stage.at_work();
        stage.runs(1, 10, "main.py", LEX);
        stage.asks(write_question(1));
        stage.wait(1_000);
        assert_eq!(stage.state.focus, Focus::Question);
        let mut seen = Vec::new();
        for _ in 0..8 {
            stage.key("shift+tab");
            stage.wait(1_000);
            seen.push(stage.state.focus);
        }
        assert!(seen.contains(&Focus::Transcript), "{width}: {seen:?}");
        assert!(width < 100 || seen.contains(&Focus::Sessions), "{width}: {seen:?}");
    }
}
