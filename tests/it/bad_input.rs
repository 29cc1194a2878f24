//! What is wrong is said in one line, what to do in another; nothing is lost, nothing panics.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
};

use serde_json::{Value, json};

use crate::{
    support::{Place, Ran, of_type, runs, runs_open},
    terminal::App,
};

/// Two short lines on standard error and nothing that looks like a crash.
fn said(ran: &Ran, code: i32, words: &[&str]) {
    let stderr = ran.stderr();
    assert_eq!(ran.code(), code, "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} in {stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert!(stderr.lines().count() <= 3, "{stderr}");
}

#[test]
fn a_typo_in_the_config_is_named_with_its_line() {
    let place = Place::new();
    fs::create_dir_all(place.home().join("config")).unwrap();
    let file = place.home().join("config/config.toml");
    fs::write(&file, "model = \"scripted:tour\"\nmodle = \"x\"\n").unwrap();
    said(&place.run(&["exec", "hello"]), 2, &["config.toml:2", "modle", "model"]);
}

#[test]
fn what_was_typed_is_told_back_without_obeying_it() {
    let ran = Place::new().run(&["x", "--y\u{1b}]2;PWNED\u{7}\u{202e}"]);
    let stderr = ran.stderr();
    assert_eq!(ran.code(), 2, "{stderr}");
    assert!(stderr.contains("PWNED") && stderr.contains("--help"), "{stderr}");
    assert!(!stderr.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{stderr:?}");
}

#[test]
fn what_cannot_be_seen_in_an_answer_is_shown_to_people_and_kept_where_it_is_data() {
    let place = Place::new();
    let said = "user\u{200b}name 👩\u{200d}🔬 \u{2028}end";
    let model = place.script(&json!({ "turns": [{ "text": said }] }));
    let ran = place.run(&["exec", "--model", &model, "go"]);
    assert_eq!(ran.stdout(), "user⟨U+200B⟩name 👩\u{200d}🔬 ⟨U+2028⟩end\n", "{}", ran.stderr());
    let ran = place.run(&["exec", "--json", "--model", &model, "go"]);
    let lines = ran.stdout();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let words = lines.filter(|line| line["type"] == "text_streamed");
    let words: String = words.map(|line| line["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(words, said);
}

#[test]
fn a_call_that_takes_nothing_needs_no_input() {
    let ran = Place::new().run(&["--tool", "files.list"]);
    assert_eq!(ran.code(), 0, "{} {}", ran.stdout(), ran.stderr());
}

#[test]
fn a_file_of_keys_that_is_no_text_is_said_on_the_screen() {
    let place = Place::new();
    fs::create_dir_all(place.home().join("config")).unwrap();
    fs::write(place.home().join("config/keys.toml"), b"\xff").unwrap();
    let model = place.script(&serde_json::json!({ "turns": [] }));
    let app = App::start(&place, (24, 120), &["--model", &model]);
    app.wait_for("keys.toml cannot be read");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let place = Place::new();
    said(&place.run(&["exec", "-C", "/no/such/folder", "hello"]), 2, &["/no/such/folder", "-C"]);
}

#[test]
fn a_name_that_is_not_utf_8_is_refused_and_nothing_else_is_used_instead() {
    let place = Place::new();
    let odd = OsStr::from_bytes(b"dir_\xff");
    let folder = place.work().join(odd);
    fs::create_dir(&folder).unwrap();
    let model = place.script(&runs("print(1)"));
    let exec = || {
        let mut command = place.footplate();
        command.args(["exec", "--model", &model]);
        command
    };
    let ran = Ran(exec().current_dir(&folder).output().unwrap());
    said(&ran, 2, &["not UTF-8", "-C"]);
    let ran = Ran(exec().env("FOOTPLATE_HOME", place.home().join(odd)).output().unwrap());
    said(&ran, 2, &["FOOTPLATE_HOME", "not UTF-8"]);
    let ran = Ran(exec().env("FOOTPLATE_MODE", OsStr::from_bytes(b"plan\xff")).output().unwrap());
    said(&ran, 2, &["FOOTPLATE_MODE", "plan\\xFF", "not UTF-8"]);
    assert!(place.journals().is_empty());
}

#[test]
fn a_session_to_which_nothing_is_said_is_not_begun() {
    let place = Place::new();
    let model = place.script(&runs("print(1)"));
    for words in ["", " \n", "-"] {
        let ran = place.run(&["exec", words, "--model", &model]);
        said(&ran, 2, &["something to say"]);
    }
    assert!(place.journals().is_empty());
}

#[test]
fn an_unknown_mode_provider_or_session_is_named_with_those_that_exist() {
    let place = Place::new();
    said(&place.run(&["exec", "--mode", "yolo", "hello"]), 2, &["yolo", "accept-edits"]);
    said(&place.run(&["exec", "--model", "nobody/m", "hello"]), 2, &["nobody"]);
    said(&place.run(&["exec", "--resume", "abc", "hello"]), 1, &["abc", "sessions list"]);
    said(&place.run(&["exec", "hello"]), 2, &["model"]);
    said(&place.run(&["exec", "--model", "scripted:/no/file.json"]), 2, &["/no/file.json"]);
}

#[test]
fn a_script_with_a_typo_is_named_with_its_line() {
    let place = Place::new();
    let path = place.work().join("s.json");
    fs::write(&path, "{\"turns\": [\n  {\"txet\": \"hi\"}\n]}").unwrap();
    let ran = place.run(&["exec", "--model", &format!("scripted:{}", path.display())]);
    said(&ran, 2, &["s.json", "2", "txet"]);
}

#[test]
fn an_unknown_tool_names_those_there_are() {
    let place = Place::new();
    let ran = place.run(&["--tool", "nothing", "--tool-input", "{}"]);
    assert_eq!(ran.code(), 1);
    assert!(ran.stdout().contains("unknown_tool") && ran.stdout().contains("files.write"));
}

#[test]
fn a_broken_uv_is_said_to_the_model_and_the_person_and_the_session_goes_on() {
    let place = Place::new();
    let broken = place.work().join("uv");
    fs::write(&broken, "#!/bin/sh\nexit 7\n").unwrap();
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    let model = place.script(&runs("print(1)"));
    let output = place
        .footplate()
        .env("FOOTPLATE_UV", &broken)
        .args(["exec", "--model", &model, "--mode", "auto"])
        .output()
        .unwrap();
    let ran = Ran(output);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(ran.stdout().contains("That was all."));
    assert!(ran.stderr().contains("uv"), "{}", ran.stderr());
}

#[test]
fn a_home_that_cannot_be_written_is_said_with_its_path() {
    let place = Place::new();
    fs::write(place.home().join("data"), "a file where a folder should be").unwrap();
    let model = place.script(&runs("print(1)"));
    let ran = place.run(&["exec", "--model", &model]);
    assert_eq!(ran.code(), 1);
    assert!(ran.stderr().contains("data"), "{}", ran.stderr());
    assert!(ran.stderr().contains("FOOTPLATE_HOME"), "{}", ran.stderr());
}

#[test]
fn a_damaged_journal_opens_up_to_the_damage_and_says_so() {
    let place = Place::new();
    let model = place.script(&runs("print(1)"));
    assert_eq!(place.run(&["exec", "--model", &model, "--mode", "auto"]).code(), 0);
    let folder = fs::read_dir(place.home().join("data/sessions")).unwrap().next().unwrap();
    let journal = folder.unwrap().path().join("journal.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    bytes.extend_from_slice(b"{\"v\":1,\"seq\":99,\"at\":\"20");
    fs::write(&journal, bytes).unwrap();
    let ran = place.run(&["exec", "--continue", "again"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(ran.stderr().contains("unfinished"), "{}", ran.stderr());
    let last = place.journal().last().unwrap().clone();
    assert_eq!(last["type"], "exchange_finished");
}

#[test]
fn a_theme_with_a_typo_leaves_the_built_in_one_and_says_so() {
    let place = Place::new();
    let themes = place.home().join("config/themes");
    fs::create_dir_all(&themes).unwrap();
    fs::write(themes.join("mine.toml"), "txet = \"#ffffff\"\n").unwrap();
    fs::write(place.home().join("config/config.toml"), "theme = \"mine\"\n").unwrap();
    let model = place.script(&runs("print(1)"));
    let app = App::start(&place, (24, 80), &["--model", &model]);
    app.wait_until("the fault and the screen", |screen| {
        screen.contains("mine.toml") && screen.contains("Say what you want done")
    });
}

#[test]
fn a_terminal_too_small_to_read_shows_one_line_and_answers_nothing() {
    let place = Place::new();
    let code = "from footplate import files\nfiles.write('a.txt', 'x')\n";
    let model = place.script(&runs_open(code));
    let mut app = App::start(&place, (5, 20), &["--model", &model, "go"]);
    app.wait_until("one line", |screen| screen.contains("40x10"));
    app.press("y");
    app.resize((24, 80));
    app.wait_until("the question, and the letter as text", |screen| {
        screen.contains("EXECUTE") && screen.contains("› y")
    });
    assert!(of_type(&place.journal(), "approval_answered").is_empty());
    assert!(!place.work().join("a.txt").exists());
}

#[test]
fn nobody_s_yes_lets_a_call_write_what_gives_rights() {
    let place = Place::new();
    std::fs::create_dir_all(place.home().join("config")).unwrap();
    for file in ["config/rules.toml", "config/config.toml", "data/trust.toml", "state/x"] {
        let path = place.home().join(file);
        let input = serde_json::json!({ "path": path, "text": "" }).to_string();
        let ran = place.run(&["--mode", "auto", "--tool", "files.write", "--tool-input", &input]);
        assert_eq!(ran.code(), 1, "{file}: {}", ran.stdout());
        assert!(ran.stdout().contains("is footplate's own"), "{file}: {}", ran.stdout());
        assert!(!path.exists(), "{file}");
    }
}
