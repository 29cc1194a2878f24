//! What a script asks for before it runs.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Value, json};

use super::support::{Rig, YES, request};
use crate::kernel::{
    BoxFuture,
    capability::Body,
    error::{CallError, ErrorCode},
    event::{Event, ExitStatus, Origin, Seal},
    gate::approval::{Answer, Question, Then},
    port::{Ended, Executor, Form, Job, Notice, Packages, Pinned, Program, Sought, Wanted},
    registry::Mounts,
    spec::Mode,
};

/// Takes every script that says `want` to want six, and runs it if that is here. Can seal.
#[derive(Default)]
struct Shop {
    here: AtomicBool,
    /// Nothing ever comes.
    stuck: bool,
    done: Mutex<Vec<String>>,
}

impl Shop {
    fn note(&self, what: &str) {
        self.done.lock().unwrap().push(what.to_owned());
    }

    fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }
}

fn six() -> Packages {
    Packages { requirements: vec!["six>=1".to_owned()], requires_python: None }
}

impl Executor for Shop {
    fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
        Ok(())
    }

    fn form(&self) -> Form {
        Form::Full
    }

    fn wants(&self, code: &str) -> Result<Option<Wanted>, CallError> {
        Ok(code.contains("want").then(|| Wanted { packages: six(), line: 3 }))
    }

    fn look_for<'a>(&'a self, packages: &'a Packages) -> BoxFuture<'a, Result<Sought, CallError>> {
        assert_eq!(*packages, six());
        let away = Sought::Away { from: vec!["PyPI".to_owned()] };
        let sought = if self.here.load(Ordering::SeqCst) { Sought::Here } else { away };
        Box::pin(async { Ok(sought) })
    }

    fn install<'a>(
        &'a self,
        packages: &'a Packages,
    ) -> BoxFuture<'a, Result<Vec<Pinned>, CallError>> {
        assert_eq!(*packages, six());
        self.note("installs");
        Box::pin(async {
            if self.stuck {
                std::future::pending::<()>().await;
            }
            self.here.store(true, Ordering::SeqCst);
            let hashes = vec!["sha256:aa".to_owned()];
            Ok(vec![Pinned { name: "six".to_owned(), version: "1.17.0".to_owned(), hashes }])
        })
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        let Program::Python { packages, .. } = &job.what else { panic!("not Python") };
        self.note(if packages.is_some() { "runs with packages" } else { "runs" });
        (job.notice)(Notice::Started(Seal::Sealed, Form::Full));
        let (status, stdout) = (ExitStatus::Exited { code: 0 }, "ran".to_owned());
        Box::pin(async {
            Ok(Ended {
                status,
                stdout,
                stderr: String::new(),
                leftovers: 0,
                aside: Vec::new(),
                pictures: Vec::new(),
            })
        })
    }
}

fn rig(mode: Mode, shop: &Arc<Shop>) -> Rig {
    let mut rig = Rig::new(mode);
    rig.context.executor = Some(shop.clone());
    rig
}

fn sealed(code: &str) -> Value {
    json!({ "code": code, "seal": "sealed" })
}

#[tokio::test]
async fn packages_are_asked_for_once_before_the_clock_starts_and_the_journal_has_what_came() {
    let shop = Arc::<Shop>::default();
    let rig = rig(Mode::Default, &shop);
    let outer = request("execute_code", sealed("want"));
    let id = outer.id;
    let tools = rig.tools();
    let answers = async {
        let question = rig.question().await;
        assert_eq!(rig.context.running.clocks.read(id), None);
        assert_eq!(question.call.name, "install_packages");
        assert_eq!(question.call.origin, Origin::Python { line: Some(3) });
        assert_eq!((question.call.parent, question.script), (Some(id), Some(id)));
        let body = Body::Packages {
            from: vec!["PyPI".to_owned()],
            asked: vec!["six>=1".to_owned()],
            python: None,
            run: Some("sealed, no network".to_owned()),
        };
        assert_eq!(question.preview.body, body);
        rig.answer(&question, YES);
    };
    let (result, ()) = tokio::join!(tools.invoke(outer), answers);
    assert_eq!((result.ok, result.text()), (true, "ran".to_owned()), "{result:?}");
    let again = rig.call("execute_code", sealed("want")).await;
    assert!(again.ok, "{again:?}");
    assert_eq!(shop.done(), ["installs", "runs with packages", "runs with packages"]);
    let asked = |event: &Event| matches!(event, Event::ApprovalRequested { .. });
    assert_eq!(rig.events().iter().filter(|event| asked(event)).count(), 1);
    let events = rig.events();
    let came = events.iter().find_map(|event| {
        let Event::CallFinished { result, parent, .. } = event else { return None };
        (result.name == "install_packages").then_some((*parent, &result.content))
    });
    let six = json!({"name": "six", "version": "1.17.0", "hashes": ["sha256:aa"]});
    assert_eq!(came, Some((Some(id), &json!({ "installed": [six] }))));
}

