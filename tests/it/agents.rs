//! Agents that a session starts, in the whole program.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::{Place, of_type, runs};

#[test]
fn an_agent_cannot_be_given_a_folder_that_leads_out_of_the_workspace() {
    let code = r#"
from footplate import Error, agents
for folder in ("way/out", "way", "inside"):
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
    let model = place.script(&script);
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    assert!(place.work().join("inside/one.txt").exists());
    let journals = place.journals();
    assert_eq!(journals.len(), 2, "only the agent inside was started");
    let output = &of_type(&journals[0], "call_finished").last().unwrap()["result"]["content"];
    assert_eq!(output.as_str().unwrap().matches("leads out of the workspace").count(), 2);
}
