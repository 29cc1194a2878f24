//! What is kept and recorded of what `files.write` and `files.edit` change.

use std::{fs, sync::Arc};

use serde_json::json;

use super::support::{Rig, YES};
use crate::kernel::{
    capability::Body,
    change::{Before, Change},
    error::ErrorCode,
    event::Event,
    port::{Kept, Mark, StoreError},
    spec::Mode,
};

/// What the journal says of each change: before, after, lines.
fn changes(rig: &Rig) -> Vec<Change> {
    let changes = rig.events().into_iter().filter_map(|event| {
        if let Event::ChangeBegun { change, .. } = event { Some(change) } else { None }
    });
    changes.collect()
}

#[tokio::test]
async fn what_a_call_replaces_is_kept_and_recorded_before_it_is_changed() {
    let rig = Rig::new(Mode::AcceptEdits);
    rig.put("a.txt", "one\ntwo\n");
    rig.call("files.edit", json!({"path": "a.txt", "old": "two", "new": "2\n3"})).await;
    rig.call("files.write", json!({"path": "b.txt", "text": "b\n"})).await;
    let kept: Vec<_> = rig.replaced().into_iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(kept, [b"one\ntwo\n"]);
    let changes = changes(&rig);
    let [edit, write] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!((&*edit.shown, edit.more, edit.fewer), ("a.txt", 2, 1));
    assert_eq!(edit.path, rig.workspace().join("a.txt"));
    assert_eq!(edit.after, Some(Mark::of(b"one\n2\n3\n")));
    let Before::File { mark, kept: Kept::Whole, .. } = &edit.before else { panic!("{edit:?}") };
    assert_eq!(*mark, Mark::of(b"one\ntwo\n"));
    assert_eq!((&write.before, write.more), (&Before::Nothing, 1));
    let kinds: Vec<_> = rig.events().iter().map(Event::name).collect();
    assert_eq!(kinds, ["call_started", "change_begun", "call_finished"].repeat(2));
}

#[tokio::test]
async fn what_cannot_be_kept_or_recorded_is_said_or_not_written() {
    let mut rig = Rig::new(Mode::Auto);
    rig.put("a.txt", "old");
    let write = |text: &str| json!({"path": "a.txt", "text": text});
    for (kept, words) in [
        (Kept::TooLarge, "cannot be undone: more than 8,388,608 bytes were there"),
        (Kept::Full, "cannot be undone: this session keeps 268,435,456 bytes already"),
    ] {
        rig.context.keep.replaced = Some(Arc::new(move |_, _| Ok(kept)));
        let result = rig.call("files.write", write(words)).await;
        assert!(result.ok && result.text().contains(words), "{result:?}");
    }
    rig.context.keep.replaced = Some(Arc::new(|_, _| {
        let source = std::io::ErrorKind::StorageFull.into();
        Err(StoreError::Io { doing: "write", path: "kept".into(), source })
    }));
    let before = rig.get("a.txt");
    let result = rig.call("files.write", write("new")).await;
    assert!(result.text().contains("could not be kept"), "{result:?}");
    let rig = rig.with_full_disk_for("change_begun");
    let result = rig.call("files.write", json!({"path": "new.txt", "text": "new"})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::Failed), "{result:?}");
    assert_eq!(rig.get("a.txt"), before);
    assert!(!rig.workspace().join("new.txt").exists());
}

#[tokio::test]
async fn bytes_that_could_not_be_shown_are_known_all_the_same() {
    let rig = Rig::new(Mode::Default);
    let swaps = [
        (Some(&b"caf\xe9\n"[..]), &b"caf\xe8\n"[..]),
        (None, b"caf\xe9\n"),
        (Some(b"caf\xe9\n"), b"caf\xe9\n and more"),
    ];
    for (before, meanwhile) in swaps {
        let _ = fs::remove_file(rig.workspace().join("latin1.txt"));
        if let Some(before) = before {
            rig.put("latin1.txt", before);
        }
        let input = json!({"path": "latin1.txt", "text": "x\n"});
        let result =
            rig.call_asked("files.write", input, YES, |_| rig.put("latin1.txt", meanwhile)).await;
        assert!(result.text().contains("is no longer the file you saw"), "{result:?}");
        assert_eq!(rig.get("latin1.txt"), meanwhile);
    }
}

#[tokio::test]
async fn eight_megabytes_of_text_are_written_like_any_other() {
    let rig = Rig::new(Mode::Default);
    rig.put("a.txt", "one\n".repeat(200_000));
    let text = "steam \u{e9}\n".repeat(1 << 20);
    let result =
        rig.call_asked("files.write", json!({"path": "a.txt", "text": text}), YES, |_| {}).await;
    assert!(result.ok, "{}", result.text());
    assert_eq!(rig.get("a.txt"), text.as_bytes());
}

#[tokio::test]
async fn a_long_text_that_is_written_stands_in_the_journal_twice_at_most() {
    const LONG: usize = 1 << 20;
    let rig = Rig::new(Mode::Default);
    let text = "x".repeat(LONG);
    let input = json!({"path": "a.txt", "text": text.clone()});
    let result = rig.call_asked("files.write", input.clone(), YES, |_| {}).await;
    assert!(result.ok && result.input == input, "its caller has all of it");
    let lines: Vec<String> =
        rig.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let bytes: usize = lines.iter().map(String::len).sum();
    assert!(bytes < 2 * LONG + 20_000, "{bytes}");
    // Whoever reads it has the whole question, and what ran.
    let read: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let Some(Event::ApprovalRequested { question }) =
        read.iter().find(|event| matches!(event, Event::ApprovalRequested { .. }))
    else {
        panic!("it was asked");
    };
    let Body::Diff { new, .. } = &question.preview.body else { panic!("a diff") };
    assert_eq!(*new, text);
    assert!(
        read.iter().any(|it| matches!(it, Event::CallStarted { call, .. } if call.input == input))
    );
}
