//! Saved scripts that are run, cut off and carried on. The script here is a list of calls.

use std::sync::Mutex;

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{
    capability::Category,
    event::{Call, Decider, Decision, ExitStatus, Origin, Source},
    gate::subject::Subject,
    id::CallId,
    invoke::interrupted,
    port::{Form, Program},
};

/// Makes the calls of a script, one line each, until one says `stop` or a call fails; as often as it
/// has been told to, it passes a `stop`.
struct Calls {
    passes: bool,
    made: Arc<Mutex<Vec<String>>>,
}

impl Executor for Calls {
    fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
        Ok(())
    }

    fn form(&self) -> Form {
        Form::WithoutNamespaces
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        Box::pin(async move {
            let Program::Python { code, calls, .. } = job.what else { panic!("no script") };
            let (mut code_of_end, mut stdout, mut stderr) = (0, String::new(), String::new());
            for line in code.lines() {
                let (name, input) = line.split_once(' ').unwrap_or((line, "{}"));
                if name == "stop" {
                    if self.passes {
                        continue;
                    }
                    code_of_end = 1;
                    break;
                }
                let result = calls.call(name.into(), serde_json::from_str(input).unwrap(), None);
                let result = result.await;
                self.made.lock().unwrap().push(name.to_owned());
                if !result.ok {
                    (code_of_end, stderr) = (1, result.text());
                    break;
                }
                stdout.push_str(&format!("{}\n", result.text()));
            }
            let status = ExitStatus::Exited { code: code_of_end };
            Ok(Ended {
                status,
                stdout,
                stderr,
                leftovers: 0,
                aside: Vec::new(),
                pictures: Vec::new(),
            })
        })
    }
}

const SCRIPT: &str = r#"workflows.args
files.write {"path":"a","text":"x"}
stop
files.write {"path":"b","text":"x"}
"#;

fn flows(rig: &Rig, passes: bool) -> Host {
    host_of(rig.store.clone(), |parts| {
        parts.executor = Arc::new(Calls { passes, made: Arc::default() });
    })
}

