//! `execute_code` and `process.run`.

mod pictures;
mod programs;
mod seals;

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::support::{FakeRun, Rig, YES, request};
use crate::kernel::{
    BoxFuture,
    capability::Body,
    error::{CallError, ErrorCode},
    event::{Event, Exceeded, ExitStatus, Origin, Seal},
    gate::approval::{Answer, Then},
    port::{Ended, Form, Notice, Program},
    spec::Mode,
};

fn ended(status: ExitStatus, stdout: &str) -> Ended {
    Ended {
        status,
        stdout: stdout.to_owned(),
        stderr: String::new(),
        leftovers: 0,
        aside: Vec::new(),
        pictures: Vec::new(),
    }
}

/// The events so far as they stand in the journal.
fn lines(rig: &Rig) -> Vec<Value> {
    rig.events().iter().map(|event| serde_json::to_value(event).unwrap()).collect()
}

/// Their types, each once if it repeats.
fn story(rig: &Rig) -> Vec<String> {
    let mut names: Vec<_> =
        lines(rig).iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect();
    names.dedup();
    names
}

#[tokio::test]
async fn the_output_of_a_run_is_its_result_and_the_journal_tells_its_story() {
    let rig = Rig::new(Mode::Auto).with_end(ExitStatus::Exited { code: 0 }, "hello\n", "noise");
    let result = rig.call("execute_code", json!({"code": "print('hello')"})).await;
    assert_eq!((result.ok, result.content), (true, json!("hello\n")));
    assert_eq!(
        story(&rig),
        [
            "call_started",
            "execution_started",
            "output_written",
            "execution_finished",
            "call_finished"
        ]
    );
    let written = &lines(&rig)[2];
    assert_eq!((&written["bytes"], &written["lines"]), (&json!(6), &json!(1)));
}

#[tokio::test]
async fn each_way_to_end_is_told_in_its_own_words() {
    let rows = [
        (ExitStatus::Exited { code: 0 }, "", "", None, "(no output)"),
        (
            ExitStatus::Exited { code: 3 },
            "out\n",
            "Traceback\n",
            Some(ErrorCode::Failed),
            "main.py ended with status 3.\n\nstdout:\nout\n\nstderr:\nTraceback",
        ),
        (
            ExitStatus::Signalled { signal: 11 },
            "",
            "",
            Some(ErrorCode::Failed),
            "main.py was ended by signal 11.",
        ),
        (
            ExitStatus::TimedOut,
            "so far\n",
            "",
            Some(ErrorCode::BudgetSpent),
            "main.py used its 60 s and was ended. What it printed is kept: /spool/call\n\n\
             stdout:\nso far",
        ),
        (
            ExitStatus::OverLimit { limit: Exceeded::Scratch },
            "so far\n",
            "",
            Some(ErrorCode::BudgetSpent),
            "main.py was ended, since it filled its scratch folder. Remove files there as it goes, \
             or make fewer and smaller ones. What it printed is kept: /spool/call\n\nstdout:\nso far",
        ),
        (
            ExitStatus::Cancelled,
            "",
            "",
            Some(ErrorCode::Interrupted),
            "main.py was stopped. What it printed is kept: /spool/call",
        ),
        (
            ExitStatus::NotStarted { message: "there is no uv".to_owned() },
            "",
            "",
            Some(ErrorCode::Failed),
            "there is no uv",
        ),
    ];
    for (status, stdout, stderr, code, expected) in rows {
        let rig = Rig::new(Mode::Auto).with_end(status.clone(), stdout, stderr);
        let result = rig.call("execute_code", json!({"code": "x"})).await;
        let text = match code {
            None => result.content.clone(),
            Some(_) => result.content["message"].clone(),
        };
        assert_eq!((result.error_code(), text), (code, json!(expected)), "{status:?}");
    }
}

#[tokio::test]
async fn a_long_output_says_where_all_of_it_is_and_leftovers_are_named() {
    let rig = Rig::new(Mode::Auto).with_executor(Box::new(|job| {
        Box::pin(async move {
            job.spool.write(crate::kernel::port::Stream::Out, &[b'x'; 100_000]);
            let mut ended = ended(ExitStatus::Exited { code: 0 }, &"x".repeat(10_000));
            ended.leftovers = 2;
            Ok(ended)
        })
    }));
    let result = rig.call("execute_code", json!({"code": "x"})).await;
    let text = result.text();
    assert!(text.contains("\n[All of its output is in /spool/call.]"), "{}", &text[10_000..]);
    assert!(text.ends_with("\n[2 processes it had left running were ended.]"));
}

