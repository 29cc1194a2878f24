//! The program in a real terminal: a question, the clock, a key.

use serde_json::{Value, json};

use crate::{
    support::{Place, of_type, runs, runs_open, seals},
    terminal::App,
};

const SMALL: (u16, u16) = (24, 80);
const LARGE: (u16, u16) = (40, 120);

const WRITES: &str =
    "from footplate import files\nfiles.write('a.txt', 'hello\\n')\nprint('wrote it')\n";

/// For how many seconds the clock on the screen stands, in the first minutes.
fn held(screen: &str) -> u64 {
    let said = screen.split_once("clock held ").map_or("", |(_, said)| said);
    let mut parts = said.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    let (minutes, seconds): (u64, u64) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    minutes * 60 + seconds
}

/// Lets the script itself run.
fn let_it_run(app: &mut App) {
    app.asks("EXECUTE");
    app.press("y");
}

#[test]
fn a_key_answers_the_question_and_the_clock_left_the_wait_out() {
    for size in [SMALL, LARGE] {
        let place = Place::new();
        let model = place.script(&runs_open(WRITES));
        let mut app = App::start(&place, size, &["--model", &model, "write it"]);
        let_it_run(&mut app);
        app.wait_until("the write", |screen| screen.contains("WRITE") && screen.contains("a.txt"));
        app.wait_until("a long wait", |screen| held(screen) >= 3);
        app.press("y");
        app.wait_for("That was all.");
        let journal = place.journal();
        let answered = of_type(&journal, "approval_answered");
        assert!(answered[1]["waited_ms"].as_u64().unwrap() >= 2_000);
        assert_eq!(answered[1]["waited_ms"], answered[1]["excluded_ms"]);
        let finished = of_type(&journal, "execution_finished");
        assert_eq!(finished[0]["status"], json!({ "how": "exited", "code": 0 }));
        // What it ran and what it waited are no more than the time there was.
        let at = |event: &Value| event["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        let [begun, over] = ["call_started", "call_finished"].map(|name| {
            let events = of_type(&journal, name);
            at(if name == "call_started" { events[0] } else { events[events.len() - 1] })
        });
        let [ran, waited] = ["ran_ms", "excluded_ms"].map(|of| finished[0][of].as_i64().unwrap());
        assert!(waited >= 2_000, "{journal:?}");
        assert!(
            ran + waited <= (over.as_millisecond() - begun.as_millisecond()) + 100,
            "{journal:?}"
        );
        assert_eq!(std::fs::read_to_string(place.work().join("a.txt")).unwrap(), "hello\n");
    }
}

#[test]
fn sealed_code_runs_unasked_and_only_its_effect_asks() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let model = place.script(&runs(WRITES));
    let mut app = App::start(&place, SMALL, &["--model", &model, "write it"]);
    app.asks("WRITE");
    app.press("y");
    let last = app.wait_for("That was all.");
    assert!(last.contains("default · sealed"), "{last}");
    let journal = place.journal();
    assert_eq!(of_type(&journal, "approval_requested").len(), 1);
    let started = of_type(&journal, "execution_started")[0];
    assert_eq!(started["seal"], "sealed");
    assert!(["full", "without-namespaces"].contains(&started["form"].as_str().unwrap()));
    assert_eq!(std::fs::read_to_string(place.work().join("a.txt")).unwrap(), "hello\n");
}

#[test]
fn what_is_typed_while_a_question_arrives_is_text_and_answers_nothing() {
    let place = Place::new();
    let model = place.script(&runs_open(WRITES));
    let mut app = App::start(&place, LARGE, &["--model", &model, "write it"]);
    app.press("any nay");
    app.wait_for("EXECUTE");
    app.press(" yn");
    app.paste("y");
    app.wait_until("all of it in the composer", |screen| screen.contains("any nay yny"));
    let journal = place.journal();
    assert!(of_type(&journal, "approval_answered").is_empty());
    assert!(!place.work().join("a.txt").exists());
}

#[test]
fn whatever_is_typed_pasted_or_clicked_while_questions_come_answers_nothing_and_stays() {
    let code = "from footplate import files\nimport concurrent.futures as c\n\
                with c.ThreadPoolExecutor() as pool:\n    \
                list(pool.map(lambda n: files.write(f'{n}.txt', 'x'), range(3)))\n";
    let place = Place::new();
    let model = place.script(&runs_open(code));
    let mut app = App::start(&place, LARGE, &["--model", &model, "write it"]);
    let_it_run(&mut app);
    app.wait_for("1 of 3");
    app.asks("WRITE");
    // A click that brings the window to the front, and letters right behind each other.
    app.press("\x1b[I\x1b[<0;40;30M\x1b[<0;40;30m");
    app.press("vane my envy/ n");
    app.paste("yes\ny");
    app.press("\x1b[<0;3;38M\x1b[<0;3;38m");
    app.press("y e m");
    app.wait_until("all of it in the composer", |screen| {
        screen.contains("vane my envy/ nyes") && screen.contains("yy e m")
    });
    app.press("\x07");
    app.press("n\x1b[I");
    app.wait_until("the last letter", |screen| screen.contains("yy e mn"));
    let journal = place.journal();
    assert_eq!(of_type(&journal, "approval_answered").len(), 1, "the script alone was allowed");
    assert!(!(0..3).any(|n| place.work().join(format!("{n}.txt")).exists()));
}

