use std::time::Duration;

use pretty_assertions::assert_eq;

mod answers;
mod attaching;
mod away;
mod burst;
mod choices;
mod composing;
mod controls;
mod crowd;
mod editing;
mod elsewhere;
mod file;
mod guarded;
mod live;
mod log;
mod long;
mod looking;
mod manners;
mod memory;
mod outside;
mod pasted;
mod pointer;
mod records;
mod save;
mod signals;
mod sizes;
mod thinking;
mod together;
mod transcript;
pub(in crate::tui) mod tree;
mod trust;
mod wider;
mod written;

use crate::{
    kernel::{
        capability::Category,
        command::Command,
        event::{Call, Decider, Decision, Event, Origin, Outcome},
        gate::subject::Subject,
    },
    tui::{
        cell::{self, Body, Coloured, Scene},
        effect::{Effect, Start},
        message::{Came, Input, Message},
        stage::Stage,
        state::{Focus, Leave, Popup, transcript::Scroll},
    },
};

fn draft(stage: &Stage) -> String {
    stage.state.composer.draft.text()
}

fn toast(stage: &Stage) -> String {
    stage.state.status.toast(stage.state.now.at).unwrap_or_default().to_owned()
}

#[test]
fn esc_stops_the_turn_only_the_second_time_and_soon() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("esc");
    assert_eq!(toast(&stage), "esc again stops this turn");
    stage.wait(1_100);
    stage.key("esc");
    assert_eq!(stage.effects, []);
    stage.wait(500);
    stage.key("esc");
    assert_eq!(stage.effects, [Effect::Send(Command::Interrupt { session: 1.into() })]);
}

#[test]
fn ctrl_c_empties_the_draft_and_up_has_it_back() {
    let mut stage = Stage::new(80, 24);
    stage.types("half a thought");
    stage.key("ctrl+c");
    assert_eq!(draft(&stage), "");
    stage.key("up");
    assert_eq!(draft(&stage), "half a thought");
}

#[test]
fn ctrl_c_twice_quits_and_asks_while_something_works() {
    let mut stage = Stage::new(80, 24);
    stage.key("ctrl+c");
    assert_eq!(stage.state.place.leave, None);
    stage.key("ctrl+c");
    assert_eq!(stage.state.place.leave, Some(Leave::Quit));

    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("ctrl+c");
    assert_eq!(toast(&stage), "ctrl+c again asks whether to quit.");
    stage.key("ctrl+c");
    assert!(matches!(stage.state.popup, Some(Popup::Quit { .. })));
    stage.key("down");
    stage.key("ctrl+c");
    stage.key("ctrl+c");
    assert_eq!(stage.state.popup, Some(Popup::Quit { row: 1 }), "what was chosen stays so");

    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("ctrl+q");
    stage.key("enter");
    assert_eq!((stage.state.place.leave, stage.state.popup), (None, None), "the safe row is first");
    stage.key("ctrl+q");
    stage.key("down");
    stage.key("enter");
    assert_eq!(stage.state.place.leave, Some(Leave::Quit));
}

#[test]
fn quitting_can_wait_for_the_work() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    for key in ["ctrl+q", "end", "down", "down", "enter"] {
        stage.key(key);
    }
    assert_eq!(stage.state.place.leave, None);
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    assert_eq!(stage.state.place.leave, Some(Leave::Quit));
}

#[test]
fn enter_takes_the_tour_where_there_is_no_model() {
    let mut stage = Stage::first_start(80, 24);
    stage.key("enter");
    stage.key("enter");
    assert_eq!(stage.effects, [Effect::Start { what: Start::Tour, message: None }], "once");
}

#[test]
fn the_first_words_start_a_session_and_come_back_if_that_fails() {
    let mut stage = Stage::new(80, 24);
    stage.types("hello");
    stage.key("enter");
    let start = Effect::Start { what: Start::Here, message: Some("hello".into()) };
    assert_eq!(stage.effects, [start]);
    assert_eq!(draft(&stage), "");
    let fault = "The disk is full. Make room, then send it again.";
    stage.send(Message::Came(Came::NotStarted(fault.into())));
    assert_eq!((draft(&stage), toast(&stage)), ("hello".into(), fault.into()));
}

#[test]
fn without_a_model_a_message_stays_in_the_composer() {
    let mut stage = Stage::first_start(80, 24);
    stage.types("hello");
    stage.key("enter");
    assert_eq!((draft(&stage).as_str(), stage.effects.len()), ("hello", 0));
}

