//! What the tree of sessions does.

use pretty_assertions::assert_eq;

use super::toast;
use crate::{
    kernel::{
        command::Command,
        event::{Event, Origin, Outcome},
        gate::approval::Question,
        id::SessionId,
        port::{Listed, SessionSummary, When, Whereabouts},
        spec::SessionSpec,
    },
    tui::{
        effect::{Effect, Start},
        message::{Came, Message},
        stage::{Stage, result, write_question},
        state::{Focus, Popup, State, tree::Row},
        tally,
    },
};

/// A session in the list, as it would be if `spec` had been said so much in.
pub(in crate::tui) fn listed(
    stage: &Stage,
    number: u128,
    title: &str,
    folder: &str,
    place: Whereabouts,
) -> Listed {
    let mut spec: SessionSpec = stage.state.sessions.get(1.into()).unwrap().spec.clone();
    (spec.id, spec.workspace, spec.path) = (number.into(), folder.into(), vec!["main".to_owned()]);
    let at = stage.now().wall - std::time::Duration::from_secs(7200);
    let session =
        SessionSummary { spec, started: at, changed: at, title: Some(title.into()), name: None };
    Listed { session, place }
}

/// The folder of the stage, one session of another process, one that is free, two of another folder.
pub(in crate::tui) fn home(stage: &mut Stage) {
    let by = Some("process 48213 on pts/4".to_owned());
    let here = "/home/me/tally";
    stage.state.place.folder = here.into();
    let all = vec![
        listed(stage, 20, "why does parse_total round down?", here, Whereabouts::Free),
        listed(stage, 21, "bench the lexer", here, Whereabouts::There(by)),
        listed(stage, 22, "links in the manual", "/home/me/shelf", Whereabouts::Free),
        listed(stage, 23, "translate it", "/home/me/shelf", Whereabouts::Free),
        listed(stage, 1, "make the lexer accept tabs", here, Whereabouts::Here),
    ];
    stage.send(Message::Came(Came::Listed(Ok(all))));
}

pub(super) fn stage() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    home(&mut stage);
    stage.key("F2");
    stage
}

pub(super) fn rows(state: &State) -> Vec<String> {
    let rows = state.tree();
    let name = |row| match row {
        Row::Session(twig) => {
            let node = state.sessions.get(twig.session).unwrap();
            format!("{}{}", " ".repeat(twig.depth), node.spec.agent())
        }
        Row::Ended { count, .. } => format!("{count} ended"),
        Row::Program { .. } => "a program".to_owned(),
        Row::Listed(at) => state.sessions.tree.listed[at].session.title.clone().unwrap(),
        Row::Others(count) => format!("{count} others"),
    };
    (0..rows.len()).map(|at| name(rows.get(at).unwrap())).collect()
}

pub(super) fn to(stage: &mut Stage, name: &str) {
    let at = rows(&stage.state).iter().position(|row| row.contains(name)).unwrap();
    stage.key("home");
    (0..at).for_each(|_| stage.key("down"));
}

pub(super) fn sent(stage: &mut Stage) -> Vec<Effect> {
    std::mem::take(&mut stage.effects)
}

#[test]
fn the_sessions_of_this_home_stand_below_those_that_run_here() {
    let mut stage = stage();
    let first = ["fix-parser", "bench the lexer", "why does parse_total round down?", "2 others"];
    assert_eq!(rows(&stage.state), first, "what somebody is at comes first");
    stage.key("end");
    stage.key("right");
    assert_eq!(rows(&stage.state)[4..], ["links in the manual", "translate it"]);
    stage.key("left");
    stage.key("o");
    assert_eq!(rows(&stage.state)[1..3], ["why does parse_total round down?", "bench the lexer"]);
    stage.key("/");
    stage.types("LEXER bench");
    assert_eq!(rows(&stage.state), ["bench the lexer"]);
    stage.key("enter");
    assert_eq!(stage.state.popup, Some(Popup::Sessions), "enter ends the words");
    stage.key("esc");
    assert_eq!(rows(&stage.state).len(), 4, "esc shows all again");
}

#[test]
fn agents_that_are_over_fold_when_the_turn_of_their_session_is() {
    let mut stage = stage();
    for (number, name) in [(2, "one"), (3, "two"), (4, "three")] {
        stage.session(number, &["fix-parser", name], Some(1), "x");
    }
    let finish = |stage: &mut Stage, number: u128, outcome| {
        stage.event(number.into(), Event::SessionFinished { outcome });
    };
    finish(&mut stage, 2, Outcome::Done);
    finish(&mut stage, 3, Outcome::Done);
    finish(&mut stage, 4, Outcome::Failed { message: "no".into() });
    assert_eq!(rows(&stage.state)[..4], ["fix-parser", " three", " one", " two"]);
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    assert_eq!(rows(&stage.state)[..3], ["fix-parser", " three", "2 ended"], "no failed one");
    to(&mut stage, "2 ended");
    stage.key("enter");
    assert_eq!(rows(&stage.state)[..5], ["fix-parser", " three", "2 ended", " one", " two"]);
    stage.key("home");
    stage.key("left");
    assert_eq!(rows(&stage.state)[..2], ["fix-parser", "bench the lexer"]);
}

