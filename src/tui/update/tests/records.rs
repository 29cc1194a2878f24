//! The lists of what was decided and of what stands.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    kernel::{
        capability::Category,
        event::{Decider, Decision, Event},
        gate::{
            approval::{Answer, Scope, Then},
            law::Layer,
            subject::Subject,
        },
        session::decisions::Ruling,
    },
    tui::{
        stage::{program_question, result, rule, write_question},
        state::Popup,
    },
};

/// A write that was refused, a program that was let through for the session, and one that waits.
fn decided() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.asks(write_question(1));
    stage.wait(2_000);
    let because = Some("leave skip_blank alone".to_owned());
    stage.answered(1, 1.into(), Answer::Deny { because, then: Then::GoOn });
    stage.wait(1_000);
    stage.asks(program_question(2, 2, &["fix-parser", "tests"]));
    stage.wait(1_000);
    let scope = Scope::Session { rule: rule("session").text().to_owned() };
    stage.answered(2, 2.into(), Answer::Allow { scope });
    stage.wait(1_000);
    stage.asks(program_question(3, 1, &["fix-parser"]));
    stage.key("esc");
    stage
}

fn verdicts(stage: &Stage) -> Vec<Ruling> {
    stage
        .state
        .records
        .decisions
        .shown(&stage.state.records.filter)
        .iter()
        .map(|(_, decided)| decided.verdict)
        .collect()
}

#[test]
fn decisions_are_listed_newest_first_with_those_of_agents() {
    let mut stage = decided();
    stage.key("F7");
    assert_eq!(verdicts(&stage), [Ruling::Open, Ruling::Allowed, Ruling::Denied]);
    stage.key("down");
    assert_eq!(stage.state.popup, Some(Popup::Decisions { row: 1 }));
    stage.answered(1, 3.into(), Answer::Allow { scope: Scope::Once });
    assert_eq!(verdicts(&stage), [Ruling::Allowed, Ruling::Allowed, Ruling::Denied]);
    assert_eq!(stage.effects, [], "the list decides nothing");
}

#[test]
fn a_list_holds_what_is_chosen_when_something_new_comes() {
    let mut stage = decided();
    for key in ["F7", "down", "down"] {
        stage.key(key);
    }
    stage.asks(write_question(4));
    assert_eq!(stage.state.popup, Some(Popup::Decisions { row: 3 }));
    stage.key("home");
    stage.asks(write_question(5));
    assert_eq!(stage.state.popup, Some(Popup::Decisions { row: 0 }), "the newest is followed");
}

#[test]
fn a_filter_narrows_by_each_of_its_words_and_its_letters_are_no_keys() {
    let mut stage = decided();
    stage.key("F7");
    stage.key("/");
    stage.types("you no");
    assert_eq!(verdicts(&stage), [Ruling::Denied]);
    stage.key("enter");
    assert_eq!(verdicts(&stage), [Ruling::Denied]);
    stage.key("esc");
    assert_eq!(verdicts(&stage).len(), 3, "esc shows all again");
    assert!(matches!(stage.state.popup, Some(Popup::Decisions { .. })));
    stage.key("esc");
    assert_eq!(stage.state.popup, None);
    assert_eq!(draft(&stage), "", "nothing of the filter became a message");
    assert_eq!(stage.effects, []);
}

#[test]
fn enter_goes_to_the_question_or_to_the_session_that_wanted_it() {
    let mut stage = decided();
    stage.key("F7");
    stage.key("enter");
    assert_eq!((stage.state.popup, stage.state.focus), (None, Focus::Question));
    assert_eq!(stage.state.queue.current().unwrap().question.id, 3.into());
    for key in ["F7", "down", "enter"] {
        stage.key(key);
    }
    assert_eq!(stage.state.sessions.viewed(), Some(2.into()));
}

#[test]
fn a_yes_of_the_session_and_a_rule_of_ones_own_are_taken_back_at_once() {
    let mut stage = decided();
    stage.desk.rules = stage.standing(2);
    stage.key("F6");
    assert_eq!(stage.state.records.rules.placed.len(), 4);
    stage.key("d");
    let revoke = Command::Revoke { grant: 2.into() };
    assert_eq!(stage.effects, [Effect::Send(revoke)]);
    let cited = stage.desk.rules.remove(0).cited;
    stage.event(1.into(), Event::RuleRevoked { rule: cited });
    assert_eq!(stage.state.records.rules.placed.len(), 3, "the list is asked for again");

    stage.effects.clear();
    stage.key("d");
    let own = stage.desk.rules[0].cited.clone();
    assert_eq!(own.layer, Layer::User);
    let saved = Command::RevokeSaved { session: 1.into(), rule: own };
    assert_eq!(stage.effects, [Effect::Send(saved)]);
}

