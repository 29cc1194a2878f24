//! `memory`: files of a project outside of it, which ask like any write.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use super::support::{NO, Rig, YES};
use crate::kernel::{
    capability::{Body, Category, Reach},
    change::Before,
    error::ErrorCode,
    event::Event,
    gate::subject::Subject,
    spec::Mode,
};

async fn recall(rig: &Rig, name: &str) -> Value {
    rig.call("memory.read", json!({"name": name})).await.content
}

#[tokio::test]
async fn what_is_written_asks_with_its_diff_and_is_there_afterwards() {
    let rig = Rig::new(Mode::AcceptEdits);
    let write = json!({"name": "build", "text": "# Build\n\nUse just.\n"});
    let written = rig.call_asked("memory.write", write.clone(), YES, |question| {
        let preview = &question.preview;
        assert_eq!((question.category, preview.reach), (Category::Write, Reach::Outside));
        assert_eq!(preview.object, "memory:build");
        let place = rig.memory().join("build.md");
        let expected = [
            "new file".to_owned(),
            "+3".to_owned(),
            format!("outside the workspace: {}", place.display()),
            "can be undone".to_owned(),
            "told to later sessions of this project".to_owned(),
        ];
        assert_eq!(preview.facts, expected);
        assert_eq!(preview.subject, Subject::path(&place));
        let text = "# Build\n\nUse just.\n".to_owned();
        assert_eq!(preview.body, Body::Diff { old: None, new: text, mark: None });
    });
    assert!(written.await.ok);
    assert_eq!(recall(&rig, "build").await, json!("# Build\n\nUse just.\n"));

    let more = json!({"name": "build", "text": "Or make."});
    assert!(rig.call_asked("memory.append", more, YES, |_| {}).await.ok);
    assert_eq!(recall(&rig, "build").await, json!("# Build\n\nUse just.\nOr make.\n"));
    assert_eq!(rig.replaced()[0].1, b"# Build\n\nUse just.\n");
    let list = rig.call("memory.list", json!({})).await;
    let expected = json!({"notes": [{"name": "build", "bytes": 28, "title": "Build"}]});
    assert_eq!(list.content, expected);

    let refused = rig.call_asked("memory.delete", json!({"name": "build"}), NO, |_| {}).await;
    assert_eq!(refused.error_code(), Some(ErrorCode::PermissionDenied));
    let deleted = rig.call_asked("memory.delete", json!({"name": "build"}), YES, |question| {
        let Body::Diff { old: Some(_), new, .. } = &question.preview.body else { panic!() };
        assert_eq!(new, "");
        assert!(question.preview.facts.contains(&"forgets the name".to_owned()));
    });
    assert!(deleted.await.ok);
    let gone = rig.call("memory.read", json!({"name": "build"})).await;
    assert!(gone.text().contains("Nothing is remembered as build"), "{gone:?}");
    assert_eq!(fs::read_dir(rig.memory()).unwrap().count(), 0);
}

#[tokio::test]
async fn each_change_can_be_undone() {
    let rig = Rig::new(Mode::Auto);
    assert!(rig.call("memory.write", json!({"name": "a", "text": "one\n"})).await.ok);
    assert!(rig.call("memory.delete", json!({"name": "a"})).await.ok);
    let mut changes = Vec::new();
    for event in rig.events() {
        if let Event::ChangeBegun { change, .. } = event {
            changes.push(change);
        }
    }
    assert_eq!(changes[0].before, Before::Nothing);
    assert_eq!(changes[0].path, rig.memory().join("a.md"));
    let Before::File { mark, .. } = &changes[1].before else { panic!("{changes:?}") };
    assert_eq!((mark.bytes, &changes[1].after), (4, &None));
}

#[tokio::test]
async fn what_changed_while_a_person_thought_is_left_alone() {
    let rig = Rig::new(Mode::Default);
    fs::create_dir(rig.memory()).unwrap();
    let place = rig.memory().join("a.md");
    for (name, input) in [
        ("memory.write", json!({"name": "a", "text": "new\n"})),
        ("memory.append", json!({"name": "a", "text": "new\n"})),
        ("memory.delete", json!({"name": "a"})),
    ] {
        fs::write(&place, "one\n").unwrap();
        let changed = rig
            .call_asked(name, input, YES, |_| fs::write(&place, "another hand\n").unwrap())
            .await;
        assert!(changed.text().contains("no longer the file you saw"), "{name}: {changed:?}");
        assert_eq!(fs::read_to_string(&place).unwrap(), "another hand\n", "{name}");
    }
}

#[tokio::test]
async fn no_name_leads_out_of_the_folder_and_nothing_grows_without_end() {
    let rig = Rig::new(Mode::Auto);
    fs::create_dir(rig.memory()).unwrap();
    fs::write(rig.outside().join("secret.md"), "KEY\n").unwrap();
    symlink(rig.outside().join("secret.md"), rig.memory().join("way.md")).unwrap();
    for name in ["../outside/secret", "/etc/passwd", "", ".", "A", "a b", "a\n", "-a", "é"] {
        let result = rig.call("memory.read", json!({"name": name})).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{name:?}: {result:?}");
    }
    for (name, input) in [
        ("memory.read", json!({"name": "way"})),
        ("memory.write", json!({"name": "way", "text": "x"})),
        ("memory.delete", json!({"name": "way"})),
    ] {
        let result = rig.call(name, input).await;
        assert!(result.text().contains("and is left alone"), "{result:?}");
        assert!(!result.text().contains("KEY"));
    }
    let long = json!({"name": "a", "text": "x".repeat(65_537)});
    let result = rig.call("memory.write", long).await;
    assert!(result.text().contains("65,537 bytes long, at most 65,536"), "{result:?}");
    for number in 0..200 {
        fs::write(rig.memory().join(format!("{number}.md")), "\u{1b}[2J# x\n").unwrap();
    }
    let result = rig.call("memory.write", json!({"name": "more", "text": "x"})).await;
    assert!(result.text().contains("200 names are remembered"), "{result:?}");
    assert!(rig.call("memory.write", json!({"name": "7", "text": "x"})).await.ok);
    let list = rig.call("memory.list", json!({})).await;
    assert_eq!(list.content["notes"].as_array().map(Vec::len), Some(200));
    assert_eq!(list.content["notes"][0]["title"], json!("x"));
    fs::write(rig.memory().join("8.md"), b"caf\xe9").unwrap();
    let result = rig.call("memory.read", json!({"name": "8"})).await;
    assert!(result.text().contains("memory:8 is no text"), "{result:?}");
}

#[tokio::test]
async fn a_session_without_such_a_folder_says_so() {
    let mut rig = Rig::new(Mode::Auto);
    rig.context.notes.memory = None;
    for (name, input) in [
        ("memory.list", json!({})),
        ("memory.read", json!({"name": "a"})),
        ("memory.write", json!({"name": "a", "text": "x"})),
    ] {
        let result = rig.call(name, input).await;
        assert!(result.text().contains("Nothing is remembered in this session"), "{result:?}");
    }
    let rig = Rig::new(Mode::Plan);
    let result = rig.call("memory.write", json!({"name": "a", "text": "x"})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
    assert_eq!(rig.call("memory.list", json!({})).await.content, json!({"notes": []}));
    assert!(!rig.memory().exists());
}
