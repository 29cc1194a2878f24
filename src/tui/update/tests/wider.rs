//! A yes for more than once: its rule is read, edited, compared and saved as it stands.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::{
        event::{Decider, Event},
        gate::approval::{Answer, Question, Scope, Then},
        spec::Mode,
    },
    tui::{
        stage::{program, program_question},
        state::{records::wider::Wider, waiting::Form},
    },
};

/// A program that asks, with what it acts on.
fn asks(id: u128, argv: &[&str]) -> Question {
    let mut question = program_question(id, 1, &["fix-parser"]);
    question.preview.object = argv.join(" ");
    question.preview.subject = program(argv);
    question
}

/// `cargo test --lib lex` asks, after calls of each kind; the form is open.
fn open() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.lets(1, 40, "cargo test --lib lex", Decider::Mode { mode: Mode::Auto });
    stage.lets(1, 41, "cargo clippy", Decider::Mode { mode: Mode::Auto });
    stage.asks(asks(1, &["cargo", "test", "--lib"]));
    stage.answered(1, 1.into(), Answer::Deny { because: None, then: Then::GoOn });
    stage.desk.considered = 1;
    stage.asks(asks(2, &["cargo", "test", "--lib", "lex"]));
    stage.wait(600);
    stage.key("w");
    stage.wait(200);
    stage
}

fn form(stage: &Stage) -> &Wider {
    match &stage.state.queue.form {
        Some(Form::Wider(wider)) => wider,
        Some(Form::Because(..) | Form::Search(_) | Form::Edit(_)) | None => {
            panic!("no rule is open")
        }
    }
}

/// The words of what would have matched, and whether the person had said no to it.
fn matched(stage: &Stage) -> Vec<(&str, bool)> {
    let past = form(stage).past.iter().filter(|past| past.matched);
    past.map(|past| (past.words.as_str(), past.refused)).collect()
}

/// Puts other arguments in.
fn arguments(stage: &mut Stage, args: &str) {
    while !form(stage).draft.text().is_empty() {
        stage.key("backspace");
    }
    let text = format!("[[allow]]\ncall = \"process.run\"\nargs = {args}\nuntil = \"session\"");
    stage.send(Message::Input(stage.now(), Input::Paste(text)));
    // Keys right behind a paste only write.
    stage.wait(500);
}

#[test]
fn the_narrowest_rule_is_offered_and_saved_exactly_as_it_stands() {
    let mut stage = open();
    let text = form(&stage).draft.text();
    assert!(text.contains("args   = [\"cargo\", \"test\", \"--lib\", \"lex\"]"), "{text}");
    assert!(text.contains("where  = \"/home/me/tally\""), "{text}");
    assert_eq!(matched(&stage), [("cargo test --lib lex", false)]);
    stage.key("ctrl+s");
    let scope = Scope::Session { rule: text };
    let yes = Command::Answer { approval: 2.into(), answer: Answer::Allow { scope } };
    assert_eq!(stage.effects, [Effect::Send(yes.clone())]);
    stage.key("ctrl+s");
    assert_eq!(stage.effects, [Effect::Send(yes)], "it is said once");
}

#[test]
fn what_would_have_matched_follows_the_text() {
    let mut stage = open();
    arguments(&mut stage, "[\"cargo\", \"test\", \"--lib\", \"**\"]");
    assert_eq!(matched(&stage), [("cargo test --lib lex", false), ("cargo test --lib", true)]);
    arguments(&mut stage, "[\"cargo\", \"test\", \"**\"]");
    assert_eq!(matched(&stage).len(), 2);
    assert_eq!(form(&stage).others, Some(Ok(1)), "the host is asked about the new text");
    let screen = stage.screen();
    assert!(screen.contains("matches 2 of 3 calls so far"), "{screen}");
    assert!(screen.contains("you said no to this one"), "{screen}");
    assert!(screen.contains("answers this and 1 more"), "{screen}");
}

#[test]
fn a_fault_is_named_as_it_is_typed_and_is_not_saved() {
    let mut stage = open();
    arguments(&mut stage, "[\"cargo\"");
    let screen = stage.screen();
    assert!(screen.contains("▲ line"), "{screen}");
    assert!(screen.contains("· save"), "the key is off\n{screen}");
    stage.key("ctrl+s");
    assert_eq!(stage.effects, []);
    assert!(toast(&stage).starts_with("Not saved: "), "{}", toast(&stage));
    assert!(matched(&stage).is_empty());
}

#[test]
fn for_always_is_offered_anew_or_changes_one_line_of_what_was_edited() {
    let mut stage = open();
    stage.key("ctrl+t");
    assert!(form(&stage).draft.text().ends_with("until  = \"always\""));
    stage.key("ctrl+t");
    assert!(form(&stage).draft.text().ends_with("until  = \"session\""));
    arguments(&mut stage, "[\"cargo\", \"test\", \"**\"]");
    stage.key("ctrl+t");
    let text = "[[allow]]\ncall = \"process.run\"\nargs = [\"cargo\", \"test\", \"**\"]\nuntil = \"always\"";
    assert_eq!(form(&stage).draft.text(), text);
    stage.key("ctrl+s");
    let scope = Scope::Always { rule: text.to_owned() };
    let yes = Command::Answer { approval: 2.into(), answer: Answer::Allow { scope } };
    assert_eq!(stage.effects, [Effect::Send(yes)]);
}

#[test]
fn what_is_refused_stays_open_with_its_reason() {
    let mut stage = open();
    stage.key("ctrl+s");
    stage.effects.clear();
    let why = "Not saved: the rule \"sudo **\" always asks.".to_owned();
    stage.send(Message::Came(Came::NotDone(why.clone())));
    assert_eq!(toast(&stage), why);
    assert_eq!(form(&stage).others, Some(Err(why)));
    stage.key("ctrl+s");
    assert_eq!(stage.effects.len(), 1, "it can be tried again");
    stage.effects.clear();
    stage.key("esc");
    assert!(stage.state.queue.form.is_none());
    assert_eq!((stage.state.focus, stage.effects.len()), (Focus::Question, 0), "still open");
}

#[test]
fn hidden_text_in_a_rule_is_not_saved() {
    let mut stage = open();
    arguments(&mut stage, "[\"car\u{202e}go\"]");
    stage.key("ctrl+s");
    assert_eq!(stage.effects, []);
    assert_eq!(toast(&stage), "Not saved: the rule has hidden text.");
}

#[test]
fn a_question_that_is_over_takes_its_rule_with_it() {
    let mut stage = open();
    let withdrawn = Event::ApprovalWithdrawn {
        approval: 2.into(),
        reason: "gone".into(),
        waited_ms: 0,
        excluded_ms: 0,
    };
    stage.event(1.into(), withdrawn);
    assert!(stage.state.queue.form.is_none());
    assert_eq!(stage.state.focus, Focus::Composer);
}