#[test]
fn a_rule_of_somebody_else_says_which_file_to_change() {
    let mut stage = decided();
    stage.desk.rules = stage.standing(2);
    for key in ["F6", "down", "down", "d"] {
        stage.key(key);
    }
    assert_eq!(stage.effects, []);
    assert!(
        toast(&stage).contains("edit /home/me/tally/.footplate/rules.toml:7"),
        "{}",
        toast(&stage)
    );
    for key in ["down", "d"] {
        stage.key(key);
    }
    assert_eq!(stage.effects, []);
    assert!(toast(&stage).contains("/etc/footplate/rules.toml:1"), "{}", toast(&stage));
}

#[test]
fn how_often_a_rule_decided_is_counted_from_the_journals() {
    let mut stage = decided();
    stage.desk.rules = stage.standing(2);
    for call in [50, 51] {
        let cited = Box::new(stage.desk.rules[0].cited.clone());
        stage.lets(2, call, "cargo test --lib lex", Decider::Rule { rule: cited });
    }
    stage.key("F6");
    let rules = &stage.state.records.rules;
    assert_eq!(rules.used(&rules.placed[0]).unwrap().hits, 2);
    assert_eq!(rules.used(&rules.placed[1]), None);
}

#[test]
fn a_file_with_a_fault_has_a_row_that_says_so() {
    let mut stage = decided();
    stage.desk.faults =
        vec!["/r.toml:3:1: no such key\nno [[allow]] of it counts until then".into()];
    stage.key("F6");
    let screen = stage.screen();
    assert!(screen.contains("▲ /r.toml:3:1: no such key"), "{screen}");
    assert!(screen.contains("no [[allow]] of it counts until then"), "{screen}");
    stage.key("d");
    assert_eq!(stage.effects, []);
}

#[test]
fn a_yes_to_other_arguments_is_told_from_a_plain_one() {
    let mut stage = decided();
    let input = serde_json::json!({ "argv": ["cargo", "test"] });
    stage.answered(1, 3.into(), Answer::AllowEdited { input });
    stage.key("F7");
    let screen = stage.screen();
    assert!(screen.contains("you, edited"), "{screen}");
    assert!(screen.contains("\"with arguments edited\""), "{screen}");
}

#[test]
fn a_yes_whose_call_failed_says_so_beside_the_yes() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.asks(write_question(1));
    stage.wait(1_000);
    stage.answered(1, 1.into(), Answer::Allow { scope: Scope::Once });
    let call = write_question(1).call;
    let (id, parent, origin) = (call.id, call.parent, call.origin);
    let (category, subject) = (Category::Write, Subject::Other);
    let decision = Decision::allowed(Decider::Person);
    stage.event(1.into(), Event::CallStarted { call, category, decision, subject });
    let content = json!({ "error": "failed", "message": "Not written: it is another file now." });
    let result = result("files.write", false, content);
    stage.event(1.into(), Event::CallFinished { call: id, parent, origin, result, decision: None });
    stage.key("F7");
    let screen = stage.screen();
    assert!(screen.contains("✓ WRITE src/lex.rs  ▲ failed"), "{screen}");
    assert!(screen.contains("Allowed; failed: Not written: it is another file now."), "{screen}");
}

#[test]
fn a_rule_is_added_in_its_file_and_what_cannot_be_edited_says_why() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("F6");
    stage.draw();
    assert!(stage.screen().contains("a add a rule"), "{}", stage.screen());
    stage.key("e");
    assert_eq!(toast(&stage), "There is no rule to edit.");
    stage.key("a");
    assert_eq!(stage.effects, [Effect::RulesFile]);
    stage.desk.faults = vec!["~/rules.toml:3:1: duplicate\nkeep one".into()];
    stage.send(Message::Came(Came::Visited(Ok(()))));
    stage.draw();
    stage.key("e");
    assert_eq!(toast(&stage), "A fault is mended in its file, which stands here.");
}
