//! What a model thought: in sight while it thinks, one row once it speaks, there for those who want it.

use pretty_assertions::assert_eq;

use crate::tui::{
    cell::{Body, Fold, Thinking},
    stage::Stage,
    state::Focus,
};

/// It thinks for twelve seconds, forty lines.
fn thinks(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.session(1, &["fix-parser"], None, "is it the lexer?");
    stage.event(1.into(), crate::kernel::event::Event::TurnStarted { turn: 1, model: "m".into() });
    let lines: Vec<_> = (1..=40).map(|n| format!("thought {n}")).collect();
    stage.thinks(1, &lines[..20].join("\n"));
    stage.wait(12_000);
    stage.thinks(1, &format!("\n{}\n", lines[20..].join("\n")));
    stage
}

fn thinking(stage: &Stage) -> Vec<&Thinking> {
    let cells = &stage.state.sessions.node().unwrap().transcript.cells;
    let thinking = cells.here().filter_map(|(_, cell)| {
        let Body::Thinking(thinking) = &cell.body else { return None };
        Some(&**thinking)
    });
    thinking.collect()
}

#[test]
fn it_is_in_sight_while_it_comes_and_one_row_when_the_answer_begins() {
    let mut stage = thinks(80, 24);
    let screen = stage.screen();
    assert!(screen.contains("▾ ◐ thinking   0:12") || screen.contains("thought 40"), "{screen}");
    assert_eq!(stage.state.sessions.node().unwrap().at, "thinking");
    stage.streams(1, "It is.");
    let screen = stage.screen();
    assert!(screen.contains("▸ thought for 12 s, 40 lines"), "{screen}");
    assert!(!screen.contains("thought 40"), "{screen}");
    assert!(screen.contains("It is."), "{screen}");
    assert_eq!(stage.state.sessions.node().unwrap().at, "answering");
}

#[test]
fn a_key_opens_it_and_folds_it_again() {
    let mut stage = thinks(80, 24);
    stage.streams(1, "It is.");
    stage.draw();
    stage.key("shift+tab");
    assert_eq!(stage.state.focus, Focus::Transcript);
    stage.state.sessions.node_mut().unwrap().transcript.here = Some(1);
    stage.key("enter");
    let screen = stage.screen();
    assert!(screen.contains("  thought 40"), "{screen}");
    assert_eq!(thinking(&stage)[0].fold, Fold::Full);
    for (key, fold) in [("left", Fold::Shut), ("right", Fold::Full), ("enter", Fold::Shut)] {
        stage.key(key);
        assert_eq!(thinking(&stage)[0].fold, fold, "{key}");
    }
}

#[test]
fn a_word_in_it_is_found_and_opens_it() {
    let mut stage = thinks(80, 24);
    stage.streams(1, "It is.");
    stage.draw();
    stage.key("shift+tab");
    stage.key("/");
    stage.types("thought 33");
    assert_eq!(thinking(&stage)[0].fold, Fold::Full);
    assert!(stage.screen().contains("thought 33"), "{}", stage.screen());
}

#[test]
fn it_does_not_fold_under_the_eyes_of_who_looks_elsewhere() {
    let mut stage = thinks(80, 24);
    stage.draw();
    stage.key("shift+tab");
    stage.key("home");
    let before = stage.screen();
    stage.streams(1, "It is.");
    assert_eq!(thinking(&stage)[0].fold, Fold::Full);
    let rows =
        |screen: &str| screen.lines().skip(2).take(10).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&before)[2..], rows(&stage.screen())[2..]);
}

#[test]
fn between_calls_each_stretch_is_its_own_and_an_empty_one_is_none() {
    let mut stage = thinks(80, 24);
    stage.runs(1, 10, "try.py", "print(1)\n");
    stage.thinks(1, " \n");
    stage.thinks(1, "and now?");
    stage.event(1.into(), crate::kernel::event::Event::SessionResumed { notice: None });
    let all = thinking(&stage);
    let live: Vec<_> = all.iter().map(|thinking| (thinking.live, thinking.fold)).collect();
    assert_eq!(live, [(false, Fold::Shut), (false, Fold::Shut)]);
    assert_eq!(all[1].text, "and now?");
    stage.thinks(1, "\n\n");
    assert_eq!(thinking(&stage).len(), 2);
}

#[test]
fn of_very_much_only_the_end_is_laid_out_while_it_grows() {
    let mut stage = Stage::new(80, 24);
    stage.session(1, &["fix-parser"], None, "is it the lexer?");
    let long: String = (1..=5000).map(|n| format!("thought {n}\n")).collect();
    stage.thinks(1, &long);
    let screen = stage.screen();
    assert!(screen.contains("thought 5000"), "{screen}");
    let drawn = stage.state.drawn.transcript;
    assert!(drawn.end == 2, "one cell for what was said, one for what is thought");
    stage.key("shift+tab");
    stage.key("home");
    let screen = stage.screen();
    assert!(screen.contains("lines above"), "{screen}");
    stage.streams(1, "Yes.");
    assert!(thinking(&stage)[0].text.starts_with("thought 1\n"));
}
