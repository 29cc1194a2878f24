//! Short lists, and the keys of a question that do not answer it.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::{event::Origin, signal::Extent, spec::Mode},
    tui::{
        stage::{LEX, program_question, write_question},
        state::Popup,
    },
};

#[test]
fn the_mode_is_chosen_from_a_list_that_says_what_each_lets_run() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("F8");
    let screen = stage.screen();
    for mode in Mode::ALL {
        assert!(screen.contains(mode.name()), "{mode:?}\n{screen}");
    }
    assert!(screen.contains("▌ default"), "it opens at the one there is\n{screen}");
    stage.resize(50, 14);
    assert!(stage.screen().contains("  accept-edits "), "a name is never cut");
    for key in ["down", "down", "down"] {
        stage.key(key);
    }
    assert_eq!(stage.effects, [], "moving in the list changes nothing");
    stage.key("enter");
    let auto = Command::SetMode { session: 1.into(), mode: Mode::Auto };
    assert_eq!(stage.effects, [Effect::Send(auto)]);
    assert_eq!(stage.state.popup, None);
    stage.event(1.into(), Event::ModeChanged { from: Mode::Default, to: Mode::Auto });
    let screen = stage.screen();
    let last = screen.lines().last().unwrap();
    assert!(last.contains("▲ auto"), "auto stands there as a warning: {last}");
}

#[test]
fn stopping_a_session_names_it_and_takes_a_second_step() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.asks(program_question(7, 2, &["fix-parser", "tests"]));
    for key in ["ctrl+g", "F2", "down", "s"] {
        stage.key(key);
    }
    let screen = stage.screen();
    assert!(screen.contains("stop? fix-parser › tests"), "{screen}");
    assert!(screen.contains("1 question withdrawn"), "{screen}");
    stage.key("enter");
    assert_eq!(stage.effects, [], "the first row lets it go on");
    for key in ["F2", "down", "s", "down", "enter"] {
        stage.key(key);
    }
    assert_eq!(stage.effects, [Effect::Send(Command::Interrupt { session: 2.into() })]);
}

#[test]
fn a_session_can_be_stopped_with_all_agents_below_it() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.session(3, &["fix-parser", "tests", "fuzz"], Some(2), "fuzz it");
    for key in ["F2", "s"] {
        stage.key(key);
    }
    let screen = stage.screen();
    assert!(screen.contains("stop it and 2 agents below, for good"), "{screen}");
    for key in ["down", "down", "down", "enter"] {
        stage.key(key);
    }
    let all = Command::Cancel { session: 1.into(), extent: Extent::Subtree };
    assert_eq!(stage.effects, [Effect::Send(all)]);

    // Also where it rests itself, and they do not.
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    for key in ["F2", "s"] {
        stage.key(key);
    }
    let screen = stage.screen();
    assert!(screen.contains("2 agents below"), "{screen}");
}

#[test]
fn what_is_asked_about_can_be_copied_as_it_is() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.asks(program_question(1, 1, &["fix-parser"]));
    stage.wait(500);
    stage.key("c");
    stage.wait(200);
    assert_eq!(stage.effects, [Effect::Copy("cargo test --lib lex \"a b; rm\"".into())]);
}

#[test]
fn the_script_that_asks_opens_at_its_line_and_hides_the_question_from_the_keys() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "main.py", LEX);
    stage.asks(write_question(1));
    stage.wait(500);
    stage.key("p");
    stage.wait(200);
    let screen = stage.screen();
    assert!(screen.contains("script · main.py:12"), "{screen}");
    assert!(screen.contains("▸   12  files.write"), "{screen}");
    stage.wait(500);
    stage.key("y");
    stage.wait(500);
    assert_eq!(stage.effects, [], "nothing is answered that is not in sight");
    stage.key("esc");
    assert_eq!((stage.state.popup, stage.state.focus), (None, Focus::Question));

    let mut question = write_question(2);
    question.call.origin = Origin::Model;
    (question.call.parent, question.script) = (None, None);
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.asks(question);
    stage.wait(500);
    stage.key("p");
    stage.wait(200);
    assert_eq!(toast(&stage), "No script asks this.");
    assert!(!matches!(stage.state.popup, Some(Popup::Script { .. })));
}

/// The first row below the title of what lies over the transcript.
fn first_row(stage: &mut Stage) -> String {
    stage.screen().lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn what_is_scrolled_to_its_end_goes_back_with_the_first_key() {
    for (width, height) in [(80, 24), (120, 40), (45, 12)] {
        for key in ["F1", "p"] {
            let mut stage = Stage::new(width, height);
            stage.at_work();
            stage.runs(1, 10, "main.py", &format!("{LEX}{}", "# a line to scroll by\n".repeat(40)));
            stage.asks(write_question(1));
            stage.wait(500);
            stage.key(key);
            stage.wait(200);
            stage.key("end");
            let end = first_row(&mut stage);
            (0..30).for_each(|_| stage.key("pgdn"));
            assert_eq!(first_row(&mut stage), end, "{key} in {width}x{height}");
            stage.key("up");
            let before = first_row(&mut stage);
            assert_ne!(before, end, "{key} in {width}x{height}");
            stage.key("down");
            assert_eq!(first_row(&mut stage), end, "{key} in {width}x{height}");
            stage.key("home");
            assert_ne!(first_row(&mut stage), before, "{key} in {width}x{height}");
        }
    }
}
