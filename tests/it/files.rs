//! Files as they are: where a path really leads, what an edit leaves alone, and what is left when a
//! write is cut off.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
};

use serde_json::{Value, json};

use crate::support::{Place, of_type, runs};

/// One call by hand.
fn call(place: &Place, mode: &str, name: &str, input: &Value) -> Value {
    let ran = place.run(&["--mode", mode, "--tool", name, "--tool-input", &input.to_string()]);
    serde_json::from_str(&ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()))
}

fn message(result: &Value) -> &str {
    result["content"]["message"].as_str().unwrap_or_default()
}

/// A workspace with ways out of it, and the real place outside.
fn with_ways_out(place: &Place) -> PathBuf {
    let outside = place.work().parent().unwrap().canonicalize().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("private.txt"), "outside the workspace\n").unwrap();
    let work = place.work();
    fs::create_dir_all(work.join("pkg/sub")).unwrap();
    for (target, link) in [
        (outside.to_str().unwrap(), "outbox"),
        (outside.join("not_there_yet.txt").to_str().unwrap(), "dangling"),
        ("../outside/private.txt", "rel"),
        ("loop_b", "loop_a"),
        ("loop_a", "loop_b"),
        (".", "pkg/self"),
        ("/proc/self/environ", "environ"),
    ] {
        symlink(target, work.join(link)).unwrap();
    }
    outside
}

#[test]
fn no_path_leads_out_of_the_workspace_unasked() {
    let place = Place::new();
    let outside = with_ways_out(&place);
    let ways = [
        ("outbox/private.txt", "private.txt"),
        ("outbox/x/new.txt", "x/new.txt"),
        ("dangling", "not_there_yet.txt"),
        ("rel", "private.txt"),
        ("../outside/private.txt", "private.txt"),
        ("pkg/self/self/../outbox/x2", "x2"),
        ("pkg/self/self/../../outside/x3", "x3"),
    ];
    for (way, _) in ways {
        let read = call(&place, "auto", "files.read", &json!({ "path": way }));
        assert!(message(&read).contains("outside the workspace"), "{way}: {read}");
        // Nobody is there to ask, so what is asked is not done.
        let input = json!({ "path": way, "text": "x\n" });
        let written = call(&place, "accept-edits", "files.write", &input);
        assert_eq!(written["content"]["error"], "no_approver", "{way}: {written}");
    }
    for way in ["environ", "loop_a"] {
        let read = call(&place, "auto", "files.read", &json!({ "path": way }));
        assert_eq!(read["content"]["error"], "failed", "{way}: {read}");
        let input = json!({ "path": way, "text": "x\n" });
        let written = call(&place, "accept-edits", "files.write", &input);
        assert_eq!(written["ok"], false, "{way}: {written}");
    }
    let names: Vec<_> = fs::read_dir(&outside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["private.txt"]);
    assert_eq!(fs::read(outside.join("private.txt")).unwrap(), b"outside the workspace\n");
    // Where a person lets it through, it goes to the place that was named.
    for (way, real) in ways {
        let input = json!({ "path": way, "text": format!("by {way}\n") });
        let written = call(&place, "auto", "files.write", &input);
        let named = written["content"].as_str().unwrap();
        assert!(named.contains(outside.join(real).to_str().unwrap()), "{way}: {written}");
        assert_eq!(fs::read_to_string(outside.join(real)).unwrap(), format!("by {way}\n"));
    }
    assert!(place.work().join("dangling").is_symlink());
}

