//! Agents in git worktrees of their own, in the whole program and with the real git.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::support::{Place, of_type, runs, seals};

fn git(folder: &Path, words: &[&str]) -> String {
    let ran = Command::new("git")
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("HOME", folder)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .current_dir(folder)
        .args(words)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// A repository with a file, things that others obey, and a hook that leaves a mark.
fn begun(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["config", "user.name", "Ada"]);
    git(folder, &["config", "user.email", "ada@example.org"]);
    fs::create_dir_all(folder.join(".github/workflows")).unwrap();
    for (name, text) in [("a.txt", "one\n"), ("AGENTS.md", "Be kind.\n"), (".github/x.yml", "")] {
        fs::write(folder.join(name), text).unwrap();
    }
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "begin"]);
    let hook = folder.join(".git/hooks/post-checkout");
    fs::write(&hook, format!("#!/bin/sh\ntouch {}/hooked\n", folder.display())).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, mode).unwrap();
}

fn python(code: &str) -> Value {
    json!({ "calls": [{ "name": "execute_code", "arguments": { "code": code } }] })
}

fn says(text: &str) -> Value {
    json!({ "text": text })
}

/// The output of the script of the root session.
fn output(place: &Place) -> String {
    let root = place.journals().into_iter().find(|it| it[0]["spec"]["parent"].is_null()).unwrap();
    let finished = of_type(&root, "call_finished");
    finished.last().unwrap()["result"]["content"].as_str().unwrap().to_owned()
}

/// The workspace of the agent of that name.
fn workspace(place: &Place, agent: &str) -> PathBuf {
    let of = |journal: &&Vec<Value>| {
        journal[0]["spec"]["path"].as_array().unwrap().last().unwrap() == agent
    };
    let journals = place.journals();
    let journal = journals.iter().find(of).unwrap();
    journal[0]["spec"]["workspace"].as_str().unwrap().into()
}

fn run(place: &Place, mode: &str, code: &str, agents: &[(&str, Vec<Value>)]) -> String {
    let mut script = runs(code);
    for (name, turns) in agents {
        script["agents"][*name] = json!({ "turns": turns });
    }
    let model = place.script(&script);
    let ran = place.run(&["exec", "--model", &model, "--mode", mode, "go"]);
    assert!([0, 3].contains(&ran.code()), "{}", ran.stderr());
    output(place)
}

#[test]
fn an_agent_works_in_a_worktree_and_nothing_of_its_starter_s_is_touched() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work().canonicalize().unwrap();
    begun(&work);
    fs::write(work.join("a.txt"), "not committed\n").unwrap();
    let starts = "
from footplate import agents
print(agents.run('write', name='w', workspace='worktree'))
print(agents.run('look', name='l', workspace='worktree'))
";
    let data = place.home().canonicalize().unwrap().join("data");
    let writes = format!(
        "
from footplate import files, Error
print(files.read('a.txt'), end='')
files.write('a.txt', 'two\\n')
for path in ['{}/spy', '{}/a.txt']:
    try:
        open(path, 'w')
    except OSError as error:
        print('closed')
try:
    files.write('{}/x', 'x')
except Error as error:
    print(error)
try:
    files.read('{}')
except Error as error:
    print(error)
",
        work.display(),
        work.display(),
        data.display(),
        data.join("memory").display(),
    );
    let told = run(
        &place,
        "auto",
        starts,
        &[("w", vec![python(&writes), says("Written.")]), ("l", vec![says("Seen.")])],
    );
    assert!(told.contains("Its worktree is kept: "), "{told}");
    assert_eq!(told.matches("worktree is kept").count(), 1, "that of l was removed: {told}");
    assert_eq!(fs::read_to_string(work.join("a.txt")).unwrap(), "not committed\n");
    assert!(!work.join("hooked").exists() && !work.join("spy").exists());
    let tree = workspace(&place, "w");
    assert!(tree.starts_with(data.join("worktrees")), "{}", tree.display());
    assert!(!workspace(&place, "l").parent().unwrap().exists());
    assert_eq!(fs::read_to_string(tree.join("a.txt")).unwrap(), "two\n");
    assert!(tree.join(".github/x.yml").exists() && tree.join("AGENTS.md").exists());
    assert!(git(&tree, &["status", "--porcelain"]).ends_with("M a.txt"));
    let listed = git(&work, &["worktree", "list", "--porcelain"]);
    assert_eq!(listed.matches("worktree ").count(), 2, "{listed}");
    let journals = place.journals();
    let of_w = journals.iter().find(|it| it[0]["spec"]["workspace"] == json!(tree)).unwrap();
    let said = of_type(of_w, "call_finished").last().unwrap()["result"]["content"].clone();
    let said = said.as_str().unwrap();
    assert!(said.starts_with("one\nclosed\nclosed\n"), "{said}");
    assert!(said.contains("footplate's own"), "{said}");
    assert!(said.contains("outside the workspace"), "{said}");
}

#[test]
fn a_commit_that_is_in_no_branch_is_kept_and_one_that_is_goes_on_without_the_worktree() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work().canonicalize().unwrap();
    begun(&work);
    let starts = "
from footplate import agents
print(agents.run('commit', name='c', workspace='worktree')['worktree'])
";
    let commits = "
from footplate import files, git
files.write('new.txt', 'new\\n')
print(git.commit(paths=['new.txt'], message='Add it'))
";
    let told = run(&place, "auto", starts, &[("c", vec![python(commits), says("Committed.")])]);
    let tree = workspace(&place, "c");
    let (old, new) = (git(&work, &["rev-parse", "HEAD"]), git(&tree, &["rev-parse", "HEAD"]));
    assert_ne!(old, new);
    assert!(told.contains(&format!("git.diff(base=\"{old}\", to=\"{new}\")")), "{told}");
    assert!(git(&work, &["diff", "--stat", &old, &new]).contains("new.txt"));
}

