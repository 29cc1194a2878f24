//! Every state of the screen in every size and with either set of signs.

use crate::{
    kernel::event::Event,
    tui::{
        stage::{LEX, Stage, code_question, program_question, write_question},
        state::look::Look,
        theme::{Depth, Marks, Theme},
        view,
    },
};

const SIZES: [(u16, u16); 16] = [
    (0, 0),
    (1, 1),
    (0, 10),
    (40, 0),
    (20, 5),
    (40, 10),
    (41, 11),
    (49, 10),
    (59, 14),
    (60, 15),
    (80, 1),
    (80, 24),
    (99, 29),
    (100, 30),
    (120, 40),
    (200, 60),
];

fn stories(agent: &str) -> Vec<(&'static str, Stage)> {
    let base = || {
        let mut stage = Stage::new(80, 24);
        stage.at_work();
        stage.runs(1, 10, "main.py", LEX);
        stage.session(2, &["fix-parser", agent], Some(1), "write cases\u{202e}");
        stage.event(
            1.into(),
            Event::ChildStarted {
                call: 10.into(),
                child: 2.into(),
                agent: agent.into(),
                task: "write cases\nand run them".into(),
            },
        );
        let text = "# Title\n\n- one\n\n| a | b |\n|---|---|\n| AGENT | x |\n\n```py\nprint(1)\n";
        stage.streams(1, &text.replace("AGENT", agent));
        stage
    };
    let asking = |question| {
        let mut stage = base();
        stage.asks(question);
        stage.wait(600);
        stage
    };
    let pressed = |mut stage: Stage, keys: &[&str]| {
        for key in keys {
            stage.key(key);
            stage.wait(600);
        }
        stage
    };
    let mut draft = base();
    draft.types(&format!("{agent} a long draft, "));
    let write = || asking(write_question(1));
    vec![
        ("first start", Stage::first_start(80, 24)),
        ("connect", pressed(Stage::first_start(80, 24), &["c"])),
        ("empty", Stage::new(80, 24)),
        ("at work", base()),
        ("draft", draft),
        ("write", write()),
        ("zoomed", pressed(write(), &["enter"])),
        ("because", pressed(write(), &["f", "x"])),
        ("wider", pressed(write(), &["end", "w"])),
        ("put off", pressed(write(), &["esc"])),
        ("program", asking(program_question(2, 2, &["fix-parser", "tests"]))),
        ("code", asking(code_question(3))),
        ("sessions", pressed(base(), &["F2", "down"])),
        ("waiting", pressed(write(), &["F3"])),
        ("output", pressed(base(), &["F4"])),
        ("output alone", pressed(base(), &["F4", "F9", "/", "x"])),
        ("transcript alone", pressed(base(), &["shift+tab", "F9"])),
        ("composer alone", pressed(base(), &["F9"])),
        ("question alone", pressed(write(), &["F9"])),
        ("away", {
            let mut stage = Stage::crew(80, 24);
            stage.looks_away();
            stage.much_happens();
            stage.is_back();
            pressed(stage, &["ctrl+n", "down"])
        }),
        ("log", {
            let mut stage = base();
            let fault = "No \u{202e}\nand a hint".to_owned();
            stage.send(crate::tui::message::Message::Came(crate::tui::message::Came::NotStarted(
                fault,
            )));
            pressed(stage, &["ctrl+l", "/", "n"])
        }),
        ("files", pressed(base(), &["ctrl+f", "x"])),
        ("file", {
            let mut stage = base();
            stage.planned = stage.written();
            let line = "\u{202e}\u{1b}[2J\ta long line, and then some more of it\n";
            let text = format!("{agent} {line}").repeat(900);
            stage.disk.write("/home/me/tally/src/lex.rs", text);
            pressed(stage, &["F5", "o", "/", "a"])
        }),
        ("a change in a file", {
            let mut stage = base();
            stage.planned = stage.written();
            stage.disk.write("/home/me/tally/src/lex.rs", "x\n");
            pressed(stage, &["F5", "o", "v"])
        }),
        ("sessions alone", pressed(base(), &["F2", "F9"])),
        ("help", pressed(write(), &["F1", "pgdn"])),
        ("mode", pressed(base(), &["F8", "end"])),
        ("stop", pressed(write(), &["F2", "s"])),
        ("script", pressed(write(), &["p"])),
        ("quit", pressed(base(), &["ctrl+q"])),
        ("transcript", pressed(base(), &["shift+tab", "shift+up", "enter", "home"])),
    ]
}

#[test]
fn no_size_of_the_window_is_too_much_for_any_state() {
    for (name, mut stage) in stories("全角-agent") {
        for (width, height) in SIZES {
            stage.resize(width, height);
            for key in ["down", "pgdn", "up", "home", "end", "shift+down"] {
                stage.key(key);
                stage.draw();
            }
            let drawn = &stage.state.drawn;
            assert_eq!((drawn.width, drawn.height), (width, height), "{name}");
        }
    }
}

#[test]
fn nothing_is_answered_begun_or_chosen_where_nothing_can_be_read() {
    for (name, mut stage) in stories("agent") {
        stage.resize(20, 5);
        stage.effects.clear();
        let open = stage.state.popup.is_some();
        for key in ["enter", "ctrl+s", "ctrl+t", "down", "enter", "ctrl+s"] {
            stage.key(key);
            stage.wait(600);
        }
        assert_eq!((&*stage.effects, stage.state.place.leave), (&[][..], None), "{name}");
        assert_eq!(stage.state.popup.is_some(), open, "{name}");
    }
}

#[test]
fn where_only_ascii_can_be_drawn_all_our_words_and_signs_are() {
    for (name, mut stage) in stories("agent") {
        stage.state.look = Look::new(Theme::dark(Depth::True), Marks::ascii());
        stage.wait(50);
        for (width, height) in [(30, 8), (40, 12), (80, 24), (120, 40), (200, 60)] {
            stage.resize(width, height);
            stage.wait(600);
            let screen = stage.screen();
            let title = view::title(&stage.state);
            let foreign = screen.chars().chain(title.chars()).find(|c| !c.is_ascii());
            assert_eq!(foreign, None, "{name} {width}x{height}\n{screen}");
        }
    }
}

#[test]
fn on_a_small_screen_who_writes_sees_what_they_write_and_how_to_answer() {
    let mut stage = Stage::new(40, 10);
    stage.at_work();
    stage.types("use 4, not 8");
    stage.asks(write_question(1));
    stage.wait(2_000);
    let screen = stage.screen();
    for words in ["use 4, not 8", "tab answers", "! 1"] {
        assert!(screen.contains(words), "{words}\n{screen}");
    }
    stage.key("y");
    stage.wait(600);
    assert!(stage.screen().contains("use 4, not 8y"), "{}", stage.screen());
    stage.key("tab");
    let screen = stage.screen();
    assert!(screen.contains("WRITE src/lex.rs") && !screen.contains("use 4"), "{screen}");
    stage.key("tab");
    let screen = stage.screen();
    assert!(screen.contains("use 4, not 8y") && screen.contains("tab answers"), "{screen}");
}
