//! Sessions that only read their workspace.

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::spec::View;

#[tokio::test]
async fn a_session_that_only_reads_writes_nothing_in_any_mode_and_is_not_asked_about_it() {
    let mut rig = Rig::new(json!([]), json!({}));
    let memory = rig.folder.path().join("memory");
    rig.host = host_of(rig.store.clone(), |parts| parts.memory = Some(memory.clone()));
    std::fs::write(rig.workspace().join("there"), "as it was").unwrap();
    for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Plan) {
        let spec = SessionSpec { view: View::ReadOnly, ..rig.spec(mode) };
        let id = rig.host.start(spec).unwrap();
        for (name, input) in [
            ("files.write", json!({ "path": "there", "text": "x" })),
            ("files.write", json!({ "path": "new/one", "text": "x" })),
            ("process.run", json!({ "argv": ["true"] })),
            ("process.run", json!({ "argv": ["true"], "seal": "open" })),
            ("process.run", json!({ "argv": ["true"], "seal": "sealed", "writes": ["there"] })),
            ("execute_code", json!({ "code": "", "seal": "workspace" })),
            ("process.start", json!({ "argv": ["true"] })),
            ("terminal.open", json!({ "argv": ["true"] })),
            ("terminal.open", json!({ "argv": ["true"], "seal": "sealed" })),
            ("git.commit", json!({ "paths": ["there"], "message": "x" })),
            ("memory.write", json!({ "name": "note", "text": "x" })),
            ("memory.append", json!({ "name": "note", "text": "x" })),
            // Nothing can be sealed here, so it would run open.
            ("execute_code", json!({ "code": "" })),
        ] {
            let result = rig.call(id, name, input.clone()).await;
            let told = result.text();
            assert!(told.contains("only reads its workspace"), "{mode:?} {name} {input}: {told}");
        }
        let asked = |event: &Event| matches!(event, Event::ApprovalRequested { .. });
        assert_eq!(count(&rig.journal(id), asked), 0, "{mode:?}");
    }
    assert_eq!(std::fs::read_to_string(rig.workspace().join("there")).unwrap(), "as it was");
    assert_eq!(std::fs::read_dir(rig.workspace()).unwrap().count(), 1);
    assert!(!memory.exists());
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_agent_that_only_reads_makes_no_folder_and_starts_nobody_who_writes() {
    let start = |more: Value| {
        let mut task = json!({ "task": "do it", "name": "a", "view": "read-only" });
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!(["agents.run", task])
    };
    let turns = json!([calls(json!([start(json!({ "folder": "new" })), start(json!({}))]))]);
    let below = json!(["agents.run", { "task": "write", "name": "b" }]);
    let agents = json!({
        "a": [calls(json!([below])), says("a is done")],
        "b": [calls(json!([write("x")])), says("b is done")],
    });
    let mut rig = Rig::new(turns, agents);
    let root = rig.go(Mode::Auto);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    assert!(!rig.workspace().join("new").exists());
    let b = rig.agent("b").await;
    let result = rig.result(b, "files.write");
    assert!(result.text().contains("only reads its workspace"), "{result:?}");
    assert_eq!(std::fs::read_dir(rig.workspace()).unwrap().count(), 0);
    rig.host.shutdown().await;
}
