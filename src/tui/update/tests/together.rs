//! Several questions of one script are answered together, each once.

use pretty_assertions::assert_eq;

use super::toast;
use crate::{
    kernel::{
        command::Command,
        event::Event,
        gate::approval::{Answer, Scope, Then},
    },
    tui::{
        effect::Effect,
        message::{Came, Message},
        stage::{Stage, program_question, write_question},
        state::Popup,
    },
};

/// Three writes and a program of one script wait; the first of them is in view.
fn four() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    for id in 1..=3 {
        stage.asks(write_question(id));
    }
    let mut program = program_question(4, 1, &["fix-parser"]);
    program.script = Some(10.into());
    stage.asks(program);
    stage.wait(500);
    stage
}

/// Looks at so many of them, to the end, and opens the list.
fn seen(stage: &mut Stage, count: usize) {
    for _ in 1..count {
        stage.key("right");
        stage.wait(500);
    }
    stage.key("m");
    stage.wait(200);
    assert!(matches!(stage.state.popup, Some(Popup::Several { .. })));
    stage.key("home");
}

fn answers(stage: &Stage) -> Vec<(u128, Answer)> {
    let answers = stage.effects.iter().filter_map(|effect| {
        let Effect::Send(Command::Answer { approval, answer }) = effect else { return None };
        Some((*approval, answer.clone()))
    });
    answers
        .map(|(id, answer)| ((1..9_u128).find(|n| id == (*n).into()).unwrap_or(0), answer))
        .collect()
}

#[test]
fn only_what_was_seen_and_is_of_one_kind_is_chosen_and_each_is_answered_once() {
    let mut stage = four();
    seen(&mut stage, 2);
    stage.key(" ");
    for why in ["", "see it first", "see it first"] {
        stage.key("down");
        stage.key(" ");
        assert!(why.is_empty() || toast(&stage) == format!("Not chosen: {why}."));
    }
    assert!(stage.screen().contains("to these 2"), "{}", stage.screen());
    stage.key("ctrl+s");
    let yes = Answer::Allow { scope: Scope::Once };
    assert_eq!(answers(&stage), [(1, yes.clone()), (2, yes.clone())]);
    assert_eq!(stage.state.popup, None);
    stage.answered(1, 1.into(), yes);
    assert_eq!(toast(&stage), "Yes, once to 1.");
    stage.send(Message::Came(Came::Refused(2.into())));
    assert_eq!(toast(&stage), "Yes, once to 1. 1 had ended before.");
}

#[test]
fn another_kind_is_answered_alone() {
    let mut stage = four();
    seen(&mut stage, 4);
    stage.key(" ");
    stage.key("end");
    stage.key(" ");
    assert_eq!(toast(&stage), "Not chosen: another kind: alone.");
}

#[test]
fn what_goes_meanwhile_is_said_and_not_answered() {
    let mut stage = four();
    seen(&mut stage, 2);
    stage.key(" ");
    stage.key("down");
    stage.key(" ");
    stage.event(
        1.into(),
        Event::ApprovalWithdrawn {
            approval: 2.into(),
            reason: "gone".into(),
            waited_ms: 0,
            excluded_ms: 0,
        },
    );
    assert!(stage.screen().contains("1 gone meanwhile"), "{}", stage.screen());
    stage.wait(500);
    stage.key("n");
    let no = Answer::Deny { because: None, then: Then::GoOn };
    assert_eq!(answers(&stage), [(1, no)]);
}

#[test]
fn typing_answers_nothing_in_the_list() {
    let mut stage = four();
    seen(&mut stage, 2);
    stage.key(" ");
    stage.types("any yes n");
    assert_eq!(answers(&stage), []);
    stage.wait(500);
    stage.key("y");
    stage.key("enter");
    stage.wait(500);
    assert_eq!(answers(&stage), []);
}

#[test]
fn from_a_question_that_was_opened_from_the_list_esc_leads_back_to_it() {
    let mut stage = four();
    seen(&mut stage, 1);
    stage.key(" ");
    stage.key("down");
    stage.key("enter");
    assert!(stage.screen().contains("esc back to the list"), "{}", stage.screen());
    stage.key("esc");
    assert_eq!(stage.state.popup, Some(Popup::Several { row: 1 }));
    assert_eq!(stage.state.queue.put_off(), 0, "nothing is put off by looking at it");
    assert_eq!(stage.state.queue.several.chosen.len(), 1, "what was chosen stays so");
    stage.key("esc");
    stage.key("esc");
    assert_eq!(stage.state.queue.put_off(), 1, "later, esc says what it always says");
}

#[test]
fn nothing_is_on_offer_while_nothing_is_chosen_and_what_came_of_all_is_logged_once() {
    let mut stage = four();
    seen(&mut stage, 2);
    let screen = stage.screen();
    assert!(screen.contains("space choose") && !screen.contains("these 0"), "{screen}");
    stage.key(" ");
    stage.key("down");
    stage.key(" ");
    stage.key("ctrl+s");
    for id in 1..=2_u128 {
        stage.answered(1, id.into(), Answer::Allow { scope: Scope::Once });
    }
    let log = stage.state.status.log.shown(&stage.state.records.filter);
    let said: Vec<_> = log.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(
        (said.as_slice(), toast(&stage).as_str()),
        (&["Yes, once to 2."][..], "Yes, once to 2.")
    );
}