#[test]
fn words_said_during_a_turn_wait_in_sight() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.types("use 4");
    stage.key("enter");
    let said = Command::Send { session: 1.into(), words: "use 4".into() };
    assert_eq!(stage.effects, [Effect::Send(said)]);
    assert!(stage.screen().contains("↑ has it back   after this turn"));
    stage.event(1.into(), Event::said("use 4"));
    assert!(!stage.screen().contains("↑ has it back"));
}

#[test]
fn a_paste_is_one_piece_and_sends_nothing() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let text = "one\ntwo\nthree\n".repeat(10);
    stage.send(Message::Input(stage.now(), Input::Paste(text.clone())));
    assert!(stage.screen().contains("[pasted 30 lines]"));
    assert_eq!(stage.effects, []);
    assert_eq!(draft(&stage), text.trim_end());
}

#[test]
fn a_view_that_was_scrolled_holds_its_text() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let text: String = (1..=60).map(|n| format!("Paragraph {n}.\n\n")).collect();
    stage.streams(1, &text);
    stage.draw();
    stage.key("shift+tab");
    assert_eq!(stage.state.focus, Focus::Transcript);
    for _ in 0..10 {
        stage.key("up");
        stage.draw();
    }
    let before = stage.screen();
    stage.streams(1, "More.\n\nAnd more.\n\n");
    let after = stage.screen();
    assert!(after.contains("new below"));
    let text =
        |screen: &str| screen.lines().skip(1).take(17).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(text(&after), text(&before));
    stage.key("end");
    let node = stage.state.sessions.node().unwrap();
    assert_eq!(node.transcript.scroll, Scroll::Follow);
}

#[test]
fn a_run_that_went_well_folds_when_the_next_one_starts() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "scan.py", "print(1)\nprint(2)\n");
    stage.run_ends(1, 10, 400, "1\n2\n");
    stage.event(1.into(), Event::TurnStarted { turn: 2, model: "claude".into() });
    assert!(stage.screen().contains("▾ ✓ scan.py"));
    stage.runs(1, 11, "try.py", "print(3)\n");
    assert!(stage.screen().contains("▸ ✓ scan.py"));
}

#[test]
fn what_is_over_is_laid_out_once() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.streams(1, "First.\n\nSecond is still");
    stage.draw();
    let rows = |stage: &Stage| {
        let state = &stage.state;
        let node = state.sessions.node().unwrap();
        let cells = &node.transcript.cells;
        let first =
            |body: &Body| matches!(body, Body::Text { text, .. } if text.starts_with("First."));
        let at = cells.here().find(|(_, cell)| first(&cell.body)).map(|(at, _)| at);
        let scene = Scene {
            width: state.drawn.transcript.width,
            look: &state.look,
            controls: &state.controls,
            now: state.now.wall,
            sessions: &state.sessions,
            output: &state.output,
            queue: &state.queue,
            speaker: "you",
        };
        cell::rows(cells.get(at.unwrap()).unwrap(), &scene)
    };
    let before = rows(&stage);
    stage.streams(1, " growing");
    stage.draw();
    assert!(std::sync::Arc::ptr_eq(&before, &rows(&stage)));
    let theme = crate::tui::theme::Theme::light(stage.state.look.theme.depth());
    stage.send(Message::Themed(Ok(theme)));
    stage.draw();
    assert!(!std::sync::Arc::ptr_eq(&before, &rows(&stage)), "another look, other rows");
}

#[test]
fn a_screen_at_rest_waits_for_nothing() {
    let mut stage = Stage::new(80, 24);
    assert_eq!(stage.state.deadline(), None);
    stage.at_work();
    let until = stage.state.deadline().unwrap() - stage.now().at;
    assert!(until <= Duration::from_millis(1_002), "the seconds of the turn count");
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    stage.draw();
    assert_eq!(stage.state.deadline(), None);
}

#[test]
fn an_agent_s_transcript_says_to_whom_one_speaks() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.key("F2");
    stage.key("down");
    stage.key("enter");
    let screen = stage.screen();
    assert!(
        screen.contains("to tests, not to fix-parser") && screen.contains(" tests  write cases")
    );
    stage.key("alt+left");
    assert_eq!(stage.state.sessions.viewed(), Some(1.into()));
}
