//! Agents that a session starts, in the whole program.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Place, of_type, runs};

#[test]
fn an_agent_cannot_be_given_a_folder_that_leads_out_of_the_workspace_or_is_not_there() {
    let code = r#"
from footplate import Error, agents
for folder in ("way/out", "way", "new/inside", "inside"):
    try:
        print(agents.run("write", name="one", folder=folder)["text"])
    except Error as error:
        print(error)
"#;
    let write = "from footplate import files\nfiles.write('one.txt', 'by one')\n";
    let mut script = runs(code);
    script["agents"] = json!({ "one": { "turns": [
        { "calls": [{ "name": "execute_code", "arguments": { "code": write } }] },
        { "text": "One wrote it." },
    ] } });
    let place = Place::new();
    let outside = place.home().join("outside");
    std::fs::create_dir(&outside).unwrap();
    symlink(&outside, place.work().join("way")).unwrap();
    std::fs::create_dir(place.work().join("inside")).unwrap();
    let model = place.script(&script);
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    assert!(place.work().join("inside/one.txt").exists());
    let journals = place.journals();
    assert_eq!(journals.len(), 2, "only the agent inside was started");
    let output = &of_type(&journals[0], "call_finished").last().unwrap()["result"]["content"];
    assert_eq!(output.as_str().unwrap().matches("leads out of the workspace").count(), 2);
    assert!(output.as_str().unwrap().contains("There is no folder"), "{output}");
    assert!(!place.work().join("new").exists(), "nobody was asked for it");
}

/// A script whose agents each run some Python, and then say something.
fn with_agents(code: &str, agents: &[(&str, &str, &str)]) -> Value {
    let mut script = runs(code);
    for (name, code, text) in agents {
        script["agents"][*name] = json!({ "turns": [
            { "calls": [{ "name": "execute_code", "arguments": { "code": code } }] },
            { "text": text },
        ] });
    }
    script
}

#[test]
fn a_script_starts_agents_speaks_with_them_and_has_the_answer_of_each() {
    let code = r#"
from footplate import InvalidInput, agents
names = [agents.start(f"task {name}", name=name, modules=["files", "agents"])["name"] for name in ("one", "two")]
first = agents.wait(names=names, until="any")
assert first["over"] and len(first["over"]) + len(first["going"]) == 2, first
for over in agents.wait(names=names)["over"]:
    print(over["name"], over["outcome"], over["text"])
for row in agents.list():
    print(row["name"], row["state"], row["turns"])
try:
    agents.wait(names=["nobody"])
except InvalidInput as error:
    print(error)
print(agents.cancel("one"))
"#;
    let one = "from footplate import agents\nagents.send('parent', 'one is at it')\n";
    let two = r#"
from footplate import InvalidInput, agents
try:
    agents.wait(names=["parent"])
except InvalidInput as error:
    print(error.payload["cycle"])
"#;
    let place = Place::new();
    let script = with_agents(code, &[("one", one, "first answer"), ("two", two, "second answer")]);
    let ran = place.run(&["exec", "--model", &place.script(&script), "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let journals = place.journals();
    assert_eq!(journals.len(), 3);
    let finished = of_type(&journals[0], "call_finished");
    let output = finished.last().unwrap()["result"]["content"].as_str().unwrap();
    for line in [
        "one done first answer",
        "two done second answer",
        "one done 2",
        "two done 2",
        "no agent \"nobody\" below this one; it can address: one, two",
        "{'stopped': []}",
    ] {
        assert!(output.contains(line), "{line:?} is not in:\n{output}");
    }
    let cycle = of_type(&journals[2], "call_finished");
    let cycle = cycle.last().unwrap()["result"]["content"].as_str().unwrap();
    assert_eq!(cycle.trim(), "['main/two', 'main', 'main/two']");
    let taken = of_type(&journals[0], "signal_taken");
    assert_eq!(taken.len(), 2, "the model is not told of what its script was given");
    assert_eq!(of_type(&journals[0], "turn_started").len(), 2);
}

#[test]
fn an_agent_that_is_started_outlives_script_and_turn_and_its_end_is_told() {
    let code = "from footplate import agents\nprint(agents.start('write', name='one'))\n";
    let write = "from footplate import files\nfiles.write('one.txt', 'by one')\n";
    let mut script = with_agents(code, &[("one", write, "One wrote it.")]);
    let turns = script["turns"].as_array_mut().unwrap();
    turns.push(json!({ "text": "Thank you, one." }));
    let place = Place::new();
    let ran = place.run(&["exec", "--model", &place.script(&script), "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(std::fs::read_to_string(place.work().join("one.txt")).unwrap(), "by one");
    let journals = place.journals();
    let ended = of_type(&journals[0], "signal_received");
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0]["what"]["ending"]["text"], "One wrote it.");
    let sent = of_type(&journals[1], "signal_sent");
    assert_eq!(sent[0]["signal"], ended[0]["signal"]);
    assert_eq!(of_type(&journals[1], "session_finished").len(), 1);
    assert!(ran.stdout().contains("Thank you, one."), "{}", ran.stdout());
}
