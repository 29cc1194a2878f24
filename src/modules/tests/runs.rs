//! `execute_code` and `process.run`.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::support::{FakeRun, Rig, request};
use crate::kernel::{
    BoxFuture,
    capability::{Body, Category},
    error::{CallError, ErrorCode},
    event::{Event, Exceeded, ExitStatus, Origin, Seal},
    gate::{
        approval::{Answer, Question, Scope, Then},
        policy::Runs,
    },
    port::{Aside, Bounds, Ended, Executor, Form, Job, Level, Notice, Program},
    registry::Mounts,
    spec::Mode,
};

const YES: Answer = Answer::Allow { scope: Scope::Once };

fn ended(status: ExitStatus, stdout: &str) -> Ended {
    Ended {
        status,
        stdout: stdout.to_owned(),
        stderr: String::new(),
        leftovers: 0,
        aside: Vec::new(),
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
            "main.py ended with status 3.\n\nstderr:\nTraceback\n\nstdout:\nout",
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

/// Tells the bounds it is given, whose level it can hold or not.
struct Held {
    can: bool,
    given: Arc<Mutex<Vec<Bounds>>>,
}

impl Executor for Held {
    fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
        Ok(())
    }

    fn form(&self) -> Form {
        if self.can { Form::Full } else { Form::None }
    }

    fn check_bounds(&self, bounds: &Bounds, _: &Path) -> Result<(), CallError> {
        match bounds.writes.iter().any(|path| path.ends_with("ours")) {
            true => Err(CallError::failed("not for a run")),
            false => Ok(()),
        }
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        self.given.lock().unwrap().push(job.bounds.clone());
        (job.notice)(Notice::Started(Seal::None, Form::None));
        Box::pin(async { Ok(ended(ExitStatus::Exited { code: 0 }, "ran")) })
    }
}

/// Seals everything, which ends so.
struct Sealing(Ended);

impl Executor for Sealing {
    fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
        Ok(())
    }

    fn form(&self) -> Form {
        Form::Full
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        (job.notice)(Notice::Started(Seal::Sealed, Form::Full));
        let ended = self.0.clone();
        Box::pin(async { Ok(ended) })
    }
}

#[tokio::test]
async fn sealed_code_runs_unasked_in_every_mode_and_only_where_it_is_held() {
    let (sealed, workspace, open) = ("sealed", "workspace", "open");
    for (mode, can, seal, runs) in [
        (Mode::Plan, true, sealed, Some(Level::Sealed)),
        (Mode::Default, true, sealed, Some(Level::Sealed)),
        (Mode::Plan, true, workspace, None),
        (Mode::Plan, true, open, None),
        (Mode::Plan, false, sealed, None),
        (Mode::Auto, true, workspace, Some(Level::Workspace)),
        (Mode::Auto, true, open, Some(Level::Open)),
        (Mode::Auto, false, sealed, Some(Level::Open)),
    ] {
        let given = Arc::<Mutex<Vec<Bounds>>>::default();
        let mut rig = Rig::new(mode);
        rig.context.executor = Some(Arc::new(Held { can, given: given.clone() }));
        let result = rig.call("execute_code", json!({"code": "", "seal": seal})).await;
        assert_eq!(
            given.lock().unwrap().first().map(|bounds| bounds.level),
            runs,
            "{mode:?} {can} {seal}"
        );
        assert_eq!(result.ok, runs.is_some(), "{mode:?} {can} {seal}: {result:?}");
        let category = if can && seal == sealed { "read" } else { "execute" };
        for line in lines(&rig).iter().filter(|line| line["type"] == "call_started") {
            assert_eq!(line["category"], category, "{mode:?} {can} {seal}");
        }
    }
}

#[tokio::test]
async fn who_wants_to_read_all_code_first_is_asked_in_every_mode() {
    for mode in Mode::ALL {
        let given = Arc::<Mutex<Vec<Bounds>>>::default();
        let mut rig = Rig::new(mode);
        rig.context.executor = Some(Arc::new(Held { can: true, given: given.clone() }));
        rig.context.gate = rig.context.gate.clone().with_runs(Runs::Asked);
        let result = rig
            .call_asked("execute_code", json!({"code": "a"}), YES, |question| {
                assert_eq!(question.category, Category::Execute, "{mode:?}");
                let facts = ["1 line", "at most 60 s", "sealed", "no network"];
                assert_eq!(question.preview.facts, facts, "{mode:?}");
            })
            .await;
        assert!(result.ok, "{mode:?}: {result:?}");
        assert_eq!(*given.lock().unwrap(), [Level::Sealed.into()], "{mode:?}");
    }
}

