//! What was written through the gate is taken back, and nothing else is touched.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;

use crate::support::{Place, of_type, runs};

/// A session whose script edits two files, one of them twice, and makes one; and what it left.
fn wrote(place: &Place) {
    let work = place.work();
    fs::write(work.join("lex.rs"), "one\r\ntwo\r\n").unwrap();
    fs::write(work.join("tabs.md"), b"caf\xe9\n").unwrap();
    fs::set_permissions(work.join("lex.rs"), PermissionsExt::from_mode(0o750)).unwrap();
    let code = "from footplate import files\n\
                files.edit('lex.rs', 'one', '1')\n\
                files.edit('lex.rs', 'two', '2\\n3')\n\
                files.write('sub/new.rs', 'new\\n')\n\
                files.write('tabs.md', 'tabs\\n')\n";
    let model = place.script(&runs(code));
    let ran = place.run(&["exec", "--mode", "accept-edits", "--model", &model, "go"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(fs::read(work.join("lex.rs")).unwrap(), b"1\r\n2\r\n3\r\n");
    assert_eq!(fs::read(work.join("tabs.md")).unwrap(), b"tabs\n");
}

#[test]
fn an_undo_puts_back_the_bytes_of_before_and_removes_what_was_made() {
    let place = Place::new();
    wrote(&place);
    let work = place.work();

    let dry = place.run(&["undo", "--dry-run"]);
    let said = dry.stdout();
    let said: Vec<_> = said.lines().collect();
    assert_eq!((dry.code(), said.len()), (0, 4), "{said:?}");
    assert!(said[0].starts_with("  tabs.md  back to the 5 bytes of before "), "{said:?}");
    assert!(said[1].starts_with("  sub/new.rs  removed: this session made it"), "{said:?}");
    assert!(said[2].contains("lex.rs  back to the 8 bytes"), "{said:?}");
    assert!(said[3].contains("lex.rs  back to the 10 bytes") && said[3].contains("main, line 2"));
    assert_eq!(fs::read(work.join("tabs.md")).unwrap(), b"tabs\n", "nothing was done");

    // Nobody is there to say yes.
    let unasked = place.run(&["undo"]);
    assert_eq!(unasked.code(), 3, "{}", unasked.stderr());
    assert_eq!(fs::read(work.join("tabs.md")).unwrap(), b"tabs\n");

    let undone = place.run(&["undo", "--yes"]);
    assert_eq!(undone.code(), 0, "{}", undone.stderr());
    assert_eq!(fs::read(work.join("lex.rs")).unwrap(), b"one\r\ntwo\r\n");
    let mode = work.join("lex.rs").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert_eq!(fs::read(work.join("tabs.md")).unwrap(), b"caf\xe9\n");
    assert!(!work.join("sub/new.rs").exists());

    let journal = place.journal();
    let begun = of_type(&journal, "change_begun");
    let undoes = begun.iter().filter(|line| line["change"]["undoes"].is_string()).count();
    assert_eq!((begun.len(), undoes), (8, 4), "each undo is recorded");

    let again = place.run(&["undo", "--yes"]);
    assert_eq!(again.code(), 1, "{}", again.stderr());
    assert!(again.stderr().contains("nothing can be undone"));
    assert!(again.stdout().contains("left alone: it was undone already"));
}

#[test]
fn what_another_program_changed_since_is_left_alone() {
    let place = Place::new();
    wrote(&place);
    let work = place.work();
    fs::write(work.join("lex.rs"), "by hand\n").unwrap();
    fs::remove_file(work.join("tabs.md")).unwrap();
    let undone = place.run(&["undo", "--yes"]);
    assert_eq!(undone.code(), 1, "not all was undone");
    let said = undone.stdout();
    assert_eq!(said.matches("left alone: another program changed it at").count(), 2, "{said}");
    assert!(said.contains("tabs.md  left alone: another program removed it"), "{said}");
    assert!(undone.stderr().contains("Undone: 1 of 4."), "{}", undone.stderr());
    assert_eq!(fs::read(work.join("lex.rs")).unwrap(), b"by hand\n");
    assert!(!work.join("tabs.md").exists() && !work.join("sub/new.rs").exists());
}

#[test]
fn a_link_or_folder_that_took_the_place_of_a_file_is_not_followed() {
    let place = Place::new();
    wrote(&place);
    let work = place.work();
    let outside = work.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("new.rs"), "new\n").unwrap();
    fs::write(outside.join("tabs.md"), "tabs\n").unwrap();
    fs::remove_dir_all(work.join("sub")).unwrap();
    std::os::unix::fs::symlink(&outside, work.join("sub")).unwrap();
    fs::remove_file(work.join("tabs.md")).unwrap();
    std::os::unix::fs::symlink(outside.join("tabs.md"), work.join("tabs.md")).unwrap();
    let undone = place.run(&["undo", "--yes"]);
    assert_eq!(undone.code(), 1, "{}", undone.stdout());
    assert_eq!(fs::read(outside.join("new.rs")).unwrap(), b"new\n");
    assert_eq!(fs::read(outside.join("tabs.md")).unwrap(), b"tabs\n");
}

#[test]
fn one_call_is_undone_by_its_name_and_an_undo_can_be_undone() {
    let place = Place::new();
    let input = json!({ "path": "run.sh", "text": "#!/bin/sh\n" }).to_string();
    let made = place.run(&["--mode", "auto", "--tool", "files.write", "--tool-input", &input]);
    assert_eq!(made.code(), 0, "{}", made.stderr());
    let file = place.work().join("run.sh");
    fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    let of = |at: usize| {
        of_type(&place.journal(), "change_begun")[at]["call"].as_str().unwrap().to_owned()
    };

    let undone = place.run(&["undo", "--call", &of(0), "--yes"]);
    assert_eq!(undone.code(), 0, "{}", undone.stderr());
    assert!(!file.exists());
    let back = place.run(&["undo", "--call", &of(1), "--yes"]);
    assert_eq!(back.code(), 0, "{}", back.stderr());
    assert_eq!(fs::read(&file).unwrap(), b"#!/bin/sh\n");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let once_more = place.run(&["undo", "--yes"]);
    assert_eq!(once_more.code(), 0, "{}", once_more.stdout());
    assert!(!file.exists());

    let unknown = place.run(&["undo", "--call", "ffff", "--yes"]);
    assert_eq!(unknown.code(), 1);
    assert!(unknown.stderr().contains("no call \"ffff\" wrote anything"), "{}", unknown.stderr());
}

#[test]
fn a_folder_in_which_nothing_was_written_says_so() {
    let place = Place::new();
    let nothing = place.run(&["undo", "--yes"]);
    assert_eq!(nothing.code(), 1);
    assert!(nothing.stderr().contains("no session wrote anything in"), "{}", nothing.stderr());
    let unknown = place.run(&["undo", "--session", "ffff"]);
    assert_eq!(unknown.code(), 1);
    assert!(unknown.stderr().contains("there is no session"), "{}", unknown.stderr());
}

#[test]
fn what_an_agent_wrote_belongs_to_its_session_and_to_those_above() {
    let place = Place::new();
    let by = |path: &str| {
        let code = format!("from footplate import files\nfiles.write('{path}', 'x')\n");
        json!({ "calls": [{ "name": "execute_code", "arguments": { "code": code } }] })
    };
    let mut script = runs("from footplate import agents\nagents.run('write', name='one')\n");
    script["turns"].as_array_mut().unwrap().insert(0, by("root.txt"));
    script["agents"] = json!({ "one": { "turns": [by("one.txt"), { "text": "Done." }] } });
    let model = place.script(&script);
    let ran = place.run(&["exec", "--mode", "auto", "--model", &model, "go"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let agent = place.journals()[1][0]["session"].as_str().unwrap().to_owned();

    let all = place.run(&["undo", "--dry-run"]).stdout();
    assert!(all.contains("one.txt") && all.contains("main › one"), "{all}");
    assert!(all.contains("root.txt"), "{all}");
    let own = place.run(&["undo", "--session", &agent, "--yes"]);
    assert_eq!(own.code(), 0, "{}", own.stderr());
    assert!(!own.stdout().contains("root.txt"), "{}", own.stdout());
    assert!(place.work().join("root.txt").exists() && !place.work().join("one.txt").exists());
    let rest = place.run(&["undo", "--yes"]);
    assert!(rest.stderr().contains("Undone: 1 of 2."), "{}", rest.stderr());
    assert!(!place.work().join("root.txt").exists());
}