#[tokio::test]
async fn what_cannot_run_is_refused_before_anybody_is_asked() {
    let rig = Rig::new(Mode::Default).with_end(ExitStatus::Exited { code: 0 }, "", "");
    for (name, input, expected) in [
        ("execute_code", json!({"code": "syntax error"}), "syntax error at line 1"),
        ("execute_code", json!({"code": "", "filename": "../a.py"}), "a bare file name"),
        ("execute_code", json!({"code": "", "filename": ""}), "a bare file name"),
        ("execute_code", json!({"code": "", "timeout_ms": 0}), "minimum of 1"),
        ("process.run", json!({"argv": []}), "Invalid input for process.run.argv"),
        ("process.run", json!({"argv": [""]}), "it names no program"),
        ("process.run", json!({"argv": ["a\0b"]}), "NUL"),
        ("process.run", json!({"argv": "ls -l"}), r#"a list such as [\"a\", \"b\"]"#),
    ] {
        let result = rig.call(name, input).await;
        assert!(result.is_error && result.text().contains(expected), "{result:?}");
    }
    assert_eq!(story(&rig), ["call_finished"]);
    let rig = Rig::new(Mode::Default);
    let result = rig.call("execute_code", json!({"code": ""})).await;
    assert!(result.text().contains("Programs cannot be run in this session"), "{result:?}");
}

#[tokio::test]
async fn a_person_sees_the_code_and_the_limit_that_will_hold() {
    let mut rig = Rig::new(Mode::Default).with_end(ExitStatus::Exited { code: 0 }, "", "");
    let mut spec = (*rig.context.spec).clone();
    spec.limits.execution_ms = 1_500;
    spec.limits.usual_ms = 700;
    rig.context.spec = spec.into();
    let no = Answer::Deny { because: None, then: Then::GoOn };
    for (timeout_ms, fact) in [(json!(90_000), "at most 1.5 s"), (Value::Null, "at most 0.7 s")] {
        let input = json!({"code": "a\nb\n", "timeout_ms": timeout_ms});
        let result = rig
            .call_asked("execute_code", input, no.clone(), |question| {
                let preview = &question.preview;
                assert_eq!(preview.facts, ["2 lines", fact, "unsealed"]);
                let code = Body::Code { filename: "main.py".to_owned(), code: "a\nb\n".to_owned() };
                assert_eq!((&*preview.object, &preview.body), ("main.py", &code));
            })
            .await;
        assert_eq!(result.error_code(), Some(ErrorCode::PermissionDenied));
    }
}

/// A script that asks for one effect at line 7 and prints what comes back.
fn asking(name: &'static str, input: Value) -> FakeRun {
    Box::new(move |job| {
        let input = input.clone();
        Box::pin(async move {
            (job.notice)(Notice::Started(Seal::None, Form::None));
            let Program::Python { calls, .. } = job.what else {
                return Err(CallError::failed("not Python"));
            };
            let result = calls.call(name.to_owned(), input, Some(7)).await;
            Ok(ended(ExitStatus::Exited { code: 0 }, &result.text()))
        })
    })
}

#[tokio::test]
async fn a_call_from_python_asks_at_its_line_and_stops_the_clock_of_its_run() {
    let rig = Rig::new(Mode::AcceptEdits);
    let target = rig.outside().join("a.txt");
    let rig = rig.with_executor(asking("files.write", json!({"path": target, "text": "hi\n"})));
    let tools = rig.tools();
    let outer = request("execute_code", json!({"code": "x"}));
    let id = outer.id;
    let answers = async {
        let run = rig.question().await;
        assert_eq!(rig.context.running.clocks.read(id), None);
        rig.answer(&run, YES);
        let effect = rig.question().await;
        assert_eq!(effect.call.origin, Origin::Python { line: Some(7) });
        assert_eq!((effect.call.parent, effect.script), (Some(id), Some(id)));
        assert!(rig.context.running.clocks.read(id).unwrap().held);
        rig.answer(&effect, YES);
    };
    let (result, ()) = tokio::join!(tools.invoke(outer), answers);
    assert!(result.text().contains("new file, +1, outside the workspace"), "{result:?}");
    assert_eq!(std::fs::read(target).unwrap(), b"hi\n");
    assert_eq!(rig.context.running.clocks.read(id), None);
}

#[tokio::test]
async fn python_reaches_what_is_mounted_and_nothing_else() {
    for name in ["execute_code", "echo", "files.nothing"] {
        let rig = Rig::new(Mode::Auto).with_executor(asking(name, json!({"text": "x"})));
        let result = rig.call("execute_code", json!({"code": "x"})).await;
        assert!(result.text().contains("unknown_tool"), "{name}: {result:?}");
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_is_recorded_as_cancelled_once() {
    let rig = Rig::new(Mode::Auto).with_executor(Box::new(|job| {
        Box::pin(async move {
            (job.notice)(Notice::Started(Seal::None, Form::None));
            std::future::pending().await
        })
    }));
    let tools = rig.tools();
    let call = request("execute_code", json!({"code": "x"}));
    let id = call.id;
    tokio::select! {
        result = tools.invoke(call) => panic!("it ended: {result:?}"),
        () = async { while !matches!(rig.next().await, Event::ExecutionStarted { .. }) {} } => {}
    }
    assert_eq!(
        story(&rig),
        ["call_started", "execution_started", "execution_finished", "call_finished"]
    );
    let cancelled = |event: &Event| {
        matches!(event, Event::ExecutionFinished { status: ExitStatus::Cancelled, .. })
    };
    assert!(rig.events().iter().any(cancelled));
    assert_eq!(rig.context.running.clocks.read(id), None);
}

#[tokio::test(start_paused = true)]
async fn the_journal_has_the_limit_and_the_running_time() {
    let rig = Rig::new(Mode::Auto).with_executor(Box::new(|job| {
        Box::pin(async move {
            (job.notice)(Notice::Started(Seal::None, Form::None));
            job.clock.exhausted().await;
            Ok(ended(ExitStatus::TimedOut, ""))
        })
    }));
    let result = rig.call("execute_code", json!({"code": "x", "timeout_ms": 2_000})).await;
    assert!(result.text().contains("main.py used its 2 s"), "{result:?}");
    let lines = lines(&rig);
    assert_eq!(lines[1]["limit_ms"], json!(2_000));
    assert_eq!((&lines[2]["ran_ms"], &lines[2]["excluded_ms"]), (&json!(2_000), &json!(0)));
}

#[tokio::test]
async fn a_run_that_cannot_be_recorded_is_ended_and_its_session_goes_on() {
    let rig = Rig::new(Mode::Auto).with_full_disk_for("execution_started");
    let rig = rig.with_executor(Box::new(|job| {
        Box::pin(async move {
            (job.notice)(Notice::Started(Seal::None, Form::None));
            job.cancel.cancelled().await;
            Ok(ended(ExitStatus::Cancelled, ""))
        })
    }));
    let result = rig.call("execute_code", json!({"code": "x"})).await;
    assert!(result.text().contains("could not be recorded: cannot write journal"), "{result:?}");
    assert!(!rig.context.cancel.is_cancelled());
}

#[tokio::test]
async fn stopping_the_session_reaches_the_run() {
    let rig = Rig::new(Mode::Auto);
    let (began, begins) = oneshot::channel();
    let began = std::sync::Mutex::new(Some(began));
    let rig = rig.with_executor(Box::new(move |job| {
        let began = began.lock().unwrap().take();
        Box::pin(async move {
            if let Some(began) = began {
                began.send(()).unwrap();
            }
            job.cancel.cancelled().await;
            Ok(ended(ExitStatus::Cancelled, ""))
        })
    }));
    let stop = async {
        begins.await.unwrap();
        rig.context.cancel.cancel();
    };
    let (result, ()) = tokio::join!(rig.call("process.run", json!({"argv": ["cat"]})), stop);
    assert_eq!(result.error_code(), Some(ErrorCode::Interrupted), "{result:?}");
}
