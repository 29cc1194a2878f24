//! What a run asks for beyond its level: that it gets this, and nothing else with it.

use std::{
    fs,
    io::Read as _,
    net::TcpListener,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use footplate::{
    executor::seal::{Bounds, Form, Level},
    kernel::{
        event::ExitStatus,
        port::{Aside, Ended, Executor, Program},
    },
};
use serde_json::json;

use super::{Scene, rows, runs::Bench, skipped};
use crate::support::{Place, of_type, runs};

const DONE: ExitStatus = ExitStatus::Exited { code: 0 };

#[test]
fn the_network_is_reached_where_that_was_asked_for_and_nothing_of_this_machine_beside_it() {
    for (user, form, level) in rows() {
        for network in [false, true] {
            let row = format!("{user:?} {form:?} {level:?} {network}");
            let scene = Scene::new();
            let before = scene.picture();
            let server = TcpListener::bind("127.0.0.1:0").unwrap();
            server.set_nonblocking(true).unwrap();
            let mut plan = scene.plan(form, level);
            plan.network = network;
            plan.reads.extend(["/etc/hosts", "/etc/nsswitch.conf"].map(PathBuf::from));
            let port = server.local_addr().unwrap().port().to_string();
            let socket = scene.at("outside/socket");
            let said = scene.python(user, &plan, "network.py", &[&port, socket.to_str().unwrap()]);
            let mut heard = String::new();
            if let Ok((mut from, _)) = server.accept() {
                from.read_to_string(&mut heard).unwrap();
            }
            assert_eq!(heard, if network { "hello" } else { "" }, "{row}");
            assert!(said.lines().count() > 25, "{row}: it tried too little:\n{said}");
            for line in said.lines() {
                // The names of this computer stand in a file.
                let is_allowed = line.starts_with("a name") || network && !line.starts_with('!');
                assert_eq!(line.ends_with(": DONE"), is_allowed, "{row}: {line}");
            }
            for socket in [&scene.listening, &scene.abstracted] {
                assert!(socket.recv(&mut [0; 8]).is_err(), "{row}: a socket was reached");
            }
            assert_eq!(scene.picture(), before, "{row}");
        }
    }
}

#[test]
fn a_file_that_is_needed_of_a_covered_folder_is_there_and_its_neighbours_are_not() {
    // The folder of name servers is covered the same way, and not ours to write into.
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let (needed, other) = (shared.path().join("run/needed"), shared.path().join("other"));
    fs::create_dir(shared.path().join("run")).unwrap();
    fs::write(&needed, "servers\n").unwrap();
    fs::write(&other, "secret\n").unwrap();
    for path in [shared.path(), needed.parent().unwrap()] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    for (user, form, level) in rows().into_iter().filter(|(_, form, _)| *form == Form::Full) {
        let scene = Scene::new();
        let mut plan = scene.plan(form, level);
        plan.reads.push(needed.clone());
        let script = format!(
            "cat {0}; ls -A {1}; ls -A /dev/shm | wc -l; echo x > {0}; mv {0} {0}.old; true",
            needed.display(),
            shared.path().display()
        );
        let output = scene.run(user, &plan, &["/usr/bin/sh", "sh", "-c", &script]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "servers\nrun\n1\n", "{user:?} {level:?} {output:?}");
        assert_eq!(fs::read_to_string(&needed).unwrap(), "servers\n");
    }
}

#[test]
fn a_place_in_a_guarded_one_is_written_and_the_rest_of_that_is_not() {
    for (user, form, level) in rows() {
        let scene = Scene::new();
        let hooks = scene.at("work/.git/hooks");
        fs::create_dir(&hooks).unwrap();
        fs::set_permissions(&hooks, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let mut plan = scene.plan(form, level);
        plan.writes.push(hooks.clone());
        let script =
            "echo a > .git/hooks/new; echo b > .git/config; echo c > .venv/bin/python; true";
        scene.run(user, &plan, &["/usr/bin/sh", "sh", "-c", script]);
        let read = |path: &str| fs::read_to_string(scene.at(path)).unwrap();
        let row = format!("{user:?} {form:?} {level:?}");
        assert_eq!(read("work/.git/hooks/new"), "a\n", "{row}");
        assert_eq!(read("work/.git/config"), "unchanged", "{row}");
        assert_eq!(read("work/.venv/bin/python"), "unchanged", "{row}");
    }
}

/// Runs a shell script with these paths, from the top of the bench, to be written as well.
async fn shell(bench: &Bench, level: Level, writes: &[&str], script: &str) -> Ended {
    let writes = writes.iter().map(|path| bench.at(path)).collect();
    let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
    bench.run(Bounds { writes, ..level.into() }, Program::Argv(argv)).await
}

#[tokio::test]
async fn what_was_asked_for_is_written_and_its_neighbour_is_not() {
    for (form, bench) in Bench::each() {
        for folder in ["other", "neighbour", "work/.venv", "third/.git", "third/sub"] {
            fs::create_dir_all(bench.at(folder)).unwrap();
        }
        fs::write(bench.at("work/.git/config"), "as it was").unwrap();
        for (level, writes, script, works) in [
            (Level::Workspace, vec!["other"], "echo a > ../other/x && cat ../other/x", true),
            (Level::Sealed, vec!["other"], "mkdir ../other/y && ls ../other", true),
            (Level::Workspace, vec!["other"], "echo a > ../neighbour/x", false),
            (Level::Workspace, vec!["other"], "echo a > ../x", false),
            (Level::Workspace, vec!["third"], "echo a > ../third/.git/x", false),
            (Level::Workspace, vec!["third"], "echo a > ../third/sub/x", true),
            (Level::Workspace, vec!["other"], "cat ../home/.ssh/id", false),
            (Level::Sealed, vec!["other"], "echo a > src/x", false),
            (Level::Workspace, vec!["work/.git"], "echo a > .git/config", true),
            (Level::Workspace, vec!["work/.git"], "echo a > .git/new", true),
            (Level::Sealed, vec!["work/.git"], "rm .git/new", true),
            (Level::Workspace, vec!["work/.git"], "echo a > .venv/x", false),
            (Level::Workspace, vec!["work/.git"], "echo a > ../other/z", false),
            (Level::Workspace, vec!["home/.ssh/id"], "echo a > ../home/.ssh/id", true),
            (Level::Workspace, vec!["home/.ssh/id"], "echo a > ../home/.ssh/new", false),
            (Level::Workspace, vec![], "echo a > .git/config", false),
        ] {
            let ended = shell(&bench, level, &writes, script).await;
            assert_eq!(ended.status == DONE, works, "{form:?} {writes:?} {script} {ended:?}");
            assert_eq!(ended.aside, [], "{form:?} {script}");
        }
    }
}

#[tokio::test]
async fn what_is_ours_or_not_there_is_not_given() {
    for (form, bench) in Bench::each() {
        for (writes, expected) in [
            ("ours", "footplate's own"),
            ("ours/data/python", "footplate's own"),
            ("ours/new", "footplate's own"),
            ("nowhere/new", "is not there"),
            ("other", "is not there"),
            ("work/.git/new", "is not there"),
            ("/", "cannot be given"),
        ] {
            let bounds = Bounds { writes: vec![bench.at(writes)], ..Level::Workspace.into() };
            let refused = bench.local.check_bounds(&bounds, &bench.at("work")).unwrap_err();
            assert!(refused.message.contains(expected), "{form:?} {writes}: {}", refused.message);
            assert_eq!(refused.message.lines().count(), 2, "{}", refused.message);
        }
        let bounds =
            |path: &str| Bounds { writes: vec![bench.at(path)], ..Level::Workspace.into() };
        bench.local.check_bounds(&bounds("work/src/.git"), &bench.at("work")).unwrap();
        let top = bench.local.check_bounds(&bounds("work/.venv"), &bench.at("work"));
        // Rules alone cannot let a name be made beside what is guarded.
        assert_eq!(top.is_ok(), form == Form::Full, "{form:?} {top:?}");
        // All around it may be asked for, and it still is not written.
        fs::create_dir(bench.at("beside")).unwrap();
        let script = "echo a > ../beside/x; echo a > ../ours/x";
        let ended = shell(&bench, Level::Sealed, &[""], script).await;
        let written = [bench.at("beside/x").exists(), bench.at("ours/x").exists()];
        assert_eq!(written, [true, false], "{form:?} {ended:?}");
    }
}

#[tokio::test]
async fn what_a_link_that_is_obeyed_leads_to_is_not_written_and_the_link_stays() {
    for (form, bench) in Bench::each() {
        fs::create_dir(bench.at("work/real")).unwrap();
        symlink("../real", bench.at("work/src/.venv")).unwrap();
        for script in [
            "echo a > real/x",
            "echo a > src/.venv/x",
            "rm src/.venv",
            "mv src/.venv src/other",
            "ln -sfn . src/.venv",
        ] {
            let ended = shell(&bench, Level::Workspace, &[], script).await;
            assert_ne!(ended.status, DONE, "{form:?} {script}");
            assert_eq!(ended.aside, [], "{form:?} {script}");
        }
        assert_eq!(fs::read_link(bench.at("work/src/.venv")).unwrap(), Path::new("../real"));
        let ended = shell(&bench, Level::Workspace, &["work/real"], "echo a > src/.venv/x").await;
        assert_eq!(ended.status, DONE, "{form:?} {ended:?}");
    }
}

#[tokio::test]
async fn what_a_run_makes_that_others_obey_is_put_aside_unless_it_asked() {
    let script =
        "mkdir src/.vscode src/new && echo a > src/.vscode/tasks && echo b > src/new/.envrc";
    for (form, bench) in Bench::each() {
        let ended = shell(&bench, Level::Workspace, &[], script).await;
        let kept = bench.at("aside");
        let aside = |was: &str, now: &str| Aside { was: was.into(), now: Some(kept.join(now)) };
        let expected = [aside("src/.vscode", ".vscode"), aside("src/new/.envrc", ".envrc")];
        assert_eq!((ended.status, &*ended.aside), (DONE, &expected[..]), "{form:?}");
        assert!(
            !bench.at("work/src/.vscode").exists() && !bench.at("work/src/new/.envrc").exists()
        );
        assert_eq!(fs::read_to_string(kept.join(".vscode/tasks")).unwrap(), "a\n");

        fs::remove_dir(bench.at("work/src/new")).unwrap();
        let asked = ["work/src/.vscode"];
        let ended = shell(&bench, Level::Workspace, &asked, script).await;
        assert_eq!(ended.aside, [aside("src/new/.envrc", ".envrc.2")], "{form:?}");
        assert!(bench.at("work/src/.vscode/tasks").exists());
        let ended = shell(&bench, Level::Open, &[], "mkdir src/.idea").await;
        assert!(ended.aside.is_empty() && bench.at("work/src/.idea").exists(), "{form:?}");
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_leaves_nothing_that_others_obey() {
    for (form, bench) in Bench::each() {
        let mut changed = bench.printed.changed.subscribe();
        tokio::select! {
            ended = shell(&bench, Level::Workspace, &[], "mkdir src/.git; echo made; sleep 600") => {
                panic!("{form:?} {ended:?}")
            }
            made = changed.wait_for(|()| !bench.printed.bytes.lock().unwrap().is_empty()) => {
                drop(made.unwrap());
            }
        }
        assert!(!bench.at("work/src/.git").exists(), "{form:?}");
        assert!(bench.at("aside/.git").is_dir(), "{form:?}");
    }
}

#[test]
fn what_came_through_the_gate_stays_whatever_run_asked_for_it() {
    let place = Place::new();
    if footplate::executor::seal::available(super::PROGRAM.as_ref()) == Form::None {
        return skipped("what a run makes that others obey");
    }
    fs::create_dir(place.work().join("src")).unwrap();
    let code = "import os
from footplate import files, process
files.write('src/.github/work.yml', 'on: push')
process.run(['mkdir', 'src/.idea'], writes=['src/.idea'])
process.run(['mkdir', 'src/.husky'], seal='open')
os.mkdir('src/.vscode')
print(process.run(['mkdir', 'src/.direnv'])['note'])";
    let mut script = runs(code);
    script["turns"][0]["calls"][0]["arguments"]["seal"] = json!("workspace");
    let model = place.script(&script);
    let ran = place.run(&["exec", "--mode", "auto", "--model", &model, "--json", "go"]);
    let mut left: Vec<_> = fs::read_dir(place.work().join("src")).unwrap().flatten().collect();
    left.sort_by_key(fs::DirEntry::file_name);
    let left: Vec<_> = left.iter().map(|entry| entry.file_name()).collect();
    assert_eq!(left, [".github", ".husky", ".idea"], "{}{}", ran.stdout(), ran.stderr());
    let journal = place.journal();
    let told = of_type(&journal, "call_finished").last().unwrap().to_string();
    assert!(told.contains("src/.vscode is now ") && told.contains("src/.direnv is now "), "{told}");
}

#[test]
fn a_refusal_says_what_to_ask_for_and_asking_for_that_helps() {
    let place = Place::new();
    if footplate::executor::seal::available(super::PROGRAM.as_ref()) == Form::None {
        return skipped("the network of a sealed program");
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let beside = place.work().parent().unwrap().join("beside");
    fs::create_dir(&beside).unwrap();
    let code = format!(
        "from footplate import process
tcp = ['{python}', '-c', 'import socket; socket.create_connection((\"127.0.0.1\", {port}))']
touch = ['touch', {file:?}]
print(process.run(tcp)['note'])
print(process.run(tcp, network=True))
print(process.run(touch)['note'])
print(process.run(touch, writes=[{beside:?}]))
open({file:?}, 'w')",
        python = super::PYTHON,
        file = beside.join("file"),
    );
    let model = place.script(&runs(&code));
    place.run(&["exec", "--mode", "auto", "--model", &model, "--json", "go"]);
    assert!(server.accept().is_ok() && server.accept().is_err(), "it was reached once");
    assert!(beside.join("file").exists());
    let journal = place.journal();
    let started = of_type(&journal, "call_started");
    let categories: Vec<_> = started.iter().map(|event| event["category"].clone()).collect();
    assert_eq!(categories, ["read", "execute", "external", "execute", "execute"]);
    let told = of_type(&journal, "call_finished").last().unwrap()["result"]["content"].to_string();
    for expected in ["network=True", "writes=[", "use files.write", "'returncode': 0"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}
