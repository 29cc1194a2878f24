use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::spec::View;
use crate::{agent::testing::spec, kernel::port::Crowded};

fn parent() -> SessionSpec {
    let modules = ["files", "process", "agents", "chat"].map(str::to_owned).to_vec();
    let tools = ["execute_code", "chat.say"].map(str::to_owned).to_vec();
    SessionSpec { modules, tools, limits: Limits { depth: 2, ..Limits::default() }, ..spec() }
}

fn request(agent: &str, folder: Option<&str>, modules: Option<&[&str]>) -> ChildRequest {
    ChildRequest {
        call: 9.into(),
        capability: "agents.run",
        agent: agent.to_owned(),
        task: "do".to_owned(),
        profile: None,
        view: View::Whole,
        workflow: None,
        folder: folder.map(str::to_owned),
        modules: modules.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        crowded: Crowded::Wait,
    }
}

fn child(request: &ChildRequest) -> Result<SessionSpec, CallError> {
    child_spec(&parent(), Mode::Plan, request, None, |_| false)
}

#[test]
fn a_child_has_less_of_everything_and_the_mode_of_now() {
    let made = child(&request("tester", Some("docs/new"), None)).unwrap();
    assert_eq!(
        made,
        SessionSpec {
            id: made.id,
            parent: Some(parent().id),
            path: vec!["session".to_owned(), "tester".to_owned()],
            workspace: "/work space/docs/new".into(),
            mode: Mode::Plan,
            tools: vec!["execute_code".to_owned()],
            modules: vec!["files".to_owned(), "process".to_owned()],
            limits: Limits { depth: 1, ..Limits::default() },
            ..parent()
        }
    );
}

#[test]
fn modules_are_handed_on_by_name_and_never_more_than_there_are() {
    let modules = |names: &[&str]| child(&request("a", None, Some(names))).map(|made| made.modules);
    assert_eq!(modules(&["agents", "files", "files"]).unwrap(), ["files", "agents"]);
    assert_eq!(modules(&[]).unwrap(), Vec::<String>::new());
    for unknown in ["web", "chat", ""] {
        let error = modules(&["files", unknown]).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert_eq!(
            error.message,
            format!(
                "Invalid input for agents.run.modules: there is no {unknown:?} here to hand on; \
                 there is: files, process, agents"
            )
        );
    }
}

#[test]
fn a_child_at_the_last_level_starts_no_more() {
    let mut parent = parent();
    for _ in 0..2 {
        parent =
            child_spec(&parent, Mode::Auto, &request("a", None, None), None, |_| false).unwrap();
    }
    let error =
        child_spec(&parent, Mode::Auto, &request("a", None, None), None, |_| false).unwrap_err();
    assert_eq!(error.code, ErrorCode::BudgetSpent);
}

#[test]
fn a_folder_never_leads_out_of_the_workspace() {
    for same in [None, Some(""), Some(".")] {
        assert_eq!(child(&request("a", same, None)).unwrap().workspace, parent().workspace);
    }
    for out in ["..", "/", "/etc", "a/../..", "a/../b", "../work space", "./a", "a\0b"] {
        let error = child(&request("a", Some(out), None)).unwrap_err();
        assert!(error.message.starts_with("Invalid input for agents.run.folder: "), "{out}");
    }
}

#[test]
fn names_are_plain_and_each_agents_own() {
    let name = |wanted: &str, taken: &[&str]| {
        let request = request(wanted, None, None);
        let made = child_spec(&parent(), Mode::Auto, &request, None, |name| taken.contains(&name));
        made.unwrap().agent().to_owned()
    };
    assert_eq!(name("tester", &[]), "tester");
    assert_eq!(name("tester", &["tester", "tester-2"]), "tester-3");
    assert_eq!(name(" a › b\u{1b}[2J ", &[]), "a---b--2J");
    assert_eq!(name("", &[]), "agent");
    assert_eq!(name("..", &[]), "agent");
    assert_eq!(name(&"é".repeat(99), &[]).chars().count(), 32);
}

#[test]
fn a_profile_gives_a_folder_a_model_and_modules_and_nothing_the_parent_lacks() {
    let profile = Profile {
        name: "tester".to_owned(),
        model: Some("a/small".to_owned()),
        mode: Some(Mode::Plan),
        modules: Some(["agents", "chat", "files", "nonesuch"].map(str::to_owned).to_vec()),
        folder: Some("docs".to_owned()),
        ..Profile::default()
    };
    let made = |folder| {
        let request = request("tester", folder, None);
        child_spec(&parent(), Mode::Auto, &request, Some(&profile), |_| false).unwrap()
    };
    let child = made(None);
    assert_eq!((child.model.as_str(), child.mode), ("a/small", Mode::Plan));
    assert_eq!(child.workspace, parent().workspace.join("docs"));
    assert!(!child.modules.iter().any(|name| name == "chat" || name == "nonesuch"));
    assert!(child.modules.iter().all(|name| parent().modules.contains(name)));
    assert!(child.modules.contains(&"agents".to_owned()), "it was named: {:?}", child.modules);
    assert_eq!(made(Some("src")).workspace, parent().workspace.join("src"));
    let out = Profile { folder: Some("../out".to_owned()), ..profile.clone() };
    let request = request("tester", None, None);
    assert!(child_spec(&parent(), Mode::Auto, &request, Some(&out), |_| false).is_err());
}

#[test]
fn who_only_reads_starts_nobody_who_writes() {
    let mut parent = parent();
    for (above, wanted, view) in [
        (View::Whole, View::Whole, View::Whole),
        (View::Whole, View::ReadOnly, View::ReadOnly),
        (View::ReadOnly, View::Whole, View::ReadOnly),
    ] {
        parent.view = above;
        let request = ChildRequest { view: wanted, ..request("a", None, None) };
        let child = child_spec(&parent, Mode::Auto, &request, None, |_| false).unwrap();
        assert_eq!(child.view, view);
    }
}
