//! What the program does to a terminal that is not all its own, and what it leaves there.

use std::io::Read as _;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::json;

use crate::{
    support::{Place, of_type, runs},
    terminal::App,
};

const SMALL: (u16, u16) = (24, 80);

fn text(app: &App) -> String {
    String::from_utf8_lossy(&app.bytes()).into_owned()
}

#[test]
fn in_rows_the_conversation_stays_in_the_terminal_and_lists_have_the_window_for_a_while() {
    let place = Place::new();
    let answer = (0..40).map(|n| format!("Part {n} of it.\n\n")).collect::<String>();
    let model = place.script(&json!({ "turns": [{ "text": answer }] }));
    let mut app = App::start(&place, SMALL, &["--inline", "--model", &model, "say it"]);
    app.wait_until("the end above the composer", |screen| {
        let at = |words: &str| screen.find(words).unwrap_or_default();
        at("Part 39 of it.") > 0 && at("Part 39 of it.") < at("enter sends · ctrl+j")
    });
    assert!(!text(&app).contains("\x1b[?1049h"), "the other screen was not asked for");
    assert!(!text(&app).contains("\x1b[?1000h"), "the mouse is the terminal's");
    app.press("\x1bOQ");
    app.wait_for("━ sessions");
    app.press("\x1b");
    app.wait_until("the conversation", |screen| {
        screen.contains("Part 39 of it.") && !screen.contains("━ sessions")
    });
    app.press("\x11");
    assert!(app.ended().success());
    let screen = app.wait_for("All is kept.");
    let rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let last = rows.iter().position(|row| row.contains("Part 39 of it.")).unwrap();
    assert!(
        rows[last + 1..].iter().all(|row| row.is_empty() || row.contains("Carry on")),
        "{screen}"
    );
    let all = text(&app);
    assert_eq!(all.matches("Part 7 of it.").count(), 1, "each part is printed once");
    assert_eq!(all.matches("\x1b[?1049h").count(), all.matches("\x1b[?1049l").count());
}

#[test]
fn a_stopped_program_leaves_the_terminal_to_the_shell_and_comes_back_with_what_was_written() {
    for surface in ["", "--inline"] {
        let place = Place::new();
        let model = place.script(&runs("print('hi')"));
        let script = format!(
            "\"$FOOTPLATE\" {surface} --model {model}; echo \"[stopped]\"; read -r line; fg >/dev/null; \
             echo \"[ended $?]\""
        );
        let mut app = App::start_shell(&place, SMALL, &script);
        app.wait_for("enter sends");
        app.press("q");
        app.wait_for("› q");
        app.press("\x1a");
        app.wait_until("the shell", |screen| {
            screen.contains("[stopped]") && !screen.contains("› q")
        });
        app.press("go on\r");
        app.wait_for("› q");
        app.press("z");
        app.wait_for("› qz");
        app.press("\x11");
        app.wait_until("the shell again", |screen| {
            screen.contains("[ended 0]") && !screen.contains("› q")
        });
        app.ended();
        let all = text(&app);
        assert_eq!(all.matches("\x1b[?2004h").count(), 2, "{surface}");
        assert_eq!(all.matches("\x1b[?2004l").count(), 2, "{surface}");
    }
}

/// A terminal that goes away, as when its window is closed.
#[test]
fn a_window_that_is_closed_ends_the_program_and_what_it_runs_and_the_journal_is_whole() {
    let place = Place::new();
    let model = place.script(&runs("import time\nprint('asleep', flush=True)\ntime.sleep(600)\n"));
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_footplate"));
    command.env_clear();
    place.environment().into_iter().for_each(|(name, value)| command.env(name, value));
    command.cwd(place.work());
    command.args(["--mode", "auto", "--model", &model, "run it"]);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().unwrap();
    let (mut seen, mut chunk) = (String::new(), [0; 4096]);
    while !seen.contains("asleep") {
        let read = output.read(&mut chunk).unwrap();
        assert_ne!(read, 0, "it ended by itself: {seen}");
        seen.push_str(&String::from_utf8_lossy(&chunk[..read]));
    }
    drop(output);
    drop(pair.master);
    let status = child.wait().unwrap();
    assert!(!status.success());
    let journal = place.journal();
    assert_eq!(of_type(&journal, "call_started").len(), of_type(&journal, "call_finished").len());
}
