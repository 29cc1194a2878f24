//! The composer in a real terminal: files by a few letters, Python by hand, words at the next step, a
//! draft that is there again.

use serde_json::json;

use crate::{
    support::{Place, of_type, runs_open, seals},
    terminal::App,
};

const SMALL: (u16, u16) = (24, 80);

#[test]
fn a_file_is_named_by_a_few_letters_and_a_draft_is_there_at_the_next_start() {
    let place = Place::new();
    std::fs::create_dir(place.work().join("src")).unwrap();
    for (name, text) in [("src/lexer.rs", ""), ("built.log", ""), (".gitignore", "*.log\n")] {
        std::fs::write(place.work().join(name), text).unwrap();
    }
    let model = place.script(&json!({ "turns": [{ "text": "That was all." }] }));
    let mut app = App::start(&place, SMALL, &["--model", &model, "begin"]);
    app.wait_for("That was all.");
    app.press("look at @lex");
    app.rests("▌ src/lexer.rs");
    app.press("\r");
    let screen = app.wait_until("its name", |screen| screen.contains("look at @src/lexer.rs"));
    assert!(!screen.contains("built.log"), "{screen}");
    // Quit, and nothing was sent.
    app.press("\x11");
    app.ended();
    assert_eq!(of_type(&place.journal(), "message_sent").len(), 1);
    let app = App::start(&place, SMALL, &["--continue"]);
    app.wait_until("the draft", |screen| screen.contains("› look at @src/lexer.rs"));
}

#[test]
fn python_by_hand_runs_through_the_gate_and_words_reach_the_next_step() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let model = place.script(&runs_open("print('by the model')"));
    let mut app = App::start(&place, SMALL, &["--model", &model, "begin"]);
    app.asks("EXECUTE");
    // The question waits meanwhile; the composer has the keys.
    app.press("\t");
    app.rests("tab answers");
    app.press("! print(6 * 7)");
    app.rests("enter runs it as Python");
    app.press("\r");
    app.wait_until("what it printed", |screen| {
        screen.contains("by_hand.py") && screen.contains("42")
    });
    app.press("use four");
    app.rests("› use four");
    app.press("\x13");
    app.wait_for("at the next step");
    app.press("\t");
    app.asks("EXECUTE");
    app.press("y");
    app.wait_for("That was all.");
    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    let by = |who: &str| finished.iter().filter(|event| event["origin"]["from"] == who).count();
    assert_eq!((by("person"), by("model")), (1, 1));
    let place_of = |kind: &str, nth: usize| {
        let all = journal.iter().enumerate().filter(|(_, event)| event["type"] == kind);
        all.map(|(at, _)| at).nth(nth).unwrap()
    };
    assert!(place_of("message_sent", 1) > place_of("call_finished", 1));
    assert!(place_of("message_sent", 1) < place_of("turn_started", 1));
}

#[test]
fn a_long_text_that_the_terminal_does_not_mark_is_there_in_full_with_no_key_behind_it() {
    let place = Place::new();
    let model = place.script(&json!({ "turns": [{ "text": "That was all." }] }));
    let mut app = App::start(&place, SMALL, &["--model", &model]);
    app.wait_for("enter sends");
    app.press(&"some words ".repeat(5_800));
    app.wait_for("[pasted 63,800 bytes]");
    // Half of a sequence, and half of a paste, keep no key back.
    app.press("\x1b[");
    app.rests("[pasted 63,800 bytes]");
    app.press("\x1b[200~half of it");
    app.rests("half of it");
    app.press("\x11");
    assert_eq!(app.ended().exit_code(), 0);
}
