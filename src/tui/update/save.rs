//! Where an output is saved: a name is asked for, with one to begin with.

use std::path::PathBuf;

use crate::{
    kernel::id::CallId,
    tui::{
        effect::Effect,
        state::{Focus, Popup, State, draft::Draft},
    },
};

/// Asks for the name of the file.
pub(super) fn ask(state: &mut State, call: CallId) {
    let Some(run) = state.output.run(call) else { return };
    let name: String = run
        .program
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' })
        .take(40)
        .collect();
    let name = format!("{}-{}.txt", name.trim_matches(['-', '.']), call.short());
    let mut draft = Draft::default();
    name.chars().for_each(|c| draft.type_char(c));
    state.output.file = draft;
    state.popup = Some(Popup::Save { call });
}

/// Saves it under that name; one that is no whole path is in the workspace of its session.
pub(super) fn confirm(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Save { call }) = state.popup else { return Vec::new() };
    let name = state.output.file.text();
    if name.trim().is_empty() {
        state.status.say("A name needs a letter.", state.now.at);
        return Vec::new();
    }
    let session = state.output.run(call).map(|run| run.session);
    let folder = session.and_then(|session| {
        let node = state.sessions.get(session)?;
        Some((session, node.spec.workspace.join(PathBuf::from(name.trim()))))
    });
    leave(state);
    folder.map(|(session, file)| Effect::SaveOutput(session, call, file)).into_iter().collect()
}

/// Goes back to the output; whether a name was asked for.
pub(super) fn leave(state: &mut State) -> bool {
    let Some(Popup::Save { call }) = state.popup else { return false };
    let in_pane = state.focus == Focus::Output(call);
    state.popup = (!in_pane).then_some(Popup::Output);
    true
}
