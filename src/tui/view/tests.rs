//! What a person sees, at the two sizes that most have. Every drawing is kept whole.

mod all;
mod away;
mod composing;
mod controls;
mod file;
mod forms;
mod hints;
mod inline;
mod lists;
mod log;
mod outside;
mod pictures;
mod questions;
mod reading;
mod records;
mod tree;

use insta::assert_snapshot;
use serde_json::json;

use crate::{
    kernel::{
        capability::Category,
        clock::Reading,
        event::{Decider, Event, Origin},
        gate::monitor::{Doubt, Tier},
        port::{Form, OutputPage},
        todo::{Item, State as Progress},
    },
    tui::{
        stage::{LEX, Stage, program_question, result, write_question},
        state::status::{Check, Place, Player},
        theme::{Mark, Role},
    },
};

/// The sizes at which everything is looked at.
const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// Compares what is on the screen with the drawing of that name and width.
fn shot(name: &str, stage: &mut Stage) {
    let screen = stage.screen();
    let width = stage.buffer().area.width;
    assert_snapshot!(format!("{name}_{width}"), screen);
}

/// The same with a text that is not all of a screen.
fn text_shot(name: &str, text: &str) {
    assert_snapshot!(name, text);
}

const TRY: &str = "from pathlib import Path\nfrom footplate import search\n\ndef column(line, tab):\n    lead = line[: len(line) - len(line.lstrip(\" \\t\"))]\n    return len(lead.expandtabs(tab)) + 1\n\nfor path in Path('.').rglob('*.tl'):\n    print(path)\nprint('x')\n";

/// Two runs over, an agent at work, an answer that streams.
fn streaming(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.runs(1, 8, "scan.py", "print(1)\n");
    stage.wait(400);
    stage.run_ends(1, 8, 440, "");
    stage.event(1.into(), Event::TurnStarted { turn: 2, model: "claude".into() });
    stage.runs(1, 9, "try.py", TRY);
    for call in 100..112_u128 {
        let call = crate::kernel::event::Call {
            id: call.into(),
            name: "files.read".into(),
            input: json!({ "path": "a" }),
            origin: Origin::Python { line: Some(8) },
            parent: Some(9.into()),
        };
        let decision = crate::kernel::event::Decision::allowed(Decider::Grant);
        stage.event(
            1.into(),
            Event::CallStarted {
                call,
                category: Category::Read,
                decision,
                subject: crate::kernel::gate::subject::Subject::Other,
            },
        );
    }
    stage.passes(2000);
    stage.run_ends(
        1,
        9,
        2_100,
        "412 files, 3 differ\nsamples/indent/mixed.tl:7    column 9, was 2\nsamples/indent/deep.tl:31    column 17, was 3\n",
    );
    stage.event(
        1.into(),
        Event::ChildStarted {
            call: 9.into(),
            child: 2.into(),
            agent: "tests".into(),
            task: "write cases for tabs, then run them".into(),
        },
    );
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases for tabs, then run them");
    stage.page = OutputPage {
        lines: (0..30).map(|n| format!("test lex::tests::case_{n} ... ok")).collect(),
        first: 1174,
        total: 1204,
    };
    stage.runs(2, 20, "check.py", "print('check')\n");
    stage.event(2.into(), Event::OutputWritten { call: 20.into(), bytes: 9000, lines: 1204 });
    let reading = Reading {
        spent: std::time::Duration::from_secs(31),
        excluded: std::time::Duration::ZERO,
        held: false,
    };
    stage.clocks = vec![(20.into(), reading)];
    stage.streams(
        1,
        "Three samples change, all of them in `indent/`. That is what you asked for: a tab now \
         moves to the next stop of eight. What I will write:\n\n1. `skip_blank` takes ' ' and \
         '\\t'\n2. `column()` counts a tab to the next multiple of 8\n3. one test for a line that \
         mixes both, beca",
    );
    stage.passes(37_000);
    stage
}

/// A write asks, and an agent's program behind it.
fn write_asks(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.passes(60_000);
    stage.runs(1, 10, "main.py", LEX);
    stage.page = OutputPage { lines: vec!["2 places found".into()], first: 0, total: 1 };
    stage.event(1.into(), Event::OutputWritten { call: 10.into(), bytes: 15, lines: 1 });
    let reading = Reading {
        spent: std::time::Duration::from_millis(3_140),
        excluded: std::time::Duration::from_secs(14),
        held: true,
    };
    stage.clocks = vec![(10.into(), reading)];
    stage.event(
        1.into(),
        Event::ChildStarted {
            call: 10.into(),
            child: 2.into(),
            agent: "tests".into(),
            task: "write cases for tabs, then run them".into(),
        },
    );
    stage.session(2, &["fix-parser", "tests"], Some(1), "write cases for tabs, then run them");
    stage.asks(write_question(1));
    stage.passes(8_000);
    stage.runs(2, 20, "check.py", "\n\n\n\n\n\nprocess.run(['cargo', 'test'])\n");
    stage.asks(program_question(2, 2, &["fix-parser", "tests"]));
    stage.passes(5_000);
    stage.wait(1_000);
    stage
}

#[test]
fn first_start_without_a_model() {
    let mut stage = Stage::first_start(80, 24);
    shot("first_start", &mut stage);
    stage.send(crate::tui::message::Message::Told(crate::tui::message::News::Check(
        4,
        Check { mark: Mark::Done, text: "ollama answers".into() },
    )));
    assert!(stage.screen().contains("✓ ollama answers"));
    for (width, height) in [(120, 40), (40, 12)] {
        shot("first_start", &mut Stage::first_start(width, height));
    }
}