#[tokio::test]
async fn a_no_comes_back_with_its_words_and_nothing_runs() {
    let shop = Arc::<Shop>::default();
    let rig = rig(Mode::AcceptEdits, &shop);
    let no = Answer::Deny { because: Some("use the csv module".to_owned()), then: Then::GoOn };
    let result = rig.call_asked("execute_code", sealed("want"), no, |_: &Question| {}).await;
    assert_eq!(result.error_code(), Some(ErrorCode::PermissionDenied));
    assert_eq!(result.content["feedback"], "use the csv module");
    let message = result.content["message"].as_str().unwrap();
    assert!(message.starts_with("Nothing was run, for want of its packages."), "{message}");
    assert!(message.contains("use the csv module"), "{message}");
    assert!(shop.done().is_empty());
}

#[tokio::test]
async fn what_the_mode_says_to_leaving_this_computer_holds_for_packages() {
    for (mode, attended, here, expected) in [
        (Mode::Plan, true, false, Some(ErrorCode::BlockedInPlanMode)),
        (Mode::Plan, true, true, None),
        (Mode::Default, false, false, Some(ErrorCode::NoApprover)),
        (Mode::Default, false, true, None),
        (Mode::Guarded, false, false, Some(ErrorCode::NoApprover)),
        (Mode::Auto, false, false, None),
    ] {
        let shop = Arc::new(Shop { here: here.into(), ..Shop::default() });
        let mut rig = rig(mode, &shop);
        if !attended {
            rig.context.gate =
                crate::kernel::gate::Gate::new(rig.context.gate.rights().clone(), None);
        }
        let result = rig.call("execute_code", sealed("want")).await;
        assert_eq!(result.error_code(), expected, "{mode:?} {here}: {result:?}");
        assert_eq!(result.ok, expected.is_none(), "{mode:?} {here}: {result:?}");
        let installs = shop.done().contains(&"installs".to_owned());
        assert_eq!(installs, mode == Mode::Auto, "{mode:?} {here}");
    }
}

#[tokio::test]
async fn a_script_that_wants_nothing_asks_for_nothing() {
    let shop = Arc::<Shop>::default();
    let rig = rig(Mode::Plan, &shop);
    assert!(rig.call("execute_code", sealed("print(1)")).await.ok);
    assert_eq!(shop.done(), ["runs"]);
}

#[tokio::test]
async fn a_stop_while_packages_come_ends_the_call_and_nothing_runs() {
    let shop = Arc::new(Shop { stuck: true, ..Shop::default() });
    let rig = rig(Mode::Auto, &shop);
    let stop = async {
        loop {
            if let Event::CallStarted { call, .. } = rig.next().await
                && call.name == "install_packages"
            {
                rig.context.cancel.cancel();
                break;
            }
        }
    };
    let (result, ()) = tokio::join!(rig.call("execute_code", sealed("want")), stop);
    assert_eq!(result.error_code(), Some(ErrorCode::Interrupted), "{result:?}");
    assert!(!shop.done().contains(&"runs with packages".to_owned()));
}

#[tokio::test]
async fn packages_can_be_asked_for_by_hand_but_not_by_python() {
    let shop = Arc::<Shop>::default();
    let rig = rig(Mode::Auto, &shop);
    let result = rig.call("install_packages", json!({"requirements": ["six>=1"]})).await;
    assert_eq!(result.content["installed"][0]["version"], "1.17.0", "{result:?}");
    assert!(!rig.context.mounts.capabilities.iter().any(|one| one.name().contains("packages")));
    let none = rig.call("install_packages", json!({"requirements": []})).await;
    assert_eq!(none.error_code(), Some(ErrorCode::InvalidInput));
}
