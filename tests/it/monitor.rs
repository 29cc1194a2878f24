//! A second model judges what would run unasked, in the whole program.

use std::{
    collections::BTreeMap,
    io::Write as _,
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::{
    stream::{chunk, read_request},
    support::{Place, of_type, runs, seals},
    terminal::App,
};

/// A server of one model that judges: what it says of a call is found by a word in its arguments.
struct Judge {
    address: String,
    /// The calls that were put to it.
    seen: Arc<Mutex<Vec<Value>>>,
}

impl Judge {
    fn start(says: &[(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
        let says: BTreeMap<_, _> = says.iter().copied().collect();
        let told = seen.clone();
        // Ends with the process of the test: it waits for nothing else.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let call = answer(stream.unwrap(), &says);
                told.lock().unwrap().push(call);
            }
        });
        Self { address, seen }
    }

    /// The settings by which it is asked.
    fn settings(&self) -> String {
        format!(
            "[approval.monitor]\nmodel = \"loop/judge\"\ntimeout_s = 120\n\
             [providers.loop]\napi = \"openai-chat\"\nbase_url = \"http://{}/v1\"\n",
            self.address
        )
    }
}

fn answer(mut stream: TcpStream, says: &BTreeMap<&str, &str>) -> Value {
    let body: Value = serde_json::from_slice(&read_request(&stream)).unwrap();
    let asked = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    let call = asked.trim().strip_prefix("<call>").unwrap().strip_suffix("</call>").unwrap();
    let call: Value = serde_json::from_str(call).unwrap();
    let arguments = call["arguments"].to_string();
    let said = says.iter().find(|(word, _)| arguments.contains(**word)).map(|(_, says)| *says);
    let text = said.unwrap_or(r#"{"verdict":"none","reason":""}"#);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    chunk(&mut stream, &json!({ "content": text }), None);
    chunk(&mut stream, &json!({}), Some("stop"));
    stream.write_all(b"data: [DONE]\n\n").unwrap();
    call
}

fn configured(settings: &str) -> Place {
    let place = Place::new();
    let config = place.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), settings).unwrap();
    place
}

/// A place where a script is the monitor, which says this.
fn scripted(says: &str) -> Place {
    let place = Place::new();
    let path = place.home().join("judge.json");
    let script = json!({ "turns": [], "agents": { "monitor": { "turns": [{ "text": says }] } } });
    std::fs::write(&path, script.to_string()).unwrap();
    let settings =
        format!("[approval.monitor]\nmodel = \"scripted:{}\"\ntimeout_s = 120\n", path.display());
    let config = place.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), settings).unwrap();
    place
}

const WRITES: &str = r#"
import footplate
from footplate import agents, files
files.read("in.txt")
for name in ("fine.txt", "evil.txt", "odd.txt"):
    try:
        files.write(name, "x")
    except footplate.Blocked as error:
        print(error.payload["error"], error.payload["tier"], error.payload["reason"])
print(agents.run("write", name="one")["text"])
"#;