#[test]
fn every_key_that_acts_names_what_goes_or_only_shows_it() {
    let session: SessionId = 20.into();
    let fork = Effect::Send(Command::Fork { session, before: None });
    let cases: [(&[&str], Vec<Effect>); 7] = [
        (&["d", "enter"], Vec::new()),
        (&["d", "down", "enter"], vec![Effect::Delete(session)]),
        (&["d", "down", "esc"], Vec::new()),
        (&["f"], vec![fork]),
        (&["e", "X", "enter"], {
            let name = "why does parse_total round down?X".to_owned();
            vec![Effect::Rename(session, name)]
        }),
        (
            &["r"],
            vec![Effect::Send(Command::Watch { session }), Effect::Resume(session, When::Now)],
        ),
        (&["a"], vec![Effect::Start { what: Start::Here, message: None }]),
    ];
    for (keys, expected) in cases {
        let mut stage = stage();
        to(&mut stage, "why does");
        keys.iter().for_each(|key| stage.key(key));
        assert_eq!(sent(&mut stage), expected, "{keys:?}");
    }
    let mut stage = stage();
    to(&mut stage, "bench");
    stage.key("d");
    assert_eq!(toast(&stage), "Not deleted: process 48213 on pts/4 has it.");
    to(&mut stage, "fix-parser");
    stage.key("d");
    assert_eq!(toast(&stage), "It runs here. Once footplate was left, it can be deleted.");
    assert_eq!(sent(&mut stage), []);
}

#[test]
fn a_session_goes_back_to_before_a_message_once_it_was_chosen_how() {
    let session: SessionId = 1.into();
    let cases = [
        (vec!["enter"], vec![]),
        (vec!["down", "enter"], vec![Command::Fork { session, before: Some(2) }]),
        (vec!["down", "down", "enter"], vec![Command::Rewind { session, before: 2 }]),
    ];
    for (keys, expected) in cases {
        let mut stage = Stage::new(80, 24);
        stage.at_work();
        stage.event(session, Event::said("and tabs"));
        stage.key("F2");
        stage.key("b");
        assert_eq!(stage.state.popup, Some(Popup::Said { session, row: 1 }), "at the last");
        stage.key("enter");
        keys.iter().for_each(|key| stage.key(key));
        let sent: Vec<_> = sent(&mut stage);
        assert_eq!(sent, expected.into_iter().map(Effect::Send).collect::<Vec<_>>());
    }
}

#[test]
fn a_session_is_copied_from_the_list_and_an_agent_is_not() {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.session(2, &["fix-parser", "tester"], Some(1), "run the tests");
    stage.key("F2");
    stage.key("home");
    stage.key("f");
    let session: SessionId = 1.into();
    assert_eq!(sent(&mut stage), [Effect::Send(Command::Fork { session, before: None })]);
    assert_eq!(toast(&stage), "A copy begins, and asks for everything again.");
    stage.key("down");
    for key in ["f", "d", "e", "b"] {
        stage.key(key);
        assert_eq!(sent(&mut stage), []);
        assert_eq!(toast(&stage), "An agent goes with its session: choose that one.");
    }
}

#[test]
fn the_list_is_made_anew_while_it_is_in_sight_and_no_longer() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    stage.wait(5_000);
    assert_eq!(stage.state.list_due(), None);
    stage.key("F2");
    assert!(stage.state.list_due().is_some());
    stage.key("esc");
    assert_eq!((stage.state.list_due(), stage.state.focus), (None, Focus::Composer));
}

#[test]
fn ten_thousand_sessions_are_no_more_than_the_rows_in_sight() {
    let mut stage = stage();
    let one = listed(&stage, 20, "one of many", "/home/me/tally", Whereabouts::Free);
    let many = (0..10_000_u128).map(|number| {
        let mut one = one.clone();
        one.session.spec.id = (1000 + number).into();
        one
    });
    stage.send(Message::Came(Came::Listed(Ok(many.collect()))));
    assert_eq!(stage.state.tree().len(), 10_001);
    stage.key("end");
    assert_eq!(stage.state.sessions.cursor, 10_000);
    let cost = |stage: &mut Stage| tally::of(|| stage.draw());
    let many = cost(&mut stage);
    stage.send(Message::Came(Came::Listed(Ok(vec![one; 60]))));
    stage.key("end");
    let few = cost(&mut stage);
    assert!((20..80).contains(&many.rows), "the list, and the column beside it: {many:?}");
    assert_eq!(many, few);
}

#[test]
fn who_waits_for_an_answer_is_not_at_work() {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    assert!(stage.screen().contains("2 at work"), "{}", stage.screen());
    stage.asks(write_question(90));
    let screen = stage.screen();
    assert!(screen.contains("1 needs you") && screen.contains("1 at work"), "{screen}");
    stage.wait(500);
    stage.key("esc");
    let screen = stage.screen();
    assert!(screen.contains("1 not now") && screen.contains("1 at work"), "{screen}");
    stage.key("F2");
    let screen = stage.screen();
    assert!(screen.contains("not now     fix-parser WRITE src/lex.rs"), "{screen}");
}

