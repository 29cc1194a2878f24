//! What a session writes down: its list, which a resume finds again, and what it remembers of its
//! project, which no other project and no run is shown.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::{Place, of_type, seals};

fn call(place: &Place, folder: &Path, name: &str, input: &Value) -> Value {
    let (folder, input) = (folder.to_str().unwrap(), input.to_string());
    let words = ["-C", folder, "--mode", "auto", "--tool", name, "--tool-input", &input];
    let ran = place.run(&words);
    serde_json::from_str(&ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()))
}

/// A script that runs one piece of Python after the other, with an answer after each.
fn scripts(all: &[&str]) -> Value {
    let turn = |code: &&str| {
        let call = json!({"name": "execute_code", "arguments": {"code": code}});
        [json!({"text": "I run it.", "calls": [call]}), json!({"text": "That was all."})]
    };
    json!({ "turns": all.iter().flat_map(turn).collect::<Vec<_>>() })
}

/// What the last script of a journal printed.
fn printed(journal: &[Value]) -> String {
    let finished = of_type(journal, "call_finished");
    let last = finished.iter().rev().find(|line| line["result"]["name"] == "execute_code");
    last.unwrap()["result"]["content"].to_string()
}

#[test]
fn python_keeps_a_list_that_a_resume_finds_again() {
    let place = Place::new();
    fs::write(place.work().join("a.txt"), "a needle\n").unwrap();
    let first = "from footplate import search, todo\n\
                 todo.set([{'text': 'look'}, {'text': 'write', 'state': 'doing'}])\n\
                 todo.update(1, state='done')\n\
                 print(search.text('needle')['matches'], search.files(name='a')['files'])\n";
    let second = "import footplate\nfrom footplate import todo\n\
                  print([(it['text'], it['state']) for it in todo.list()['items']])\n\
                  print([it['name'] for it in footplate.find('todo')])\n";
    let model = place.script(&scripts(&[first, second]));
    let ran = place.run(&["exec", "--mode", "auto", "--model", &model, "go"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let said = printed(&place.journal());
    assert!(said.contains("'text': 'a needle'") && said.contains("['a.txt']"), "{said}");
    let ran = place.run(&["exec", "--continue", "go on"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let said = printed(&place.journal());
    assert!(said.contains("[('look', 'done'), ('write', 'doing')]"), "{said}");
    assert!(said.contains("todo.set") && said.contains("todo.update"), "{said}");
    assert_eq!(of_type(&place.journal(), "todo_changed").len(), 2);
}

/// The one folder of what is remembered.
fn remembered(place: &Place) -> PathBuf {
    let mut folders = fs::read_dir(place.home().join("data/memory")).unwrap();
    let folder = folders.next().unwrap().unwrap().path();
    assert!(folders.next().is_none());
    folder
}

#[test]
fn what_is_remembered_is_of_one_project_alone_and_can_be_taken_back() {
    let place = Place::new();
    let work = place.work();
    let other = place.user().join("work");
    fs::create_dir(&other).unwrap();
    let note = json!({"name": "build", "text": "# Build\nuse just\n"});
    let alone = place.run(&[
        "--mode",
        "accept-edits",
        "--tool",
        "memory.write",
        "--tool-input",
        &note.to_string(),
    ]);
    assert!(alone.stdout().contains("no_approver"), "{}", alone.stdout());
    assert!(!place.home().join("data/memory").exists());
    assert_eq!(call(&place, &work, "memory.write", &note)["ok"], true);
    let folder = remembered(&place);
    assert_eq!(fs::read_to_string(folder.join("build.md")).unwrap(), "# Build\nuse just\n");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("build.md"))), (0o700, 0o600));

    let read = call(&place, &work, "memory.read", &json!({"name": "build"}));
    assert_eq!(read["content"], json!("# Build\nuse just\n"));
    // The same name of a folder, and another project; and files.* reach none of it.
    let list = call(&place, &other, "memory.list", &json!({}));
    assert_eq!(list["content"], json!({"notes": []}));
    let path = folder.join("build.md");
    for (name, input) in [
        ("files.read", json!({"path": path})),
        ("files.write", json!({"path": path, "text": "obey\n"})),
        ("search.text", json!({"pattern": "just", "path": folder})),
    ] {
        let result = call(&place, &work, name, &input);
        assert_eq!(result["ok"], false, "{name}: {result}");
    }
    if seals() {
        let input = json!({"code": format!("print(open({path:?}).read())")});
        let result = call(&place, &work, "execute_code", &input);
        assert!(!result.to_string().contains("use just"), "{result}");
    }

    assert_eq!(call(&place, &work, "memory.delete", &json!({"name": "build"}))["ok"], true);
    assert!(!path.exists());
}

#[test]
fn a_note_is_undone_like_any_file() {
    let place = Place::new();
    let code = "from footplate import memory\n\
                memory.append('build', 'use just')\n\
                memory.append('build', 'or make')\n";
    let model = place.script(&scripts(&[code]));
    let ran = place.run(&["exec", "--mode", "auto", "--model", &model, "go"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let path = remembered(&place).join("build.md");
    assert_eq!(fs::read_to_string(&path).unwrap(), "use just\nor make\n");
    let undone = place.run(&["undo", "--yes"]);
    assert_eq!(undone.code(), 0, "{}", undone.stderr());
    assert!(undone.stdout().contains("memory:build"), "{}", undone.stdout());
    assert!(!path.exists());
}
