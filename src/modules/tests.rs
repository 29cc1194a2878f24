//! The modules over the one road, with a real gate and everything outside faked.

mod effects;
mod packages;
mod reads;
mod rules;
mod runs;
mod support;

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
    assert_eq!(registry.module_names(), ["files", "process", "agents"]);
    for capability in registry.all() {
        assert!(registry.find(capability.name()).is_some(), "{}", capability.name());
    }
}

#[tokio::test]
async fn an_agent_gets_the_call_s_clocks_which_stand_still_until_its_answer_comes_back() {
    let mut rig = Rig::new(Mode::Plan).with_factory();
    rig.context.clocks.push(Budget::start(Duration::from_secs(60)));
    let input = json!({"task": "look", "name": "scout", "modules": ["files"]});
    let result = rig.call("agents.run", input).await;
    let expected = r#"scout did: look, with Some(["files"]), on 1 clock(s), 1 held"#;
    assert_eq!(result.content["text"], json!(expected), "{result:?}");
    assert!(result.content["session"].is_string());
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_an_error_that_says_so() {
    let rig = Rig::new(Mode::Auto);
    let result = rig.call("agents.run", json!({"task": "look"})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::Failed));
    assert!(result.text().contains("Agents cannot be started here"), "{result:?}");

    let rig = rig.with_factory();
    for (input, expected) in [
        (json!({"task": " "}), "Invalid input for agents.run.task: it is empty"),
        (json!({"task": "x", "name": "a\nb"}), "Invalid input for agents.run.name"),
        (json!({"task": "x", "name": ""}), "Invalid input for agents.run.name"),
    ] {
        let result = rig.call("agents.run", input).await;
        assert!(result.text().contains(expected), "{result:?}");
    }
}