#[test]
fn two_sessions_of_the_same_name_are_told_apart_by_what_was_said_in_them() {
    let mut stage = Stage::new(120, 40);
    stage.session(1, &["main"], None, "invoices lose a cent now and then, find out who rounds");
    stage.session(2, &["main"], None, "why does a total lose a cent?");
    stage.session(3, &["main", "docs"], Some(1), "mend the pages");
    let question = |id, session: u128, path: &[&str]| Question {
        session: session.into(),
        path: path.iter().map(ToString::to_string).collect(),
        ..write_question(id)
    };
    stage.asks(question(90, 3, &["main", "docs"]));
    let screen = stage.screen();
    assert!(screen.contains("! 1 of 1 · invoices lose a cent no… › docs › "), "{screen}");
    assert!(screen.contains("invoices lose… › docs │"), "the column has less room: {screen}");
    stage.asks(question(91, 2, &["main"]));
    stage.key("ctrl+g");
    stage.key("ctrl+g");
    let screen = stage.screen();
    assert!(screen.contains("! 2 of 2 · why does a total lose a… › "), "{screen}");
}

#[test]
fn a_program_that_goes_on_is_named_before_it_ends_with_the_screen() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "tools/watch.py", "");
    stage.event(
        1.into(),
        Event::CallFinished {
            call: 10.into(),
            parent: None,
            origin: Origin::Model,
            result: result("process.start", true, serde_json::json!({ "id": "p1" })),
            decision: None,
        },
    );
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    stage.key("ctrl+q");
    let screen = stage.screen();
    assert!(screen.contains("quit? 1 program goes on"), "{screen}");
    assert!(
        screen.contains("tools/watch.py") && screen.contains("ends with footplate"),
        "{screen}"
    );
    assert_eq!(stage.state.place.leave, None);
}

#[test]
fn the_time_of_an_agent_is_all_it_worked_and_that_of_a_session_its_turn() {
    let mut stage = Stage::new(80, 24);
    stage.session(1, &["fix-parser"], None, "fix it");
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.passes(60_000);
    let over = |stage: &mut Stage, session: u128| {
        stage.event(session.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    };
    over(&mut stage, 2);
    stage.passes(600_000);
    stage.event(2.into(), Event::said("and for tabs"));
    stage.passes(30_000);
    over(&mut stage, 2);
    over(&mut stage, 1);
    stage.passes(600_000);
    let times = |stage: &Stage| {
        let now = stage.state.now.wall;
        [1_u128, 2].map(|id| stage.state.sessions.get(id.into()).unwrap().time(now))
    };
    assert_eq!(times(&stage), [None, Some(90)]);
    stage.key("F2");
    let screen = stage.screen();
    assert!(screen.contains("idle since 12:11"), "{screen}");
    stage.event(1.into(), Event::said("go on"));
    stage.passes(5_000);
    assert_eq!(times(&stage), [Some(5), Some(90)]);
}

#[test]
fn the_time_for_which_the_program_was_gone_is_nobodys_work() {
    let mut stage = Stage::new(80, 24);
    stage.session(1, &["fix-parser"], None, "fix it");
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.passes(20_000);
    stage.streams(2, "I look.");
    stage.passes(600_000);
    stage.event(2.into(), Event::SessionResumed { notice: None });
    let node = stage.state.sessions.get(2.into()).unwrap();
    assert_eq!(node.time(stage.state.now.wall), Some(20));
}

#[test]
fn the_row_that_was_chosen_stays_chosen_when_attention_changes_the_order() {
    for enters in [&["F2"][..], &["shift+tab", "shift+tab"]] {
        let mut stage = Stage::new(120, 40);
        stage.at_work();
        for (number, name) in [(2, "tests"), (3, "docs"), (4, "bench")] {
            stage.session(number, &["fix-parser", name], Some(1), "go");
        }
        stage.draw();
        enters.iter().for_each(|key| stage.key(key));
        ["down", "down", "down"].iter().for_each(|key| stage.key(key));
        let chosen = |stage: &Stage| match stage.state.tree().get(stage.state.sessions.cursor) {
            Some(Row::Session(twig)) => (stage.state.sessions.cursor, twig.session),
            other => panic!("{other:?}"),
        };
        assert_eq!(chosen(&stage), (3, 4.into()), "{}", stage.screen());
        let mut question = write_question(1);
        (question.session, question.path) = (4.into(), vec!["fix-parser".into(), "bench".into()]);
        stage.asks(question);
        assert_eq!(chosen(&stage), (1, 4.into()), "it came up, and is chosen still");
        stage.event(4.into(), Event::ExchangeFinished { outcome: Outcome::Done });
        assert_eq!(chosen(&stage).1, 4.into());
    }
}