#[tokio::test]
async fn a_person_is_told_what_bounds_a_program() {
    let unsealed = vec!["unsealed", "at most 60 s"];
    let sealed = vec!["workspace seal", "no network", "at most 60 s"];
    let open = "open: not sealed, it can do what you can";
    let cannot = "open, as there is no seal here: it can do what you can";
    let network = "the network, and the servers of this computer";
    let git = "writes .git, which other programs run or obey";
    let (execute, external) = (Category::Execute, Category::External);
    for (can, more, category, facts, wider) in [
        (true, json!({}), execute, &sealed, vec![]),
        (true, json!({"seal": "open"}), execute, &unsealed, vec![open]),
        (false, json!({}), execute, &unsealed, vec![cannot]),
        (true, json!({"writes": [".git", "/"]}), execute, &sealed, vec![git, "reads and writes /"]),
        (
            true,
            json!({"network": true}),
            external,
            &vec!["workspace seal", "at most 60 s"],
            vec![network],
        ),
        (true, json!({"seal": "open", "network": true}), external, &unsealed, vec![open, network]),
    ] {
        let given = Arc::<Mutex<Vec<Bounds>>>::default();
        let mut rig = Rig::new(Mode::Default);
        rig.context.executor = Some(Arc::new(Held { can, given: given.clone() }));
        let mut input = more;
        input["argv"] = json!(["true"]);
        let told = |question: &Question| {
            assert_eq!(question.category, category, "{facts:?}");
            assert_eq!(&question.preview.facts, facts);
            assert_eq!(question.preview.wider, wider);
        };
        let result = rig.call_asked("process.run", input.clone(), YES, told).await;
        assert!(result.ok, "{result:?}");
        let given = given.lock().unwrap();
        let writes = input.get("writes").map(|_| vec![rig.workspace().join(".git"), "/".into()]);
        assert_eq!(given[0].writes, writes.unwrap_or_default());
        assert_eq!(given[0].network, category == external);
    }
}

