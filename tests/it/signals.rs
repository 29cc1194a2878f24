//! Somebody wants the program to end: what goes on is ended and recorded first.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::time::Instant;

use crate::support::{PATIENCE, Place, of_type, runs};

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Another process makes it hold, and tells nobody.
fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::yield_now();
    }
}

fn is_there(pid: &str) -> bool {
    let words = std::fs::read(Path::new("/proc").join(pid.trim()).join("cmdline"));
    words.is_ok_and(|words| !words.is_empty())
}

#[test]
fn a_signal_ends_an_exec_and_its_agents_and_leaves_nothing_open() {
    let sleep = "import os, time\nprint(os.getpid(), file=open('pid', 'w'), flush=True)\n\
                 print('asleep', flush=True)\ntime.sleep(600)\n";
    let mut script = runs("from footplate import agents\nagents.run('sleep', name='one')\n");
    script["agents"] = json!({ "one": { "turns": [
        { "calls": [{ "name": "execute_code", "arguments": { "code": sleep, "seal": "open" } }] },
        { "text": "Slept." },
    ] } });
    for number in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = Place::new();
        let model = place.script(&script);
        let arguments = ["exec", "--model", &model, "--mode", "auto", "--json"];
        let mut child = place.footplate().args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains(r#""type":"output_written""#) {
            line.clear();
            assert_ne!(printed.read_line(&mut line).unwrap(), 0, "it ended before the agent ran");
        }
        signal(&child, number);
        printed.read_to_string(&mut line).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let pid = std::fs::read_to_string(place.work().join("pid")).unwrap();
        until("it is gone", || !is_there(&pid));
        let journals = place.journals();
        assert_eq!(journals.len(), 2);
        for journal in &journals {
            let count = |name| of_type(journal, name).len();
            assert_eq!(count("call_started"), count("call_finished"));
            let outcome = &of_type(journal, "exchange_finished")[0]["outcome"];
            assert_eq!(outcome["result"], "stopped");
        }
        assert_eq!(journals[1].last().unwrap()["type"], "session_finished");
    }
}

#[test]
fn a_signal_is_heard_while_nobody_reads_what_is_printed() {
    let place = Place::new();
    let model = place.script(&json!({ "turns": [{ "text": "word ".repeat(100_000) }] }));
    let arguments = ["exec", "--model", &model, "--json"];
    let mut child = place.footplate().args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let unread = child.stdout.take();
    let journal = || -> Option<String> {
        let session = std::fs::read_dir(place.home().join("data/sessions")).ok()?.next()?.ok()?;
        std::fs::read_to_string(session.path().join("journal.jsonl")).ok()
    };
    until("the end of the exchange", || {
        journal().is_some_and(|text| text.contains(r#""type":"exchange_finished""#))
    });
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(unread);
}

#[test]
fn a_call_by_hand_that_is_stopped_is_recorded_as_cut_off() {
    let place = Place::new();
    let input = json!({ "argv": ["sh", "-c", "echo $$ > pid; exec sleep 600"] }).to_string();
    let arguments = ["--tool", "process.run", "--tool-input", &input, "--mode", "auto"];
    let mut child = place.footplate().args(arguments).spawn().unwrap();
    let pid = || std::fs::read_to_string(place.work().join("pid")).unwrap_or_default();
    until("the program runs", || pid().ends_with('\n'));
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    until("it is gone", || !is_there(&pid()));
    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    assert_eq!(finished[0]["result"]["content"]["error"], "interrupted");
}

/// The program with that done about the signal to quit, whoever started the tests: a shell that starts
/// something in the background has it ignored from birth.
fn quit_is(place: &Place, disposition: &str, arguments: &[&str]) -> Command {
    let begin = format!(
        "import os, signal, sys\nsignal.signal(signal.SIGQUIT, signal.{disposition})\n\
         os.execv(sys.argv[1], sys.argv[1:])"
    );
    let mut command = Command::new("python3");
    command.args(["-c", &begin, env!("CARGO_BIN_EXE_footplate")]).args(arguments);
    command.env_clear().envs(place.environment()).current_dir(place.work());
    command
}

#[test]
fn a_quit_that_the_starter_has_ignored_ends_nothing_and_what_runs_hears_it_all_the_same() {
    let place = Place::new();
    let code = "import signal\nprint(signal.getsignal(signal.SIGQUIT).name, flush=True)\n\
                import time\ntime.sleep(600)\n";
    let model = place.script(&runs(code));
    let arguments = ["exec", "--model", &model, "--mode", "auto", "--json"];
    let mut command = quit_is(&place, "SIG_IGN", &arguments);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(r#""type":"output_written""#) {
        line.clear();
        assert_ne!(printed.read_line(&mut line).unwrap(), 0, "it ended before its program ran");
    }
    signal(&child, Signal::QUIT);
    signal(&child, Signal::TERM);
    printed.read_to_string(&mut line).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "it was ended in good order");
    let journal = place.journal();
    let result = &of_type(&journal, "call_finished")[0]["result"]["content"];
    assert!(result["message"].as_str().unwrap().contains("SIG_DFL"), "{result}");
}

#[test]
fn a_quit_ends_everything_at_once_and_what_ran_goes_with_it() {
    let place = Place::new();
    // It would hear nothing softer.
    let script = "trap '' HUP INT TERM QUIT; echo $$ > pid; while :; do sleep 1; done";
    let input = json!({ "argv": ["sh", "-c", script] }).to_string();
    let arguments = ["--tool", "process.run", "--tool-input", &input, "--mode", "auto"];
    let mut child = quit_is(&place, "SIG_DFL", &arguments).spawn().unwrap();
    let pid = || std::fs::read_to_string(place.work().join("pid")).unwrap_or_default();
    until("the program runs", || pid().ends_with('\n'));
    signal(&child, Signal::QUIT);
    assert_eq!(child.wait().unwrap().code(), None);
    until("it is gone", || !works_in(&place.work()));
}

/// Whether a process has its place in that folder. The number it wrote is that of its own world.
fn works_in(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap();
    let here = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("cwd")).is_ok_and(|place| place == folder)
    };
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| here(&entry))
}
