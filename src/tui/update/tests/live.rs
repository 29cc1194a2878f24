//! What programs print while they run.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::port::{Aside, OutputPage},
    tui::{effect::Part, state::output::Look},
};

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

/// A run whose output is open over the transcript.
fn printed(width: u16, height: u16, lines: &[String]) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.runs(1, 10, "main.py", "print('mine')\n");
    grows(&mut stage, lines);
    stage.key("F4");
    stage.draw();
    stage
}

fn grows(stage: &mut Stage, lines: &[String]) {
    stage.page = OutputPage { lines: lines.to_vec(), first: 0, total: lines.len() as u64 };
    let lines = lines.len() as u64;
    stage.event(1.into(), Event::OutputWritten { call: 10.into(), bytes: 10, lines });
}

#[test]
fn a_view_of_output_that_was_moved_holds_its_text_and_counts_what_came_below() {
    let all: Vec<String> = (0..2_000).map(|n| format!("line {n}.")).collect();
    let mut stage = printed(80, 24, &all[..1_000]);
    assert!(stage.screen().contains("line 999."), "it follows");
    stage.key("pgup");
    let rows = stage.state.drawn.outputs[0].rows;
    let top = format!("line {}.", 1_000 - rows - (rows - 1));
    assert!(stage.screen().contains(&top), "{}", stage.screen());
    grows(&mut stage, &all[..1_037]);
    let screen = stage.screen();
    assert!(screen.contains(&top) && screen.contains("37 new below"), "{screen}");
    stage.key("home");
    let screen = stage.screen();
    assert!(screen.contains("line 0.") && screen.contains("view fixed · 1 of 1,037"), "{screen}");
    grows(&mut stage, &all);
    for _ in 0..200 {
        stage.key("pgdn");
        stage.draw();
    }
    let screen = stage.screen();
    assert!(screen.contains("line 1999.") && screen.contains("follow"), "{screen}");
    for (key, expected) in
        [("f", "view fixed"), ("f", "follow"), ("home", "line 0."), ("end", "line 1999.")]
    {
        stage.key(key);
        assert!(stage.screen().contains(expected), "{key}: {}", stage.screen());
    }
}

#[test]
fn a_view_that_was_moved_holds_its_text_while_it_is_out_of_sight() {
    let all: Vec<String> = (0..1_900).map(|n| format!("line {n}.")).collect();
    for closed in [true, false] {
        let mut stage = printed(80, 24, &all[..1_000]);
        stage.key("pgup");
        stage.draw();
        let top = format!("line {}.", stage.state.drawn.outputs[0].top.0);
        if closed {
            stage.key("esc")
        } else {
            stage.resize(20, 5)
        }
        stage.draw();
        grows(&mut stage, &all);
        stage.draw();
        if closed {
            stage.key("F4")
        } else {
            stage.resize(80, 24)
        }
        let screen = stage.screen();
        assert!(screen.contains(&top) && screen.contains("900 new below"), "{screen}");
    }
}

#[test]
fn the_last_lines_below_the_text_of_a_run_go_on_while_its_view_is_held() {
    let all: Vec<String> = (0..1_900).map(|n| format!("line {n}.")).collect();
    let mut stage = printed(120, 40, &all[..1_000]);
    stage.key("home");
    stage.draw();
    assert!(stage.screen().contains("line 0."), "{}", stage.screen());
    grows(&mut stage, &all);
    let screen = stage.screen();
    assert!(screen.contains("line 0.") && screen.contains("│  line 1899."), "{screen}");
}

#[test]
fn lines_that_come_late_do_not_move_a_view_that_was_moved_meanwhile() {
    let all: Vec<String> = (0..1_900).map(|n| format!("line {n}.")).collect();
    let mut stage = printed(80, 24, &all);
    let call = 10.into();
    let from = |line: usize| {
        let lines = all[line..all.len().min(line + 500)].to_vec();
        Some(OutputPage { lines, first: line as u64, total: all.len() as u64 })
    };
    let held = |top: u64| Look::Held { top, row: 0, seen: 1_900 };
    let at = |stage: &mut Stage, look: Look| {
        let run = stage.state.output.run_mut(call).unwrap();
        (run.look, run.page) = (look, None);
        stage.state.output.want(&[call], None).map(|(_, _, part)| part)
    };
    let out = |stage: &mut Stage, look: Look, page: Option<OutputPage>| {
        stage.state.output.run_mut(call).unwrap().look = look;
        stage.state.output.came(call, page);
        let run = stage.state.output.run(call).unwrap();
        (run.look, run.page.as_ref().map(|page| page.first))
    };
    assert_eq!(at(&mut stage, held(1_000)), Some(Part::From(850)));
    assert_eq!(out(&mut stage, held(0), from(850)), (held(0), None), "home was pressed");
    assert_eq!(at(&mut stage, held(1_000)), Some(Part::From(850)));
    assert_eq!(out(&mut stage, Look::Follow, from(850)), (Look::Follow, None), "end was pressed");
    assert_eq!(at(&mut stage, held(1_000)), Some(Part::From(850)));
    assert_eq!(out(&mut stage, held(1_000), None), (held(1_000), None), "it could not be read");
    assert_eq!(at(&mut stage, Look::Follow), Some(Part::Last));
    assert_eq!(out(&mut stage, held(700), from(1_400)), (held(700), None), "it was held");
    assert_eq!(at(&mut stage, held(1_000)), Some(Part::From(850)));
    assert_eq!(out(&mut stage, held(1_000), from(1_300)), (held(1_300), Some(1_300)), "it is gone");
}