#[test]
fn ctrl_j_is_a_new_line_and_sends_nothing() {
    let place = Place::new();
    let model = place.script(&runs("print('hi')"));
    let mut app = App::start(&place, SMALL, &["--model", &model]);
    app.wait_for("Say what you want done");
    app.press("one\ntwo");
    app.wait_until("two lines", |screen| screen.contains("› one") && screen.contains("   two"));
    assert!(place.journals().is_empty(), "nothing was begun");
}

#[test]
fn a_call_is_edited_in_an_editor_and_runs_as_it_was_left_there() {
    let place = Place::new();
    let editor = place.work().join("editor");
    let script = "sed -i s/hello/edited/ \"$1\"\nprintf 'the editor is here'\nread -r line\n";
    std::fs::write(&editor, script).unwrap();
    let run = format!("/bin/sh {}", editor.display());
    let place = place.with(&[("EDITOR", &run)]);
    let model = place.script(&runs_open(WRITES));
    let mut app = App::start(&place, SMALL, &["--model", &model, "write it"]);
    let_it_run(&mut app);
    app.asks("WRITE");
    app.press("e");
    app.wait_for("0 of 2 changed");
    app.press("\x1bo");
    app.wait_for("the editor is here");
    app.press("\r");
    app.wait_for("1 of 2 changed");
    app.press("\x13");
    app.wait_for("That was all.");
    assert_eq!(std::fs::read_to_string(place.work().join("a.txt")).unwrap(), "edited\n");
    let journal = place.journal();
    let asked = &of_type(&journal, "approval_requested")[1]["question"]["call"]["input"];
    let started = of_type(&journal, "call_started");
    assert_eq!(asked["text"], "hello\n");
    assert_eq!(started.last().unwrap()["call"]["input"]["text"], "edited\n");
}

#[test]
fn no_with_words_reaches_the_model_and_nothing_is_written() {
    let place = Place::new();
    let code = "import footplate\nfrom footplate import files\ntry:\n    files.write('a.txt', 'x')\n\
                except footplate.Denied as no:\n    print('told:', no)\n";
    let model = place.script(&runs_open(code));
    let mut app = App::start(&place, LARGE, &["--model", &model, "write it"]);
    let_it_run(&mut app);
    app.asks("WRITE");
    app.press("f");
    app.wait_for("The model reads this");
    app.press("not that name");
    app.rests("not that name");
    app.press("\r");
    app.wait_for("That was all.");
    assert!(!place.work().join("a.txt").exists());
    let journal = place.journal();
    let result = &of_type(&journal, "call_finished").last().unwrap()["result"];
    assert!(result["content"].as_str().unwrap().contains("not that name"));
}

/// Every mode a terminal can be left in that this program may set.
fn undone(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for mode in ["1049", "2004", "1004", "1000", "1002", "1003", "1006"] {
        let set = text.rfind(&format!("\x1b[?{mode}h"));
        let reset = text.rfind(&format!("\x1b[?{mode}l"));
        assert!(reset >= set, "mode {mode} was left on");
    }
    assert!(text.rfind("\x1b[?25h") >= text.rfind("\x1b[?25l"), "the cursor was left hidden");
}

#[test]
fn the_terminal_is_whole_after_a_quit_and_after_every_signal() {
    use rustix::process::{Pid, Signal, kill_process};

    for signal in [None, Some(Signal::TERM), Some(Signal::HUP), Some(Signal::INT)] {
        let place = Place::new();
        let model = place.script(&runs("print('hi')"));
        let mut app = App::start(&place, LARGE, &["--model", &model]);
        app.wait_for("Say what you want done");
        match signal {
            None => app.press("\x11"),
            Some(signal) => {
                let pid = Pid::from_raw(app.pid().cast_signed()).unwrap();
                kill_process(pid, signal).unwrap();
            }
        }
        let status = app.ended();
        assert_eq!(status.success(), signal.is_none(), "{signal:?}: {status:?}");
        undone(&app.bytes());
    }
}

#[test]
fn a_wild_resize_with_a_question_open_ends_in_the_same_screen_as_a_fresh_one() {
    let place = Place::new();
    let model = place.script(&runs_open(WRITES));
    let mut app = App::start(&place, LARGE, &["--model", &model, "write it"]);
    app.wait_until("a question", |screen| screen.contains("y yes, once"));
    for size in [(5, 20), (1, 1), (1, 80), (10, 49), (60, 200), (2, 5), SMALL] {
        app.resize(size);
    }
    app.wait_until("the question again", |screen| {
        screen.contains("EXECUTE") && screen.contains("y yes, once")
    });
    let_it_run(&mut app);
    app.wait_for("WRITE");
}

#[test]
fn without_a_model_the_tour_is_one_enter_away_and_says_that_a_script_plays() {
    let place = Place::new();
    let mut app = App::start(&place, SMALL, &[]);
    app.wait_until("the first start", |screen| {
        screen.contains("ANTHROPIC_API_KEY") && screen.contains("tour")
    });
    app.press("\r");
    app.wait_for("script");
    app.wait_for("y yes, once");
    assert_eq!(std::fs::read_dir(place.work()).unwrap().count(), 0, "the workspace is not touched");
}
