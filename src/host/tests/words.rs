//! Words between agents, and waits.

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::error::ErrorCode;

#[tokio::test]
async fn words_reach_the_other_at_its_next_request_and_stand_in_both_journals() {
    let to_parent = json!(["agents.send", { "to": "parent", "text": "I am at it" }]);
    let mut rig = Rig::new(
        json!([calls(json!([start("a"), ["agents.wait", {}]])), says("thanks")]),
        json!({ "a": [calls(json!([to_parent, write("a")])), says("done")] }),
    );
    let root = rig.go(Mode::Default);
    let question = rig.question("a").await;
    let words = json!({ "to": "a", "text": "and be quick" });
    let sent = rig.call(root, "agents.send", words).await;
    assert_eq!(sent.content["session"], json!(question.session), "{sent:?}");
    rig.allow(&question);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    assert_eq!(rig.told(question.session), ["> and be quick"]);
    assert_eq!(rig.told(root), ["> I am at it"]);
    let sent =
        |event: &Event| matches!(event, Event::SignalSent { what: Signal::Words { .. }, .. });
    let got =
        |event: &Event| matches!(event, Event::SignalReceived { what: Signal::Words { .. }, .. });
    for session in [root, question.session] {
        let journal = rig.journal(session);
        assert_eq!((count(&journal, sent), count(&journal, got)), (1, 1));
        assert_eq!(count(&journal, is_said), 1, "a person, or a task, said no more");
    }
    rig.host.shutdown().await;
}

