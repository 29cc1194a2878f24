//! `files.write` and `files.edit`.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::support::{Rig, YES};
use crate::kernel::{
    capability::{Body, Category, Reach},
    error::ErrorCode,
    event::Event,
    gate::approval::{Answer, Then},
    spec::Mode,
};

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
        (
            "a.txt",
            Some("one\ntwo\n"),
            vec!["+2 −1", "in the workspace", "can be undone"],
            Reach::Workspace,
        ),
        (
            "new/c.txt",
            None,
            vec!["new file", "+3", "in the workspace", "can be undone"],
            Reach::Workspace,
        ),
        (
            "latin1.txt",
            None,
            vec!["replaces 5 bytes, not text", "in the workspace", "can be undone"],
            Reach::Workspace,
        ),
        (
            "big.txt",
            None,
            vec!["replaces 1,200,000 bytes, too many to show", "in the workspace", "can be undone"],
            Reach::Workspace,
        ),
        ("outbox/b.txt", Some("x\n"), vec!["+3 −1", &*outside, "can be undone"], Reach::Outside),
        (
            "../outside/b.txt",
            Some("x\n"),
            vec!["+3 −1", &*outside, "can be undone"],
            Reach::Outside,
        ),
    ];
    let no = Answer::Deny { because: None, then: Then::GoOn };
    for (path, old, facts, reach) in rows {
        let input = json!({"path": path, "text": "one\n2\n3\n"});
        let result = rig
            .call_asked("files.write", input, no.clone(), |question| {
                let old = old.map(str::to_owned);
                let new = "one\n2\n3\n".to_owned();
                let Body::Diff { mark, .. } = &question.preview.body else { panic!("{path}") };
                assert_eq!(mark.is_none(), path == "new/c.txt", "{path}");
                let mark = mark.clone();
                assert_eq!(question.preview.facts, facts, "{path}");
                assert_eq!(question.preview.reach, reach, "{path}");
                assert_eq!(question.preview.body, Body::Diff { old, new, mark }, "{path}");
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
    let paths = [".git/hooks/pre-commit", ".GIT/config", "sub/.envrc", "link/config"];
    for path in paths.into_iter().chain(["AGENTS.md", "sub/Claude.md", ".cursorrules"]) {
        let input = json!({"path": path, "text": "x\n"});
        let no = Answer::Deny { because: None, then: Then::GoOn };
        let result = rig
            .call_asked("files.write", input, no, |question| {
                let facts = &question.preview.facts;
                assert!(facts.contains(&"other programs run or obey it".to_owned()), "{path}");
                assert_eq!(question.category, Category::Execute, "{path}");
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
        assert!(
            result.text().contains("Not written: real.md is no longer the file you saw."),
            "{name}: {result:?}"
        );
        assert_eq!(rig.get("real.md"), b"one and more\n");
    }
}

#[tokio::test]
async fn a_file_with_another_name_asks_even_where_edits_are_accepted() {
    let rig = Rig::new(Mode::AcceptEdits);
    rig.put("a.txt", "one\n");
    fs::hard_link(rig.workspace().join("a.txt"), rig.outside().join("b.txt")).unwrap();
    let input = json!({"path": "a.txt", "text": "two\n"});
    let no = Answer::Deny { because: None, then: Then::GoOn };
    let result = rig
        .call_asked("files.write", input, no, |question| {
            let fact = "it has 2 names (hard links) and changes under all of them".to_owned();
            assert!(question.preview.facts.contains(&fact), "{:?}", question.preview.facts);
        })
        .await;
    assert_eq!(result.error_code(), Some(ErrorCode::PermissionDenied));
}

#[tokio::test]
async fn secrets_are_neither_read_nor_shown() {
    let rig = Rig::new(Mode::Default);
    rig.put(".ssh/id", "-----KEY-----\n");
    for (name, input) in [
        ("files.read", json!({"path": ".ssh/id"})),
        ("files.list", json!({"path": ".ssh"})),
        ("files.edit", json!({"path": ".ssh/id", "old": "KEY", "new": "x"})),
        ("search.text", json!({"path": ".ssh", "pattern": "KEY"})),
    ] {
        let result = rig.call(name, input).await;
        assert!(result.text().contains("holds secrets"), "{name}: {result:?}");
    }
    let found = rig.call("search.text", json!({"pattern": "KEY"})).await;
    assert_eq!(found.content["matches"], json!([]));
    let found = rig.call("search.files", json!({"glob": "id"})).await;
    assert_eq!(found.content["files"], json!([]));
    let input = json!({"path": ".ssh/id", "text": "x\n"});
    let no = Answer::Deny { because: None, then: Then::GoOn };
    rig.call_asked("files.write", input, no, |question| {
        assert_eq!(question.category, Category::Execute);
        assert_eq!(question.preview.facts[0], "replaces 14 bytes, which hold secrets");
        let Body::Diff { old: None, .. } = question.preview.body else { panic!("it is shown") };
    })
    .await;
}

#[tokio::test]
async fn an_edit_changes_its_place_or_nothing() {
    let rig = Rig::new(Mode::Auto);
    let utf16: Vec<u8> = [0xff, 0xfe, b'p', 0, b'r', 0].to_vec();
    type Row<'a> = (&'a str, &'a [u8], Result<&'a [u8], &'a str>);
    let rows: [Row<'_>; 12] = [
        ("crlf.txt", b"a\r\nprice: 5\r\nb\r\n", Ok(b"a\r\nprice: 7\r\nb\r\n")),
        ("mixed.txt", b"a\r\nprice: 5\nb\r\nc\rd\r\n", Ok(b"a\r\nprice: 7\nb\r\nc\rd\r\n")),
        ("bom.txt", b"\xef\xbb\xbfprice: 5\n", Ok(b"\xef\xbb\xbfprice: 7\n")),
        ("nul.bin", b"price: 5\x00\x01\x02", Ok(b"price: 7\x00\x01\x02")),
        ("latin1.txt", b"# Caf\xe9\nprice: 5\n", Err("line 1 has the byte 0xe9")),
        ("utf16.txt", &utf16, Err("is not UTF-8 text")),
        ("twice.txt", b"price: 5\n\nprice: 5\n", Err("2 times in twice.txt, at lines 1, 3")),
        ("empty.txt", b"", Err("does not occur in empty.txt")),
        ("nofinal.txt", b"price: 5", Ok(b"price: 7")),
        ("cr.log", b"10%\r20%\nprice: 5\nx\ry\n", Ok(b"10%\r20%\nprice: 7\nx\ry\n")),
        ("fffd.txt", b"a \xef\xbf\xbd\nprice: 5\n", Ok(b"a \xef\xbf\xbd\nprice: 7\n")),
        ("nfd.txt", "é price: 5\ne\u{301}\n".as_bytes(), Ok("é price: 7\ne\u{301}\n".as_bytes())),
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

#[tokio::test]
async fn a_name_that_looks_like_another_that_is_there_says_which() {
    let rig = Rig::new(Mode::Default);
    rig.put("src/lex.rs", "fn lex() {}\n");
    let no = Answer::Deny { because: None, then: Then::GoOn };
    let named = |path: &'static str, expected: bool| {
        let (rig, no) = (&rig, no.clone());
        async move {
            let input = json!({"path": path, "text": "x\n"});
            rig.call_asked("files.write", input, no, |question| {
                let first =
                    question.preview.facts[0] == "its name looks like src/lex.rs, which is there";
                assert_eq!(first, expected, "{path}: {:?}", question.preview.facts);
            })
            .await;
        }
    };
    named("src/l\u{435}x.rs", true).await;
    named("\u{455}rc/lex.rs", true).await;
    named("src/lex.rs", false).await;
    named("src/l\u{435}t.rs", false).await;
}

#[tokio::test]
async fn a_file_that_another_changed_since_it_was_read_is_not_written_anew() {
    for mode in [Mode::Auto, Mode::Default] {
        let rig = Rig::new(mode);
        let write = || json!({"path": "a.txt", "text": "mine\n"});
        rig.put("a.txt", "one\n");
        assert!(rig.call("files.read", json!({"path": "a.txt"})).await.ok);
        rig.put("a.txt", "theirs\n");
        let refused = rig.call("files.write", write()).await;
        assert!(refused.text().contains("a.txt was changed since you read it"), "{refused:?}");
        assert_eq!(fs::read(rig.workspace().join("a.txt")).unwrap(), b"theirs\n");
        assert!(!rig.events().iter().any(|it| matches!(it, Event::ApprovalRequested { .. })));
    }
    let rig = Rig::new(Mode::Auto);
    let write = |text: &str| rig.call("files.write", json!({"path": "a.txt", "text": text}));
    rig.put("a.txt", "never read\n");
    assert!(write("one\n").await.ok);
    assert!(write("two\n").await.ok, "it wrote that itself");
    rig.put("a.txt", "two\nand theirs\n");
    let edit = json!({"path": "a.txt", "old": "two", "new": "three"});
    assert!(rig.call("files.edit", edit).await.ok, "that leaves what is theirs");
    assert!(!write("four\n").await.ok, "an edit shows no more than it names");
    rig.put("a.txt", "theirs\n");
    assert!(!write("five\n").await.ok);
    assert!(rig.call("files.read", json!({"path": "a.txt"})).await.ok);
    assert!(write("six\n").await.ok);
    fs::remove_file(rig.workspace().join("a.txt")).unwrap();
    let gone = write("seven\n").await;
    assert!(gone.text().contains("a.txt is gone since you saw it"), "{gone:?}");
    assert!(write("seven\n").await.ok, "it is said once");
}
