use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{id::SessionId, spec::View};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn known() -> Known {
    Known {
        tools: names(&["execute_code", "view_image"]),
        modules: names(&["agents", "files", "process"]),
        agents: names(&["reviewer", "tester"]),
    }
}

fn starter() -> SessionSpec {
    SessionSpec {
        path: names(&["main"]),
        workspace: "/w".into(),
        model: "a/b".to_owned(),
        tools: names(&["execute_code"]),
        modules: names(&["agents", "files"]),
        instructions: "Be kind.".to_owned(),
        agents: Some(names(&["tester"])),
        ..SessionSpec::sample(SessionId::fresh())
    }
}

#[test]
fn a_profile_says_all_of_an_agent() {
    let text = "model = 'a/small'\nmode = 'plan'\ntools = ['execute_code']\nmodules = ['files']\n\
                agents = ['tester']\ninstructions = 'Review.'\nfolder = 'docs'\nview = 'read-only'\n\
                [limits]\nturns = 3\ntokens = 100\n";
    let profile = parse("reviewer", text, &known()).unwrap();
    assert_eq!(profile.model.as_deref(), Some("a/small"));
    assert_eq!(profile.folder.as_deref(), Some("docs"));
    let spec = profile.narrow(starter());
    assert_eq!(
        (spec.mode, spec.limits.turns, spec.limits.ceiling.tokens),
        (Mode::Plan, 3, Some(100))
    );
    assert_eq!((spec.modules, spec.agents), (names(&["files"]), Some(names(&["tester"]))));
    assert_eq!((spec.instructions.as_str(), spec.view), ("Be kind.\n\nReview.", View::ReadOnly));
    let empty = parse("empty", "", &known()).unwrap();
    let starter = starter();
    assert_eq!(empty.narrow(starter.clone()), starter);
}

#[test]
fn a_profile_never_widens_what_its_starter_has() {
    let text = "mode = 'auto'\ntools = ['execute_code', 'view_image']\n\
                modules = ['files', 'process']\nagents = ['reviewer', 'tester']\n\
                [limits]\nturns = 999\ndepth = 99\nagents_at_once = 99\ntokens = 50\n";
    let mut starter = starter();
    starter.limits.ceiling.tokens = Some(10);
    let spec = parse("wide", text, &known()).unwrap().narrow(starter.clone());
    assert_eq!(spec, SessionSpec { modules: names(&["files"]), ..starter });
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_the_nearest_name() {
    for (text, told) in [
        ("\nmodle = 'x'\n", "2:1: `modle` is no setting\ndid you mean `model`?"),
        (
            "mode = 'plan'\nmode = 'auto'\n",
            "2:1: `mode` stands here a second time\nkeep one of the two, and take the other out",
        ),
        ("mode = 'plam'\n", "1:8: `plam` is no value\ndid you mean `plan`?"),
        (
            "modules = ['files',\n 'proces']\n",
            "2:2: there is no module \"proces\"\ndid you mean \"process\"?",
        ),
        (
            "tools = ['shell']\n",
            "1:10: there is no tool \"shell\"\nthere is: execute_code, view_image",
        ),
        ("agents = ['testr']\n", "1:11: there is no agent \"testr\"\ndid you mean \"tester\"?"),
        ("[limits]\ntoken = 1\n", "2:1: `token` is no setting\ndid you mean `tokens`?"),
    ] {
        assert_eq!(parse("p", text, &known()).unwrap_err(), told);
    }
    let nobody = Known { agents: Vec::new(), ..known() };
    let fault = parse("p", "agents = ['x']", &nobody).unwrap_err();
    assert!(fault.ends_with("there is no agent at all; take it out"), "{fault}");
}

#[test]
fn a_name_is_no_path() {
    for (name, is) in
        [("tester", true), ("", false), ("../a", false), ("a/b", false), ("a.b", false)]
    {
        assert_eq!(is_name(name), is, "{name}");
    }
}
