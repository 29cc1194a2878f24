//! Interactive programs in the whole program, sealed where there is a seal.

use portable_pty::{PtySize, native_pty_system};
use serde_json::json;

use crate::{
    beside::{gone, mark, printed, running},
    support::{Place, of_type, runs, seals},
    terminal::App,
};

/// Python that opens a terminal, and looks at it until it shows something.
const SHOWS: &str = r#"
from footplate import terminal

def shows(id, wanted):
    for _ in range(600):
        read = terminal.read(id, quiet_ms=50, timeout_ms=500)
        if wanted in read["screen"] or not read["running"]:
            break
    assert wanted in read["screen"], read
    return read
"#;

#[test]
fn a_sealed_program_has_its_own_terminal_and_no_other() {
    if !seals() {
        return;
    }
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let another = native_pty_system().openpty(size).unwrap();
    let other = another.master.tty_name().unwrap();
    let place = Place::new();
    std::fs::write(place.work().join("at.py"), include_str!("seal/terminal.py")).unwrap();
    let code = format!(
        r#"{SHOWS}
id = terminal.open(["/usr/bin/python3", "at.py", "{other}"], rows=20, cols=70)["id"]
print(shows(id, "name?")["screen"])
terminal.send(id, text="ann\n")
shows(id, "hello ann")
terminal.send(id, keys=["ctrl-c"])
shows(id, "interrupted")
print(terminal.close(id)["running"])
"#,
        other = other.display(),
    );
    let model = place.script(&runs(&code));
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let lines = [
        "at True True",
        "own True True True",
        "typed refused",
        "another refused",
        "a new one refused",
        "the console refused",
        "a socket refused",
        "outside refused",
        "name?",
        "False",
        "",
    ];
    assert_eq!(printed(&place), lines.join("\n"));
}

#[test]
fn a_shell_has_its_jobs_and_is_gone_with_them_when_its_terminal_closes() {
    let mark = mark(11);
    for seal in ["workspace", "open"] {
        let place = Place::new();
        let code = format!(
            r#"{SHOWS}
id = terminal.open(["sh", "-i"], seal="{seal}", rows=30)["id"]
terminal.send(id, text="echo $((6 * 7)) $TERM\n")
shows(id, "42 xterm-256color")
terminal.send(id, text="sleep {mark} & echo at''work; sleep {mark}\n")
shows(id, "atwork")
terminal.send(id, keys=["ctrl-c"])
terminal.send(id, text="echo in''terrupted\n")
shows(id, "interrupted")
terminal.send(id, text="trap '' HUP TERM; setsid sleep {mark} & echo de''af\n")
shows(id, "deaf")
print(terminal.close(id)["note"], terminal.close(id)["running"])
"#
        );
        let model = place.script(&runs(&code));
        let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        assert_eq!(printed(&place), "It was stopped False\n", "{seal}");
        assert_eq!(running(&mark), Vec::<String>::new(), "{seal}");
    }
}

#[test]
fn who_is_asked_sees_the_keys_and_a_killed_host_leaves_no_terminal_behind() {
    let mark = mark(12);
    let code = format!(
        "from footplate import terminal\n\
         id = terminal.open(['sh', '-c', 'sleep {mark}; read x'])['id']\n\
         terminal.send(id, text='rm -r x\\n', keys=['ctrl-c'])\n"
    );
    let place = Place::new();
    let model = place.script(&runs(&code));
    let mut app = App::start(&place, (40, 120), &["--model", &model, "start it"]);
    if !seals() {
        app.asks("main.py");
        app.press("y");
    }
    app.asks("sleep");
    app.press("y");
    let asked = app.asks("rm -r x");
    assert!(asked.contains("text  rm -r x") && asked.contains("keys  enter, ctrl-c"), "{asked}");
    assert!(!running(&mark).is_empty());
    let pid = rustix::process::Pid::from_raw(app.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    drop(app);
    gone(&mark);

    let app = App::start(&place, (40, 120), &["--continue"]);
    app.wait_for("A program beside it ended with footplate: sh -c sleep");
    drop(app);
    let journal = place.journal();
    let told = of_type(&journal, "signal_received");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["what"]["ended"]["status"], json!(null));
}
