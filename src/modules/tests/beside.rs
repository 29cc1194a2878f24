//! Programs beside the calls: `process.start` and what is done with one that runs.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::support::{Rig, YES};
use crate::kernel::{
    capability::Body,
    error::{CallError, ErrorCode},
    event::{Event, ExitStatus, Seal},
    port::{Ended, Form, Job, Manner, Notice, Stream},
    signal::{ProgramEnded, Signal},
    spec::Mode,
};

/// Prints `text`, and ends when it is stopped, or by itself with that status.
fn program(rig: Rig, text: &'static str, ends: Option<ExitStatus>) -> Rig {
    rig.with_executor(Box::new(move |job: Job| {
        let ends = ends.clone();
        Box::pin(async move {
            assert!(matches!(job.manner, Manner::Beside), "{:?}", job.manner);
            (job.notice)(Notice::Started(Seal::None, Form::None));
            job.spool.write(Stream::Out, text.as_bytes());
            (job.notice)(Notice::Output);
            if ends.is_none() {
                job.cancel.cancelled().await;
            }
            Ok(Ended {
                status: ends.unwrap_or(ExitStatus::Cancelled),
                stdout: text.to_owned(),
                stderr: String::new(),
                leftovers: 0,
                aside: Vec::new(),
                pictures: Vec::new(),
            })
        })
    }))
}

async fn start(rig: &Rig) -> String {
    let started = rig.call("process.start", json!({ "argv": ["serve", "--port", "1"] })).await;
    assert!(started.ok, "{started:?}");
    assert_eq!(started.content["program"], "serve --port 1");
    started.content["id"].as_str().unwrap().to_owned()
}

/// The ends that the session's model is told of, and those it is not.
fn told(rig: &Rig) -> (Vec<ProgramEnded>, usize) {
    let events = rig.events();
    let mut ends = Vec::new();
    for event in &events {
        if let Event::SignalReceived { what: Signal::Program { ended }, .. } = event {
            ends.push(ended.clone());
        }
    }
    let taken = events.iter().filter(|event| matches!(event, Event::SignalTaken { .. })).count();
    (ends, taken)
}

async fn of(rig: &Rig, name: &str, id: &str) -> Value {
    let result = rig.call(name, json!({ "id": id })).await;
    assert!(result.ok, "{result:?}");
    result.content
}

#[tokio::test]
async fn a_started_program_outlives_its_call_and_is_read_waited_for_and_stopped() {
    let rig = program(Rig::new(Mode::Auto), "ready\n", None);
    let id = start(&rig).await;
    let output = of(&rig, "process.output", &id).await;
    assert_eq!((&output["text"], &output["running"]), (&json!("ready\n"), &json!(true)));
    let since = rig.call("process.output", json!({ "id": id, "since": 3 })).await.content;
    assert_eq!(
        (&since["text"], &since["next"], &since["more"]),
        (&json!("dy\n"), &json!(6), &json!(false))
    );
    let waited = rig.call("process.wait", json!({ "id": id, "timeout_ms": 1 })).await.content;
    assert_eq!(waited, json!({ "running": true, "returncode": null, "note": null }));
    let stopped = of(&rig, "process.stop", &id).await;
    assert_eq!(
        stopped,
        json!({ "running": false, "returncode": null, "note": "It was stopped", "last": "ready" })
    );
    assert_eq!(of(&rig, "process.stop", &id).await, stopped, "again");
    let list = rig.call("process.list", json!({})).await.content;
    assert_eq!(
        list,
        json!([{ "id": id, "program": "serve --port 1", "running": false, "returncode": null,
                 "note": "It was stopped" }])
    );
    assert_eq!(told(&rig).1, 1, "and nobody tells its model what its script was given");
}

#[tokio::test]
async fn the_end_of_one_that_nobody_waited_for_is_told_once_with_its_last_lines() {
    let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n\u{1b}[31mlast\u{202e}words\n";
    let rig = program(Rig::new(Mode::Auto), text, Some(ExitStatus::Exited { code: 3 }));
    let id = start(&rig).await;
    rig.context.running.programs.as_ref().unwrap().all()[0].over().await;
    let (ends, taken) = told(&rig);
    assert_eq!((ends.len(), taken), (1, 0));
    assert_eq!(ends[0].call.to_string(), id);
    let words = Signal::Program { ended: ends[0].clone() }.told("x").unwrap();
    let lines: Vec<_> = words.lines().collect();
    assert!(lines[0].contains("serve --port 1") && lines[0].contains("ended with status 3"));
    assert_eq!((lines.len(), lines[1]), (11, "> 2"));
    assert!(lines[1..].iter().all(|line| line.starts_with("> ")), "{words}");
    assert!(!words.contains(['\u{1b}', '\u{202e}']), "{words:?}");
    let events: Vec<_> = rig.events().iter().map(Event::name).collect();
    let at = |name: &str| events.iter().position(|event| *event == name).unwrap();
    assert!(at("execution_finished") < at("signal_received"), "{events:?}");
}

#[tokio::test]
async fn one_that_does_not_start_is_the_error_of_its_call_and_is_not_told_of() {
    let rig = Rig::new(Mode::Auto).with_executor(Box::new(|_| {
        Box::pin(async { Err(CallError::failed("There is no program serve.")) })
    }));
    let result = rig.call("process.start", json!({ "argv": ["serve"] })).await;
    assert_eq!(result.content["message"], "There is no program serve.");
    assert_eq!(rig.call("process.list", json!({})).await.content, json!([]));
    assert_eq!(told(&rig), (Vec::new(), 0));
}

#[tokio::test]
async fn it_is_asked_for_as_a_program_that_is_awaited() {
    let rig = program(Rig::new(Mode::Default), "", None);
    let input = json!({ "argv": ["serve"], "network": true, "timeout_ms": 3000 });
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    let result = rig
        .call_asked("process.start", input, YES, |question| {
            seen.lock().unwrap().push(question.clone());
        })
        .await;
    assert!(result.ok, "{result:?}");
    let question = questions.lock().unwrap().remove(0);
    let preview = &question.preview;
    assert!(preview.facts.contains(&"goes on after the script, at most 3 s".to_owned()));
    assert!(preview.wider.iter().any(|line| line.starts_with("the network")), "{preview:?}");
    assert!(matches!(&preview.body, Body::Program { limit_ms: 3000, .. }), "{preview:?}");
    rig.context.running.programs.as_ref().unwrap().close().await;

    let rig = program(Rig::new(Mode::Plan), "", None);
    let result = rig.call("process.start", json!({ "argv": ["serve"] })).await;
    assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
}

#[tokio::test]
async fn an_unknown_program_is_refused_by_what_there_is() {
    let rig = program(Rig::new(Mode::Auto), "", None);
    let id = start(&rig).await;
    for call in ["process.output", "process.wait", "process.stop"] {
        let result = rig.call(call, json!({ "id": "7" })).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{call}");
        assert!(result.text().contains(&id), "{result:?}");
    }
    rig.context.running.programs.as_ref().unwrap().close().await;
    let (ends, _) = told(&rig);
    assert_eq!(ends, [], "a session that ends is told when it goes on");
}
