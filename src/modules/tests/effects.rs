//! `files.write` and `files.edit`.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::support::Rig;
use crate::kernel::{
    capability::{Body, Reach},
    error::ErrorCode,
    event::Event,
    gate::approval::{Answer, Scope, Then},
    spec::Mode,
};

const YES: Answer = Answer::Allow { scope: Scope::Once };

#[tokio::test]
async fn a_write_is_shown_with_the_file_before_and_after() {
    let rig = Rig::new(Mode::Default);
    rig.put("a.txt", "one\ntwo\n");
    rig.put("latin1.txt", b"caf\xe9\n");
    fs::write(rig.outside().join("b.txt"), "x\n").unwrap();
    symlink(rig.outside(), rig.workspace().join("outbox")).unwrap();
    let outside = format!("outside the workspace: {}/b.txt", rig.outside().display());
    let big = "x\n".repeat(600_000);
    rig.put("big.txt", &big);
    let rows = [
        ("a.txt", Some("one\ntwo\n"), vec!["+2 −1", "in the workspace"], Reach::Workspace),
        ("new/c.txt", None, vec!["new file", "+3", "in the workspace"], Reach::Workspace),
        (
            "latin1.txt",
            None,
            vec!["replaces 5 bytes, not text", "in the workspace"],
            Reach::Workspace,
        ),
        (
            "big.txt",
            None,
            vec!["replaces 1,200,000 bytes, too many to show", "in the workspace"],
            Reach::Workspace,
        ),
        ("outbox/b.txt", Some("x\n"), vec!["+3 −1", &*outside], Reach::Outside),
        ("../outside/b.txt", Some("x\n"), vec!["+3 −1", &*outside], Reach::Outside),
    ];
    let no = Answer::Deny { because: None, then: Then::GoOn };
    for (path, old, facts, reach) in rows {
        let input = json!({"path": path, "text": "one\n2\n3\n"});
        let result = rig
            .call_asked("files.write", input, no.clone(), |question| {
                let old = old.map(str::to_owned);
                let new = "one\n2\n3\n".to_owned();
                assert_eq!(question.preview.facts, facts, "{path}");
                assert_eq!(question.preview.reach, reach, "{path}");
                assert_eq!(question.preview.body, Body::Diff { old, new }, "{path}");
            })
            .await;
        assert_eq!(result.error_code(), Some(ErrorCode::PermissionDenied), "{path}");
    }
    assert_eq!(rig.get("a.txt"), b"one\ntwo\n");
}

#[tokio::test]
async fn what_other_programs_run_or_obey_asks_even_where_edits_are_accepted() {
    let rig = Rig::new(Mode::AcceptEdits);
    symlink(".git", rig.workspace().join("link")).unwrap();
    for path in [".git/hooks/pre-commit", ".GIT/config", "sub/.envrc", "link/config"] {
        let input = json!({"path": path, "text": "x\n"});
        let no = Answer::Deny { because: None, then: Then::GoOn };
        let result = rig
            .call_asked("files.write", input, no, |question| {
                let facts = &question.preview.facts;
                assert_eq!(facts.last().unwrap(), "other programs run or obey it", "{path}");
            })
            .await;
        assert_eq!(result.error_code(), Some(ErrorCode::PermissionDenied), "{path}");
    }
    let result = rig.call("files.write", json!({"path": "git/a", "text": "x\n"})).await;
    assert_ne!(result.error_code(), Some(ErrorCode::PermissionDenied));
}

#[tokio::test]
async fn a_yes_writes_exactly_the_text() {
    let rig = Rig::new(Mode::Default);
    let input = json!({"path": "a.txt", "text": "\u{feff}one\r\ntwo"});
    let result = rig.call_asked("files.write", input, YES, |_| {}).await;
    assert_eq!(result.content, json!("a.txt: new file, +2, in the workspace"));
    assert_eq!(rig.get("a.txt"), "\u{feff}one\r\ntwo".as_bytes());
}

