//! Rules over the real capabilities: what they match on is what would really happen.

use std::{os::unix::fs::symlink, sync::Arc};

use serde_json::json;

use super::support::{NO, Rig};
use crate::kernel::{
    error::ErrorCode,
    event::{Decider, Event, ExitStatus},
    gate::{
        approval::{Answer, Scope},
        law::{Law, Layer, Placed, Rules},
        rule::{Lasting, Reading, parse, parse_one, tests::CHAINED},
        subject::Case,
    },
    spec::Mode,
};

pub(super) fn ruled(mut rig: Rig, text: &str) -> Rig {
    let rules = Arc::new(Rules::default());
    let parsed = parse(text, Reading { home: None, lasting: Lasting::File });
    assert_eq!(parsed.fault, None);
    let place = |(line, rule)| Placed::new(rule, Layer::User, "rules.toml", line);
    rules.replace(parsed.rules.into_iter().map(place).collect());
    let law = Law::new(rules, &rig.workspace());
    rig.context.gate = rig.context.gate.clone().with_law(law);
    rig
}

#[tokio::test]
async fn after_one_program_was_allowed_for_the_session_everything_chained_to_it_asks() {
    let rig = ruled(Rig::new(Mode::Default), "");
    let rig = rig.with_end(ExitStatus::Exited { code: 0 }, "", "");
    let status = json!({"argv": ["git", "status"]});
    let session = Answer::Allow { scope: Scope::Session { rule: String::new() } };
    assert!(rig.call_asked("process.run", status.clone(), session, |_| {}).await.ok);
    assert!(rig.call("process.run", status).await.ok, "the very same is not asked again");
    for text in CHAINED {
        let list: Vec<&str> = text.split(' ').collect();
        for argv in [json!([text]), json!(list), json!(["sh", "-c", text])] {
            let asked = rig.call_asked("process.run", json!({"argv": argv}), NO, |_| {}).await;
            assert_eq!(asked.error_code(), Some(ErrorCode::PermissionDenied), "{argv}");
        }
    }
    for wider in [json!({"network": true}), json!({"cwd": "../outside"})] {
        let mut input = json!({"argv": ["git", "status"]});
        input.as_object_mut().unwrap().extend(wider.as_object().unwrap().clone());
        let asked = rig.call_asked("process.run", input, NO, |_| {}).await;
        assert_eq!(asked.error_code(), Some(ErrorCode::PermissionDenied), "{wider}");
    }
}

#[tokio::test]
async fn a_write_is_allowed_where_it_really_goes() {
    let allow = "[[allow]]\ncall = \"files.*\"\npath = \"docs/**\"\n";
    let rig = ruled(Rig::new(Mode::Default), allow);
    rig.put("docs/a.md", "a");
    symlink(rig.outside(), rig.workspace().join("docs/out")).unwrap();
    symlink("docs", rig.workspace().join("notes")).unwrap();
    let write = |path: &str| json!({"path": path, "text": "new"});
    for path in ["docs/a.md", "docs/b.md", "notes/c.md", "src/../docs/d.md"] {
        assert!(rig.call("files.write", write(path)).await.ok, "{path}");
    }
    for path in ["docs/out/x", "docs/../x", "DOCS/x"] {
        let asked = rig.call_asked("files.write", write(path), NO, |_| {}).await;
        assert_eq!(asked.error_code(), Some(ErrorCode::PermissionDenied), "{path}");
    }
}

#[tokio::test]
async fn what_may_not_be_read_is_read_by_no_name_and_found_by_no_search() {
    let deny = "[[deny]]\ncall = \"files.*\"\npath = [\"secrets/**\", \".env\"]\n";
    let rig = ruled(Rig::new(Mode::Auto), deny);
    rig.put("secrets/key.txt", "KEY=1\n");
    rig.put(".env", "KEY=2\n");
    rig.put("open.txt", "KEY=3\n");
    symlink("secrets", rig.workspace().join("way")).unwrap();
    symlink(".env", rig.workspace().join("env")).unwrap();
    let denied = [
        ("files.read", json!({"path": "secrets/key.txt"})),
        ("files.read", json!({"path": "way/key.txt"})),
        ("files.read", json!({"path": "env"})),
        ("files.write", json!({"path": ".env", "text": "x"})),
        // Whether the old text is there is no news either.
        ("files.edit", json!({"path": ".env", "old": "KEY=2", "new": "x"})),
        ("files.edit", json!({"path": ".env", "old": "KEY=9", "new": "x"})),
    ];
    for (call, input) in denied {
        let result = rig.call(call, input.clone()).await;
        assert_eq!(result.error_code(), Some(ErrorCode::DeniedByRule), "{call} {input}");
        assert!(!result.text().contains("KEY="), "{result:?}");
    }
    for path in [".", "secrets/key.txt", "way/key.txt"] {
        let found = rig.call("search.text", json!({"pattern": "KEY=[12]", "path": path})).await;
        assert_eq!(found.content["matches"], json!([]), "{path}");
    }
    let grep = rig.call("search.text", json!({"pattern": "KEY"})).await;
    assert_eq!(grep.content["matches"].as_array().unwrap().len(), 1, "{grep:?}");
    assert_eq!(grep.content["matches"][0]["path"], "open.txt");
    let glob = rig.call("search.files", json!({"glob": "*"})).await;
    assert_eq!(glob.content["files"], json!(["env", "open.txt", "way"]));
    let list = rig.call("files.list", json!({"path": "secrets"})).await;
    assert_eq!(list.content["entries"], json!([]));
    assert!(rig.call("files.read", json!({"path": "open.txt"})).await.ok);
}

