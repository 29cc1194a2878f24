//! What programs print while they run.

use super::*;
use crate::kernel::port::{Aside, OutputPage};

fn page(lines: &[&str]) -> OutputPage {
    let lines: Vec<_> = lines.iter().map(|line| (*line).to_owned()).collect();
    OutputPage { total: lines.len() as u64, lines, first: 0 }
}

fn prints(stage: &mut Stage, session: u128, call: u128, lines: &[&str]) {
    stage.page = page(lines);
    let lines = lines.len() as u64;
    let event = Event::OutputWritten { call: call.into(), bytes: lines * 10, lines };
    stage.event(session.into(), event);
}

#[test]
fn a_run_shows_its_last_lines_below_its_text_though_another_one_is_in_the_pane() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "main.py", "print('mine')\n");
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.runs(2, 20, "check.py", "print('check')\n");
    prints(&mut stage, 2, 20, &["of the agent"]);
    prints(&mut stage, 1, 10, &["one", "two", "three", "four"]);
    let screen = stage.screen();
    assert!(screen.contains("│  two") && screen.contains("│  four"), "{screen}");
    assert!(!screen.contains("of the agent"), "{screen}");
    stage.page = page(&["of the agent"]);
    stage.key("F4");
    assert!(stage.screen().contains("tests › check.py"), "the pane has the newest run");
    assert!(stage.screen().contains("of the agent"));
}

#[test]
fn what_an_agent_printed_while_nobody_looked_is_read_when_it_comes_into_view() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases");
    stage.runs(2, 20, "check.py", "print('check')\n");
    stage.runs(1, 10, "main.py", "print('mine')\n");
    prints(&mut stage, 2, 20, &["of the agent"]);
    assert!(!stage.screen().contains("of the agent"));
    stage.state.sessions.show(2.into());
    stage.wait(50);
    assert!(stage.screen().contains("│  of the agent"));
}

#[test]
fn the_newest_run_keeps_its_last_lines_in_sight_while_the_model_goes_on() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    for (call, printed) in [(10, "first\n"), (11, "second\n")] {
        stage.runs(1, call, "main.py", "print(1)\n");
        stage.run_ends(1, call, 400, printed);
        stage.event(1.into(), Event::TurnStarted { turn: 2, model: "claude".into() });
        assert!(stage.screen().contains(&format!("│  {}", printed.trim())), "{printed}");
    }
    assert!(!stage.screen().contains("│  first"), "the older one has folded");
}

#[test]
fn a_view_of_output_that_was_moved_counts_the_lines_that_are_really_below() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "main.py", "print('mine')\n");
    let all: Vec<String> = (0..600).map(|n| format!("line {n}")).collect();
    let lines: Vec<&str> = all.iter().map(String::as_str).collect();
    prints(&mut stage, 1, 10, &lines[..100]);
    stage.key("F4");
    stage.draw();
    stage.key("home");
    let first = stage.screen();
    assert!(first.contains("line 0 "), "{first}");
    // The oldest hundred are gone when these are read.
    stage.page = OutputPage { lines: all[100..].to_vec(), first: 100, total: 600 };
    let event = Event::OutputWritten { call: 10.into(), bytes: 6000, lines: 600 };
    stage.event(1.into(), event);
    let screen = stage.screen();
    let rows = stage.state.drawn.outputs[0].rows;
    assert!(screen.contains("line 100 "), "{screen}");
    assert!(screen.contains(&format!("{} lines below", 500 - rows)), "{screen}");
}

#[test]
fn a_narrow_screen_says_where_one_is_and_that_a_script_plays() {
    let mut stage = Stage::new(40, 12);
    stage.at_work();
    stage.state.sessions.node_mut().unwrap().spec.model = "scripted:tour".into();
    let screen = stage.screen();
    let head = screen.lines().next().unwrap();
    assert!(head.contains("tally") && head.contains("a script plays"), "{head}");
}

#[test]
fn the_person_hears_what_a_run_made_that_others_obey_and_nothing_in_its_name_acts() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "main.py", "print('mine')\n");
    let things = vec![
        Aside { was: ".envrc\u{1b}[2J".into(), now: Some("/kept/.envrc".into()) },
        Aside { was: ".vscode".into(), now: None },
    ];
    stage.event(1.into(), Event::PutAside { call: 10.into(), things });
    let screen = stage.screen();
    assert!(screen.contains("▲ Put aside: a run made .envrc⟨U+001B⟩[2J, which"), "{screen}");
    assert!(screen.contains("/kept/.envrc now."), "{screen}");
    assert!(screen.contains("▲ A run made .vscode, which other programs obey"), "{screen}");
}
