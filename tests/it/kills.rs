//! Killed again and again, at any moment of a busy session with agents: each time all that was shown
//! is in the journals, no call is made twice, and nothing runs on.
//!
//! `FOOTPLATE_TEST_KILLS` says how often, `FOOTPLATE_TEST_SEED` which moments.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdout, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{GONE, PATIENCE, Place, of_type};

/// How often it is killed, if nobody says.
const KILLS: u32 = 50;
/// The turns of the script, of which each is played at most once.
const TURNS: u32 = 2500;
/// After how many events, at most, and milliseconds after those it is killed.
const MOMENTS: (u64, u64) = (45, 40);

/// Numbers that look like chance and are the same each time (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// Every turn runs Python that leaves a mark, writes through the gate, and has two agents work at
/// once, each of which leaves a mark as well. No mark may be there twice.
fn busy(place: &Place) -> String {
    let call = |code: String, seal: &str| json!([{ "name": "execute_code", "arguments": { "code": code, "seal": seal } }]);
    let mark = |name: &str| format!("import os\nopen('marks', 'a').write('{name}\\n')\n");
    let mut agents = serde_json::Map::new();
    let turns: Vec<Value> = (0..TURNS)
        .map(|turn| {
            for agent in ["a", "b"] {
                let name = format!("{agent}{turn}");
                let calls = call(mark(&name), "open");
                agents.insert(name, json!({ "turns": [{ "calls": calls }, { "text": "Done." }] }));
            }
            let code = format!(
                "{}from footplate import agents, files\nfrom threading import Thread\n\
                 files.write('t{turn}.txt', 'x')\n\
                 both = [Thread(target=agents.run, args=('work',), kwargs=dict(name=n))\n\
                 \x20       for n in ('a{turn}', 'b{turn}')]\n\
                 [one.start() for one in both]\n[one.join() for one in both]\nprint('all of {turn}')\n",
                mark(&format!("r{turn}")),
            );
            json!({ "text": format!("Turn {turn}."), "calls": call(code, "open") })
        })
        .collect();
    place.script(&json!({ "turns": turns, "agents": agents }))
}

/// A process that prints its events.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

