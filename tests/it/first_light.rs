//! The main job without a screen: a model's Python asks, the gate decides, the journal has it all.

use serde_json::{Value, json};

use crate::support::{Place, of_type, runs, seals};

const WRITES: &str =
    "from footplate import files\nfiles.write('a.txt', 'hello\\n')\nprint('done')\n";

fn exec(place: &Place, mode: &str, code: &str) -> crate::support::Ran {
    let model = place.script(&runs(code));
    place.run(&["exec", "--model", &model, "--mode", mode, "--json"])
}

#[test]
fn one_call_by_hand_prints_its_result_as_json() {
    let place = Place::new();
    let ran = place.run(&["--tool", "echo", "--tool-input", r#"{"text":"hello"}"#]);
    let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(ran.code(), 0);
    assert_eq!(result["ok"], true);
    assert_eq!(result["name"], "echo");
    assert_eq!(result["content"], "hello");
    assert!(result["duration_ms"].is_u64());
}

#[test]
fn bad_input_by_hand_fails_with_the_exact_fault() {
    let cases = [
        (r#"{"text":123}"#, "Invalid input for echo.text: expected string"),
        ("{}", "Invalid input for echo: missing required property \"text\""),
        (r#"{"text":"a","more":1}"#, "Invalid input for echo: unknown property \"more\""),
        ("[]", "Invalid input for echo: expected object"),
    ];
    let place = Place::new();
    for (input, message) in cases {
        let ran = place.run(&["--tool", "echo", "--tool-input", input]);
        let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
        assert_eq!((ran.code(), result["ok"].clone()), (1, json!(false)), "{input}");
        assert_eq!(result["content"]["error"], "invalid_input");
        assert_eq!(result["content"]["message"], message);
    }
}

#[test]
fn with_nobody_to_ask_nothing_is_written_and_the_journal_names_the_denial() {
    let place = Place::new();
    let ran = exec(&place, "default", WRITES);
    assert_eq!(ran.code(), 3, "{}", ran.stderr());
    assert!(!place.work().join("a.txt").exists());
    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    assert_eq!(finished[0]["result"]["content"]["error"], "no_approver");
    assert_eq!(finished[0]["decision"]["by"]["who"], "nobody");
    // What is printed is the journal, line for line.
    let printed: Vec<Value> =
        ran.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(printed, journal[..printed.len()]);
    assert_eq!(printed.last().unwrap()["type"], "exchange_finished");
}

#[test]
fn in_auto_mode_the_file_is_there() {
    let place = Place::new();
    let ran = exec(&place, "auto", WRITES);
    assert_eq!(ran.code(), 0, "{}{}", ran.stdout(), ran.stderr());
    assert_eq!(std::fs::read_to_string(place.work().join("a.txt")).unwrap(), "hello\n");
    let journal = place.journal();
    let names: Vec<_> = of_type(&journal, "call_finished")
        .iter()
        .map(|line| line["result"]["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["files.write", "execute_code"]);
    let result = &of_type(&journal, "call_finished")[1]["result"];
    assert!(result["content"].as_str().unwrap().contains("done"));
}

#[test]
fn plan_mode_blocks_and_leaves_the_disk_alone() {
    let place = Place::new();
    let ran = exec(&place, "plan", WRITES);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let journal = place.journal();
    let result = &of_type(&journal, "call_finished")[0]["result"];
    assert_eq!(result["content"]["error"], "blocked_in_plan_mode");
    assert_eq!(std::fs::read_dir(place.work()).unwrap().count(), 0);
}

#[test]
fn a_script_that_cannot_run_is_refused_before_anybody_is_asked() {
    let cases = [("def f(:\n    pass\n", "line 1"), ("from footplate import nothing\n", "nothing")];
    for (code, named) in cases {
        let place = Place::new();
        let ran = exec(&place, "auto", code);
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        let journal = place.journal();
        assert!(of_type(&journal, "execution_started").is_empty());
        assert!(of_type(&journal, "approval_requested").is_empty());
        let result = &of_type(&journal, "call_finished")[0]["result"];
        let message = result["content"]["message"].as_str().unwrap();
        assert!(message.contains(named), "{message}");
    }
}

/// Two sub-agents at once, from threads; one writes.
#[test]
fn agents_run_side_by_side_and_each_has_a_journal_of_its_own() {
    let code = r#"
from concurrent.futures import ThreadPoolExecutor
from footplate import agents
with ThreadPoolExecutor() as pool:
    jobs = [pool.submit(agents.run, f"task of {name}", name=name) for name in ("one", "two")]
    for job in jobs:
        print(job.result()["text"])
"#;
    let write = "from footplate import files\nfiles.write('two.txt', 'by two')\n";
    let mut script = runs(code);
    script["agents"] = json!({
        "one": { "turns": [{ "text": "One has an answer." }] },
        "two": { "turns": [
            { "calls": [{ "name": "execute_code", "arguments": { "code": write } }] },
            { "text": "Two wrote it." },
        ] },
    });
    let place = Place::new();
    let model = place.script(&script);
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(std::fs::read_to_string(place.work().join("two.txt")).unwrap(), "by two");
    let journals = place.journals();
    assert_eq!(journals.len(), 3);
    let output = &of_type(&journals[0], "call_finished").last().unwrap()["result"]["content"];
    let output = output.as_str().unwrap();
    assert!(output.contains("One has an answer.\nTwo wrote it."), "{output}");
    for child in &journals[1..] {
        assert_eq!(child[0]["spec"]["limits"]["depth"], 2);
        assert_eq!(child.last().unwrap()["type"], "session_finished");
    }
}

#[test]
fn a_script_that_names_no_limit_gets_the_one_that_is_set() {
    let place = Place::new();
    std::fs::create_dir_all(place.home().join("config")).unwrap();
    let config = "[execution]\ntimeout_ms = 700\n";
    std::fs::write(place.home().join("config/config.toml"), config).unwrap();
    let call = json!({ "code": "import time\ntime.sleep(600)\n" });
    let model = place.script(&json!({ "turns": [
        { "calls": [{ "name": "execute_code", "arguments": call }] },
        { "text": "I see." },
    ] }));
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let journal = place.journal();
    assert_eq!(of_type(&journal, "execution_started")[0]["limit_ms"], 700);
    assert_eq!(of_type(&journal, "execution_finished")[0]["status"]["how"], "timed_out");
    let result = &of_type(&journal, "call_finished")[0]["result"]["content"];
    assert_eq!(result["error"], "budget_spent");
}

#[test]
fn without_a_screen_only_what_is_said_is_printed() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let call = json!({ "name": "execute_code", "arguments": { "code": "print(1)" } });
    let model = place.script(&json!({ "turns": [
        { "calls": [call] }, { "text": "First.", "calls": [call] }, { "calls": [call] }, { "text": "End." },
    ] }));
    let ran = place.run(&["exec", "--model", &model, "begin"]);
    assert_eq!((ran.code(), ran.stdout()), (0, "First.\n\nEnd.\n".to_owned()), "{}", ran.stderr());
}
