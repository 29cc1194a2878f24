//! `todo`: a list that the journal keeps.

use serde_json::{Value, json};

use super::support::Rig;
use crate::kernel::{
    error::ErrorCode,
    event::Event,
    session::Session,
    spec::Mode,
    todo::{Item, State, Todo},
};

fn listed(items: &[(&str, &str)]) -> Value {
    let number = |(at, (text, state)): (usize, &(&str, &str))| json!({"number": at + 1, "text": text, "state": state});
    json!({ "items": items.iter().enumerate().map(number).collect::<Vec<_>>() })
}

#[tokio::test]
async fn a_list_is_set_changed_and_told_in_every_mode() {
    for mode in Mode::ALL {
        let rig = Rig::new(mode);
        let empty = rig.call("todo.list", json!({})).await;
        assert_eq!(empty.content, listed(&[]), "{mode:?}");
        let set = json!({"items": [{"text": "read", "state": "doing"}, {"text": " write\n it "}]});
        let set = rig.call("todo.set", set).await;
        assert_eq!(set.content, listed(&[("read", "doing"), ("write it", "open")]));
        for (input, expected) in [
            (json!({"number": 1, "state": "done"}), [("read", "done"), ("write it", "open")]),
            (json!({"number": 2, "text": "write"}), [("read", "done"), ("write", "open")]),
        ] {
            let updated = rig.call("todo.update", input).await;
            assert_eq!(updated.content, listed(&expected));
        }
        let added = rig.call("todo.update", json!({"number": 3, "text": "test"})).await;
        let expected = listed(&[("read", "done"), ("write", "open"), ("test", "open")]);
        assert_eq!(added.content, expected);
        assert_eq!(rig.call("todo.list", json!({})).await.content, expected);
    }
}

#[tokio::test]
async fn the_journal_alone_brings_a_list_back() {
    let rig = Rig::new(Mode::Plan);
    rig.call("todo.set", json!({"items": [{"text": "read"}, {"text": "write"}]})).await;
    rig.call("todo.update", json!({"number": 2, "state": "dropped"})).await;
    let mut session = Session::new((*rig.context.spec).clone());
    for event in rig.events() {
        session.apply(1, &event);
    }
    let item = |text: &str, state| Item { text: text.to_owned(), state };
    let expected = vec![item("read", State::Open), item("write", State::Dropped)];
    assert_eq!(session.todo, expected);
    assert_eq!(Todo::of(session.todo).now(), rig.context.notes.todo.now());
    // What changes nothing is no news.
    let before = rig.events().len();
    rig.call("todo.update", json!({"number": 2, "state": "dropped"})).await;
    let news = &rig.events()[before..];
    assert!(!news.iter().any(|event| matches!(event, Event::TodoChanged { .. })), "{news:?}");
}

#[tokio::test]
async fn what_is_no_item_is_refused_and_the_list_stays() {
    let rig = Rig::new(Mode::Plan);
    for (name, input, expected) in [
        ("todo.update", json!({"number": 1, "state": "done"}), "the list is empty"),
        ("todo.update", json!({"number": 0}), "Invalid input for todo.update.number"),
        ("todo.set", json!({"items": [{"text": " \n"}]}), "items[0].text: it is empty"),
        ("todo.set", json!({"items": [{"text": "x".repeat(301)}]}), "301 characters, at most 300"),
        ("todo.set", json!({"items": [{"text": "x", "state": "soon"}]}), "Invalid input"),
        ("todo.set", json!({"items": vec![json!({"text": "x"}); 101]}), "Invalid input"),
    ] {
        let result = rig.call(name, input).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{result:?}");
        assert!(result.text().contains(expected), "{result:?}");
    }
    rig.call("todo.set", json!({"items": vec![json!({"text": "x"}); 100]})).await;
    for (number, expected) in [(101, "there can be no more"), (200, "there can be no more")] {
        let result = rig.call("todo.update", json!({"number": number, "text": "y"})).await;
        assert!(result.text().contains(expected), "{result:?}");
    }
    assert_eq!(rig.context.notes.todo.now().len(), 100);
    let hostile = json!({"items": [{"text": "a\u{1b}[2Jb\u{202e}c\rd"}]});
    let result = rig.call("todo.set", hostile).await;
    let text = result.content["items"][0]["text"].as_str().unwrap().to_owned();
    assert!(!text.contains(|c: char| c.is_control() || c == '\u{202e}'), "{text:?}");
}

#[tokio::test]
async fn a_list_that_cannot_be_recorded_does_not_change() {
    let rig = Rig::new(Mode::Plan).with_full_disk_for("todo_changed");
    let result = rig.call("todo.set", json!({"items": [{"text": "x"}]})).await;
    assert!(result.text().contains("could not be recorded"), "{result:?}");
    assert_eq!(rig.context.notes.todo.now(), []);
}
