//! What answers a question, what does not, and what becomes of the keys that do not.

use pretty_assertions::assert_eq;

use super::{draft, toast};
use crate::{
    kernel::{
        command::Command,
        event::Event,
        gate::{
            Lasting,
            approval::{Answer, Scope, Then},
            exactly,
        },
    },
    tui::{
        effect::Effect,
        message::{Came, Input, Message},
        stage::{Stage, code_question, write_question},
        state::Focus,
    },
};

const YES: Answer = Answer::Allow { scope: Scope::Once };

fn no(because: Option<&str>, then: Then) -> Answer {
    Answer::Deny { because: because.map(str::to_owned), then }
}

fn answer(question: u128, answer: Answer) -> Effect {
    Effect::Send(Command::Answer { approval: question.into(), answer })
}

/// A short question that has been on the screen for so long.
fn asking(ms: u64) -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    stage.wait(1_000);
    stage.asks(write_question(1));
    stage.draw();
    stage.wait(ms);
    stage
}

#[test]
fn each_letter_answers_in_its_own_way() {
    for (letter, expected) in
        [("y", YES), ("n", no(None, Then::GoOn)), ("N", no(None, Then::StopTurn))]
    {
        let mut stage = asking(500);
        stage.key(letter);
        assert_eq!(stage.effects, [], "{letter} is held for a moment");
        stage.wait(200);
        assert_eq!(stage.effects, [answer(1, expected)], "{letter}");
        assert_eq!(draft(&stage), "");
    }
}

#[test]
fn a_key_that_is_heard_of_late_was_typed_right_behind_the_letter_all_the_same() {
    for frame_first in [false, true] {
        let mut stage = asking(500);
        stage.key("y");
        let mut late = stage.now();
        late.at += std::time::Duration::from_millis(200);
        if frame_first {
            let drawn = stage.state.drawn.clone();
            stage.send(Message::Drawn(late, Box::new(drawn)));
        }
        let key = crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Char('e'));
        stage.send(Message::Input(late, Input::Key(key)));
        stage.wait(500);
        assert_eq!((&*stage.effects, &*draft(&stage)), (&[][..], "ye"), "{frame_first}");
    }
}

#[test]
fn a_yes_says_what_it_did() {
    let mut stage = asking(500);
    stage.key("y");
    stage.wait(200);
    stage.answered(1, 1.into(), YES);
    assert_eq!(toast(&stage), "Yes, once: src/lex.rs. The clock runs again.");
    assert!(stage.screen().contains("nothing waits"));
}

#[test]
fn what_a_journal_tells_of_long_ago_is_no_news() {
    let mut stage = asking(500);
    let at = stage.now().wall - std::time::Duration::from_secs(3_600);
    let event = Event::ApprovalAnswered {
        approval: 1.into(),
        answer: YES,
        by: crate::kernel::event::Decider::Person,
        waited_ms: 1,
        excluded_ms: 1,
    };
    let envelope = crate::kernel::event::Envelope { v: 1, seq: 9, at, session: 1.into(), event };
    stage.send(Message::Happened(envelope.into()));
    assert_eq!((toast(&stage).as_str(), stage.state.queue.asking()), ("", 0));
}

#[test]
fn an_early_letter_is_text() {
    let mut stage = asking(300);
    stage.key("y");
    stage.wait(2_000);
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("y", 0));
}

#[test]
fn someone_who_types_goes_on_typing() {
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    stage.types("yes, any");
    stage.asks(write_question(1));
    stage.types(" way you like, my friend");
    stage.wait(2_000);
    assert_eq!(draft(&stage), "yes, any way you like, my friend");
    assert_eq!((stage.effects.len(), stage.state.focus), (0, Focus::Composer));

    let mut stage = asking(800);
    stage.types("yn");
    stage.wait(2_000);
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("yn", 0));
}

#[test]
fn neither_paste_nor_enter_nor_esc_nor_focus_answer() {
    let mut stage = asking(800);
    stage.send(Message::Input(stage.now(), Input::Paste("y".into())));
    stage.wait(1_000);
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("y", 0));

    let mut stage = asking(800);
    stage.key("enter");
    stage.wait(500);
    stage.key("esc");
    stage.wait(500);
    assert_eq!(stage.effects, []);
    assert_eq!((stage.state.queue.asking(), stage.state.queue.put_off()), (0, 1));

    let mut stage = asking(800);
    stage.send(Message::Input(stage.now(), Input::FocusGained));
    stage.key("y");
    stage.wait(1_000);
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("y", 0));
}

#[test]
fn enter_right_behind_a_letter_sends_nothing() {
    let mut stage = asking(800);
    stage.key("y");
    stage.key("enter");
    stage.wait(1_000);
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("y", 0));
}

#[test]
fn with_a_draft_the_question_takes_keys_only_when_gone_to() {
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    stage.types("my draft");
    stage.asks(write_question(1));
    stage.wait(2_000);
    stage.key("y");
    stage.wait(1_000);
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("my drafty", 0));
    stage.key("tab");
    stage.wait(500);
    stage.key("y");
    stage.wait(200);
    assert_eq!(stage.effects, [answer(1, YES)]);
    assert_eq!(draft(&stage), "my drafty");
}

#[test]
fn whoever_goes_back_to_write_is_left_to_write() {
    let mut stage = asking(800);
    stage.key("tab");
    stage.wait(3_000);
    assert_eq!(stage.state.focus, Focus::Composer);
    stage.key("n");
    stage.wait(1_000);
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("n", 0));
}

