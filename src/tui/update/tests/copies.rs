//! What the list of sessions does with whole sessions.

use pretty_assertions::assert_eq;

use super::toast;
use crate::{
    kernel::command::Command,
    tui::{effect::Effect, stage::Stage},
};

#[test]
fn a_session_is_copied_from_the_list_and_an_agent_is_not() {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.session(2, &["fix-parser", "tester"], Some(1), "run the tests");
    stage.key("F2");
    stage.key("home");
    stage.key("c");
    let root = stage.state.sessions.rows()[0].session;
    let forks: Vec<_> = stage
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Send(Command::Fork { .. })))
        .cloned()
        .collect();
    assert_eq!(forks, [Effect::Send(Command::Fork { session: root, before: None })]);
    assert_eq!(toast(&stage), "A copy begins, and asks for everything again.");
    let agent = stage.state.sessions.rows().iter().position(|branch| branch.depth > 0).unwrap();
    (0..agent).for_each(|_| stage.key("down"));
    stage.effects.clear();
    stage.key("c");
    assert_eq!(stage.effects, []);
    assert_eq!(toast(&stage), "An agent goes with its session: copy that one.");
}