#[test]
fn connecting_a_model() {
    for (width, height) in SIZES {
        let mut stage = Stage::first_start(width, height);
        stage.key("c");
        shot("connect", &mut stage);
    }
}

#[test]
fn an_empty_session() {
    let place = Place {
        workspace: "tally".into(),
        player: Player::Model("claude".into()),
        last_here: Some("fix-parser, 2 h ago".into()),
        ..Place::default()
    };
    for (width, height) in SIZES {
        shot("empty", &mut Stage::at(width, height, place.clone()));
    }
}

#[test]
fn an_answer_streams() {
    let mut stage = streaming(120, 40);
    stage.types("use 4 for the tab stop, not 8");
    shot("streaming", &mut stage);
    shot("streaming", &mut streaming(80, 24));
}

#[test]
fn many_are_supervised_at_once() {
    let mut stage = streaming(200, 60);
    stage.runs(1, 30, "bench.py", "print('bench')\n");
    let item = |text: &str, state| Item { text: text.into(), state };
    let items = vec![
        item("read the price table", Progress::Done),
        item("links in docs that moved", Progress::Doing),
        item("write the note for the change log", Progress::Open),
    ];
    stage.event(1.into(), Event::TodoChanged { call: 9.into(), items });
    stage.asks(write_question(1));
    stage.wait(1_000);
    shot("supervising", &mut stage);
    stage.key("esc");
    for key in ["F4", "F9", "/"] {
        stage.key(key);
    }
    stage.types("case_2");
    shot("output_alone", &mut stage);
}

#[test]
fn a_toast_pushes_away_neither_what_needs_you_nor_mode_nor_seal() {
    let long = "Left alone: docs/tabs.md was changed by another program, and nobody knows which.";
    for width in [40, 60, 80, 120, 200] {
        let mut stage = write_asks(width, 24);
        stage.state.place.seal = Some(Form::WithoutNamespaces);
        stage.state.status.say(long, stage.state.now.at);
        let screen = stage.screen();
        let last = screen.lines().last().unwrap().trim_matches('"').to_owned();
        assert!(last.starts_with(" ! 2 need you"), "{last}");
        assert!(last.contains("default · weaker seal"), "{last}");
        assert!(width < 60 || last.contains("Left alone:"), "{last}");
        assert!(width > 120 || last.contains('…') || width < 60, "{last}");
    }
}

#[test]
fn a_tiny_screen_says_what_waits() {
    for (width, expected) in
        [(38, "! 2 · footplate needs 40x10"), (20, "! 2 · needs 40x10"), (12, "needs 40x10")]
    {
        let screen = write_asks(width, 5).screen();
        assert_eq!(screen.lines().next().unwrap().trim_matches(['"', ' ']), expected);
    }
}

#[test]
fn results_that_are_no_success_say_so() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "main.py", "print(open('x').read())\n");
    stage.wait(200);
    let failed =
        json!({ "error": "failed", "message": "main.py ended with exit 1.\nFileNotFoundError: x" });
    let finish = |call: u128, name: &str, content| Event::CallFinished {
        call: call.into(),
        parent: None,
        origin: Origin::Model,
        result: result(name, false, content),
        decision: None,
    };
    stage.event(1.into(), finish(10, "execute_code", failed));
    let unknown = json!({ "error": "unknown_tool", "message": "There is no tool \"bash\" here. There is: execute_code." });
    stage.event(1.into(), finish(11, "bash", unknown));
    stage.event(1.into(), Event::ExchangeFinished {
        outcome: crate::kernel::event::Outcome::Failed {
            message: "Connection refused: api.anthropic.com:443.\nCheck the network and say \"go on\".".into(),
        },
    });
    stage.event(
        1.into(),
        Event::SessionResumed { notice: Some("A torn last line was cut.".into()) },
    );
    shot("failures", &mut stage);
}

#[test]
fn the_accent_is_for_what_needs_the_person_and_live_keys_alone() {
    let mut stage = write_asks(80, 24);
    let need = stage.state.look.style(Role::Need).fg.unwrap();
    let accented = |stage: &Stage| {
        let cells = stage.buffer().content.iter().filter(|cell| cell.fg == need);
        cells.map(|cell| cell.symbol()).filter(|symbol| *symbol != "━").collect::<String>()
    };
    assert_eq!(accented(&stage).replace(' ', ""), "waitsforyou!ynfNe!2needyou");
    stage.key("pgdn");
    stage.draw();
    let quiet = accented(&stage).replace(' ', "");
    assert_eq!(quiet, "waitsforyou!!2needyou", "a key has fallen: no letter is live");
}

#[test]
fn what_the_monitor_refused_in_a_run_has_a_line_there() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "main.py", LEX);
    let doubt = Doubt { tier: Tier::Hard, reason: "nobody asked for this host".into() };
    stage.refuses(1, 52, "https://docs.rs/logos", Decider::Monitor(doubt));
    shot("monitor_refused", &mut stage);
}

#[test]
fn what_a_rule_or_plan_mode_refused_in_a_run_has_a_line_there_though_the_script_hides_it() {
    let rule = Decider::Rule { rule: Box::new(Stage::new(80, 24).standing(1)[1].cited.clone()) };
    for (by, why) in [
        (rule, "Denied by the rule"),
        (Decider::Mode { mode: crate::kernel::spec::Mode::Plan }, "Plan mode changes nothing"),
    ] {
        let mut stage = Stage::new(120, 40);
        stage.at_work();
        stage.runs(1, 10, "main.py", LEX);
        stage.refuses(1, 52, "https://docs.rs/logos", by);
        let screen = stage.screen();
        assert!(screen.contains("EXTERNAL") && screen.contains(why), "{screen}");
    }
}