#[tokio::test]
async fn words_wake_an_agent_that_rests() {
    let to_parent = json!(["agents.send", { "to": "parent", "text": "look" }]);
    let mut rig = Rig::new(
        json!([calls(json!([start("a")])), says("started"), says("I look"), says("done")]),
        json!({ "a": [calls(json!([write("a"), to_parent, write("b")])), says("done")] }),
    );
    let root = rig.go(Mode::Default);
    assert_eq!(rig.rests(root).await, Outcome::Done);
    let question = rig.question("a").await;
    rig.allow(&question);
    rig.until(|envelope| match &envelope.event {
        Event::TextStreamed { text } if envelope.session == root && text.contains("look") => {
            Some(())
        }
        _ => None,
    })
    .await;
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_agent_addresses_those_below_it_and_the_one_above_and_no_other() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a"), start("b")])), says("started")]),
        json!({ "a": [calls(json!([write("a")])), says("a")], "b": [calls(json!([write("b")]))] }),
    );
    let root = rig.go(Mode::Default);
    let (of_a, of_b) = (rig.question("a").await, rig.question("b").await);
    let others = [
        ("b".to_owned(), of_a.session),
        (of_b.session.to_string(), of_a.session),
        ("a".to_owned(), of_a.session),
        (root.to_string(), of_a.session),
        ("parent".to_owned(), root),
    ];
    for (to, from) in others {
        for (called, input) in [
            ("agents.send", json!({ "to": to, "text": "x" })),
            ("agents.cancel", json!({ "name": to })),
            ("agents.wait", json!({ "names": [to] })),
        ] {
            let result = rig.call(from, called, input).await;
            assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{result:?}");
            let there =
                if from == root { "it can address: a, b" } else { "it can address: parent" };
            assert!(result.text().contains(there), "{result:?}");
        }
    }
    let result = rig.call(of_a.session, "agents.cancel", json!({ "name": "parent" })).await;
    assert!(result.text().contains("cannot be stopped from below"), "{result:?}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn agents_never_wait_for_each_other() {
    let wait = json!(["agents.wait", { "names": ["parent"] }]);
    let rig = Rig::new(
        json!([calls(json!([["agents.run", { "task": "do", "name": "a" }]])), says("thanks")]),
        json!({
            "a": [calls(json!([["agents.run", { "task": "do", "name": "b" }]])), says("a")],
            "b": [calls(json!([wait])), says("b")],
        }),
    );
    let root = rig.go(Mode::Default);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let a: SessionId =
        rig.result(root, "agents.run").content["session"].as_str().unwrap().parse().unwrap();
    let b = rig.result(a, "agents.run").content["session"].as_str().unwrap().parse().unwrap();
    let refused = rig.result(b, "agents.wait");
    assert_eq!(refused.content["cycle"], json!(["main/a/b", "main/a", "main/a/b"]));
    assert!(refused.text().contains("main/a/b → main/a → main/a/b"), "{refused:?}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn a_wait_for_any_ends_with_the_first_and_one_with_an_end_says_who_goes_on() {
    let mut rig = Rig::new(
        json!([]),
        json!({ "a": [calls(json!([write("a")])), says("a")], "b": [calls(json!([write("b")])), says("b")] }),
    );
    let root = rig.host.start(rig.spec(Mode::Default)).unwrap();
    assert_eq!(
        rig.call(root, "agents.wait", json!({})).await.content,
        json!({ "over": [], "going": [] })
    );
    for name in ["a", "b"] {
        rig.call(root, "agents.start", start(name)[1].clone()).await;
    }
    let (of_a, of_b) = (rig.question("a").await, rig.question("b").await);
    let late = rig.call(root, "agents.wait", json!({ "timeout_ms": 0 })).await;
    assert_eq!(late.content, json!({ "over": [], "going": ["a", "b"] }));
    let listed = rig.call(root, "agents.list", json!({})).await;
    assert_eq!(listed.content[0]["state"], json!("waiting"), "{listed:?}");
    assert_eq!(listed.content[0]["waits_for"], json!(["a person, about files.write a"]));
    rig.allow(&of_b);
    let any = rig.call(root, "agents.wait", json!({ "until": "any" })).await;
    assert_eq!(any.content["over"][0]["name"], json!("b"), "{any:?}");
    assert_eq!(any.content["going"], json!(["a"]));
    rig.allow(&of_a);
    let all = rig.call(root, "agents.wait", json!({ "names": ["a", "b", "a"] })).await;
    let names: Vec<_> = all.content["over"].as_array().unwrap().iter().collect();
    assert_eq!(names.len(), 2, "{all:?}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn what_is_taken_back_is_told_to_the_agent_that_wrote_it_while_it_is_at_work() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a"), ["agents.wait", {}]])), says("thanks")]),
        json!({ "a": [calls(json!([write("a"), write("b")])), says("done")] }),
    );
    let root = rig.go(Mode::Default);
    let first = rig.question("a").await;
    rig.allow(&first);
    let second = rig
        .until(|envelope| match &envelope.event {
            Event::ApprovalRequested { question } if question.id != first.id => {
                Some(question.clone())
            }
            _ => None,
        })
        .await;
    rig.host.send_command(Command::Undo { session: root, calls: vec![first.call.id] });
    rig.until(|envelope| match &envelope.event {
        Event::CallFinished { result, .. } if result.name == "undo" => {
            assert!(result.ok, "{result:?}");
            Some(())
        }
        _ => None,
    })
    .await;
    rig.allow(&second);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let notes = |session| {
        let session = Session::replay(&rig.store.read(session).unwrap().events).unwrap();
        let note = |message: &Message| matches!(message, Message::User { text, .. } if text.starts_with("[The person took back"));
        session.messages().iter().filter(|message| note(message)).count()
    };
    assert_eq!((notes(first.session), notes(root)), (1, 0));
    rig.host.shutdown().await;

    // It is over now: what is taken back is told to the one above it.
    let host = host(rig.store.clone());
    host.resume(root).unwrap();
    let mut events = host.subscribe();
    let calls = vec![second.call.id];
    host.send_command(Command::Undo { session: root, calls });
    loop {
        let envelope = events.recv().await.unwrap();
        let undo =
            matches!(&envelope.event, Event::CallFinished { result, .. } if result.name == "undo");
        if undo && envelope.session == root {
            break;
        }
    }
    host.shutdown().await;
}
