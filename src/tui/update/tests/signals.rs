//! What agents say to each other, as a person sees it.

use super::*;
use crate::kernel::{
    event::Stop,
    message::Usage,
    signal::{Ending, Signal},
};

fn came(signal: u128, what: Signal) -> Event {
    let agent = vec!["fix-parser".to_owned(), "tests".to_owned()];
    Event::SignalReceived { signal: signal.into(), from: 2.into(), agent, what }
}

fn ended() -> Signal {
    let (text, usage) = ("9 cases".to_owned(), Usage::default());
    Signal::Ended {
        ending: Ending { outcome: Outcome::Done, text, turns: 1, usage, worktree: None },
    }
}

fn asks(stage: &mut Stage) {
    stage.event(1.into(), Event::TurnStarted { turn: 9, model: "m".into() });
    let (stop, usage) = (Stop::End, Usage::default());
    let (calls, thoughts) = (Vec::new(), Vec::new());
    stage.event(1.into(), Event::TurnFinished { stop, usage, calls, thoughts });
}

#[test]
fn words_of_agents_stand_in_both_transcripts_and_say_from_whom() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    let words = |text: &str| Signal::Words { text: text.to_owned() };
    let what = words("and \u{1b}[2Jbe quick");
    stage.event(1.into(), Event::SignalSent { signal: 1.into(), to: 2.into(), what });
    stage.event(1.into(), came(2, words("I am at it")));
    let screen = stage.screen();
    assert!(screen.contains("To tests: and ⟨U+001B⟩[2Jbe quick"), "{screen}");
    assert!(screen.contains("From tests: I am at it"), "{screen}");
}

#[test]
fn an_agent_that_is_over_is_told_of_when_its_starter_is_and_not_where_a_call_had_it() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.event(1.into(), came(1, ended()));
    stage.event(1.into(), Event::SignalTaken { signal: 1.into(), call: 5.into() });
    asks(&mut stage);
    assert!(!stage.screen().contains("is over"), "{}", stage.screen());
    stage.event(1.into(), came(2, ended()));
    assert!(!stage.screen().contains("is over"), "{}", stage.screen());
    asks(&mut stage);
    assert!(stage.screen().contains("Told that tests is over."), "{}", stage.screen());
}
