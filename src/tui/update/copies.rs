//! What the list of sessions does with whole sessions.

use crate::{
    kernel::command::Command,
    tui::{effect::Effect, state::State},
};

/// Asks for a copy of the chosen session, which then stands in the list.
pub(super) fn fork(state: &mut State) -> Vec<Effect> {
    let Some(branch) = state.sessions.rows().get(state.sessions.cursor).copied() else {
        return Vec::new();
    };
    let is_agent =
        state.sessions.get(branch.session).is_some_and(|node| node.spec.parent.is_some());
    if is_agent {
        state.status.say("An agent goes with its session: copy that one.", state.now.at);
        return Vec::new();
    }
    state.status.say("A copy begins, and asks for everything again.", state.now.at);
    vec![Effect::Send(Command::Fork { session: branch.session, before: None })]
}
