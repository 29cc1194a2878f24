//! Somebody looks away, and is told on return what happened.

use pretty_assertions::assert_eq;

use super::*;
use crate::tui::{
    stage::write_question,
    state::{Popup, away::IDLE},
};

/// The lines of the list.
fn told(stage: &Stage) -> Vec<String> {
    let told = stage.state.status.away.told.as_ref();
    told.into_iter().flat_map(|told| told.news.iter().map(|news| news.text.clone())).collect()
}

fn notices(stage: &mut Stage) -> Vec<String> {
    let effects = std::mem::take(&mut stage.effects).into_iter();
    let text = |effect| if let Effect::Notify(text) = effect { Some(text) } else { None };
    effects.filter_map(text).collect()
}

#[test]
fn what_happened_is_told_on_return_what_needs_attention_first() {
    let mut stage = Stage::crew(80, 24);
    stage.looks_away();
    stage.much_happens();
    assert_eq!(told(&stage), [""; 0], "nobody is there to be told");
    stage.is_back();
    assert_eq!(
        told(&stage),
        [
            "asks: WRITE src/lex.rs",
            "measure.py: used its 60 s and was ended",
            "The budget of 4k tokens is used up.",
            "withdrawn, its run ended: cargo test --lib lex",
            "done: All of them pass.",
            "1 file changed  +12 −4",
        ]
    );
    assert!(stage.screen().contains("6 since you looked away ctrl+n"), "{}", stage.screen());
}

#[test]
fn who_was_there_is_told_nothing_and_neither_is_who_missed_nothing() {
    let mut stage = Stage::crew(80, 24);
    stage.send(Message::Input(stage.now(), Input::FocusGained));
    stage.much_happens();
    stage.key("down");
    stage.looks_away();
    stage.wait(60_000);
    stage.is_back();
    assert_eq!(told(&stage), [""; 0]);
    stage.key("ctrl+n");
    assert_eq!(toast(&stage), "Nothing happened while nobody looked.");
    assert_eq!(stage.state.popup, None);
}

#[test]
fn a_terminal_that_tells_nothing_is_left_by_whoever_presses_no_key_for_long() {
    let mut stage = Stage::crew(80, 24);
    stage.draws = false;
    stage.wait(100_000);
    stage.key("down");
    stage.ends(2, Outcome::Done);
    stage.wait(u64::try_from(IDLE.as_millis()).unwrap() - 100);
    stage.key("down");
    assert_eq!(told(&stage), [""; 0], "it was long, but not long enough");
    stage.ends(3, Outcome::Done);
    stage.wait(u64::try_from(IDLE.as_millis()).unwrap());
    stage.asks(write_question(1));
    assert_eq!(notices(&mut stage), ["fix-parser asks: src/lex.rs"]);
    stage.key("down");
    assert_eq!(told(&stage), ["asks: WRITE src/lex.rs", "done"]);
}

#[test]
fn a_journal_that_is_read_back_is_no_news() {
    let mut stage = Stage::crew(80, 24);
    stage.looks_away();
    stage.event(2.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    let old = crate::kernel::event::Envelope {
        v: 1,
        seq: 0,
        at: stage.now().wall - jiff::SignedDuration::from_secs(60),
        session: 3.into(),
        event: Event::ExchangeFinished { outcome: Outcome::Done },
    };
    stage.send(Message::Happened(std::sync::Arc::new(old)));
    stage.is_back();
    assert_eq!(told(&stage), ["done"], "of the two only the one that happened since");
}

#[test]
fn one_call_for_a_question_and_one_when_all_work_has_ended_and_stays_so() {
    let mut stage = Stage::crew(80, 24);
    stage.looks_away();
    stage.asks(write_question(1));
    assert_eq!(notices(&mut stage), ["fix-parser asks: src/lex.rs"]);
    let no = crate::kernel::gate::approval::Answer::Deny {
        because: None,
        then: crate::kernel::gate::approval::Then::GoOn,
    };
    stage.answered(1, 1.into(), no);
    for session in [1, 2, 3] {
        stage.wait(5_000);
        assert_eq!(notices(&mut stage), [""; 0], "{session} works");
        stage.ends(session, Outcome::Done);
    }
    stage.wait(1_000);
    stage.event(1.into(), Event::TurnStarted { turn: 2, model: "claude".into() });
    stage.wait(5_000);
    assert_eq!(notices(&mut stage), [""; 0], "an agent that is over woke the one above it");
    stage.ends(1, Outcome::Done);
    stage.wait(5_000);
    assert_eq!(notices(&mut stage), ["tally: all work has ended"]);
    assert_eq!(stage.state.deadline(), None, "and then all is quiet");
    stage.is_back();
    stage.event(1.into(), Event::MessageSent { text: "more".into(), pictures: Vec::new() });
    stage.ends(1, Outcome::Done);
    stage.wait(5_000);
    assert_eq!(notices(&mut stage), [""; 0], "who looks sees it");
}

#[test]
fn enter_goes_there_and_esc_has_read_all_of_it() {
    let mut stage = Stage::crew(80, 24);
    stage.looks_away();
    stage.much_happens();
    stage.is_back();
    for key in ["ctrl+n", "down", "down", "enter"] {
        stage.key(key);
    }
    assert_eq!((stage.state.popup, stage.state.sessions.viewed()), (None, Some(3.into())));
    assert_eq!(told(&stage).len(), 5, "what was gone to was read");
    stage.key("ctrl+n");
    stage.key("enter");
    assert_eq!(stage.state.focus, Focus::Question);
    for key in ["ctrl+n", "end", "enter"] {
        stage.key(key);
    }
    assert_eq!(stage.state.popup, Some(Popup::Changes { row: 0 }));
    for key in ["esc", "ctrl+n", "enter"] {
        stage.key(key);
    }
    assert_eq!(stage.state.output.current().map(|run| run.call), Some(30.into()));
    for key in ["esc", "ctrl+n", "esc"] {
        stage.key(key);
    }
    assert_eq!((told(&stage).len(), stage.state.popup), (0, None));
    assert!(!stage.screen().contains("since you left"));
}

#[test]
fn what_is_not_read_stays_and_a_question_that_is_answered_goes() {
    let mut stage = Stage::crew(200, 60);
    stage.looks_away();
    stage.asks(write_question(1));
    stage.ends(2, Outcome::Done);
    stage.is_back();
    assert!(stage.screen().contains("since you looked away"), "{}", stage.screen());
    assert!(!stage.screen().contains("since you left"), "it has a pane of its own");
    stage.looks_away();
    stage.ends(3, Outcome::Failed { message: "No network.\nCheck it.".into() });
    stage.is_back();
    assert_eq!(told(&stage), ["asks: WRITE src/lex.rs", "No network.", "done"]);
    let yes = crate::kernel::gate::approval::Answer::Allow {
        scope: crate::kernel::gate::approval::Scope::Once,
    };
    stage.answered(1, 1.into(), yes);
    assert_eq!(told(&stage), ["No network.", "done"]);
    stage.key("ctrl+n");
    assert_eq!((stage.state.popup, stage.state.focus), (None, Focus::Away));
    stage.key("esc");
    stage.draw();
    assert_ne!(stage.state.focus, Focus::Away);
    assert!(!stage.screen().contains("since you looked away"));
}
