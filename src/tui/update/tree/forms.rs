//! What is asked and written about one session of the tree: whether it is to go, its name, a copy, and
//! a way back in it.

use super::{Chosen, chosen, leave, list, say};
use crate::{
    kernel::{
        command::Command,
        id::SessionId,
        port::{Numbered, Whereabouts},
    },
    tui::{
        effect::Effect,
        state::{Popup, State, draft::Draft},
    },
};

/// The session that no agent started; an agent goes with its session.
fn root(state: &mut State) -> Option<Chosen> {
    let chosen = chosen(state)?;
    if state.sessions.get(chosen.id()).is_some_and(|node| node.spec.parent.is_some()) {
        state.status.say("An agent goes with its session: choose that one.", state.now.at);
        return None;
    }
    Some(chosen)
}

/// Asks whether the chosen session is to be deleted.
pub(in crate::tui::update) fn delete(state: &mut State) -> Vec<Effect> {
    let Some(chosen) = root(state) else { return Vec::new() };
    let session = chosen.id();
    let place = match chosen {
        Chosen::Listed(_, place) => place,
        Chosen::Known(_) => match state.sessions.watched(session) {
            Some(watched) => watched.place.clone(),
            None => Whereabouts::Here,
        },
    };
    match place {
        Whereabouts::Free => state.popup = Some(Popup::Delete { session, row: 0 }),
        Whereabouts::Here => {
            return say(state, "It runs here. Once footplate was left, it can be deleted.");
        }
        Whereabouts::There(by) => {
            let by = by.unwrap_or_else(|| "another footplate".to_owned());
            return say(state, format!("Not deleted: {by} has it."));
        }
    }
    Vec::new()
}

/// enter, where it is asked whether to delete.
pub(in crate::tui::update) fn delete_chosen(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Delete { session, row }) = state.popup.take() else { return Vec::new() };
    state.popup = Some(Popup::Sessions);
    if row == 0 {
        return Vec::new();
    }
    let mut effects = match state.sessions.watched(session) {
        Some(_) => leave(state),
        None => Vec::new(),
    };
    effects.push(Effect::Delete(session));
    effects
}

/// It is gone, or why it is not.
pub(in crate::tui::update) fn deleted(state: &mut State, came: Result<(), String>) -> Vec<Effect> {
    let said = came.map_or_else(|why| format!("Not deleted: {why}"), |()| "Deleted.".to_owned());
    state.status.say(said, state.now.at);
    list(state)
}

/// Begins to write another name for the chosen session.
pub(in crate::tui::update) fn rename(state: &mut State) {
    let Some(chosen) = root(state) else { return };
    let session = chosen.id();
    let called = match chosen {
        Chosen::Known(_) => state.sessions.get(session).map(|node| node.called().to_owned()),
        Chosen::Listed(..) => {
            let listed = state.sessions.tree.listed.iter();
            let mut listed = listed.filter(|one| one.session.spec.id == session);
            listed.next().and_then(|one| one.session.called().map(str::to_owned))
        }
    };
    let mut name = Draft::default();
    called.unwrap_or_default().chars().take(80).for_each(|c| name.type_char(c));
    state.sessions.tree.form.name = name;
    state.popup = Some(Popup::Rename { session });
}

/// enter, where a name is written.
pub(in crate::tui::update) fn rename_chosen(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Rename { session }) = state.popup else { return Vec::new() };
    let name = state.sessions.tree.form.name.text();
    if name.trim().is_empty() {
        return say(state, "A name needs a letter.");
    }
    state.popup = Some(Popup::Sessions);
    vec![self::name(state, session, name)]
}

/// Gives a session another name. Where it does not run, its journal is read for that, which may take
/// its time.
pub(in crate::tui::update) fn name(state: &State, session: SessionId, name: String) -> Effect {
    let here = state.sessions.get(session).is_some() && state.sessions.watched(session).is_none();
    match here {
        true => Effect::Send(Command::Rename { session, name }),
        false => Effect::Rename(session, name),
    }
}

/// It has another name, or why not.
pub(in crate::tui::update) fn renamed(state: &mut State, came: Result<(), String>) -> Vec<Effect> {
    if let Err(why) = came {
        state.status.fault(format!("Not renamed: {why}"), state.now.at);
    }
    list(state)
}

/// Asks for a copy of the chosen session, which then stands in the tree.
pub(in crate::tui::update) fn fork(state: &mut State) -> Vec<Effect> {
    let session = match state.popup {
        Some(Popup::Held { session }) => session,
        _ => match root(state) {
            Some(chosen) => chosen.id(),
            None => return Vec::new(),
        },
    };
    if let Some(Popup::Held { .. }) = state.popup {
        state.popup = None;
    }
    state.status.say("A copy begins, and asks for everything again.", state.now.at);
    vec![Effect::Send(Command::Fork { session, before: None })]
}

/// Shows what was said in a session, to go back to before that.
pub(in crate::tui::update) fn said(state: &mut State) -> Vec<Effect> {
    let session = match state.popup {
        Some(_) => root(state).map(|chosen| chosen.id()),
        None => state.sessions.viewed().map(|session| state.sessions.root(session)),
    };
    let Some(session) = session else { return Vec::new() };
    state.sessions.tree.form.said = Vec::new();
    state.popup = Some(Popup::Said { session, row: 0 });
    vec![Effect::ReadSaid(session)]
}

/// What was said came.
pub(in crate::tui::update) fn told(
    state: &mut State,
    of: SessionId,
    came: Result<Vec<Numbered>, String>,
) {
    let Some(Popup::Said { session, row }) = &mut state.popup else { return };
    match came {
        Ok(said) if *session == of => {
            *row = said.len().saturating_sub(1);
            state.sessions.tree.form.said = said;
        }
        Ok(_) => {}
        Err(why) => state.status.fault(why, state.now.at),
    }
}

/// enter, where what was said is listed.
pub(in crate::tui::update) fn choose_said(state: &mut State) {
    let Some(Popup::Said { session, row }) = state.popup else { return };
    if let Some(said) = state.sessions.tree.form.said.get(row) {
        state.popup = Some(Popup::Rewind { session, before: said.number, row: 0 });
    }
}

/// enter, where it is asked how to go back.
pub(in crate::tui::update) fn go_back(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Rewind { session, before, row }) = state.popup.take() else {
        return Vec::new();
    };
    match row {
        1 => {
            state.status.say("A copy begins, and asks for everything again.", state.now.at);
            vec![Effect::Send(Command::Fork { session, before: Some(before) })]
        }
        2 => match state.sessions.get(session).map(|_| state.sessions.why_not(session)) {
            Some(None) => vec![Effect::Send(Command::Rewind { session, before })],
            Some(Some(why)) => say(state, why),
            None => say(state, "It does not run here: r carries it on."),
        },
        _ => Vec::new(),
    }
}
