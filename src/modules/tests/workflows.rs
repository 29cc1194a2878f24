//! `workflows`: names that lead nowhere else, and what asks.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::support::{NO, Rig, YES};
use crate::kernel::{
    capability::{Body, Category},
    error::ErrorCode,
    event::ExitStatus,
    spec::Mode,
};

fn rig(mode: Mode) -> Rig {
    Rig::new(mode).with_end(ExitStatus::Exited { code: 0 }, "", "").with_agents()
}

#[tokio::test]
async fn no_name_leads_out_of_the_folder_of_workflows() {
    let rig = rig(Mode::Auto);
    fs::write(rig.outside().join("evil.py"), "print('evil')").unwrap();
    rig.put(".footplate/workflows/ok.py", "print('ok')");
    rig.put(".footplate/workflows/bytes.py", b"print('\xff')");
    rig.put("other.py", "print('other')");
    let link = |target: &std::path::Path, name: &str| {
        symlink(target, rig.workspace().join(".footplate/workflows").join(name)).unwrap();
    };
    link(&rig.outside().join("evil.py"), "out.py");
    link(&rig.workspace().join("other.py"), "in.py");
    let long = "x".repeat(33);
    let names = ["../../other", "..", "", ".", "a/b", "a\0b", "ok.py", " ok", "a\u{202e}b", &long];
    for name in names {
        for called in ["workflows.show", "workflows.run", "workflows.save"] {
            let mut input = json!({ "name": name });
            if called == "workflows.save" {
                input["code"] = json!("print(1)");
            }
            let result = rig.call(called, input).await;
            assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{name:?} {result:?}");
        }
    }
    for (name, words) in [
        ("out", "by a link"),
        ("in", "by a link"),
        ("bytes", "not UTF-8"),
        ("gone", "there is no workflow \"gone\"; there is: bytes, ok"),
    ] {
        for called in ["workflows.show", "workflows.run"] {
            let result = rig.call(called, json!({ "name": name })).await;
            let said = result.content["message"].as_str().unwrap();
            assert!(!result.ok && said.contains(words), "{name} {said}");
        }
    }
    let shown = rig.call("workflows.show", json!({ "name": "ok" })).await;
    assert_eq!(shown.content, json!("print('ok')"));
    let list = rig.call("workflows.list", json!({})).await.content;
    assert_eq!(list["workflows"][1], json!({ "name": "ok", "about": "" }));
    assert_eq!(list["left_out"], json!(["in.py", "out.py"]));
}

#[tokio::test]
async fn to_save_one_asks_as_what_runs_programs_does_and_shows_it() {
    let rig = rig(Mode::AcceptEdits);
    let input = json!({ "name": "count", "code": "# Counts.\nprint(1)\n" });
    let refused = rig.call_asked("workflows.save", input.clone(), NO, |question| {
        assert_eq!(question.category, Category::Execute);
        assert_eq!(question.preview.object, ".footplate/workflows/count.py");
        let new = "# Counts.\nprint(1)\n".to_owned();
        assert_eq!(question.preview.body, Body::Diff { old: None, new, mark: None });
    });
    assert_eq!(refused.await.error_code(), Some(ErrorCode::PermissionDenied));
    assert!(!rig.workspace().join(".footplate").exists());
    assert!(rig.call_asked("workflows.save", input, YES, |_| {}).await.ok);
    assert_eq!(rig.get(".footplate/workflows/count.py"), b"# Counts.\nprint(1)\n");
    let list = rig.call("workflows.list", json!({})).await.content;
    assert_eq!(list["workflows"], json!([{ "name": "count", "about": "Counts." }]));
}

#[tokio::test]
async fn to_run_one_asks_with_its_text_and_runs_no_other() {
    let mut rig = rig(Mode::AcceptEdits);
    let clock = crate::kernel::clock::Budget::start(std::time::Duration::from_secs(60));
    rig.context.clocks.push(clock);
    rig.put(".footplate/workflows/count.py", "print(1)\n");
    let input = json!({ "name": "count", "args": { "to": 3 } });
    let file = rig.workspace().join(".footplate/workflows/count.py");
    let ran = rig.call_asked("workflows.run", input.clone(), YES, |question| {
        assert_eq!(question.category, Category::Execute);
        let preview = &question.preview;
        let expected = Body::Code { filename: "count.py".into(), code: "print(1)\n".into() };
        assert_eq!(preview.body, expected);
        assert!(preview.facts.contains(&"given {\"to\":3}".to_owned()), "{preview:?}");
    });
    let ran = ran.await;
    let text = "count did: Run the workflow count, with {\"to\":3}., with None, 0 clock(s) held";
    assert_eq!((&ran.content["name"], &ran.content["text"]), (&json!("count"), &json!(text)));

    let changed = rig.call_asked("workflows.run", input, YES, |_| {
        fs::write(&file, "print(2)\n").unwrap();
    });
    let changed = changed.await;
    assert!(changed.text().contains("no longer what you saw"), "{changed:?}");
    let plan = self::rig(Mode::Plan);
    plan.put(".footplate/workflows/count.py", "print(1)\n");
    let blocked = plan.call("workflows.run", json!({ "name": "count" })).await;
    assert_eq!(blocked.error_code(), Some(ErrorCode::BlockedInPlanMode));
}

#[tokio::test]
async fn where_nothing_can_be_started_that_is_said_before_anybody_is_asked() {
    let rig = Rig::new(Mode::Default).with_end(ExitStatus::Exited { code: 0 }, "", "");
    rig.put(".footplate/workflows/count.py", "print(1)\n");
    let result = rig.call("workflows.run", json!({ "name": "count" })).await;
    assert!(result.text().contains("Workflows cannot be run here"), "{result:?}");
    let rig = self::rig(Mode::Default);
    let result = rig.call("workflows.resume", json!({ "run": "count" })).await;
    assert!(result.text().contains("there is no run count"), "{result:?}");
    assert_eq!(rig.call("workflows.args", json!({})).await.content, json!({}));
}
