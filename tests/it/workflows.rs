//! Saved scripts in the whole program: one is killed in the middle and carried on.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::support::{Place, of_type};

const SCRIPT: &str = r#"
# Notes twice, writes once.
from footplate import files, process, workflows

word = workflows.args()["word"]
process.run(["sh", "-c", "echo one >> log.txt"], seal="workspace")
files.write("a.txt", word)
process.run(["sh", "-c", "echo two >> log.txt; echo two; sleep 600"], seal="workspace")
files.write("b.txt", word)
"#;

/// A turn that runs some Python.
fn turn(code: &str) -> Value {
    json!({ "calls": [{ "name": "execute_code", "arguments": { "code": code } }] })
}

fn place() -> (Place, String) {
    let place = Place::new();
    let folder = place.work().join(".footplate/workflows");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("notes.py"), SCRIPT).unwrap();
    let run = "from footplate import workflows\nworkflows.run('notes', args={'word': 'hi'})\n";
    let resume = "from footplate import Error, agents, workflows\n\
                  [run] = agents.list()\n\
                  try:\n    print(workflows.resume(run['session']))\n\
                  except Error as error:\n    print(error)\n";
    let turns = json!([turn(run), turn(resume), { "text": "Done." }]);
    let model = place.script(&json!({ "turns": turns }));
    (place, model)
}

#[test]
fn a_run_killed_in_the_middle_is_carried_on_and_no_effect_happens_twice() {
    let (place, model) = place();
    let mut command = place.footplate();
    let command = command.args(["exec", "--json", "--mode", "auto", "--model", &model, "go"]);
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let log = place.work().join("log.txt");
    let notes = || fs::read_to_string(&log).unwrap_or_default();
    // The second program is the first that prints anything, and then it sleeps.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_amid = |line: &String| line.contains(r#""type":"output_written""#);
    lines.by_ref().map_while(Result::ok).find(is_amid).expect("it comes to its middle");
    assert_eq!(notes(), "one\ntwo\n");
    child.kill().unwrap();
    child.wait().unwrap();
    let changed = |name: &str| fs::metadata(place.work().join(name)).unwrap().modified().unwrap();
    let before = changed("a.txt");

    let ran = place.run(&["exec", "--continue", "on"]);
    let journals = place.journals();
    let root = &journals[0];
    let output = of_type(root, "call_finished").last().unwrap()["result"]["content"].clone();
    let output = output.as_str().unwrap();
    assert_eq!(ran.code(), 3, "{}{output}", ran.stderr());
    assert_eq!(notes(), "one\ntwo\n");
    assert_eq!(changed("a.txt"), before);
    assert!(!place.work().join("b.txt").exists());
    assert!(output.contains("3 of its calls had their result from the run"), "{output}");
    let unknown = "whether they took effect was unknown: process.run (call 4)";
    assert!(output.contains(unknown), "{output}");

    // The run and the one that carries it on are sessions below the one that wanted them.
    let runs: Vec<_> = journals.iter().filter(|it| it[0]["spec"]["workflow"].is_object()).collect();
    let names: Vec<_> = runs.iter().map(|run| run[0]["spec"]["path"][1].clone()).collect();
    assert_eq!(names, [json!("notes"), json!("notes-2")]);
    assert_eq!(runs[1][0]["spec"]["workflow"]["resumes"], runs[0][0]["session"]);
    assert_eq!(of_type(runs[1], "execution_started").len(), 1, "its own script, and nothing else");
}

#[test]
fn what_is_saved_is_listed_and_run_by_hand() {
    let (place, _) = place();
    let listed = place.run(&["workflows"]);
    assert_eq!((listed.code(), &*listed.stdout()), (0, "notes  Notes twice, writes once.\n"));
    fs::write(place.work().join(".footplate/workflows/hi.py"), "print('hi')\n").unwrap();
    let call = ["--tool", "workflows.run", "--tool-input", r#"{"name":"hi"}"#];
    let asked = place.run(&call);
    assert_eq!(asked.code(), 3, "{}", asked.stderr());
    let ran = place.run(&[&call[..], &["--mode", "auto"]].concat());
    assert_eq!(ran.code(), 0, "{}", ran.stdout());
    let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(result["content"]["text"], "hi\n");
    let empty = Place::new();
    let listed = empty.run(&["workflows"]);
    assert_eq!((listed.code(), &*listed.stdout()), (0, ""));
    assert!(listed.stderr().contains(".footplate/workflows/NAME.py"), "{}", listed.stderr());
}

#[test]
fn what_plan_mode_refuses_is_told_to_the_model_and_ends_nothing() {
    let (place, _) = place();
    let code = "from footplate import Error, workflows\n\
                try:\n    workflows.run('notes')\nexcept Error as error:\n    print(error)\n";
    let model = place.script(&json!({ "turns": [turn(code), { "text": "Done." }] }));
    let ran = place.run(&["exec", "--mode", "plan", "--model", &model, "go"]);
    let journal = place.journal();
    let ends = of_type(&journal, "call_finished");
    assert_eq!(ends[0]["result"]["content"]["error"], "blocked_in_plan_mode", "{ends:?}");
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
}