fn start(place: &Place, arguments: &[&str]) -> Running {
    let mut command = place.footplate();
    command.args(["exec", "--json"]).args(arguments);
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let out: ChildStdout = child.stdout.take().unwrap();
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut out = BufReader::new(out);
        let mut line = String::new();
        // What has no end was not shown.
        while out.read_line(&mut line).is_ok() && line.ends_with('\n') {
            if send.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    Running { child, lines }
}

impl Running {
    /// Takes events until so many have come, and for a time after that; then kills it. Gives all that
    /// was ever shown, and whether it was still running.
    fn kill(mut self, events: u64, more: Duration) -> (Vec<String>, bool) {
        let mut shown = Vec::new();
        while (shown.len() as u64) < events {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => shown.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("it says nothing any more: {shown:#?}"),
                // It has ended.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let until = Instant::now() + more;
        while let Ok(line) =
            self.lines.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            shown.push(line);
        }
        let ran = self.child.try_wait().unwrap().is_none();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        shown.extend(self.lines.iter());
        (shown, ran)
    }
}

/// The processes that have anything to do with that place.
fn processes_of(root: &Path) -> Vec<String> {
    let root = root.as_os_str().as_encoded_bytes();
    let names = |bytes: &[u8]| bytes.windows(root.len()).any(|part| part == root);
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let process = entry.path();
        let is_number = entry.file_name().to_string_lossy().parse::<u32>().is_ok();
        let read = |name: &str| fs::read(process.join(name)).unwrap_or_default();
        let words = read("cmdline");
        // What has no words any more has ended, and waits to be counted as gone.
        let folder = fs::read_link(process.join("cwd")).unwrap_or_default();
        let ours = names(&words)
            || names(&read("environ"))
            || names(folder.as_os_str().as_encoded_bytes());
        if is_number && !words.is_empty() && ours {
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

fn nothing_runs_on(place: &Place) {
    let root = place.home().parent().unwrap().to_owned();
    let deadline = Instant::now() + GONE;
    loop {
        let left = processes_of(&root);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "runs on: {left:#?}");
        std::thread::yield_now();
    }
}

type Journals = BTreeMap<String, Vec<Value>>;

/// The journals by session: their whole lines.
fn journals(place: &Place) -> Journals {
    let mut all = Journals::new();
    let Ok(sessions) = fs::read_dir(place.home().join("data/sessions")) else { return all };
    for folder in sessions {
        let folder = folder.unwrap();
        let text = fs::read(folder.path().join("journal.jsonl")).unwrap_or_default();
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let lines = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
        all.insert(folder.file_name().into_string().unwrap(), lines);
    }
    all
}

fn all_that_was_shown_is_kept(journals: &Journals, shown: &[String]) {
    for line in shown {
        let line: Value = serde_json::from_str(line).unwrap();
        let seq = usize::try_from(line["seq"].as_u64().unwrap()).unwrap();
        let journal = &journals[line["session"].as_str().unwrap()];
        assert_eq!(journal.get(seq), Some(&line), "shown and not kept");
    }
}

/// Numbers without gaps, each call begun at most once and ended at most once; where nothing goes on any
/// more, each is ended.
fn whole(journals: &Journals, at_rest: bool) {
    for (session, journal) in journals {
        let numbers = journal.iter().map(|line| line["seq"].as_u64().unwrap());
        assert!(numbers.eq(0..journal.len() as u64), "{session}");
        let ids = |name: &str, id: &dyn Fn(&Value) -> Value| {
            let all: Vec<_> = of_type(journal, name).into_iter().map(id).collect();
            let ids: BTreeSet<_> = all.iter().map(Value::to_string).collect();
            assert_eq!(ids.len(), all.len(), "{session}: a {name} twice");
            ids
        };
        let begun = ids("call_started", &|line| line["call"]["id"].clone());
        let ended = ids("call_finished", &|line| line["call"].clone());
        if at_rest {
            assert!(begun.is_subset(&ended), "{session}: {begun:?} {ended:?}");
            for turn in of_type(journal, "turn_finished") {
                for call in turn["calls"].as_array().into_iter().flatten() {
                    assert!(ended.contains(&call["id"].to_string()), "{session}: {call}");
                }
            }
        }
    }
}

/// The marks that the runs left: each once, and each there whose call says that it went well.
fn no_run_twice(place: &Place, journals: &Journals) -> usize {
    let text = fs::read_to_string(place.work().join("marks")).unwrap_or_default();
    let marks: Vec<_> = text.lines().collect();
    let once: BTreeSet<_> = marks.iter().copied().collect();
    assert_eq!(once.len(), marks.len(), "something ran twice");
    for journal in journals.values() {
        for line in of_type(journal, "call_finished") {
            let result = &line["result"];
            if result["name"] != "execute_code" || result["ok"] != true {
                continue;
            }
            let code = result["input"]["code"].as_str().unwrap();
            let mark = code.split('\'').nth(5).unwrap().trim_end_matches("\\n");
            assert!(once.contains(mark), "{mark} is said to have run");
        }
    }
    marks.len()
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn killed_at_any_moment_all_that_was_shown_is_kept_and_nothing_runs_twice_or_on() {
    let kills = setting("FOOTPLATE_TEST_KILLS").unwrap_or(KILLS.into());
    let mut chance = Chance(setting("FOOTPLATE_TEST_SEED").unwrap_or(0x5eed_f007));
    let place = Place::new();
    let model = busy(&place);
    let (mut events, mut amid) = (0, 0);
    for kill in 0..kills {
        let first = place.journals_there() == 0;
        let running = match first {
            true => start(&place, &["--mode", "auto", "--model", &model, "begin"]),
            false => start(&place, &["--continue", "go on"]),
        };
        let more = Duration::from_millis(chance.below(MOMENTS.1));
        let (shown, ran) = running.kill(chance.below(MOMENTS.0), more);
        nothing_runs_on(&place);
        let journals = journals(&place);
        all_that_was_shown_is_kept(&journals, &shown);
        if kill % 10 == 0 {
            whole(&journals, false);
        }
        events += shown.len();
        amid += u64::from(ran);
    }
    // Once more, to its end: a person stops it.
    let running = start(&place, &["--continue", "the last"]);
    let mut last = Vec::new();
    while !last.iter().any(|line: &String| line.contains(r#""type":"execution_started""#)) {
        last.push(running.lines.recv_timeout(PATIENCE).unwrap());
    }
    let Running { mut child, lines } = running;
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    last.extend(lines.iter());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    nothing_runs_on(&place);
    let journals = journals(&place);
    all_that_was_shown_is_kept(&journals, &last);
    whole(&journals, true);
    let marks = no_run_twice(&place, &journals);
    let resumed =
        journals.values().map(|journal| of_type(journal, "session_resumed").len()).sum::<usize>();
    let told = format!(
        "killed {kills} times, {amid} amid its work: {events} events shown, {} sessions, \
         {marks} runs, {resumed} mended\n",
        journals.len()
    );
    let _ = std::io::stderr().write_all(told.as_bytes());
    assert!(amid > kills / 2, "{told}");
    assert!(journals.len() > 2 && marks > 0, "{told}");
}
