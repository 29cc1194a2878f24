//! The lists of what was decided, of what stands, and of what was written.

use super::{SIZES, shot};
use crate::{
    kernel::{
        event::{Decider, Event},
        gate::{
            approval::{Answer, Scope, Then},
            monitor::{Doubt, Tier},
        },
        spec::Mode,
    },
    tui::{
        effect::Effect,
        stage::{LEX, Stage, program, program_question, rule, write_question},
    },
};

/// Decisions of every kind.
pub(super) fn decided(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.asks(write_question(1));
    stage.passes(40_200);
    let because = Some("leave skip_blank alone, column() relies on it. Add skip_indent".to_owned());
    stage.answered(1, 1.into(), Answer::Deny { because, then: Then::GoOn });
    stage.passes(20_000);
    stage.asks(program_question(2, 2, &["fix-parser", "tests"]));
    stage.passes(1_000);
    let scope = Scope::Session { rule: rule("session").text().to_owned() };
    stage.answered(2, 2.into(), Answer::Allow { scope });
    stage.desk.rules = stage.standing(2);
    let cited = Box::new(stage.desk.rules[0].cited.clone());
    stage.passes(5_000);
    stage.lets(2, 50, "cargo test --lib lex --nocapture", Decider::Rule { rule: cited });
    stage.passes(5_000);
    stage.lets(1, 51, "cargo clippy", Decider::Mode { mode: Mode::Auto });
    stage.passes(5_000);
    stage.asks(write_question(4));
    stage.passes(3_000);
    let reason = "the turn was stopped".into();
    let withdrawn = Event::ApprovalWithdrawn {
        approval: 4.into(),
        reason,
        waited_ms: 3_100,
        excluded_ms: 3_100,
    };
    stage.event(1.into(), withdrawn);
    stage.asks(program_question(5, 1, &["fix-parser"]));
    stage.passes(61_000);
    stage.key("esc");
    stage.passes(5_000);
    stage
}

#[test]
fn decisions() {
    for (width, height) in SIZES.into_iter().chain([(40, 12)]) {
        let mut stage = decided(width, height);
        stage.key("F7");
        shot("decisions", &mut stage);
    }
    let mut stage = decided(80, 24);
    stage.key("F7");
    stage.key("/");
    stage.types("you: no");
    shot("decisions_filtered", &mut stage);
    stage.key("esc");
    stage.key("c");
    let copied = "2026-11-29 12:01:19 EXECUTE cargo test --lib lex, by: still open, fix-parser, \
                  line 7, call 00000000-0000-0000-0000-0000000003ed";
    assert!(stage.effects.contains(&Effect::Copy(copied.to_owned())), "{:?}", stage.effects);
}

#[test]
fn decisions_of_the_monitor() {
    let mut stage = decided(80, 24);
    let doubt = |tier, reason: &str| Doubt { tier, reason: reason.to_owned() };
    let doubted = doubt(Tier::Soft, "nobody asked for this host");
    stage.refuses(1, 52, "https://docs.rs/logos", Decider::Monitor(doubted));
    let mut question = program_question(3, 1, &["fix-parser"]);
    question.monitor = Some(doubt(Tier::Failed, "it said nothing within 10 s"));
    stage.asks(question);
    stage.passes(4_000);
    stage.answered(1, 3.into(), Answer::Allow { scope: Scope::Once });
    stage.passes(5_000);
    stage.key("F7");
    shot("decisions_monitor_all", &mut stage);
    stage.key("/");
    stage.types("monitor:");
    stage.key("enter");
    stage.key("down");
    shot("decisions_monitor", &mut stage);
}

#[test]
fn grants_and_rules() {
    for (width, height) in SIZES {
        let mut stage = decided(width, height);
        stage.desk.faults =
            vec!["/home/me/x/rules.toml:3:1: there is no key \"pth\"\nwrite one of call, path; no [[allow]] of it counts until then".into()];
        stage.key("F6");
        stage.key("down");
        shot("grants", &mut stage);
        stage.key("enter");
        shot("grants_calls", &mut stage);
        stage.key("esc");
        stage.key("F6");
        stage.key("/");
        stage.types("deny");
        shot("grants_filtered", &mut stage);
    }
    let mut stage = decided(80, 24);
    stage.key("F6");
    for (down, file) in
        [(1, "/home/me/.config/footplate/rules.toml"), (1, "/home/me/tally/.footplate/rules.toml")]
    {
        (0..down).for_each(|_| stage.key("down"));
        stage.key("e");
        assert_eq!(stage.effects.last(), Some(&Effect::Visit(file.into())));
    }
    stage.effects.clear();
    for key in ["down", "e", "home", "e"] {
        stage.key(key);
    }
    assert_eq!(stage.effects, [], "neither the computer's nor the session's");
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("F6");
    shot("grants_none", &mut stage);
}

#[test]
fn a_rule_is_written() {
    for (width, height) in SIZES.into_iter().chain([(60, 15)]) {
        let mut stage = decided(width, height);
        stage.desk.considered = 1;
        stage.key("ctrl+g");
        let mut question = program_question(9, 1, &["fix-parser"]);
        question.preview.subject = program(&["cargo", "test", "--lib", "lex"]);
        stage.asks(question);
        stage.key("right");
        stage.wait(600);
        stage.key("end");
        stage.wait(600);
        stage.key("w");
        stage.wait(200);
        shot("wider_of_a_program", &mut stage);
    }
}

#[test]
fn what_was_written() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        stage.at_work();
        stage.runs(1, 10, "main.py", LEX);
        stage.passes(240_000);
        stage.planned = stage.written();
        stage.key("F5");
        shot("changes", &mut stage);
        stage.key("v");
        shot("changes_sides", &mut stage);
        stage.key("esc");
        stage.key("ctrl+o");
        let file = "/home/me/tally/src/lex.rs".into();
        assert_eq!(stage.effects.last(), Some(&Effect::Visit(file)));
        for key in [" ", "down", " ", "down", " ", "u"] {
            stage.key(key);
        }
        shot("changes_undo", &mut stage);
    }
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("F5");
    shot("changes_none", &mut stage);
}

#[test]
fn a_long_change_is_scrolled_beside_the_list_and_in_full() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        stage.at_work();
        stage.planned = stage.written();
        let lines = |word: &str| (1..=90).map(|n| format!("{word} {n}\n")).collect::<String>();
        stage.texts = (lines("old"), lines("new"));
        for key in ["F5", "pgdn"] {
            stage.key(key);
            stage.draw();
        }
        shot("changes_scrolled", &mut stage);
        for key in ["enter", "down", "down"] {
            stage.key(key);
            stage.draw();
        }
        shot("changes_full", &mut stage);
        stage.key("v");
        stage.draw();
        stage.key("end");
        shot("changes_full_sides", &mut stage);
    }
}
