//! `terminal`: what is typed is asked for, and what stands there is read.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::support::{FakeRun, Rig, YES};
use crate::kernel::{
    capability::Body,
    error::ErrorCode,
    event::{ExitStatus, Seal},
    gate::approval::{Answer, Then},
    port::{Ended, Form, Job, Manner, Notice, Stream},
    spec::Mode,
};

/// A program that shows what is typed, in brackets, and ends at `q`.
fn echoes() -> FakeRun {
    Box::new(|mut job: Job| {
        Box::pin(async move {
            let Manner::Terminal(mut pty) = std::mem::replace(&mut job.manner, Manner::Awaited)
            else {
                panic!("at no terminal")
            };
            (job.notice)(Notice::Started(Seal::None, Form::None));
            job.spool.write(Stream::Out, format!("{}x{}\r\n", pty.rows, pty.cols).as_bytes());
            let mut status = ExitStatus::Cancelled;
            loop {
                let bytes = tokio::select! {
                    () = job.cancel.cancelled() => break,
                    bytes = pty.typed.recv() => bytes.unwrap(),
                };
                let shown: String = bytes.iter().map(|byte| format!("[{byte:02x}]")).collect();
                job.spool.write(Stream::Out, shown.as_bytes());
                if bytes == b"q" {
                    status = ExitStatus::Exited { code: 0 };
                    break;
                }
            }
            Ok(Ended {
                status,
                stdout: String::new(),
                stderr: String::new(),
                leftovers: 0,
                aside: Vec::new(),
                pictures: Vec::new(),
            })
        })
    })
}

async fn open(rig: &Rig) -> String {
    let opened =
        rig.call("terminal.open", json!({ "argv": ["edit"], "rows": 5, "cols": 40 })).await;
    assert!(opened.ok, "{opened:?}");
    opened.content["id"].as_str().unwrap().to_owned()
}

/// The screen, once it holds that.
async fn seen(rig: &Rig, id: &str, wanted: &str) -> Value {
    loop {
        let read = rig.call("terminal.read", json!({ "id": id, "quiet_ms": 1 })).await;
        assert!(read.ok, "{read:?}");
        if read.content["screen"].as_str().unwrap().contains(wanted) {
            return read.content;
        }
    }
}

#[tokio::test]
async fn what_is_typed_comes_to_the_program_and_its_screen_is_read() {
    let rig = Rig::new(Mode::Auto).with_executor(echoes());
    let id = open(&rig).await;
    assert_eq!(seen(&rig, &id, "5x40").await["running"], true);
    let send = json!({ "id": id, "text": "hi\n", "keys": ["up", "ctrl-c"] });
    assert!(rig.call("terminal.send", send).await.ok);
    let read = seen(&rig, &id, "[03]").await;
    assert_eq!(read["screen"], "5x40\n[68][69][0d][1b][5b][41][03]");
    assert_eq!(read["cursor"], json!([1, 28]));
    assert!(rig.call("terminal.send", json!({ "id": id, "text": "q" })).await.ok);
    let beside = rig.context.running.programs.as_ref().unwrap().all().remove(0);
    beside.over().await;
    let read = seen(&rig, &id, "[71]").await;
    assert_eq!((&read["running"], &read["returncode"]), (&json!(false), &json!(0)));
    let late = rig.call("terminal.send", json!({ "id": id, "text": "x" })).await;
    assert_eq!(late.content["message"], "Not typed: edit ended with status 0.");
    let id = open(&rig).await;
    let closed = rig.call("terminal.close", json!({ "id": id })).await;
    assert_eq!(
        (&closed.content["running"], &closed.content["note"]),
        (&json!(false), &json!("It was stopped"))
    );
}

#[tokio::test]
async fn a_person_sees_exactly_the_keys_that_would_be_sent() {
    let rig = Rig::new(Mode::Default).with_executor(echoes());
    let asked = json!({ "argv": ["edit"] });
    let opened = rig.call_asked("terminal.open", asked, YES, |question| {
        assert!(question.preview.facts.iter().any(|fact| fact.contains("at a terminal")));
        assert!(matches!(question.preview.body, Body::Program { .. }), "{question:?}");
    });
    let id = opened.await.content["id"].clone();
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let no = Answer::Deny { because: None, then: Then::GoOn };
    for (text, keys) in [("rm -r .\n", json!([])), ("y\u{3}", json!(["escape", "alt-x"]))] {
        let seen = bodies.clone();
        let send = json!({ "id": id, "text": text, "keys": keys });
        let result = rig
            .call_asked("terminal.send", send, no.clone(), move |question| {
                assert_eq!(question.preview.object, "edit");
                seen.lock().unwrap().push(question.preview.body.clone());
            })
            .await;
        assert_eq!(result.error_code(), Some(ErrorCode::PermissionDenied));
    }
    let text = |text: &str| Body::Text { text: text.to_owned() };
    assert_eq!(
        *bodies.lock().unwrap(),
        [text("text  rm -r .\nkeys  enter"), text("text  y\nkeys  ctrl-c, escape, alt-x")]
    );
    let read = rig.call("terminal.read", json!({ "id": id, "quiet_ms": 1 })).await;
    assert!(!read.content["screen"].as_str().unwrap().contains('['), "{read:?}");
    rig.context.running.programs.as_ref().unwrap().close().await;
}

#[tokio::test]
async fn what_cannot_be_typed_is_refused_before_anybody_is_asked() {
    let rig = Rig::new(Mode::Auto).with_executor(echoes());
    let id = open(&rig).await;
    for (send, fault) in [
        (json!({ "id": id }), "expected some text or keys"),
        (json!({ "id": id, "keys": ["hyper"] }), "there is no key"),
        (json!({ "id": id, "text": "a".repeat(5000) }), "no more than 4 KiB"),
        (json!({ "id": "1", "text": "a" }), "knows no program"),
    ] {
        let result = rig.call("terminal.send", send).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{result:?}");
        assert!(result.text().contains(fault), "{result:?}");
    }
    let result = rig.call("terminal.open", json!({ "argv": ["edit"], "rows": 1 })).await;
    assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{result:?}");
    rig.context.running.programs.as_ref().unwrap().close().await;
}
