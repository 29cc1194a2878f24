//! What is around a session and goes wrong: the disk, the home, another program, the folder. Each is
//! said plainly, with a way on, and nothing is lost.

use std::{
    fs,
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Place, Ran, of_type, runs};

/// Two short lines on standard error and nothing that looks like a crash.
fn said(ran: &Ran, code: i32, words: &[&str]) {
    let stderr = ran.stderr();
    assert_eq!(ran.code(), code, "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} in {stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
}

/// A shell that may mount things which nobody else sees; absent, and said, where that is refused.
fn mounting(place: &Place, script: &str) -> Option<Ran> {
    let unshare = |words: &[&str], script: &str| {
        let mut command = Command::new("unshare");
        command.args(words).args(["sh", "-euc", script]);
        command.env_clear().envs(place.environment()).current_dir(place.work());
        command.env("FOOTPLATE", env!("CARGO_BIN_EXE_footplate"));
        command.stdin(Stdio::null()).output().ok()
    };
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    let can = |way: &&&[&str]| {
        let tried = unshare(way, "mount -t tmpfs -o size=64k none \"$FOOTPLATE_HOME\"");
        tried.is_some_and(|tried| tried.status.success())
    };
    let Some(way) = ways.iter().find(can) else {
        let _ = std::io::stderr().write_all(b"not tried here: what needs a mount of its own\n");
        return None;
    };
    unshare(way, script).map(Ran)
}

/// The part of what a shell printed between two marks.
fn part<'a>(text: &'a str, mark: &str) -> &'a str {
    let start = text.find(mark).unwrap_or_else(|| panic!("{mark} in {text}")) + mark.len();
    text[start..].split("\n== ").next().unwrap().trim()
}