#[tokio::test]
async fn what_a_run_may_not_be_given_is_refused_before_anybody_is_asked() {
    let mut rig = Rig::new(Mode::Default);
    rig.context.executor = Some(Arc::new(Held { can: true, given: Arc::default() }));
    let result = rig.call("process.run", json!({"argv": ["true"], "writes": ["ours"]})).await;
    assert!(result.is_error && result.text().contains("not for a run"), "{result:?}");
    assert_eq!(story(&rig), ["call_finished"]);
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_than_what_was_approved_is_not_given() {
    let given = Arc::<Mutex<Vec<Bounds>>>::default();
    let mut rig = Rig::new(Mode::Default);
    rig.context.executor = Some(Arc::new(Held { can: true, given: given.clone() }));
    let (link, outside) = (rig.workspace().join("out"), rig.outside());
    let input = json!({"argv": ["true"], "writes": ["out"]});
    let turned = |_: &Question| std::os::unix::fs::symlink(&outside, &link).unwrap();
    let result = rig.call_asked("process.run", input, YES, turned).await;
    assert!(result.text().contains("Not run: what it may do"), "{result:?}");
    assert!(given.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_refusal_by_the_seal_says_what_to_ask_for() {
    let socket = "  File \"socket.py\"\nPermissionError: [Errno 1] Operation not permitted\n";
    let file = "OSError: [Errno 30] Read-only file system: '/data/x'\n";
    for (name, input, said, expected) in [
        ("process.run", json!({"argv": ["x"]}), socket, "network=True"),
        ("process.run", json!({"argv": ["x"]}), file, "writes=[\\\"/data/x\\\"]"),
        ("execute_code", json!({"code": "x", "seal": "sealed"}), socket, "network=True"),
        ("execute_code", json!({"code": "x", "seal": "sealed"}), file, "use files.write"),
    ] {
        let mut rig = Rig::new(Mode::Auto);
        let status = ExitStatus::Exited { code: 1 };
        let stderr = said.to_owned();
        let ended = Ended { stderr, ..ended(status, "") };
        rig.context.executor = Some(Arc::new(Sealing(ended)));
        let result = rig.call(name, input).await;
        let text = result.content.to_string();
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[tokio::test]
async fn what_was_put_aside_is_told_with_what_to_ask_for() {
    let mut ended = ended(ExitStatus::Exited { code: 0 }, "");
    ended.aside = vec![
        Aside { was: ".git".into(), now: Some("/kept/.git".into()) },
        Aside { was: ".envrc".into(), now: None },
    ];
    let mut rig = Rig::new(Mode::Auto);
    rig.context.executor = Some(Arc::new(Sealing(ended)));
    for (name, input) in
        [("process.run", json!({"argv": ["x"]})), ("execute_code", json!({"code": "x"}))]
    {
        let result = rig.call(name, input).await;
        let text = result.text().replace('\\', "");
        let expected = ".git is now /kept/.git; .envrc could not be moved and is still there.";
        assert!(text.contains(expected), "{name}: {text}");
        assert!(text.contains("writes=[\".git\", \".envrc\"]"), "{name}: {text}");
    }
    let told = lines(&rig).into_iter().filter(|line| line["type"] == "put_aside");
    let things = json!([{ "was": ".git", "now": "/kept/.git" }, { "was": ".envrc" }]);
    assert!(told.map(|line| line["things"].clone()).eq([things.clone(), things]));
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
async fn a_program_gives_its_status_as_a_value() {
    let rows = [
        (ExitStatus::Exited { code: 0 }, json!(0), false),
        (ExitStatus::Exited { code: 2 }, json!(2), false),
        (ExitStatus::Signalled { signal: 9 }, json!(-9), false),
        (ExitStatus::TimedOut, json!(null), true),
    ];
    for (status, returncode, timed_out) in rows {
        let rig = Rig::new(Mode::Auto).with_end(status, "out\n", "err\n");
        let result = rig.call("process.run", json!({"argv": ["true"]})).await;
        let expected = json!({
            "returncode": returncode, "stdout": "out\n", "stderr": "err\n", "timed_out": timed_out,
        });
        assert_eq!((result.ok, result.content), (true, expected));
    }
    let over = ExitStatus::OverLimit { limit: Exceeded::Memory };
    let rig = Rig::new(Mode::Auto).with_end(over, "out\n", "");
    let content = rig.call("process.run", json!({"argv": ["true"]})).await.content;
    assert_eq!((&content["returncode"], &content["stdout"]), (&json!(null), &json!("out\n")));
    assert!(content["note"].as_str().unwrap().contains("more memory than a run may"), "{content}");
    let message = "there is no program \"nope\"; check the name".to_owned();
    let rig = Rig::new(Mode::Auto).with_end(ExitStatus::NotStarted { message }, "", "");
    let result = rig.call("process.run", json!({"argv": ["nope"]})).await;
    assert_eq!(result.error_code(), Some(ErrorCode::Failed));
}

#[tokio::test]
async fn a_program_runs_where_it_was_shown_to_run_or_not_at_all() {
    let rig = Rig::new(Mode::Default).with_end(ExitStatus::Exited { code: 0 }, "", "");
    rig.put("sub/a.txt", "");
    let input = json!({"argv": ["cargo", "test"], "cwd": "sub"});
    let sub = rig.workspace().join("sub");
    let result = rig
        .call_asked("process.run", input.clone(), YES, |question| {
            let body = Body::Program {
                argv: vec!["cargo".to_owned(), "test".to_owned()],
                cwd: sub.clone(),
                limit_ms: Duration::from_secs(60).as_millis() as u64,
                file: None,
            };
            assert_eq!((&*question.preview.object, &question.preview.body), ("cargo", &body));
        })
        .await;
    assert!(result.ok, "{result:?}");

    let elsewhere: PathBuf = rig.outside();
    let result = rig
        .call_asked("process.run", input, YES, |_| {
            std::fs::remove_dir_all(&sub).unwrap();
            std::os::unix::fs::symlink(&elsewhere, &sub).unwrap();
        })
        .await;
    assert!(result.text().contains("not the one that was approved"), "{result:?}");
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
