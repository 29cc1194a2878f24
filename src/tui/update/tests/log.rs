//! What was said in passing can be read again.

use pretty_assertions::assert_eq;

use super::*;
use crate::tui::state::{Popup, log::Kind};

fn log(stage: &Stage) -> Vec<(Kind, String)> {
    let shown = stage.state.status.log.shown(&stage.state.records.filter);
    shown.into_iter().map(|said| (said.kind, said.text.clone())).collect()
}

#[test]
fn every_toast_is_in_the_log_with_its_time_and_so_is_what_sessions_say_of_their_ends() {
    let mut stage = Stage::crew(80, 24);
    stage.key("esc");
    let begun = stage.now().wall;
    stage.wait(60_000);
    stage.ends(2, Outcome::Limit { message: "The budget is spent.\nRaise it.".into() });
    stage.send(Message::Came(Came::NotStarted("The disk is full. Make room.".into())));
    assert_eq!(
        log(&stage),
        [
            (Kind::Fault, "The disk is full. Make room.".to_owned()),
            (Kind::Fault, "The budget is spent.\nRaise it.".to_owned()),
            (Kind::Word, "esc again stops this turn".to_owned()),
        ]
    );
    let all = stage.state.status.log.shown(&stage.state.records.filter);
    assert_eq!(all[2].at, begun);
    assert_eq!(all[0].at, begun + jiff::SignedDuration::from_secs(60));
}

#[test]
fn a_fault_that_ends_turn_exchange_and_session_is_one_line() {
    let mut stage = Stage::crew(80, 24);
    let message = || "No network.\nCheck it.".to_owned();
    stage.ends(2, Outcome::Failed { message: message() });
    let outcome = Outcome::Failed { message: message() };
    stage.event(2.into(), Event::SessionFinished { outcome });
    let times = |stage: &Stage| {
        let log = stage.state.status.log.shown(&stage.state.records.filter);
        log.iter().map(|said| said.times).collect::<Vec<_>>()
    };
    assert_eq!(times(&stage), [1]);
    stage.wait(60_000);
    stage.ends(2, Outcome::Failed { message: message() });
    assert_eq!(times(&stage), [2], "a minute later it is another one");
}

#[test]
fn a_line_is_found_copied_and_gone_to_and_that_is_not_said_in_the_log() {
    let mut stage = Stage::crew(80, 24);
    stage.key("esc");
    stage.ends(2, Outcome::Failed { message: "No network.\nCheck it.".into() });
    stage.key("ctrl+l");
    stage.key("/");
    stage.types("error");
    stage.key("enter");
    assert_eq!(log(&stage).len(), 1);
    stage.key("c");
    let line = "2026-11-29 12:00:00 No network.\nCheck it.".to_owned();
    assert_eq!(stage.effects, [Effect::Copy(line)]);
    assert_eq!(toast(&stage), "Copied, if the terminal allows it.");
    assert_eq!(stage.state.status.log.count(), 2);
    stage.key("enter");
    assert_eq!((stage.state.popup, stage.state.sessions.viewed()), (None, Some(2.into())));
}

#[test]
fn the_log_for_developers_opens_where_one_is_written() {
    let mut stage = Stage::new(80, 24);
    stage.key("ctrl+l");
    stage.key("ctrl+o");
    assert_eq!(
        (stage.effects.len(), toast(&stage).as_str()),
        (0, "No log is written for developers.")
    );
    stage.state.status.log.file = Some("/state/log/today".into());
    stage.key("ctrl+o");
    assert_eq!(stage.effects, [Effect::Visit("/state/log/today".into())]);
    stage.key("ctrl+l");
    assert_eq!(stage.state.popup, None);
    assert!(!matches!(stage.state.popup, Some(Popup::Log { .. })));
}