#[test]
fn every_line_is_reached_one_after_the_other_wrapped_or_cut() {
    let lines: Vec<String> = (0..700).map(|n| format!("{n}: {}", "全角 ".repeat(n % 40))).collect();
    for wrap in [false, true] {
        let mut stage = printed(60, 16, &lines);
        if wrap {
            stage.key("w");
        }
        stage.key("home");
        stage.draw();
        let mut seen = std::collections::BTreeSet::new();
        let mut last = (0, 0);
        for _ in 0..3_000 {
            let drawn = stage.state.drawn.outputs[0];
            assert!(drawn.top >= last, "never back");
            last = drawn.top;
            let screen = stage.screen();
            seen.extend((last.0..last.0 + 16).filter(|n| screen.contains(&format!("{n}: "))));
            if screen.contains("follow ·") {
                break;
            }
            stage.key("down");
            stage.draw();
        }
        assert_eq!(seen.len(), lines.len(), "wrap {wrap}");
        stage.key("up");
        stage.draw();
        assert!(stage.screen().contains("view fixed"));
        for _ in 0..3_000 {
            stage.key("up");
            stage.draw();
        }
        assert_eq!(stage.state.drawn.outputs[0].top, (0, 0), "wrap {wrap}");
    }
}

#[test]
fn a_word_is_found_in_all_of_an_output_and_each_place_comes_into_sight() {
    let lines: Vec<String> = (0..900)
        .map(|n| if n % 300 == 7 { format!("FAILED {n}") } else { format!("ok {n}") })
        .collect();
    let mut stage = printed(80, 24, &lines);
    stage.key("/");
    stage.types("failed");
    let place = |stage: &mut Stage| {
        let screen = stage.screen();
        let row = screen.lines().find(|line| line.contains('▌')).unwrap_or_default().to_owned();
        (row, screen)
    };
    for (key, count, expected) in [
        ("", "1 of 3", "FAILED 7"),
        ("enter", "2 of 3", "FAILED 307"),
        ("up", "1 of 3", "FAILED 7"),
        ("up", "3 of 3", "FAILED 607"),
    ] {
        if !key.is_empty() {
            stage.key(key);
            stage.draw();
        }
        let (row, screen) = place(&mut stage);
        assert!(row.contains(expected) && screen.contains(count), "{key}\n{screen}");
    }
    stage.types("q");
    assert!(stage.screen().contains("not found"));
    stage.key("esc");
    assert!(stage.state.popup.is_some() && stage.state.output.search.is_none());
    assert!(stage.state.composer.draft.is_empty(), "nothing of it was text");
}

#[test]
fn outputs_keep_their_panes_and_new_ones_take_those_of_the_ended() {
    let mut stage = Stage::new(200, 60);
    stage.at_work();
    for (call, name) in [(10, "one.py"), (11, "two.py"), (12, "three.py")] {
        stage.runs(1, call, name, "print(1)\n");
    }
    stage.draw();
    let shown = |stage: &mut Stage| {
        stage.draw();
        stage.state.drawn.layout.outputs().collect::<Vec<_>>()
    };
    let ids = |calls: &[u128]| calls.iter().map(|call| (*call).into()).collect::<Vec<_>>();
    assert_eq!(shown(&mut stage), ids(&[10, 11, 12]));
    stage.run_ends(1, 11, 400, "");
    assert_eq!(shown(&mut stage), ids(&[10, 11, 12]), "what it printed stays to be read");
    stage.runs(1, 13, "four.py", "print(1)\n");
    assert_eq!(shown(&mut stage), ids(&[10, 13, 12]));
    stage.key("F4");
    assert_eq!(stage.state.focus, Focus::Output(13.into()));
    stage.key("p");
    stage.run_ends(1, 13, 400, "");
    stage.runs(1, 14, "five.py", "print(1)\n");
    assert_eq!(shown(&mut stage), ids(&[10, 13, 12, 14]), "a pinned one is not replaced");
    stage.key("q");
    assert_eq!(shown(&mut stage), ids(&[10, 12, 14]));
    assert_eq!(stage.state.focus, Focus::Composer);
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