/// A place with that script as `flow`.
fn place(script: &str) -> Rig {
    let rig = Rig::new(json!([says("ok")]), json!({}));
    let folder = rig.workspace().join(".footplate/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("flow.py"), script).unwrap();
    rig
}

/// A session on that host that is asked nothing.
fn begin(rig: &mut Rig, passes: bool) -> SessionId {
    rig.host = flows(rig, passes);
    rig.events = rig.host.subscribe();
    rig.seen.clear();
    let modules = ["files", "workflows"].map(str::to_owned).to_vec();
    let mut spec = SessionSpec { modules, ..rig.spec(Mode::Auto) };
    spec.tools.push("execute_code".to_owned());
    rig.host.start(spec).unwrap()
}

/// A run that stops after its first write, and its session.
async fn cut_off(rig: &mut Rig) -> SessionId {
    let root = begin(rig, false);
    let input = json!({ "name": "flow", "args": { "word": "hi" } });
    let ran = rig.call(root, "workflows.run", input).await;
    assert!(ran.text().contains("ended with status 1"), "{ran:?}");
    let run: SessionId = ran.content["session"].as_str().unwrap().parse().unwrap();
    assert!(ran.text().contains(&format!("workflows.resume(\\\"{run}\\\")")), "{ran:?}");
    rig.host.shutdown().await;
    run
}

fn changes(rig: &Rig, session: SessionId) -> usize {
    count(&rig.journal(session), |event| matches!(event, Event::ChangeBegun { .. }))
}

/// What the calls of a script had for results, and in whose name.
fn decided(rig: &Rig, session: SessionId) -> Vec<(String, bool)> {
    let ends = rig.journal(session).into_iter().filter_map(|event| match event {
        Event::CallFinished { result, parent: Some(_), decision, .. } => {
            let by = decision.map(|decision| decision.by);
            Some((result.name, matches!(by, Some(Decider::Record { .. }))))
        }
        _ => None,
    });
    ends.collect()
}

#[tokio::test]
async fn a_run_is_a_session_of_its_own_with_its_arguments_and_its_script() {
    let mut rig = place("workflows.args\n");
    let root = begin(&mut rig, false);
    let input = json!({ "name": "flow", "args": { "word": "hi" } });
    let ran = rig.call(root, "workflows.run", input).await;
    assert_eq!(ran.content["text"], json!("{\"word\":\"hi\"}\n"), "{ran:?}");
    let run: SessionId = ran.content["session"].as_str().unwrap().parse().unwrap();
    let spec = Session::replay(&rig.store.read(run).unwrap().events).unwrap().spec;
    assert_eq!((spec.parent, spec.agent()), (Some(root), "flow"));
    assert_eq!(spec.workflow.as_ref().unwrap().code, "workflows.args\n");
    let is_turn = |event: &Event| matches!(event, Event::TurnStarted { model, .. } if model == "workflow flow");
    assert_eq!(count(&rig.journal(run), is_turn), 2);
    rig.host.shutdown().await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_is_carried_on_and_does_nothing_twice() {
    let mut rig = place(SCRIPT);
    let run = cut_off(&mut rig).await;
    // What runs is what was begun.
    std::fs::write(rig.workspace().join(".footplate/workflows/flow.py"), "").unwrap();
    let root = begin(&mut rig, true);
    let ran = rig.call(root, "workflows.resume", json!({ "run": run.to_string() })).await;
    assert!(ran.ok, "{ran:?}");
    let text = ran.content["text"].as_str().unwrap();
    assert!(text.starts_with("{\"word\":\"hi\"}\n"), "{text}");
    assert!(
        text.contains(&format!("2 of its calls had their result from the run {run}")),
        "{text}"
    );
    let later: SessionId = ran.content["session"].as_str().unwrap().parse().unwrap();
    let expected = [("workflows.args", true), ("files.write", true), ("files.write", false)];
    let seen = decided(&rig, later);
    assert_eq!(seen, expected.map(|(name, before)| (name.to_owned(), before)));
    assert_eq!((changes(&rig, run), changes(&rig, later)), (1, 1));

    let twice = rig.call(root, "workflows.resume", json!({ "run": run.to_string() })).await;
    assert!(twice.text().contains("did that already; carry that one on"), "{twice:?}");
    let done = rig.call(root, "workflows.resume", json!({ "run": "flow" })).await;
    assert!(done.text().contains("came to its end"), "{done:?}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn what_was_begun_and_has_no_result_is_asked_for_whatever_the_mode() {
    let mut rig = place(SCRIPT);
    let run = cut_off(&mut rig).await;
    // It had begun the second write.
    let opened = rig.store.open(run, &mut |_| {}).unwrap();
    let parent = rig.journal(run).into_iter().find_map(|event| match event {
        Event::CallStarted { call, .. } if call.name == "execute_code" => Some(call.id),
        _ => None,
    });
    let (name, input) = ("files.write".to_owned(), json!({ "path": "b", "text": "x" }));
    let origin = Origin::Python { line: None };
    let call = Call { id: CallId::fresh(), name, input, origin, parent };
    let decision = Decision::allowed(Decider::Mode { mode: Mode::Auto });
    let (id, category, subject) = (call.id, Category::Write, Subject::Other);
    let mut result = rig.result(run, "files.write");
    (result.ok, result.is_error, result.input) = (false, true, call.input.clone());
    result.content = interrupted(true).payload();
    let started = Event::CallStarted { call, category, decision, subject };
    let ended = Event::CallFinished { call: id, parent, origin, result, decision: None };
    for event in [started, ended] {
        opened.journal.append(event, &|_| {}).unwrap();
    }
    drop(opened);

    let root = begin(&mut rig, true);
    let host = rig.host.clone();
    let input = json!({ "run": run.to_string() }).to_string();
    let resumed = async { host.call(root, "workflows.resume", input).await.unwrap() };
    let answered = async {
        let question = rig.question("flow").await;
        assert_eq!(question.call.input["path"], "b");
        let wider = question.preview.wider.join("\n");
        assert!(wider.contains("begun by an earlier run"), "{wider}");
        rig.allow(&question);
    };
    let (ran, ()) = tokio::join!(resumed, answered);
    let text = ran.content["text"].as_str().unwrap();
    assert!(text.contains("whether they took effect was unknown: files.write (call 3)"), "{text}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn only_a_run_of_this_folder_that_nobody_brought_in_is_carried_on() {
    let mut rig = place(SCRIPT);
    let run = cut_off(&mut rig).await;
    let root = begin(&mut rig, true);
    let refused = async |rig: &Rig, run: String, words: &str| {
        let result = rig.call(root, "workflows.resume", json!({ "run": run })).await;
        assert!(!result.ok && result.text().contains(words), "{result:?}");
    };
    refused(&rig, "nonsense".into(), "there is no run").await;
    refused(&rig, SessionId::fresh().to_string(), "Not carried on").await;
    refused(&rig, root.to_string(), "still at work").await;
    let spec = Session::replay(&rig.store.read(run).unwrap().events).unwrap().spec;
    let elsewhere = SessionSpec { id: 91.into(), workspace: "/elsewhere".into(), ..spec.clone() };
    let brought = SessionSpec { id: 92.into(), ..spec.clone() };
    let plain = SessionSpec { id: 93.into(), workflow: None, ..spec };
    let mut held = Vec::new();
    for (spec, words) in [
        (elsewhere, "worked in another folder, /elsewhere"),
        (brought, "no run of a workflow"),
        (plain, "no run of a workflow"),
    ] {
        let id = spec.id;
        let journal = rig.store.create(spec).unwrap();
        if id == 92.into() {
            let event = Event::SessionForked { from: run, source: Source::File };
            journal.append(event, &|_| {}).unwrap();
        }
        refused(&rig, id.to_string(), words).await;
        held.push(journal);
    }
    rig.host.shutdown().await;
}

#[tokio::test]
async fn a_script_that_parts_from_its_record_is_told_of_and_its_calls_are_new() {
    let mut rig = place(SCRIPT);
    let run = cut_off(&mut rig).await;
    let root = begin(&mut rig, true);
    let mut spec = Session::replay(&rig.store.read(run).unwrap().events).unwrap().spec;
    // As a script would be that follows the time of day.
    spec.id = SessionId::fresh();
    spec.parent = None;
    let workflow = spec.workflow.as_mut().unwrap();
    workflow.code = "workflows.args\nfiles.write {\"path\":\"c\",\"text\":\"x\"}\n".to_owned();
    workflow.resumes = Some(run);
    let id = rig.host.start(spec).unwrap();
    rig.host.send(id, "go".to_owned());
    assert_eq!(rig.host.quiet(id).await, Some(Outcome::Done));
    let result = rig.result(id, "execute_code").text();
    let words =
        "Its call 2 is files.write, where the earlier run made files.write with other arguments";
    assert!(result.contains(words), "{result}");
    assert!(rig.workspace().join("c").exists());
    let _ = root;
    rig.host.shutdown().await;
}
