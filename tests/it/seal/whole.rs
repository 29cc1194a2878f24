//! Sealed code in the whole program: it runs unasked, and changes nothing.

use std::path::Path;

use serde_json::{Value, json};

use super::{all_below, picture};
use crate::{
    support::{Place, Ran, of_type, runs, seals},
    terminal::App,
};

fn exec(place: &Place, mode: &str, code: &str) -> Ran {
    let model = place.script(&runs(code));
    place.run(&["exec", "--model", &model, "--mode", mode])
}

/// What the last script of the one session came to.
fn result(place: &Place) -> Value {
    let journal = place.journal();
    of_type(&journal, "call_finished").last().unwrap()["result"]["content"].clone()
}

fn pictures(place: &Place) -> Vec<String> {
    [place.work(), place.user()].iter().flat_map(|root| picture(&all_below(root))).collect()
}

#[test]
fn with_nobody_to_ask_sealed_code_reads_and_computes_and_writes_nothing() {
    if !seals() {
        return;
    }
    let place = Place::new();
    std::fs::write(place.work().join("numbers"), "20 22").unwrap();
    let ran = exec(&place, "default", "print(sum(map(int, open('numbers').read().split())))");
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(result(&place), json!("42\n"));

    let place = Place::new();
    let ran = exec(&place, "default", "open('numbers', 'w').write('1')");
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let refused = result(&place)["message"].as_str().unwrap().to_owned();
    let words = ["Read-only file system: 'numbers'", "Permission denied: 'numbers'"];
    assert!(words.iter().any(|word| refused.contains(word)), "{refused}");
    assert!(all_below(&place.work()).len() == 1, "nothing was made");
}

#[test]
fn what_whoever_started_the_host_had_open_reaches_no_script() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let secret = place.user().join("notes");
    std::fs::write(&secret, "as it was").unwrap();
    let model = place.script(&runs("import os\nfor fd in (8, 9): os.write(fd, b'changed')"));
    let script = format!(
        "exec 8>>{0} 9<>{0}; exec {1} exec --model {model} --mode default",
        secret.display(),
        env!("CARGO_BIN_EXE_footplate"),
    );
    let started = std::process::Command::new("sh")
        .args(["-c", &script])
        .env_clear()
        .envs(place.environment())
        .current_dir(place.work())
        .output()
        .unwrap();
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    let said = result(&place)["message"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains("Bad file descriptor"), "{said}");
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "as it was");
}

/// Ways to write that are no call of the host, and one that is.
const WRITES: &str = r#"
import mmap, os, pathlib, sqlite3, subprocess, footplate
from footplate import files

def attempt(name, deed):
    try:
        deed()
        print(name, "DONE")
    except (OSError, sqlite3.Error, subprocess.CalledProcessError, footplate.Blocked) as error:
        print(name, "refused", type(error).__name__)

def truncated():
    os.close(os.open("kept", os.O_WRONLY | os.O_TRUNC))

def mapped():
    with open("kept", "r+b") as file:
        mmap.mmap(file.fileno(), 0)[0:1] = b"x"

def inherited():
    with open("kept") as file, open(f"/proc/self/fd/{file.fileno()}", "w") as again:
        again.write("changed")

def redirected(target):
    subprocess.run(["sh", "-c", f"echo x > {target}"], check=True, stderr=subprocess.DEVNULL)

attempt("open", lambda: open("x", "w"))
attempt("truncate", truncated)
attempt("pathlib", lambda: pathlib.Path("x").write_text("x"))
attempt("sqlite", lambda: sqlite3.connect("x.db").execute("create table t(a)"))
attempt("rename", lambda: os.rename("kept", "moved"))
attempt("mkdir", lambda: os.mkdir("x"))
attempt("unlink", lambda: os.unlink("kept"))
attempt("mmap", mapped)
attempt("a descriptor", inherited)
attempt("a shell", lambda: redirected("x"))
attempt("a shell at home", lambda: redirected(HOME + "/x"))
attempt("home", lambda: open(HOME + "/.profile", "a"))
attempt("tmp", lambda: open("/tmp/footplate-plan", "w"))
attempt("the host", lambda: files.write("x", "x"))
"#;

#[test]
fn in_plan_mode_no_script_changes_the_workspace_or_the_home() {
    if !seals() {
        return;
    }
    let place = Place::new();
    std::fs::write(place.work().join("kept"), "kept").unwrap();
    std::fs::write(place.user().join(".profile"), "kept").unwrap();
    let before = pictures(&place);
    let ran = exec(&place, "plan", &format!("HOME = {:?}\n{WRITES}", place.user()));
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(pictures(&place), before);
    let said = result(&place);
    let said: Vec<_> = said.as_str().unwrap_or_else(|| panic!("{said}")).lines().collect();
    assert_eq!(said.len(), 14, "{said:#?}");
    let done: Vec<_> = said.iter().filter(|line| !line.contains(" refused ")).collect();
    assert!(done.is_empty(), "{done:#?}");
}

