//! `process.run`.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::{seals::Held, *};
use crate::kernel::{
    capability::Category,
    gate::{approval::Question, policy::Runs},
};

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
            assert_eq!((&*question.preview.object, &question.preview.body), ("cargo test", &body));
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
async fn a_sealed_program_counts_as_a_read_only_where_it_is_held_and_gets_no_more() {
    let sealed = json!({ "argv": ["true"], "seal": "sealed" });
    let with = |key: &str, value: Value| {
        let mut input = sealed.clone();
        input[key] = value;
        input
    };
    for (can, input, category) in [
        (true, sealed.clone(), Category::Read),
        (false, sealed.clone(), Category::Execute),
        (true, with("writes", json!(["a"])), Category::Execute),
        (true, with("network", json!(true)), Category::External),
        (true, with("seal", json!("workspace")), Category::Execute),
    ] {
        for (mode, name) in [
            (Mode::Plan, "process.run"),
            (Mode::Auto, "process.run"),
            (Mode::Plan, "process.start"),
            (Mode::Auto, "process.start"),
        ] {
            let mut rig = Rig::new(mode);
            rig.context.executor = Some(Arc::new(Held { can, given: Arc::default() }));
            let result = rig.call(name, input.clone()).await;
            let runs = category == Category::Read || mode == Mode::Auto;
            assert_eq!(result.ok, runs, "{mode:?} {name} {can} {input}: {result:?}");
            for line in lines(&rig).iter().filter(|line| line["type"] == "call_started") {
                assert_eq!(line["category"], category.name(), "{mode:?} {can} {input}");
            }
        }
    }
}

#[tokio::test]
async fn a_sealed_program_asks_as_what_it_is_where_everything_asks() {
    let mut rig = Rig::new(Mode::Auto);
    rig.context.executor = Some(Arc::new(Held { can: true, given: Arc::default() }));
    rig.context.gate = rig.context.gate.clone().with_runs(Runs::Asked);
    let input = json!({ "argv": ["true"], "seal": "sealed" });
    let asked = |question: &Question| assert_eq!(question.category, Category::Execute);
    assert!(rig.call_asked("process.run", input, YES, asked).await.ok);
}

#[tokio::test]
async fn a_program_that_a_run_could_not_begin_is_refused_before_anybody_is_asked() {
    let mut rig = Rig::new(Mode::Default);
    rig.context.executor = Some(Arc::new(Held { can: true, given: Arc::default() }));
    for seal in ["sealed", "workspace"] {
        let input = json!({ "argv": ["hidden"], "seal": seal });
        let result = rig.call("process.run", input).await;
        assert!(result.text().contains("cannot see"), "{result:?}");
    }
    assert!(!story(&rig).contains(&"approval_requested".to_owned()), "{:?}", story(&rig));
}
