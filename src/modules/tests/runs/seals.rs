//! What bounds a run, and how it is told.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use super::*;
use crate::kernel::{
    capability::Category,
    gate::{approval::Question, policy::Runs},
    port::{Aside, Bounds, Executor, Form, Job, Level},
    registry::Mounts,
};

/// Tells the bounds it is given, whose level it can hold or not.
pub(super) struct Held {
    pub(super) can: bool,
    pub(super) given: Arc<Mutex<Vec<Bounds>>>,
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

    fn check_program(&self, program: &str, _: &Path, _: (&Bounds, &Path)) -> Result<(), CallError> {
        match program {
            "hidden" => Err(CallError::failed("this run cannot see it")),
            _ => Ok(()),
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