#[test]
fn in_plan_mode_the_hostile_program_changes_nothing_either() {
    if !seals() {
        return;
    }
    let place = Place::new();
    for (file, text) in [("work/file", "kept"), ("work/.git/config", "kept"), ("user/file", "kept")]
    {
        let file = place.work().with_file_name("").join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let before = pictures(&place);
    let code = format!(
        "import os, sys\nsys.argv[1:] = [{:?}, {:?}, os.environ['TMPDIR'], '1', '/gone', '0']\n\
         os.environ.update(LEVEL='sealed', FORM='without-namespaces')\n{}",
        place.user(),
        place.work(),
        include_str!("hostile.py"),
    );
    let ran = exec(&place, "plan", &code);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(pictures(&place), before);
    let said = result(&place);
    assert!(said.as_str().is_some_and(|said| said.lines().count() > 60), "{said}");
}

const SURROUNDINGS: &str = r#"
import os, sys
fixed = {name: value for name, value in os.environ.items()
         if name not in ("FOOTPLATE_FD", "FOOTPLATE_RUN")}
text = "\n".join(f"{name}={fixed[name]}" for name in sorted(fixed)) + "\n" + "\n".join(sys.path)
print(text.replace(os.environ["TMPDIR"], "SCRATCH"))
print(sys.flags, sys.stdout.encoding, sys.prefix, "é")
"#;

#[test]
fn what_stands_in_the_environment_of_the_host_reaches_no_script() {
    let seen = |hostile: bool| {
        let place = Place::new();
        let shadow = place.work().join("shadow");
        std::fs::create_dir(&shadow).unwrap();
        std::fs::write(shadow.join("os.py"), "raise SystemExit('shadowed')").unwrap();
        let model = place.script(&runs(SURROUNDINGS));
        let mut command = place.footplate();
        command.args(["exec", "--model", &model, "--mode", "auto"]);
        if hostile {
            command.envs([
                ("PYTHONPATH", &*shadow),
                ("PYTHONSTARTUP", &shadow.join("os.py")),
                ("PYTHONHOME", Path::new("/nonexistent")),
                ("VIRTUAL_ENV", &shadow),
                ("CONDA_PREFIX", &shadow),
                ("UV_PROJECT", &shadow),
                ("UV_PYTHON", &shadow),
                ("LD_PRELOAD", Path::new("/nonexistent/preloaded.so")),
            ]);
            command.envs([
                ("PYTHONWARNINGS", "error"),
                ("PYTHONIOENCODING", "ascii"),
                ("LC_ALL", "C"),
                ("GITHUB_TOKEN", "a secret"),
                ("AWS_SECRET_ACCESS_KEY", "a secret"),
                ("SSH_AUTH_SOCK", "/nonexistent/agent"),
            ]);
        }
        let ran = Ran(command.output().unwrap());
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        let said = result(&place);
        let said = said.as_str().unwrap_or_else(|| panic!("{said}")).to_owned();
        assert!(said.ends_with("é\n") && !said.contains("secret"), "{said}");
        let root = place.work().canonicalize().unwrap();
        said.replace(root.parent().unwrap().to_str().unwrap(), "PLACE")
    };
    pretty_assertions::assert_eq!(seen(true), seen(false));
}

/// What wants something from the person's terminal, or has it.
const TERMINAL: &str = r#"
import getpass, os, subprocess, sys

def attempt(name, deed):
    try:
        print(name, repr(deed()))
    except (EOFError, OSError) as error:
        print(name, type(error).__name__)

attempt("input", input)
attempt("read", sys.stdin.read)
attempt("password", lambda: getpass.getpass(stream=sys.stderr))
try:
    print("tty", open("/dev/tty"))
except OSError:
    print("tty refused")
attempt("readline", lambda: __import__("readline") and None)
attempt("foreground", lambda: os.tcsetpgrp(2, os.getpgrp()))
for program in (["less", __file__], ["ssh", "nobody@127.0.0.1"], ["stty", "-echo"]):
    try:
        done = subprocess.run(program, capture_output=True, timeout=300)
        print(program[0], "ended")
    except FileNotFoundError:
        print(program[0], "ended")
"#;

#[test]
fn a_script_gets_no_key_and_no_terminal_while_the_person_types() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let model = place.script(&runs(TERMINAL));
    let mut app = App::start(&place, (24, 80), &["--model", &model, "go"]);
    for letter in "every letter of mine".chars() {
        app.press(&letter.to_string());
    }
    app.wait_for("That was all.");
    app.press(" stays");
    app.wait_for("› every letter of mine stays");
    let said = result(&place);
    let expected = "input EOFError\nread ''\npassword EOFError\ntty refused\nreadline None\n\
                    foreground OSError\nless ended\nssh ended\nstty ended\n";
    assert_eq!(said, json!(expected));
}

/// Says far more at once than anybody may, and then an ordinary word.
const FLOOD: &str = r#"
import os, socket
from footplate import files

channel = socket.socket(fileno=os.dup(int(os.environ["FOOTPLATE_FD"].split(":")[0])))

def connect():
    ours, theirs = socket.socketpair()
    socket.send_fds(channel, [b"connect"], [theirs.fileno()])
    theirs.close()
    ours.settimeout(300)
    return ours

def answer(end):
    said = b""
    try:
        while part := end.recv(1 << 16):
            said += part
    except OSError:
        pass
    return said

call = b'{"id":%d,"name":"files.read","input":{"path":"kept"}}\n'
flood = connect()
try:
    for start in range(0, 100_000, 1000):
        flood.sendall(b"".join(call % number for number in range(start, start + 1000)))
except OSError:
    pass
print("calls", b"at once" in answer(flood))
for half in (b"\x00\xff garbage\n", b'{"id":1', b"[]\n", b"\n" * 1000):
    end = connect()
    end.sendall(half)
    end.shutdown(socket.SHUT_WR)
    print("garbage", answer(end)[:9])
print(files.read("kept"))
"#;

#[test]
fn a_hundred_thousand_calls_at_once_are_refused_plainly_and_the_next_one_is_answered() {
    if !seals() {
        return;
    }
    let place = Place::new();
    std::fs::write(place.work().join("kept"), "kept").unwrap();
    let ran = exec(&place, "default", FLOOD);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let expected = "calls True\ngarbage b'{\"fault\":'\ngarbage b''\ngarbage b'{\"fault\":'\n\
                    garbage b'{\"fault\":'\nkept\n";
    assert_eq!(result(&place), json!(expected));
}