#[test]
fn an_edit_keeps_links_modes_and_names() {
    let place = Place::new();
    let work = place.work();
    fs::write(work.join("real.md"), "price: 5\n").unwrap();
    symlink("real.md", work.join("link.md")).unwrap();
    fs::write(work.join("run.sh"), "#!/bin/sh\necho price: 5\n").unwrap();
    fs::set_permissions(work.join("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(work.join("hard_a.txt"), "price: 5\n").unwrap();
    fs::hard_link(work.join("hard_a.txt"), work.join("hard_b.txt")).unwrap();
    for path in ["link.md", "run.sh", "hard_a.txt"] {
        let input = json!({ "path": path, "old": "price: 5", "new": "price: 7" });
        assert_eq!(call(&place, "auto", "files.edit", &input)["ok"], true, "{path}");
    }
    assert!(work.join("link.md").is_symlink());
    assert_eq!(fs::read(work.join("real.md")).unwrap(), b"price: 7\n");
    assert_eq!(fs::read(work.join("run.sh")).unwrap(), b"#!/bin/sh\necho price: 7\n");
    assert_eq!(work.join("run.sh").metadata().unwrap().mode() & 0o777, 0o755);
    assert_eq!(fs::read(work.join("hard_b.txt")).unwrap(), b"price: 7\n");
    assert_eq!(work.join("hard_a.txt").metadata().unwrap().nlink(), 2);
}

#[test]
fn what_may_not_be_written_is_refused_before_anybody_is_asked() {
    let place = Place::new();
    let readonly = place.work().join("readonly.txt");
    fs::write(&readonly, "price: 5\n").unwrap();
    fs::set_permissions(&readonly, PermissionsExt::from_mode(0o444)).unwrap();
    let input = json!({ "path": "readonly.txt", "old": "5", "new": "7" });
    let edited = call(&place, "default", "files.edit", &input);
    assert!(message(&edited).contains("read-only"), "{edited}");
    let input = json!({ "path": "readonly.txt", "text": "7" });
    let written = call(&place, "default", "files.write", &input);
    assert!(message(&written).contains("read-only"), "{written}");
    assert_eq!(fs::read(&readonly).unwrap(), b"price: 5\n");
}

#[test]
fn keys_that_are_there_twice_run_nothing() {
    let place = Place::new();
    let input = r#"{"path":"shown.txt","text":"x","path":"run.txt"}"#;
    let ran = place.run(&["--mode", "auto", "--tool", "files.write", "--tool-input", input]);
    assert!(ran.stdout().contains(r#"the key \"path\" is there twice"#), "{}", ran.stdout());
    assert_eq!(fs::read_dir(place.work()).unwrap().count(), 0);
}

/// Runs a shell script that may mount things; `$1` is the program. Nothing if it could not.
fn in_a_namespace(place: &Place, script: &str) -> Option<String> {
    let program = place.footplate();
    let out = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(program.get_program())
        .env_clear()
        .envs(place.environment())
        .current_dir(place.work())
        .output()
        .ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_beside_it() {
    let place = Place::new();
    let text = "x".repeat(100_000);
    for name in ["whole", "names", "new"] {
        let input = json!({ "path": format!("{name}.txt"), "text": text }).to_string();
        fs::write(place.home().join(name), input).unwrap();
    }
    let script = "mount -t tmpfs -o size=64k none . && cd \"$PWD\" || exit 77
        echo whole > whole.txt; echo names > names.txt; ln names.txt other.txt
        for name in whole names new; do
            input=\"$(cat \"$FOOTPLATE_HOME/$name\")\"
            \"$1\" --mode auto --tool files.write --tool-input \"$input\" | grep -c 'the disk is full'
        done
        ls -A
        cat whole.txt names.txt other.txt";
    let Some(seen) = in_a_namespace(&place, script) else {
        let _ = writeln!(std::io::stderr(), "not tried here: no disk can be mounted");
        return;
    };
    assert_eq!(seen, "1\n1\n1\nnames.txt\nother.txt\nwhole.txt\nwhole\nnames\nnames\n");
}

#[test]
fn where_no_file_can_be_made_one_that_is_there_is_written_in_its_place() {
    let place = Place::new();
    let file = place.work().join("a.txt");
    fs::write(&file, "old\n").unwrap();
    let before = file.metadata().unwrap().ino();
    fs::set_permissions(place.work(), PermissionsExt::from_mode(0o555)).unwrap();
    // Whoever may do everything is bound like anyone in a namespace of no one.
    let write = |path: &str| {
        let input = json!({ "path": path, "text": "new and longer\n" }).to_string();
        let out = Command::new("unshare")
            .arg("--user")
            .arg(place.footplate().get_program())
            .args(["--mode", "auto", "--tool", "files.write", "--tool-input", &input])
            .env_clear()
            .envs(place.environment())
            .current_dir(place.work())
            .output();
        let out = out.ok()?;
        serde_json::from_slice::<Value>(&out.stdout).ok()
    };
    let (Some(changed), Some(made)) = (write("a.txt"), write("new.txt")) else {
        let _ = writeln!(std::io::stderr(), "not tried here: there are no namespaces");
        return;
    };
    fs::set_permissions(place.work(), PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(changed["ok"], true, "{changed}");
    assert_eq!(fs::read(&file).unwrap(), b"new and longer\n");
    assert_eq!(file.metadata().unwrap().ino(), before);
    assert!(message(&made).contains("the system does not allow it"), "{made}");
    assert_eq!(fs::read_dir(place.work()).unwrap().count(), 1);
}

#[test]
fn who_works_at_home_shows_no_model_their_keys() {
    let place = Place::new();
    for path in [".ssh/id_rsa", ".aws/credentials", "notes.txt"] {
        let file = place.user().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "-----KEY-----\n").unwrap();
    }
    let read = |path: &str| {
        let (home, input) = (place.user(), json!({ "path": path }).to_string());
        let home = home.to_str().unwrap();
        let ran = place.run(&["-C", home, "--tool", "files.read", "--tool-input", &input]);
        serde_json::from_str::<Value>(&ran.stdout()).unwrap()
    };
    for path in [".ssh/id_rsa", ".aws/credentials"] {
        assert!(message(&read(path)).contains("holds secrets"), "{path}");
    }
    assert_eq!(read("notes.txt")["ok"], true);
}

#[test]
fn eight_megabytes_from_python_are_written_and_more_than_fits_is_refused_in_words() {
    let place = Place::new();
    let code = "from footplate import Error, files\n\
                files.write('eight.txt', 'x' * (8 << 20))\n\
                try:\n    files.write('more.txt', 'x' * (17 << 20))\n\
                except Exception as error:\n    print('refused:', str(error)[:200])\n\
                print(files.read('small.txt'))\n";
    fs::write(place.work().join("small.txt"), "goes on").unwrap();
    let model = place.script(&runs(code));
    let ran = place.run(&["exec", "--mode", "auto", "--model", &model, "go"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(fs::metadata(place.work().join("eight.txt")).unwrap().len(), 8 << 20);
    assert!(!place.work().join("more.txt").exists());
    let journal = place.journal();
    let output = of_type(&journal, "call_finished").last().unwrap()["result"]["content"].clone();
    let output = output.as_str().unwrap();
    assert!(output.contains("refused:"), "{output}");
    assert!(output.contains("goes on"), "{output}");
}

#[test]
fn a_file_that_is_a_mount_of_its_own_is_written_in_its_place() {
    let place = Place::new();
    fs::write(place.work().join("a.txt"), "old\n").unwrap();
    fs::write(place.home().join("mounted"), "mounted\n").unwrap();
    let input = json!({ "path": "a.txt", "text": "new\n" }).to_string();
    let script = format!(
        "mount --bind \"$FOOTPLATE_HOME/mounted\" a.txt || exit 77
        \"$1\" --mode auto --tool files.write --tool-input '{input}' > /dev/null
        ls -A; cat a.txt"
    );
    let Some(seen) = in_a_namespace(&place, &script) else {
        let _ = writeln!(std::io::stderr(), "not tried here: nothing can be mounted");
        return;
    };
    assert_eq!(seen, "a.txt\nnew\n");
    assert_eq!(fs::read(place.home().join("mounted")).unwrap(), b"new\n");
    assert_eq!(fs::read(place.work().join("a.txt")).unwrap(), b"old\n");
}
