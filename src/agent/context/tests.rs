use pretty_assertions::assert_eq;

use super::*;
use crate::{
    agent::{Project, testing::Rig},
    kernel::{
        event::{Event, Origin, Stop},
        invoke::ToolResult,
        message::{ModelCall, Usage},
    },
};

fn request_of(rig: &Rig) -> ModelRequest {
    request(&rig.live, &rig.live.session())
}

#[test]
fn the_instructions_name_what_there_is() {
    let rig = Rig::new();
    let system = request_of(&rig).system;
    for part in [
        "The workspace is /work space;",
        "from footplate import files`",
        "## files: Files of the workspace.",
        "- `files.read(text: str)`: Reads a file.",
        "A person is asked before every effect.",
    ] {
        assert!(system.contains(part), "{part:?} is not in:\n{system}");
    }
    assert!(!system.contains("AGENTS.md") && !system.contains("started by another agent"));
}

#[test]
fn mode_instructions_project_and_starter_are_told_where_there_are_any() {
    let mut rig = Rig::new();
    rig.live.project = std::sync::Arc::new(Project::new(|| Some(" use tabs \n".to_owned())));
    {
        let mut session = rig.live.session();
        session.mode = Mode::Plan;
        session.spec.instructions = "be kind".to_owned();
        session.spec.parent = Some(7.into());
        session.spec.path.push("tester".to_owned());
    }
    let request = request_of(&rig);
    for part in
        ["Plan mode:", "# Instructions\n\nbe kind\n", "\n\nuse tabs\n", "You are \"tester\""]
    {
        assert!(request.system.contains(part), "{part:?} is not in:\n{}", request.system);
    }
    assert_eq!((request.agent.as_str(), request.parent), ("tester", Some(7.into())));
}

#[test]
fn a_result_that_is_too_long_loses_its_middle_and_says_so() {
    let rig = Rig::new();
    let id = 3.into();
    let call = ModelCall {
        id,
        provider_id: "p".to_owned(),
        name: "note".to_owned(),
        arguments: "{}".to_owned(),
    };
    let long = format!("head {} tail", "é".repeat(LONGEST_RESULT));
    let result = ToolResult {
        ok: true,
        name: "note".to_owned(),
        input: Value::Null,
        content: Value::String(long.clone()),
        is_error: false,
        attachments: Vec::new(),
        duration_ms: 0,
    };
    {
        let mut session = rig.live.session();
        session.apply(
            1,
            &Event::TurnFinished {
                stop: Stop::Calls,
                usage: Usage::default(),
                calls: vec![call],
                thoughts: Vec::new(),
            },
        );
        session.apply(
            2,
            &Event::CallFinished {
                call: id,
                parent: None,
                origin: Origin::Model,
                result,
                decision: None,
            },
        );
        session.apply(3, &Event::TurnStarted { turn: 2, model: "m".to_owned() });
    }
    let messages = request_of(&rig).messages;
    let Some(Message::Results(results)) = messages.last() else { panic!("no results") };
    let text = results[0].result.text();
    assert!(text.len() < LONGEST_RESULT + 200, "{}", text.len());
    assert!(text.starts_with("head é") && text.ends_with("é tail"));
    let left_out = long.len() - (text.len() - text.lines().nth(1).unwrap().len() - 2);
    assert!(text.contains(&format!("[… {left_out} bytes left out here")), "{left_out}");
}

#[test]
fn the_report_adds_up() {
    let rig = Rig::new();
    let report = report(&rig.live);
    let names: Vec<_> = report.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["note", "wait", "stuck", "write", "execute_code"]);
    let tools: usize = report.tools.iter().map(|tool| tool.bytes).sum();
    assert_eq!(report.total_bytes, tools + report.system_bytes);
    assert_eq!(report.modules.len(), 1);
    assert!(report.to_string().contains("module  files"), "{report}");
}
