//! The list of sessions: when it is made, in which order it is shown, what it is narrowed by, and what
//! of it is folded.

use super::{place, row};
use crate::{
    kernel::{
        id::{CallId, SessionId},
        port::{Listed, Whereabouts},
    },
    tui::{
        effect::Effect,
        keymap::Edit,
        state::{
            Focus, Popup, State,
            draft::Draft,
            tree::{Below, By, Reading, Row},
        },
    },
};

/// Folds what is chosen, or shows what is below it.
pub(in crate::tui::update) fn fold(state: &mut State, below: Below) {
    match row(state) {
        Some(Row::Session(twig)) if twig.below != Below::Nothing => {
            if below == Below::Folded && twig.below == Below::Folded {
                return to_parent(state, twig.session);
            }
            state.sessions.tree.fold(twig.session, below);
        }
        Some(Row::Session(twig)) if below == Below::Folded => to_parent(state, twig.session),
        Some(Row::Ended { twig, .. }) => {
            if (below == Below::Shown) != state.sessions.tree.is_spread(twig.session) {
                state.sessions.tree.spread(twig.session);
            }
        }
        Some(Row::Others(_)) => state.sessions.tree.others_open = below == Below::Shown,
        Some(Row::Session(_) | Row::Program { .. } | Row::Listed(_)) | None => {}
    }
}

fn to_parent(state: &mut State, session: SessionId) {
    let parent = state.sessions.get(session).and_then(|node| node.spec.parent);
    if parent.is_some() {
        state.sessions.cursor = state.tree().place(parent);
    }
}

/// The other order. The list holds what is chosen in it.
pub(in crate::tui::update) fn order(state: &mut State) {
    state.sessions.tree.order = match state.sessions.tree.order {
        By::Attention => By::Age,
        By::Age => By::Attention,
    };
    sift(state);
}

/// Has the list made.
pub(in crate::tui::update) fn list(state: &mut State) -> Vec<Effect> {
    if let Reading::Since(_) = state.sessions.tree.reading {
        return Vec::new();
    }
    state.sessions.tree.reading = Reading::Since(state.now.at);
    vec![Effect::ListSessions]
}

/// The list came. What is chosen stays chosen.
pub(in crate::tui::update) fn listed(state: &mut State, came: Result<Vec<Listed>, String>) {
    state.sessions.tree.came(state.now.at);
    match came {
        Ok(listed) => state.sessions.tree.listed = listed,
        Err(why) => {
            state.status.fault(why, state.now.at);
            return;
        }
    }
    let root = state.sessions.tree.watched.as_ref().map(|watched| watched.root);
    if let Some(root) = root {
        let place = place(state, root);
        if let Some(watched) = &mut state.sessions.tree.watched
            && place != Whereabouts::Here
        {
            watched.place = place;
        }
    }
    sift(state);
}

/// Finds out anew which rows there are, and holds the chosen one.
pub(in crate::tui::update) fn sift(state: &mut State) {
    let chosen = is_chosen(state);
    let known: std::collections::BTreeSet<_> = state.sessions.iter().map(|(id, _)| *id).collect();
    state.sessions.tree.sift(&state.place.folder, |id| known.contains(&id));
    hold(state, chosen);
}

/// What a row of the tree is, wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui::update) enum Held {
    Session(SessionId),
    Ended(SessionId),
    Program(CallId),
    Others,
}

fn of(state: &State, row: Row) -> Option<Held> {
    Some(match row {
        Row::Session(twig) => Held::Session(twig.session),
        Row::Ended { twig, .. } => Held::Ended(twig.session),
        Row::Program { call, .. } => Held::Program(call),
        Row::Listed(at) => Held::Session(state.sessions.tree.listed.get(at)?.session.spec.id),
        Row::Others(_) => Held::Others,
    })
}

fn is_chosen(state: &State) -> Option<Held> {
    of(state, row(state)?)
}

/// What is chosen in the tree, while somebody chooses there.
pub(in crate::tui::update) fn chosen_there(state: &State) -> Option<Held> {
    let there = state.popup == Some(Popup::Sessions) || state.focus == Focus::Sessions;
    there.then(|| is_chosen(state)).flatten()
}

/// Rows may stand in another order now. What was chosen stays chosen.
pub(in crate::tui::update) fn hold(state: &mut State, chosen: Option<Held>) {
    if chosen.is_some() && is_chosen(state) == chosen {
        return;
    }
    let rows = state.tree();
    let is_it = |at: &usize| rows.get(*at).and_then(|row| of(state, row)) == chosen;
    let found = (0..rows.len()).find(|at| chosen.is_some() && is_it(at));
    let last = rows.len().saturating_sub(1);
    state.sessions.cursor = found.unwrap_or(state.sessions.cursor.min(last));
}

/// Begins to type what the tree is narrowed by, or ends it.
pub(in crate::tui::update) fn filter(state: &mut State, typing: bool) {
    if typing && state.popup.is_none() {
        state.popup = Some(Popup::Sessions);
    }
    state.sessions.tree.filter.typing = typing;
}

/// esc: first what the tree is narrowed by goes, then a step back. Whether that was all.
pub(in crate::tui::update) fn step_back(state: &mut State) -> bool {
    match state.popup {
        Some(Popup::Sessions) if state.sessions.tree.filter.is_on() => {
            state.sessions.tree.filter = Default::default();
            sift(state);
        }
        Some(Popup::Held { .. } | Popup::Delete { .. } | Popup::Rename { .. }) => {
            state.popup = Some(Popup::Sessions);
        }
        Some(Popup::Rewind { session, before, .. }) => {
            let said = &state.sessions.tree.form.said;
            let row = said.iter().position(|said| said.number == before).unwrap_or(0);
            state.popup = Some(Popup::Said { session, row });
        }
        _ => return false,
    }
    true
}

/// The text of an open list that takes the keys, if one does.
pub(in crate::tui::update) fn field(state: &mut State) -> Option<&mut Draft> {
    match state.popup {
        Some(Popup::Sessions) if state.sessions.tree.filter.typing => {
            Some(&mut state.sessions.tree.filter.words)
        }
        Some(Popup::Rename { .. }) => Some(&mut state.sessions.tree.form.name),
        Some(Popup::Save { .. }) => Some(&mut state.output.file),
        _ => None,
    }
}

/// What is written there counts at once; whether there was a text.
pub(in crate::tui::update) fn write(state: &mut State, edit: impl FnOnce(&mut Draft)) -> bool {
    let Some(draft) = field(state) else { return false };
    edit(draft);
    if state.popup == Some(Popup::Sessions) {
        sift(state);
        state.sessions.cursor = 0;
    }
    true
}

/// An edit of that text; enter is no line there.
pub(in crate::tui::update) fn edit(state: &mut State, edit: Edit) -> bool {
    write(state, |draft| {
        draft.edit(edit);
    })
}