#[tokio::test]
async fn what_may_not_be_read_is_told_by_no_other_call_either() {
    let deny =
        "[[deny]]\ncall = \"files.read\"\npath = [\"private/**\", \".env\", \".footplate/**\"]\n";
    let rig = ruled(Rig::new(Mode::Auto), deny);
    rig.put("private/plot.png", "KEY=1");
    rig.put(".env", "KEY=2\n");
    rig.put(".footplate/workflows/a.py", "KEY = 3\n");
    for (call, input) in [
        ("files.read", json!({"path": ".env"})),
        ("view_image", json!({"path": "private/plot.png"})),
        // Whether the old text is there is told by its error.
        ("files.edit", json!({"path": ".env", "old": "KEY=9", "new": "x"})),
        ("workflows.show", json!({"name": "a"})),
    ] {
        let result = rig.call(call, input.clone()).await;
        assert_eq!(
            result.error_code(),
            Some(ErrorCode::DeniedByRule),
            "{call} {input}: {result:?}"
        );
    }
    let found = rig.call("search.text", json!({"pattern": "KEY"})).await;
    assert_eq!(found.content["matches"], json!([]));
    // To write there, and to see that something is there, are other things.
    assert!(rig.call("files.write", json!({"path": ".env", "text": "KEY=4\n"})).await.ok);
    let list = rig.call("files.list", json!({"path": "private"})).await;
    assert_eq!(list.content["entries"][0]["name"], "plot.png");
}

#[tokio::test]
async fn a_place_inside_of_a_folder_that_a_program_asks_for_is_denied_with_it() {
    let deny = "[[deny]]\ncall = \"process.*\"\npath = \".git/hooks/**\"\n";
    let rig = ruled(Rig::new(Mode::Auto), deny);
    let rig = rig.with_end(ExitStatus::Exited { code: 0 }, "", "");
    rig.put(".git/hooks/a", "");
    let run = |writes: &str| json!({"argv": ["git", "fetch"], "writes": [writes]});
    for writes in [".git", ".git/hooks"] {
        let result = rig.call("process.run", run(writes)).await;
        assert_eq!(result.error_code(), Some(ErrorCode::DeniedByRule), "{writes}: {result:?}");
    }
    rig.put(".git/refs/a", "");
    assert!(rig.call("process.run", run(".git/refs")).await.ok);
}

#[tokio::test]
async fn the_journal_says_which_rule_let_a_program_run() {
    let allow = "\n[[allow]]\ncall = \"process.run\"\nargs = [\"cargo\", \"test\", \"**\"]\nseal = \"open\"\n";
    let rig = ruled(Rig::new(Mode::Default), allow);
    let rig = rig.with_end(ExitStatus::Exited { code: 0 }, "", "");
    assert!(rig.call("process.run", json!({"argv": ["cargo", "test", "lex"]})).await.ok);
    let mut events = rig.events().into_iter();
    let Some(Event::CallStarted { call, decision, subject, .. }) = events.next() else {
        panic!("it began")
    };
    let Decider::Rule { rule } = decision.by else { panic!("{decision:?}") };
    assert_eq!(rule.to_string(), "\"cargo test **\" (rules.toml:2)");
    // What a rule that is being written would have matched can be told from the journal alone.
    let case = Case::of(&call, &subject, &rig.context.spec.path, &rig.workspace());
    let matches = |text: &str| {
        let reading = Reading { home: None, lasting: Lasting::Session };
        parse_one(text, reading).unwrap().matches(&case, jiff::civil::Date::MIN)
    };
    assert!(matches(allow));
    assert!(!matches(&allow.replace("test", "clippy")));
}

#[tokio::test]
async fn what_is_denied_to_a_program_is_denied_however_it_is_kept() {
    let rules = "[[deny]]\ncall = \"process.run\"\nargs = [\"git\", \"push\", \"**\"]\n\n\
                 [[allow]]\ncall = \"process.run\"\nargs = [\"git\", \"status\"]\nseal = \"open\"\n";
    let rig = ruled(Rig::new(Mode::Auto), rules);
    let rig = rig.with_end(ExitStatus::Exited { code: 0 }, "", "");
    let push = json!({"argv": ["/usr/bin/git", "push"]});
    let result = rig.call("process.start", push).await;
    assert_eq!(result.error_code(), Some(ErrorCode::DeniedByRule), "{result:?}");
    let rig = ruled(Rig::new(Mode::Default), rules);
    let rig = rig.with_end(ExitStatus::Exited { code: 0 }, "", "");
    let status = json!({"argv": ["git", "status"]});
    assert!(rig.call("process.run", status.clone()).await.ok);
    let asked = rig.call_asked("process.start", status, NO, |_| {}).await;
    assert_eq!(
        asked.error_code(),
        Some(ErrorCode::PermissionDenied),
        "for longer is another thing"
    );
}
