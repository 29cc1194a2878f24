//! Sessions that run in another process or nowhere: looked at, taken over and carried on.

use pretty_assertions::assert_eq;

use super::{
    toast,
    tree::{sent, stage, to},
};
use crate::{
    kernel::{
        command::Command,
        id::SessionId,
        port::{NotResumed, When},
    },
    tui::{
        effect::Effect,
        message::{Came, Message},
        stage::{Stage, write_question},
        state::Popup,
    },
};

/// The other process's session is looked at, and its journal told of.
fn watching(stage: &mut Stage) {
    to(stage, "bench");
    stage.key("enter");
    assert_eq!(stage.state.popup, Some(Popup::Held { session: 21.into() }));
    assert_eq!(sent(stage), []);
    stage.key("enter");
    assert_eq!(sent(stage), [Effect::Send(Command::Watch { session: 21.into() })]);
    stage.session(21, &["bench"], None, "bench the lexer");
    assert_eq!(stage.state.sessions.viewed(), Some(21.into()));
}

#[test]
fn what_another_process_asks_is_answered_there_and_nothing_is_said_to_it() {
    let mut stage = stage();
    watching(&mut stage);
    stage
        .asks(crate::kernel::gate::approval::Question { session: 21.into(), ..write_question(90) });
    assert_eq!(stage.state.queue.asking(), 0);
    assert!(stage.state.sessions.asks_there(21.into()).is_some());
    assert_eq!(stage.state.sessions.at_work(), 1, "what works there does not work here");
    stage.types("me too");
    stage.key("enter");
    assert_eq!(toast(&stage), "Read only: process 48213 on pts/4 has it.");
    assert_eq!(stage.state.composer.draft.text(), "me too", "what was written is kept");
    stage.key("ctrl+c");
    stage.wait(1_500);
    stage.key("esc");
    stage.key("esc");
    stage.key("F8");
    stage.key("enter");
    assert_eq!(sent(&mut stage), [], "neither stopped nor given a mode");
    stage.key("alt+left");
    let gone = Effect::Send(Command::Unwatch { session: 21.into() });
    assert_eq!(sent(&mut stage), [gone], "nobody looks at it any more");
    assert_eq!(stage.state.sessions.viewed(), Some(1.into()));
    assert!(stage.state.sessions.get(21.into()).is_none());
}

#[test]
fn a_session_is_taken_over_when_it_is_let_go_and_is_one_of_ours_then() {
    let mut stage = stage();
    to(&mut stage, "bench");
    stage.key("enter");
    stage.key("t");
    let session: SessionId = 21.into();
    let asked = [Effect::Send(Command::Watch { session }), Effect::Resume(session, When::LetGo)];
    assert_eq!(sent(&mut stage), asked);
    assert!(toast(&stage).starts_with("Taken over as soon as process 48213 on pts/4 lets go."));
    stage.session(21, &["bench"], None, "bench the lexer");
    stage.key("alt+left");
    assert_eq!(sent(&mut stage), [], "it is waited for from elsewhere as well");
    stage.send(Message::Came(Came::Resumed(session, Ok(None))));
    assert_eq!(toast(&stage), "Carried on here.");
    stage.key("alt+2");
    assert_eq!(stage.state.sessions.viewed(), Some(session));
    stage.types("on");
    stage.key("enter");
    assert_eq!(sent(&mut stage), [Effect::Send(Command::Send { session, words: "on".into() })]);
}

#[test]
fn words_for_a_session_that_runs_nowhere_carry_it_on_and_come_back_if_it_cannot_be() {
    for fails in [false, true] {
        let mut stage = stage();
        to(&mut stage, "why does");
        stage.key("enter");
        let session: SessionId = 20.into();
        assert_eq!(sent(&mut stage), [Effect::Send(Command::Watch { session })]);
        stage.session(20, &["main"], None, "");
        stage.types("go on");
        stage.key("enter");
        assert_eq!(sent(&mut stage), [Effect::Resume(session, When::Now)]);
        let why = NotResumed::Failed("it is open".into());
        let came = if fails { Err(why) } else { Ok(None) };
        stage.send(Message::Came(Came::Resumed(session, came)));
        let text = "go on".to_owned();
        if fails {
            assert_eq!(stage.state.composer.draft.text(), text);
        } else {
            assert_eq!(
                sent(&mut stage),
                [Effect::Send(Command::Send { session, words: text.into() })]
            );
        }
    }
}