#[test]
fn a_worktree_that_cannot_be_is_said_plainly_and_no_agent_starts() {
    if !seals() {
        return;
    }
    let starts = "
from footplate import agents, Error
try:
    agents.run('look', name='w', workspace='worktree')
except Error as error:
    print(error)
try:
    agents.run('look', name='w', workspace='worktree', folder='sub')
except Error as error:
    print(error)
";
    let place = Place::new();
    let told = run(&place, "auto", starts, &[]);
    assert!(told.contains("for want of its worktree. This folder is no git repository."), "{told}");
    assert!(told.contains("name the folder in its task"), "{told}");
    assert_eq!(place.journals().len(), 1);

    let place = Place::new();
    git(&place.work(), &["init", "-q"]);
    let told = run(&place, "auto", starts, &[]);
    assert!(told.contains("there is no commit yet"), "{told}");

    let place = Place::new();
    git(&place.work(), &["init", "-q", "--bare"]);
    let told = run(&place, "auto", starts, &[]);
    assert!(told.contains("a bare repository"), "{told}");

    let place = Place::new();
    begun(&place.work().canonicalize().unwrap());
    let told = run(&place, "plan", starts, &[]);
    assert!(told.contains("plan mode"), "{told}");
    let told = run(&place, "default", starts, &[]);
    assert!(told.contains("for want of its worktree"), "nobody is there to ask: {told}");
    assert!(!place.home().join("data/worktrees").exists());
}

#[test]
fn an_agent_in_a_worktree_gives_another_one_of_the_same_repository() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work().canonicalize().unwrap();
    begun(&work);
    let starts = |name: &str| {
        format!(
            "
from footplate import agents
print(agents.run('go on', name='{name}', workspace='worktree', modules=['agents', 'files']))
"
        )
    };
    let writes = "from footplate import files\nfiles.write('inner.txt', 'x')\n";
    let told = run(
        &place,
        "auto",
        &starts("outer"),
        &[
            ("outer", vec![python(&starts("inner")), says("Outer.")]),
            ("inner", vec![python(writes), says("Inner.")]),
        ],
    );
    assert!(told.contains("Outer.") && !told.contains("is kept"), "{told}");
    let (inner, outer) = (workspace(&place, "inner"), workspace(&place, "outer"));
    assert!(inner.join("inner.txt").exists() && !outer.exists());
    assert!(git(&work, &["worktree", "list"]).contains(inner.to_str().unwrap()));
}

/// What is told of the worktrees that were made, oldest first.
fn facts(place: &Place) -> Vec<Value> {
    let root = place.journals().into_iter().find(|it| it[0]["spec"]["parent"].is_null()).unwrap();
    let finished = of_type(&root, "call_finished");
    let made = finished.into_iter().filter(|it| it["result"]["name"] == "add_worktree");
    made.map(|it| it["result"]["content"]["facts"].clone()).collect()
}

#[test]
fn what_is_not_in_a_worktree_is_told_and_an_agent_in_one_can_be_waited_for() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work().canonicalize().unwrap();
    begun(&work);
    let commit = git(&work, &["rev-parse", "HEAD"]);
    let link = format!("160000,{commit},sub");
    git(&work, &["update-index", "--add", "--cacheinfo", &link]);
    git(&work, &["commit", "-q", "-m", "with a submodule"]);
    fs::create_dir(work.join("sub")).unwrap();
    fs::write(work.join("a.txt"), "not committed\n").unwrap();
    fs::write(work.join("new.txt"), "new\n").unwrap();
    let starts = "
from footplate import agents
agents.start('write', name='w', workspace='worktree')
over = agents.wait()['over'][0]
print(over['text'], over['worktree'])
";
    let writes = "from footplate import files\nfiles.write('inner.txt', 'x')\n";
    let agents = [("w", vec![python(writes), says("Written.")])];
    let told = run(&place, "auto", starts, &agents);
    assert!(told.starts_with("Written. Its worktree is kept: "), "{told}");
    let facts = facts(&place);
    let facts = facts[0].as_array().unwrap();
    assert!(facts.contains(&json!("not in it: 2 paths with uncommitted changes")), "{facts:?}");
    assert!(facts.contains(&json!("empty in it: 1 submodules")), "{facts:?}");

    // As if the program had ended before the agent began.
    let journals = place.journals();
    let of_w = journals.iter().find(|it| !it[0]["spec"]["parent"].is_null()).unwrap();
    let (id, tree) = (of_w[0]["session"].as_str().unwrap(), workspace(&place, "w"));
    fs::remove_dir_all(place.home().join("data/sessions").join(id)).unwrap();
    let root = journals.iter().find(|it| it[0]["spec"]["parent"].is_null()).unwrap();
    let resumed = place.run(&["exec", "--resume", root[0]["session"].as_str().unwrap(), "on"]);
    let left = format!("left for which no agent began: {}", tree.display());
    assert!(resumed.stderr().contains(&left), "{}", resumed.stderr());
    git(&work, &["worktree", "remove", "-f", "-f", tree.to_str().unwrap()]);
    let resumed = place.run(&["exec", "--resume", root[0]["session"].as_str().unwrap(), "on"]);
    assert!(!resumed.stderr().contains("worktree"), "{}", resumed.stderr());
}
