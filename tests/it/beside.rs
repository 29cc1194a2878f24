//! Programs that go on beside a session, in the whole program, sealed where there is a seal: what
//! becomes of them when they end, are stopped, or lose their host.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    support::{GONE, Place, of_type, runs},
    terminal::App,
};

/// A number of seconds to sleep that no other test's programs have among their words.
pub fn mark(number: u32) -> String {
    format!("{}.{number}", 300_000 + std::process::id())
}

/// The living processes with that among their words.
pub fn running(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let words = |process: &Path| {
        let words = fs::read(process.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).replace('\0', " ")
    };
    processes.map(|it| words(&it)).filter(|words| words.contains(mark)).collect()
}

#[track_caller]
pub fn gone(mark: &str) {
    let begun = Instant::now();
    while let [one, ..] = &*running(mark) {
        assert!(begun.elapsed() < GONE, "left: {one}");
        std::thread::yield_now();
    }
}

/// What the first script of the one session printed.
pub fn printed(place: &Place) -> String {
    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    let result = finished.iter().rfind(|line| line["result"]["name"] == "execute_code").unwrap();
    let content = &result["result"]["content"];
    content.as_str().unwrap_or_else(|| panic!("{content}")).to_owned()
}

#[test]
fn programs_that_do_not_want_to_end_are_gone_when_they_are_stopped() {
    let mark = mark(1);
    let code = format!(
        r#"
import time
from footplate import process
sleep = "sleep {mark}"
for name, script in (
    ("deaf", f"trap '' TERM INT HUP; echo ready; while :; do {{sleep}}; done"),
    ("daemon", f"setsid sh -c '{{sleep}} & {{sleep}}' >/dev/null 2>&1 & echo ready; {{sleep}}"),
    ("polite", f"trap 'echo bye; exit 4' TERM; echo ready; {{sleep}} & wait"),
):
    program = process.start(["sh", "-c", script])["id"]
    while "ready" not in process.output(program)["text"]:
        time.sleep(0.01)
    began = time.monotonic()
    stopped = process.stop(program)
    print(name, stopped["running"], repr(stopped["last"]), time.monotonic() - began < {patience})
    print("again", process.output(program)["running"], process.wait(program)["note"])
"#,
        patience = GONE.as_secs(),
    );
    let place = Place::new();
    let model = place.script(&runs(&code));
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let again = "again False It was stopped\n";
    assert_eq!(
        printed(&place),
        format!(
            "deaf False 'ready' True\n{again}daemon False 'ready' True\n{again}\
             polite False 'ready\\nbye' True\n{again}"
        )
    );
    assert_eq!(running(&mark), Vec::<String>::new());
    assert_eq!(of_type(&place.journal(), "execution_finished").len(), 4);
}

#[test]
fn what_still_goes_on_ends_with_its_session() {
    let mark = mark(2);
    let code = format!(
        "from footplate import process\n\
         for _ in range(3): process.start(['sh', '-c', 'setsid sleep {mark} & exec sleep {mark}'])\n\
         print(len(process.list()))"
    );
    let place = Place::new();
    let model = place.script(&runs(&code));
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(running(&mark), Vec::<String>::new());
    let journal = place.journal();
    assert_eq!(printed(&place), "3\n");
    let ends = of_type(&journal, "execution_finished");
    assert_eq!(ends.iter().filter(|end| end["status"]["how"] == "cancelled").count(), 3);
    assert!(of_type(&journal, "signal_received").is_empty(), "there is nobody to tell any more");
}