#[test]
fn a_no_can_have_words() {
    let mut stage = asking(800);
    stage.key("f");
    stage.wait(300);
    stage.types("leave y alone");
    stage.key("enter");
    assert_eq!(stage.effects, [answer(1, no(Some("leave y alone"), Then::GoOn))]);
}

#[test]
fn words_of_a_no_are_kept_when_the_question_goes() {
    let mut stage = asking(800);
    stage.key("f");
    stage.wait(300);
    stage.types("leave it");
    stage.event(
        1.into(),
        Event::ApprovalWithdrawn {
            approval: 1.into(),
            reason: "its run ended".into(),
            waited_ms: 1,
            excluded_ms: 1,
        },
    );
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("leave it", 0));
    assert_eq!(toast(&stage), "Withdrawn: fix-parser, its run ended.");
}

#[test]
fn the_wide_yes_needs_the_end_and_a_second_step() {
    let mut stage = Stage::new(80, 20);
    stage.at_work();
    stage.asks(code_question(1));
    stage.wait(800);
    stage.key("w");
    stage.wait(200);
    assert_eq!((stage.effects.len(), stage.state.queue.form.is_none()), (0, true));
    stage.key("end");
    stage.wait(800);
    stage.key("w");
    stage.wait(200);
    assert_eq!(stage.effects, [], "w alone saves nothing");
    stage.key("enter");
    stage.key("y");
    stage.wait(800);
    stage.key("tab");
    assert_eq!(stage.effects, [], "letters and enter are text of the rule");
    stage.key("backspace");
    stage.key("backspace");
    stage.key("ctrl+s");
    let rule = exactly(&code_question(1), "/home/me/tally", Lasting::Session);
    let rule = rule.trim_end().to_owned();
    assert_eq!(stage.effects, [answer(1, Answer::Allow { scope: Scope::Session { rule } })]);
}

#[test]
fn a_late_answer_is_said_to_be_late() {
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    stage.runs(1, 10, "main.py", crate::tui::stage::LEX);
    stage.asks(write_question(1));
    stage.wait(900);
    stage.key("y");
    stage.wait(200);
    stage.send(Message::Came(Came::Refused(1.into())));
    assert_eq!(toast(&stage), "Not done: main.py:12 had ended before your yes.");
    assert_eq!(stage.state.queue.asking(), 0);
}

#[test]
fn the_next_question_is_not_answered_by_the_same_keys() {
    let mut stage = asking(800);
    stage.asks(write_question(2));
    stage.key("y");
    stage.wait(200);
    stage.answered(1, 1.into(), YES);
    stage.key("y");
    stage.wait(1_000);
    assert_eq!(stage.effects, [answer(1, YES)]);
    assert_eq!(draft(&stage), "y");
}

#[test]
fn what_cannot_be_read_cannot_be_answered() {
    for (width, height) in [(39, 40), (100, 9), (20, 5), (1, 1), (0, 0)] {
        let mut stage = asking(800);
        stage.resize(width, height);
        stage.wait(1_000);
        stage.key("y");
        stage.wait(1_000);
        assert_eq!(stage.effects, [], "{width}x{height}");
    }
}

#[test]
fn a_list_over_the_question_hides_it_from_the_keys() {
    let mut stage = asking(800);
    stage.key("F3");
    stage.wait(1_000);
    stage.key("y");
    stage.wait(1_000);
    assert_eq!(stage.effects, []);
}

#[test]
fn a_question_of_the_list_is_opened_not_answered() {
    let mut stage = asking(800);
    stage.key("esc");
    stage.wait(500);
    stage.key("F3");
    stage.key("enter");
    assert_eq!((stage.effects.len(), stage.state.focus), (0, Focus::Question));
    stage.wait(800);
    stage.key("y");
    stage.wait(200);
    assert_eq!(stage.effects, [answer(1, YES)]);
}

#[test]
fn letters_are_text_in_the_form_of_a_wider_yes_and_esc_leaves_it() {
    let mut stage = asking(600);
    stage.key("w");
    stage.wait(200);
    stage.draw();
    assert!(stage.screen().contains("ctrl+s"), "{}", stage.screen());
    stage.types("yy");
    assert_eq!(draft(&stage), "");
    assert_eq!(stage.state.focus, Focus::Question);
    stage.key("esc");
    assert!(stage.state.queue.form.is_none());
    assert_eq!(stage.state.focus, Focus::Question);
}

#[test]
fn a_key_right_behind_the_first_frame_begins_what_is_marked() {
    let mut stage = Stage::first_start(80, 24);
    stage.state.drawn = crate::tui::state::Drawn::default();
    stage.draws = false;
    stage.key("enter");
    assert!(stage.state.place.starting.is_some());
}

#[test]
fn nothing_begins_on_a_screen_that_is_too_small_to_read() {
    let mut stage = Stage::first_start(20, 5);
    stage.draw();
    stage.key("enter");
    assert_eq!(stage.state.place.starting, None);
    stage.resize(80, 24);
    stage.draw();
    stage.key("enter");
    assert!(stage.state.place.starting.is_some());
}

#[test]
fn pages_scroll_the_transcript_from_the_composer() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.streams(1, &"a line of many\n\n".repeat(60));
    stage.draw();
    let end = stage.screen();
    stage.key("pgup");
    stage.draw();
    assert_ne!(stage.screen(), end);
    assert_eq!(stage.state.focus, Focus::Composer);
    stage.key("pgdn");
    stage.draw();
    stage.key("pgdn");
    stage.draw();
    assert!(!stage.screen().contains("below"), "{}", stage.screen());
}