#[test]
fn what_would_run_unasked_is_judged_at_every_depth_and_what_is_held_back_does_not_happen() {
    if !seals() {
        return;
    }
    let judge = Judge::start(&[
        ("evil.txt", r#"{"verdict":"hard","reason":"nobody asked for this file"}"#),
        ("odd.txt", r#"{"verdict":"soft","reason":"an odd name"}"#),
        ("by-one.txt", r#"{"verdict":"hard","reason":"not by an agent"}"#),
    ]);
    let place = configured(&judge.settings());
    std::fs::write(place.work().join("in.txt"), "text").unwrap();
    // A project chooses no monitor, and takes none away.
    std::fs::create_dir(place.work().join(".footplate")).unwrap();
    let theirs = "[approval.monitor]\nmodel = \"scripted:tour\"\n";
    std::fs::write(place.work().join(".footplate/config.toml"), theirs).unwrap();
    let mut script = runs(WRITES);
    let write = "from footplate import files\nfiles.write('by-one.txt', 'x')\n";
    script["agents"] = json!({ "one": { "turns": [
        { "calls": [{ "name": "execute_code", "arguments": { "code": write } }] },
        { "text": "One is done." },
    ] } });
    let model = place.script(&script);
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto", "Write what is fine."]);
    // The soft one was refused for want of anyone to ask.
    assert_eq!(ran.code(), 3, "{}", ran.stderr());
    let written = |name: &str| place.work().join(name).exists();
    assert_eq!(
        ["fine.txt", "evil.txt", "odd.txt", "by-one.txt"].map(written),
        [true, false, false, false]
    );
    let journals = place.journals();
    let output = of_type(&journals[0], "call_finished");
    let printed = output.last().unwrap()["result"]["content"].as_str().unwrap().to_owned();
    assert_eq!(
        printed,
        "blocked_by_monitor hard nobody asked for this file\n\
         blocked_by_monitor soft an odd name\nOne is done.\n"
    );

    let seen = judge.seen.lock().unwrap();
    let names: Vec<_> = seen.iter().map(|call| call["capability"].as_str().unwrap()).collect();
    assert_eq!(names.iter().filter(|name| **name == "files.write").count(), 4, "{names:?}");
    assert!(!names.iter().any(|name| ["files.read", "execute_code"].contains(name)), "{names:?}");
    let of =
        |word: &str| seen.iter().find(|call| call["arguments"].to_string().contains(word)).unwrap();
    assert_eq!(of("fine.txt")["said"], json!(["Write what is fine."]));
    assert_eq!(of("by-one.txt")["said"], json!(["write"]));
    assert_eq!(of("by-one.txt")["agent"], json!(["main", "one"]));

    let id = journals[0][0]["session"].as_str().unwrap();
    let shown = place.run(&["sessions", "show", id, "--decisions"]).stdout();
    for line in [
        "✓ WRITE     fine.txt                          mode auto ",
        "⊘ WRITE     evil.txt                          monitor: hard \"nobody asked for this file\"",
        "⊘ WRITE     odd.txt                           monitor: soft \"an odd name\"",
        "⊘ WRITE     by-one.txt                        monitor: hard \"not by an agent\"",
    ] {
        assert!(shown.contains(line), "{line} in\n{shown}");
    }
}

#[test]
fn what_the_monitor_wants_asked_asks_at_the_keys_with_its_reason() {
    if !seals() {
        return;
    }
    let place = scripted(r#"{"verdict":"soft","reason":"it goes further than the task"}"#);
    let model = place.script(&runs("from footplate import files\nfiles.write('a.txt', 'x')\n"));
    let mut app = App::start(&place, (24, 80), &["--model", &model, "--mode", "auto", "go"]);
    app.asks("monitor  it goes further than the task");
    assert!(!place.work().join("a.txt").exists());
    app.press("y");
    app.wait_for("That was all.");
    assert!(place.work().join("a.txt").exists());
    let journal = place.journal();
    let asked = of_type(&journal, "approval_requested");
    assert_eq!(asked[0]["question"]["monitor"]["tier"], "soft");
    assert_eq!(of_type(&journal, "approval_answered")[0]["by"]["who"], "person");
}

#[test]
fn without_a_verdict_nothing_runs_that_nobody_is_there_to_ask_about() {
    let place = scripted("I see nothing wrong with it.");
    let arguments = ["--mode", "auto", "--tool", "files.write", "--tool-input"];
    let ran = place.run(&[&arguments[..], &[r#"{"path":"a.txt","text":"x"}"#]].concat());
    let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!((ran.code(), &result["content"]["error"]), (3, &json!("no_approver")), "{result}");
    assert_eq!(result["content"]["reason"], "its answer is not in the form asked for");
    assert!(!place.work().join("a.txt").exists());
}

#[test]
fn a_monitor_that_cannot_be_asked_is_told_before_anything_begins() {
    let place = configured("[approval.monitor]\nmodel = \"anthropic/judge\"\n");
    let ran = place.run(&["exec", "--model", "scripted:tour", "go"]);
    assert_eq!(ran.code(), 2);
    let told = ran.stderr();
    assert!(told.contains("the monitor cannot be asked: no key for anthropic"), "{told}");
    assert!(place.journals().is_empty());
}
