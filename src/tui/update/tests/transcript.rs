//! Ways through a transcript.

use pretty_assertions::assert_eq;

use super::toast;
use crate::{
    kernel::{
        capability::Category,
        event::{Call, Decider, Decision, Event, Origin},
        gate::subject::Subject,
    },
    tui::{
        cell::{Body, Fold},
        effect::Effect,
        stage::{Stage, result},
        state::Focus,
    },
};

/// Three runs, a long answer between them; the first wrote a file, the second failed.
fn story(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    let long: String = (1..=20).map(|n| format!("print({n})\n")).collect();
    stage.runs(1, 10, "scan.py", &(long + "needle = 1\n"));
    writes(&mut stage, 20, 10);
    stage.run_ends(1, 10, 400, "1\n");
    let text: String = (1..=30).map(|n| format!("Paragraph {n}.\n\n")).collect();
    stage.streams(1, &text);
    stage.runs(1, 11, "broken.py", "1 / 0\n");
    fails(&mut stage, 11);
    let text: String = (31..=60).map(|n| format!("Paragraph {n}.\n\n")).collect();
    stage.streams(1, &text);
    stage.runs(1, 12, "last.py", "print(3)\n");
    stage.run_ends(1, 12, 400, "3\n");
    stage.draw();
    stage.key("shift+tab");
    assert_eq!(stage.state.focus, Focus::Transcript);
    stage.draw();
    stage
}

fn writes(stage: &mut Stage, call: u128, run: u128) {
    let call = Call {
        id: call.into(),
        parent: Some(run.into()),
        origin: Origin::Python { line: Some(2) },
        name: "files.write".into(),
        input: serde_json::json!({"path": "docs/tabs.md"}),
    };
    stage.event(
        1.into(),
        Event::CallStarted {
            call: call.clone(),
            category: Category::Write,
            decision: Decision::allowed(Decider::Person),
            subject: Subject::Other,
        },
    );
    let result = result("files.write", true, serde_json::json!("written"));
    stage.event(
        1.into(),
        Event::CallFinished {
            call: call.id,
            parent: call.parent,
            origin: call.origin,
            result,
            decision: None,
        },
    );
}

fn fails(stage: &mut Stage, call: u128) {
    let result = result("execute_code", false, serde_json::json!("division by zero"));
    stage.event(
        1.into(),
        Event::CallFinished {
            call: call.into(),
            parent: None,
            origin: Origin::Model,
            result,
            decision: None,
        },
    );
}

fn press(stage: &mut Stage, key: &str) {
    stage.key(key);
    stage.draw();
}

/// The name of the run that keys act on.
fn here(stage: &Stage) -> String {
    let log = &stage.state.sessions.node().unwrap().transcript;
    match log.here.and_then(|at| log.cells.get(at)).map(|cell| &cell.body) {
        Some(Body::Code(code)) => code.filename.clone(),
        other => format!("{other:?}"),
    }
}

#[test]
fn errors_and_changes_are_a_key_away_in_both_directions_and_come_into_sight() {
    let mut stage = story(80, 24);
    press(&mut stage, "E");
    assert_eq!(here(&stage), "broken.py");
    assert!(stage.screen().contains("broken.py"));
    press(&mut stage, "E");
    assert_eq!((here(&stage), toast(&stage)), ("broken.py".into(), "No error above.".into()));
    press(&mut stage, "D");
    assert_eq!(here(&stage), "scan.py");
    assert!(stage.screen().contains("scan.py"));
    press(&mut stage, "e");
    assert_eq!(here(&stage), "broken.py");
    press(&mut stage, "d");
    assert_eq!(toast(&stage), "No change below.");
}

#[test]
fn a_word_is_found_also_where_it_is_folded_away_and_the_count_says_in_how_many_parts() {
    let mut stage = story(80, 24);
    press(&mut stage, "/");
    stage.types("needle");
    let screen = stage.screen();
    assert!(screen.contains("1 of 1"), "{screen}");
    assert!(screen.contains("needle = 1"), "it was folded: {screen}");
    for _ in 0..6 {
        press(&mut stage, "backspace");
    }
    stage.types("paragraph 3");
    let screen = stage.screen();
    assert!(screen.contains("of 11") && screen.contains("Paragraph 3"), "{screen}");
    let at = |stage: &mut Stage| {
        let screen = stage.screen();
        let row = screen.lines().find(|row| row.contains(" of 11")).unwrap().to_owned();
        row.split(" of 11").next().unwrap().split_whitespace().last().unwrap().to_owned()
    };
    let first = at(&mut stage);
    press(&mut stage, "enter");
    assert_ne!(at(&mut stage), first);
    press(&mut stage, "up");
    assert_eq!(at(&mut stage), first);
    press(&mut stage, "esc");
    assert!(!stage.screen().contains(" of 11"));
    assert_eq!(stage.state.focus, Focus::Transcript);
    assert_eq!(stage.state.composer.draft.text(), "");
}

#[test]
fn what_is_not_there_is_said_to_be_not_found_and_moves_nothing() {
    let mut stage = story(80, 24);
    let before = stage.state.sessions.node().unwrap().transcript.scroll;
    press(&mut stage, "/");
    stage.types("nowhere");
    assert!(stage.screen().contains("not found"));
    press(&mut stage, "enter");
    assert_eq!(stage.state.sessions.node().unwrap().transcript.scroll, before);
}

#[test]
fn arrows_fold_and_unfold_and_a_part_is_copied_as_it_was_written() {
    let mut stage = story(80, 24);
    press(&mut stage, "D");
    let fold = |stage: &Stage| {
        let log = &stage.state.sessions.node().unwrap().transcript;
        let Body::Code(code) = &log.cells.get(log.here.unwrap()).unwrap().body else {
            panic!("no run")
        };
        code.fold
    };
    press(&mut stage, "right");
    assert_eq!(fold(&stage), Fold::Full);
    press(&mut stage, "left");
    assert_eq!(fold(&stage), Fold::Shut);
    press(&mut stage, "c");
    let Some(Effect::Copy(text)) = stage.effects.pop() else { panic!("{:?}", stage.effects) };
    assert!(text.starts_with("print(1)\n") && text.ends_with("needle = 1\n"));
    press(&mut stage, "shift+down");
    press(&mut stage, "c");
    let Some(Effect::Copy(text)) = stage.effects.pop() else { panic!("{:?}", stage.effects) };
    assert!(text.starts_with("Paragraph 1.\n\nParagraph 2."), "all paragraphs are one part");
    assert!(text.ends_with("Paragraph 30.\n\n"));
}

#[test]
fn keys_act_on_a_part_that_is_in_sight_wherever_one_scrolls() {
    let mut stage = story(80, 24);
    let in_sight = |stage: &Stage| {
        let part = stage.state.sessions.node().unwrap().transcript.part().unwrap();
        let seen = stage.state.drawn.transcript;
        part.start < seen.end && seen.top.0 < part.end
    };
    press(&mut stage, "home");
    assert!(in_sight(&stage), "{}", here(&stage));
    for key in ["pgdn", "pgdn", "down", "pgdn", "pgup", "up", "pgup", "end", "pgup", "pgup"] {
        press(&mut stage, key);
        assert!(in_sight(&stage), "{key}: {}", here(&stage));
    }
    press(&mut stage, "end");
    assert_eq!(here(&stage), "last.py");
}
