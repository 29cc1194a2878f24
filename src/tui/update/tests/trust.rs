//! The rules of a project, asked about on the screen.

use std::path::PathBuf;

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::port::Trusting;

const RULES: &str = "[[allow]]\ncall = \"process.run\"\nargs = [\"cargo\", \"test\", \"**\"]\n";

fn judged(said: Trusting) -> Effect {
    let project = PathBuf::from("/home/me/code/tally");
    Effect::Send(Command::Judge { project, text: RULES.to_owned(), said })
}

#[test]
fn the_rules_of_a_project_are_judged_by_one_letter_as_every_question_is() {
    for (letter, said) in [("y", Trusting::Yes), ("n", Trusting::Never)] {
        for mut stage in [Stage::new(80, 24), Stage::first_start(80, 24)] {
            stage.untrusted(RULES, 1);
            stage.key(letter);
            assert_eq!(stage.effects, [], "the letter was not on the screen yet");
            stage.key("backspace");
            stage.wait(1_000);
            stage.key(letter);
            stage.wait(200);
            assert_eq!(stage.effects, [judged(said)]);
            assert_eq!(stage.state.queue.ordered().len(), 0);
        }
    }
}

#[test]
fn put_off_the_rules_of_a_project_go_on_waiting_and_keep_nobody_from_leaving() {
    let mut stage = Stage::first_start(80, 24);
    stage.untrusted(RULES, 1);
    stage.wait(1_000);
    assert_eq!(stage.state.focus, Focus::Question);
    stage.key("esc");
    assert_eq!((stage.state.focus, &stage.effects[..]), (Focus::Start, &[][..]));
    assert_eq!(stage.state.queue.put_off(), 1);
    stage.key("F3");
    stage.key("enter");
    stage.wait(1_000);
    stage.key("y");
    stage.wait(200);
    assert_eq!(stage.effects, [judged(Trusting::Yes)]);

    let mut stage = Stage::new(80, 24);
    stage.untrusted(RULES, 1);
    stage.key("ctrl+q");
    assert_eq!(stage.state.place.leave, Some(Leave::Quit));
}

#[test]
fn rules_are_trusted_only_when_their_end_was_seen_and_nothing_in_them_deceives() {
    let long: String = (0..40).map(|n| format!("# line {n}\n")).chain([RULES.to_owned()]).collect();
    let hidden = RULES.replace("cargo", "c\u{430}rgo");
    for (text, why) in [(&long, "yes: when end seen"), (&hidden, "yes: not with hidden text")] {
        let mut stage = Stage::new(80, 24);
        stage.untrusted(text, 1);
        stage.wait(1_000);
        assert!(stage.screen().contains(why), "{}", stage.screen());
        stage.key("y");
        stage.wait(200);
        assert_eq!(stage.effects, []);
        for other in ["w", "e", "f", "m", "N"] {
            stage.wait(500);
            stage.key(other);
            stage.wait(200);
            if other == "e" {
                let why = "Not edited here: change the file, and you are asked about that.";
                assert_eq!(toast(&stage), why);
            }
        }
        assert_eq!((stage.effects.len(), stage.state.popup), (0, None));
        assert!(stage.state.queue.form.is_none());
    }
}