#[test]
fn a_full_disk_is_said_at_once_nothing_half_is_kept_and_with_room_it_goes_on() {
    let place = Place::new();
    let long = "a long answer of many words. ".repeat(40_000);
    let model = place.script(&json!({ "turns": [
        { "text": "First." }, { "text": long }, { "text": "Third." }, { "text": "Fourth." },
    ] }));
    // Longer than what may be left of a last block.
    let three = "three".repeat(4000);
    // Full while it speaks, then full before it is asked, then with room again.
    let script = format!(
        "mount -t tmpfs -o size=400k none \"$FOOTPLATE_HOME\"
         cd \"$PWD\"
         fp() {{ \"$FOOTPLATE\" exec \"$@\" >/dev/null 2>\"$FOOTPLATE_ERR\" && r=0 || r=$?
                 echo \"== $r\"; cat \"$FOOTPLATE_ERR\"; }}
         FOOTPLATE_ERR=\"$HOME/err\"
         fp --model {model} one
         fp --continue two
         dd if=/dev/zero of=\"$FOOTPLATE_HOME/filler\" bs=1k 2>/dev/null || true
         fp --continue {three}
         \"$FOOTPLATE\" sessions list >/dev/null && echo '== listed'
         rm \"$FOOTPLATE_HOME/filler\"
         mount -o remount,size=4m \"$FOOTPLATE_HOME\"
         fp --continue four
         echo '== journal'
         cat \"$FOOTPLATE_HOME\"/data/sessions/*/journal.jsonl"
    );
    let Some(ran) = mounting(&place, &script) else { return };
    let text = ran.stdout();
    assert_eq!(ran.code(), 0, "{text}{}", ran.stderr());
    let mut ends = text.split("== ").skip(1);
    assert!(ends.next().unwrap().starts_with('0'), "{text}");
    for full in [ends.next().unwrap(), ends.next().unwrap()] {
        assert!(full.starts_with('1'), "{full}");
        assert!(full.contains(" space") && full.contains("ake room on that disk"), "{full}");
        assert!(!full.contains("panicked"), "{full}");
    }
    assert!(ends.next().unwrap().starts_with("listed"), "{text}");
    assert!(ends.next().unwrap().starts_with('0'), "{text}");
    let journal: Vec<Value> =
        part(&text, "== journal").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers = journal.iter().map(|line| line["seq"].as_u64().unwrap());
    assert!(numbers.eq(0..journal.len() as u64), "no gap and nothing half");
    let words: Vec<_> =
        of_type(&journal, "message_sent").iter().map(|it| it["text"].clone()).collect();
    assert_eq!(words, ["one", "two", "four"], "what was not recorded did not happen");
}

#[test]
fn a_home_that_cannot_be_written_is_said_and_what_is_there_can_be_read() {
    let place = Place::new();
    let model = place.script(&json!({ "turns": [{ "text": "First." }, { "text": "Second." }] }));
    assert_eq!(place.run(&["exec", "--model", &model, "one"]).code(), 0);
    let script = format!(
        "mount --bind \"$FOOTPLATE_HOME\" \"$FOOTPLATE_HOME\"
         mount -o remount,ro,bind \"$FOOTPLATE_HOME\"
         fp() {{ \"$FOOTPLATE\" \"$@\" >\"$HOME/out\" 2>\"$HOME/err\" && r=0 || r=$?
                 echo \"== $r\"; cat \"$HOME/err\" \"$HOME/out\"; }}
         fp exec --model {model} new
         fp exec --continue on
         fp sessions delete one --yes
         fp sessions list
         fp sessions search one
         fp sessions export \"$(ls \"$FOOTPLATE_HOME/data/sessions\")\""
    );
    let Some(ran) = mounting(&place, &script) else { return };
    let text = ran.stdout();
    let ends: Vec<_> = text.split("== ").skip(1).collect();
    for refused in &ends[..2] {
        assert!(refused.starts_with('1'), "{refused}");
        assert!(refused.contains("Read-only file system"), "{refused}");
        assert!(refused.contains("make it readable and writable"), "{refused}");
        assert!(!refused.contains("panicked"), "{refused}");
    }
    for (read, words) in ends[3..].iter().zip(["one", "said", "## 1. Said at"]) {
        assert!(read.starts_with('0') && read.contains(words), "{read}");
    }
}

/// A session that is held by a program which waits.
struct Held {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    id: String,
}

fn held(place: &Place) -> Held {
    let model = place.script(&runs("import time\nprint('waits', flush=True)\ntime.sleep(600)\n"));
    let mut command = place.footplate();
    command.args(["exec", "--json", "--mode", "auto", "--model", &model, "go"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains(r#""type":"output_written""#)));
    let id = place.journal()[0]["session"].as_str().unwrap().to_owned();
    Held { child, lines, id }
}

#[test]
fn a_session_that_is_open_elsewhere_is_not_written_and_a_copy_of_it_goes_on() {
    let place = Place::new();
    let Held { mut child, lines, id } = held(&place);
    let number = child.id().to_string();
    let open = place.run(&["exec", "--continue", "me too"]);
    said(&open, 1, &["is open in another footplate", &number, "sessions fork"]);
    assert!(!open.stderr().contains("stopped"), "{}", open.stderr());

    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::STOP).unwrap();
    rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::UNTRACED).unwrap();
    let stopped = place.run(&["exec", "--resume", &id, "me too"]);
    said(&stopped, 1, &["is open in another footplate", &number, "stopped", "fg"]);
    let fork = place.run(&["sessions", "fork", &id]);
    assert_eq!(fork.code(), 0, "{}", fork.stderr());
    let on = place.run(&["exec", "--resume", fork.stdout().trim(), "go on"]);
    assert_eq!(on.code(), 0, "{}", on.stderr());
    let journals = place.journals();
    let copy = &journals[1];
    assert_eq!(of_type(copy, "call_started").len(), of_type(copy, "call_finished").len());
    assert_eq!(of_type(&journals[0], "message_sent").len(), 1);

    // Killed while it stands still: nothing holds the session any more.
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);
    let on = place.run(&["exec", "--resume", &id, "go on"]);
    assert_eq!(on.code(), 0, "{}", on.stderr());
}

#[test]
fn a_session_whose_folder_moved_is_never_carried_on_elsewhere_unasked() {
    let place = Place::new();
    let model = place.script(&json!({ "turns": [
        { "text": "First." },
        { "text": "I look.", "calls": [{ "name": "execute_code", "arguments":
            { "code": "from footplate import files\nfiles.write('here.txt', 'x')\n" } }] },
        { "text": "Here it is." },
    ] }));
    let home = place.work().parent().unwrap().to_owned();
    let (old, new) = (home.join("project"), home.join("moved"));
    fs::create_dir(&old).unwrap();
    let old_words = old.to_str().unwrap();
    let new_words = new.to_str().unwrap();
    let first = place.run(&["exec", "-C", old_words, "--mode", "auto", "--model", &model, "one"]);
    assert_eq!(first.code(), 0, "{}", first.stderr());
    let id = place.journal()[0]["session"].as_str().unwrap().to_owned();
    let before = place.journal();

    fs::rename(&old, &new).unwrap();
    let way = ["cannot work in", old_words, "put it back", "sessions fork"];
    said(&place.run(&["exec", "--resume", &id, "two"]), 1, &way);
    said(&place.run(&["exec", "-C", new_words, "--resume", &id, "two"]), 1, &way);
    // Another project stands there now, by a link.
    std::os::unix::fs::symlink(&new, &old).unwrap();
    said(
        &place.run(&["exec", "--resume", &id, "two"]),
        1,
        &["a link stands in its place", new_words],
    );
    assert_eq!(place.journal(), before, "nothing was written");

    let fork = place.run(&["-C", new_words, "sessions", "fork", &id]);
    assert_eq!(fork.code(), 0, "{}", fork.stderr());
    let on = place.run(&["exec", "--resume", fork.stdout().trim(), "two"]);
    assert_eq!(on.code(), 0, "{}", on.stderr());
    assert!(new.join("here.txt").exists());
}