#[tokio::test]
async fn a_file_that_changed_while_the_question_waited_is_left_alone() {
    let rig = Rig::new(Mode::Default);
    let private = rig.outside().join("private.txt");
    fs::write(&private, "mine\n").unwrap();
    let real = rig.workspace().join("real.md");
    let calls = [
        ("files.write", json!({"path": "real.md", "text": "x\n"})),
        ("files.edit", json!({"path": "real.md", "old": "one", "new": "x"})),
    ];
    for (name, input) in calls {
        // Replaced by a link that leads outside.
        let _ = fs::remove_file(&real);
        rig.put("real.md", "one\n");
        let result = rig
            .call_asked(name, input.clone(), YES, |_| {
                fs::remove_file(&real).unwrap();
                symlink(&private, &real).unwrap();
            })
            .await;
        assert_eq!(result.error_code(), Some(ErrorCode::Failed), "{name}: {result:?}");
        assert_eq!(fs::read(&private).unwrap(), b"mine\n");

        // Written by somebody else.
        fs::remove_file(&real).unwrap();
        rig.put("real.md", "one\n");
        let result =
            rig.call_asked(name, input, YES, |_| rig.put("real.md", "one and more\n")).await;
        assert!(result.text().contains("changed while this waited"), "{name}: {result:?}");
        assert_eq!(rig.get("real.md"), b"one and more\n");
    }
}

#[tokio::test]
async fn an_edit_changes_its_place_or_nothing() {
    let rig = Rig::new(Mode::Auto);
    let utf16: Vec<u8> = [0xff, 0xfe, b'p', 0, b'r', 0].to_vec();
    type Row<'a> = (&'a str, &'a [u8], Result<&'a [u8], &'a str>);
    let rows: [Row<'_>; 8] = [
        ("crlf.txt", b"a\r\nprice: 5\r\nb\r\n", Ok(b"a\r\nprice: 7\r\nb\r\n")),
        ("mixed.txt", b"a\r\nprice: 5\nb\r\nc\rd\r\n", Ok(b"a\r\nprice: 7\nb\r\nc\rd\r\n")),
        ("bom.txt", b"\xef\xbb\xbfprice: 5\n", Ok(b"\xef\xbb\xbfprice: 7\n")),
        ("nul.bin", b"price: 5\x00\x01\x02", Ok(b"price: 7\x00\x01\x02")),
        ("latin1.txt", b"# Caf\xe9\nprice: 5\n", Err("line 1 has the byte 0xe9")),
        ("utf16.txt", &utf16, Err("is not UTF-8 text")),
        ("twice.txt", b"price: 5\n\nprice: 5\n", Err("2 times in twice.txt, at lines 1, 3")),
        ("empty.txt", b"", Err("does not occur in empty.txt")),
    ];
    for (path, before, expected) in rows {
        rig.put(path, before);
        let input = json!({"path": path, "old": "price: 5", "new": "price: 7"});
        let result = rig.call("files.edit", input).await;
        match expected {
            Ok(after) => {
                assert!(result.ok, "{path}: {result:?}");
                assert_eq!(rig.get(path), after, "{path}");
            }
            Err(words) => {
                assert!(result.text().contains(words), "{path}: {result:?}");
                assert_eq!(rig.get(path), before, "{path}");
            }
        }
    }
    rig.put("big.txt", "price: 5\n".repeat(200_000));
    let result = rig.call("files.edit", json!({"path": "big.txt", "old": "a", "new": "b"})).await;
    assert!(result.text().contains("1,800,000 bytes, at most 1,048,576"), "{result:?}");
    let result = rig.call("files.edit", json!({"path": "gone", "old": "a", "new": "b"})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::Failed));
}

#[tokio::test]
async fn an_edit_tells_nothing_about_files_outside() {
    let rig = Rig::new(Mode::Default);
    fs::write(rig.outside().join("key"), "secret\n").unwrap();
    for old in ["secret", "public"] {
        let input = json!({"path": "../outside/key", "old": old, "new": "x"});
        let result = rig.call("files.edit", input).await;
        assert!(result.text().contains("must be inside the workspace"), "{result:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_unasked() {
    let rig = Rig::new(Mode::Default);
    rig.put("folder/a", "");
    for (path, expected) in [("folder", "it is a folder"), ("folder/a/b", "Cannot write")] {
        let result = rig.call("files.write", json!({"path": path, "text": ""})).await;
        assert!(result.text().contains(expected), "{result:?}");
    }
    assert!(!rig.events().iter().any(|event| matches!(event, Event::ApprovalRequested { .. })));
}

#[tokio::test]
async fn plan_mode_changes_nothing() {
    let rig = Rig::new(Mode::Plan);
    let result = rig.call("files.write", json!({"path": "a", "text": ""})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
    assert!(!rig.workspace().join("a").exists());
}