#[test]
fn an_end_is_told_once_and_much_output_is_given_in_parts() {
    let code = r#"
import time
from footplate import process
much = process.start(["sh", "-c", "yes line | head -c 100000000; echo the end; exit 7"])["id"]
while process.list()[0]["running"]:
    time.sleep(0.05)
"#;
    let more = r#"
from footplate import process
much = process.list()[0]["id"]
last = process.output(much)
first = process.output(much, since=0)
later = process.output(much, since=80_000_000)
print(last["text"][-8:], last["returncode"], last["more"], last["next"])
print(len(first["text"]), first["more"], first["next"])
print(later["skipped"] > 0, later["text"].startswith("line\nline"), later["more"])
"#;
    let mut script = runs(code);
    let turns = script["turns"].as_array_mut().unwrap();
    let call = json!({ "name": "execute_code", "arguments": { "code": more } });
    turns.insert(1, json!({ "text": "I look.", "calls": [call] }));
    let place = Place::new();
    let ran = place.run(&["exec", "--model", &place.script(&script), "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let journal = place.journal();
    let told = of_type(&journal, "signal_received");
    assert_eq!(told.len(), 1);
    let ended = &told[0]["what"]["ended"];
    assert_eq!(ended["status"], json!({ "how": "exited", "code": 7 }));
    assert!(ended["last"].as_str().unwrap().ends_with("line\nthe end"), "{ended}");
    let told = printed(&place);
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines, ["the end", " 7 False 100000008", "32768 True 32768", "True True True"]);
    let spools = fs::read_dir(place.home().join("data/sessions")).unwrap().flatten();
    let outputs = spools.flat_map(|session| fs::read_dir(session.path().join("outputs")).unwrap());
    let largest = outputs.map(|file| file.unwrap().metadata().unwrap().len()).max().unwrap();
    assert!(largest < 70 << 20, "{largest}");
}

#[test]
fn a_host_that_is_killed_takes_its_programs_along_and_who_carries_on_is_told_once() {
    let mark = mark(3);
    let start = format!(
        "from footplate import process\n\
         process.start(['sh', '-c', 'echo serving; setsid sleep {mark} & exec sleep {mark}'])\n\
         print('begun', 'and', 'over')"
    );
    let mut script = runs(&start);
    let turns = script["turns"].as_array_mut().unwrap();
    turns.extend([json!({ "text": "Second." }), json!({ "text": "Third." })]);
    let place = Place::new();
    let model = place.script(&script);
    let app = App::start(&place, (40, 120), &["--model", &model, "--mode", "auto", "start it"]);
    app.wait_for("That was all.");
    assert!(!running(&mark).is_empty());
    let pid = rustix::process::Pid::from_raw(app.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    drop(app);
    gone(&mark);

    for said in ["Second.", "Third."] {
        let mut app = App::start(&place, (40, 120), &["--continue"]);
        let first = said == "Second.";
        if first {
            app.wait_for("A program beside it ended with footplate: sh -c");
        } else {
            app.wait_for("Carried on");
        }
        app.press("go on");
        app.rests("› go on");
        app.press("\r");
        app.wait_for(said);
        app.press("\x03");
        app.press("\x03");
        drop(app);
    }
    let journal = place.journal();
    let told: Vec<&Value> = of_type(&journal, "signal_received");
    assert_eq!(told.len(), 1, "{told:?}");
    let ended = &told[0]["what"]["ended"];
    assert_eq!((&ended["status"], &ended["last"]), (&Value::Null, &json!("serving")));
    assert_eq!(of_type(&journal, "execution_finished").len(), 2);
}

#[test]
fn a_session_that_rests_goes_on_when_its_program_ends() {
    let place = Place::new();
    let way = place.work().join("way");
    rustix::fs::mkfifoat(rustix::fs::CWD, &way, rustix::fs::Mode::RWXU).unwrap();
    let code = "from footplate import process\n\
                process.start(['sh', '-c', 'read word < way; echo got $word; exit 5'])\n";
    let mut script = runs(code);
    script["turns"].as_array_mut().unwrap().push(json!({ "text": "I see it is over." }));
    let model = place.script(&script);
    let app = App::start(&place, (40, 120), &["--model", &model, "--mode", "auto", "start it"]);
    app.wait_for("That was all.");
    fs::write(&way, "it\n").unwrap();
    let screen = app.wait_for("I see it is over.");
    assert!(screen.contains("ended with status 5"), "{screen}");
    drop(app);
    let journal = place.journal();
    let types: Vec<_> = journal.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let at = |name: &str| types.iter().rposition(|known| *known == name).unwrap();
    assert!(at("signal_received") < at("turn_started"), "{types:?}");
    let told = of_type(&journal, "signal_received");
    assert_eq!(told[0]["what"]["ended"]["last"], "got it");
    assert_eq!(of_type(&journal, "message_sent").len(), 1, "nobody said anything");
}
