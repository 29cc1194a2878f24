//! Kinds of agents that files describe, in the whole program.

use serde_json::json;

use crate::support::{Place, of_type, runs};

#[test]
fn a_profile_of_a_project_counts_once_it_is_trusted_and_narrows_the_session() {
    let place = Place::new();
    let agents = place.work().join(".footplate/agents");
    std::fs::create_dir_all(&agents).unwrap();
    let file = agents.join("reviewer.toml");
    std::fs::write(&file, "mode = 'plan'\nmodules = ['files']\ninstructions = 'Review.'\n")
        .unwrap();
    let model = place.script(&json!({ "turns": [{ "text": "Seen." }] }));
    let arguments = ["exec", "--model", &model, "--mode", "auto", "--profile", "reviewer", "go"];
    let ran = place.run(&arguments);
    assert_eq!(ran.code(), 2, "{}", ran.stderr());
    assert!(ran.stderr().contains("you have not trusted it as it is now"), "{}", ran.stderr());
    assert!(ran.stderr().contains("footplate trust"), "{}", ran.stderr());
    assert_eq!(place.journals().len(), 0);

    let trusted = place.run(&["trust"]);
    assert_eq!(trusted.code(), 0, "{}", trusted.stderr());
    assert!(trusted.stdout().contains("instructions = 'Review.'"), "{}", trusted.stdout());
    let ran = place.run(&arguments);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let spec = place.journal()[0]["spec"].clone();
    assert_eq!((&spec["mode"], &spec["modules"]), (&json!("plan"), &json!(["files"])));
    assert_eq!(spec["instructions"], "Review.");

    std::fs::write(&file, "mode = 'plan'\n").unwrap();
    assert_eq!(place.run(&arguments).code(), 2, "other text is trusted anew");
    let ran = place.run(&["exec", "--model", &model, "--profile", "reviwer", "go"]);
    assert_eq!(ran.code(), 2);
    assert!(ran.stderr().contains("did you mean \"reviewer\"?"), "{}", ran.stderr());
}

#[test]
fn python_starts_an_agent_by_a_profile_of_the_person_s_own() {
    let place = Place::new();
    let agents = place.home().join("config/agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("looker.toml"), "mode = 'plan'\n").unwrap();
    std::fs::write(agents.join("broken.toml"), "\nmoduls = ['files']\n").unwrap();
    let code = r#"
from footplate import Error, agents
print(agents.run("write", agent="looker")["name"])
try:
    agents.run("write", agent="broken")
except Error as error:
    print(error)
"#;
    let write = "from footplate import files\nfiles.write('one.txt', 'x')\n";
    let mut script = runs(code);
    script["agents"]["looker"] = json!({ "turns": [
        { "calls": [{ "name": "execute_code", "arguments": { "code": write } }] },
        { "text": "Looked." },
    ] });
    let model = place.script(&script);
    let ran = place.run(&["exec", "--model", &model, "--mode", "auto", "go"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(!place.work().join("one.txt").exists(), "its profile has it in plan mode");
    let journals = place.journals();
    let output = &of_type(&journals[0], "call_finished").last().unwrap()["result"]["content"];
    let output = output.as_str().unwrap();
    assert!(output.starts_with("looker\n"), "{output}");
    assert!(output.contains("broken.toml:2:1: `moduls` is no setting"), "{output}");
    assert!(output.contains("did you mean `modules`?"), "{output}");
}

#[test]
fn a_profile_with_a_worktree_is_for_agents_and_never_the_folder_itself() {
    let place = Place::new();
    let profiles = place.home().join("config/agents");
    std::fs::create_dir_all(&profiles).unwrap();
    std::fs::write(profiles.join("apart.toml"), "workspace = \"worktree\"\n").unwrap();
    let model = place.script(&json!({ "turns": [{ "text": "hi" }] }));
    let ran = place.run(&["exec", "--profile", "apart", "--model", &model, "go"]);
    assert_eq!(ran.code(), 2, "{}", ran.stdout());
    assert!(ran.stderr().contains("only an agent gets"), "{}", ran.stderr());
    assert!(place.journals().is_empty());
}
