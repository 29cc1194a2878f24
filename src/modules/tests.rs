//! The modules over the one road, with a real gate and everything outside faked.

mod beside;
mod changes;
mod effects;
mod git;
mod memory;
mod packages;
mod pictures;
mod reads;
mod rules;
mod runs;
mod support;
mod terminals;
mod todo;
mod workflows;

use std::time::Duration;

use serde_json::json;

use self::support::Rig;
use crate::kernel::{clock::Budget, error::ErrorCode, spec::Mode};

#[tokio::test]
async fn echo_gives_back_the_text_itself() {
    let rig = Rig::new(Mode::Plan);
    let result = rig.call("echo", json!({"text": "hello"})).await;
    assert_eq!((result.ok, result.content), (true, json!("hello")));
}

#[test]
fn every_name_in_the_table_can_be_found() {
    let registry = super::registry();
    assert_eq!(
        registry.module_names(),
        ["files", "search", "process", "terminal", "agents", "git", "todo", "memory", "workflows"]
    );
    for capability in registry.all() {
        assert!(registry.find(capability.name()).is_some(), "{}", capability.name());
    }
}

#[tokio::test]
async fn the_clocks_of_a_call_stand_still_while_an_agent_works_for_it() {
    let mut rig = Rig::new(Mode::Plan);
    rig.context.clocks.push(Budget::start(Duration::from_secs(60)));
    let rig = rig.with_agents();
    let input = json!({"task": "look", "name": "scout", "modules": ["files"]});
    let result = rig.call("agents.run", input).await;
    let expected = r#"scout did: look, with Some(["files"]), 1 clock(s) held"#;
    assert_eq!(result.content["text"], json!(expected), "{result:?}");
    assert!(result.content["session"].is_string());

    let started = rig.call("agents.start", json!({"task": "hear", "name": "ear"})).await;
    assert_eq!(started.content["name"], json!("ear"), "{started:?}");
    let waited = rig.call("agents.wait", json!({"names": ["ear"], "until": "any"})).await;
    let over = &waited.content["over"][0];
    assert_eq!(over["text"], json!("ear did: hear, with None, 1 clock(s) held"), "{waited:?}");
    assert_eq!((&over["ok"], &over["outcome"]), (&json!(true), &json!("done")));
    assert!(!rig.context.clocks[0].read().held);
}

#[tokio::test]
async fn a_stop_reaches_the_agents_below_unless_it_is_told_not_to() {
    let rig = Rig::new(Mode::Plan).with_agents();
    for (input, expected) in
        [(json!({"name": "a"}), "a Subtree"), (json!({"name": "a", "subtree": false}), "a One")]
    {
        let result = rig.call("agents.cancel", input).await;
        assert_eq!(result.content["stopped"], json!([expected]), "{result:?}");
    }
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_an_error_that_says_so() {
    let rig = Rig::new(Mode::Auto);
    let result = rig.call("agents.run", json!({"task": "look"})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::Failed));
    assert!(result.text().contains("Agents cannot be started here"), "{result:?}");

    let list = rig.call("agents.list", json!({})).await;
    assert!(list.text().contains("There are no other agents here"), "{list:?}");

    let rig = rig.with_agents();
    for called in ["agents.run", "agents.start"] {
        for (input, fault) in [
            (json!({"task": " "}), "task: it is empty"),
            (json!({"task": "x", "name": "a\nb"}), "name"),
            (json!({"task": "x", "name": ""}), "name"),
        ] {
            let result = rig.call(called, input).await;
            let expected = format!("Invalid input for {called}.{fault}");
            assert!(result.text().contains(&expected), "{result:?}");
        }
    }
    for (called, input) in [
        ("agents.send", json!({"to": "parent", "text": " "})),
        ("agents.send", json!({"to": "parent", "text": "x".repeat(20_000)})),
        ("agents.wait", json!({"names": []})),
        ("agents.wait", json!({"until": "some"})),
        ("agents.cancel", json!({})),
    ] {
        let result = rig.call(called, input).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{result:?}");
    }
}
