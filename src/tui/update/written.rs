//! The list of what was written: read, compared, chosen from, and undone.

use std::path::PathBuf;

use crate::{
    kernel::{
        change::Planned,
        command::Command,
        event::Envelope,
        id::{CallId, SessionId},
    },
    tui::{
        effect::Effect,
        hints,
        keymap::{Go, Move},
        state::{DrawnChange, Popup, State, compared::Compared, records::written::View},
        view,
    },
};

fn row(state: &State) -> Option<usize> {
    match state.popup {
        Some(Popup::Changes { row }) => Some(row),
        _ => None,
    }
}

fn root(state: &State) -> Option<SessionId> {
    state.sessions.viewed().map(|viewed| state.records.root(viewed))
}

/// Chooses the change in the row, or no longer.
pub(super) fn choose(state: &mut State) -> Vec<Effect> {
    let (Some(row), Some(root)) = (row(state), root(state)) else { return Vec::new() };
    let written = &mut state.records.written;
    let Some(call) = written.all.get(row).map(|planned| planned.recorded.call) else {
        return Vec::new();
    };
    if !written.chosen.remove(&call) {
        written.chosen.insert(call);
    }
    if written.undo.is_none() {
        return Vec::new();
    }
    vec![Effect::PlanUndo(root, written.meant(row))]
}

/// Asks what undoing the chosen ones would do.
pub(super) fn ask(state: &mut State) -> Vec<Effect> {
    let (Some(row), Some(root)) = (row(state), root(state)) else { return Vec::new() };
    let written = &mut state.records.written;
    let meant = written.meant(row);
    if meant.is_empty() {
        return Vec::new();
    }
    written.view = View::Beside;
    written.chosen = meant.iter().copied().collect();
    written.told.clear();
    // What the list says of files may be old by now.
    written.stale = true;
    vec![Effect::PlanUndo(root, meant)]
}

/// Has it undone, as far as it can be.
pub(super) fn confirm(state: &mut State) -> Vec<Effect> {
    let Some(root) = root(state) else { return Vec::new() };
    let written = &mut state.records.written;
    if written.able() == 0 {
        state.status.say("Nothing of it can be undone.", state.now.at);
        return Vec::new();
    }
    let undo = written.undo.take().unwrap_or_default();
    written.chosen.clear();
    written.told.clear();
    // What is left alone is asked for as well, so that its reason is told and recorded.
    let calls = undo.iter().map(|planned| planned.recorded.call).collect();
    vec![Effect::Send(Command::Undo { session: root, calls })]
}

/// esc: first what is shown in full, or what undoing would do, is left. Whether that was all.
pub(super) fn leave(state: &mut State) -> bool {
    let written = &mut state.records.written;
    let full = std::mem::take(&mut written.view) != View::Beside;
    row(state).is_some() && (full || state.records.written.undo.take().is_some())
}

/// Shows what was changed in the place of the list, or beside it again.
pub(super) fn show(state: &mut State, view: View) {
    let (Some(row), width) = (row(state), view::written::width(state)) else { return };
    let written = &mut state.records.written;
    if written.all.get(row).is_none() {
        return;
    }
    if written.view == view {
        written.view = View::Beside;
        return;
    }
    let compared = written.compared.as_ref().filter(|_| view == View::Sides);
    if let Some(why) = compared.and_then(|compared| compared.why_not_sides(width)) {
        state.status.say(why, state.now.at);
        return;
    }
    written.view = view;
}

/// Moves in what was changed; whether it was meant.
pub(super) fn scroll(state: &mut State, by: Move) -> bool {
    let written = &mut state.records.written;
    let pages = matches!(by, Move::PageUp | Move::PageDown);
    if written.view == View::Beside && !pages {
        return false;
    }
    let rows = state.drawn.change.map_or(1, |drawn| drawn.rows);
    if let Some(compared) = &mut written.compared {
        compared.scroll(by, rows);
    }
    true
}

/// Opens the file of the chosen change.
pub(super) fn visit(state: &State, row: usize) -> Vec<Effect> {
    let planned = state.records.written.all.get(row);
    planned.map(|planned| Effect::Visit(planned.recorded.change.path.clone())).into_iter().collect()
}

/// An event of files, and what became of an undo.
pub(super) fn take(state: &mut State, envelope: &Envelope) {
    let before = state.records.written.told.len();
    state.records.written.take(envelope);
    let told = &state.records.written.told;
    if told.len() > before && crate::tui::words::seconds(envelope.at, state.now.wall) < 4 {
        let undone = told.iter().filter(|(done, _)| *done).count();
        let key = hints::shows(&state.controls, Go::Changes);
        let text = match (undone, told.len() - undone) {
            (undone, 0) => format!("{undone} undone. {key} shows it."),
            (undone, left) => format!("{undone} undone, {left} left alone. {key} says why."),
        };
        state.status.say(text, state.now.at);
    }
}

/// The list came.
pub(super) fn came(state: &mut State, of: SessionId, came: Result<Vec<Planned>, String>) {
    let held = row(state).and_then(|row| state.records.written.all.get(row));
    let held = held.map(|planned| planned.recorded.call);
    let first = row(state) == Some(0);
    let written = &mut state.records.written;
    (written.reading, written.of) = (false, Some(of));
    match came {
        Ok(all) => (written.all, written.fault) = (all, None),
        Err(fault) => (written.all, written.fault) = (Vec::new(), Some(fault)),
    }
    let there: Vec<CallId> = written.all.iter().map(|planned| planned.recorded.call).collect();
    written.chosen.retain(|call| there.contains(call));
    let wanted = state.records.written.wanted.take();
    let all = &state.records.written.all;
    let is_of = |path: PathBuf| all.iter().position(|one| one.recorded.change.path == path);
    let wanted = wanted.and_then(is_of);
    let now = there.iter().position(|call| Some(*call) == held).filter(|_| !first);
    let now = wanted.or(now);
    if let Some(Popup::Changes { row }) = &mut state.popup {
        *row = now.unwrap_or((*row).min(there.len().saturating_sub(1)));
    }
}

/// What undoing those would do came; it is asked if it is still those that are chosen.
pub(super) fn planned(state: &mut State, calls: &[CallId], came: Result<Vec<Planned>, String>) {
    let Some(row) = row(state) else { return };
    if state.records.written.meant(row) != calls {
        return;
    }
    match came {
        Ok(plan) => state.records.written.undo = Some(plan),
        Err(fault) => state.status.fault(fault, state.now.at),
    }
}

/// Asks for what the last frame could not show of a change.
pub(super) fn unlaid(
    drawn: Option<DrawnChange>,
    compared: &mut Option<Compared>,
) -> Option<Effect> {
    let shape = drawn?.unlaid?;
    let compared =
        compared.as_mut().filter(|compared| drawn.map(|it| it.call) == Some(compared.call))?;
    let sheet = compared.wants(shape)?;
    Some(Effect::LayOutChange(compared.call, sheet, shape))
}

/// Reads what is in sight where it is old.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let (Some(row), Some(root)) = (row(state), root(state)) else { return Vec::new() };
    let written = &mut state.records.written;
    let mut effects = Vec::new();
    if (written.stale || written.of != Some(root)) && !written.reading {
        (written.stale, written.reading) = (false, true);
        effects.push(Effect::ReadChanges(root));
        if written.undo.is_some() {
            // The files are others now.
            effects.push(Effect::PlanUndo(root, written.meant(row)));
        }
    }
    let here = written.all.get(row).map(|planned| planned.recorded.call);
    if let Some(call) = here
        && written.compared.as_ref().map(|compared| compared.call) != Some(call)
    {
        written.compared = Some(Compared::of(call));
        effects.push(Effect::Compare(root, call));
    }
    effects.extend(unlaid(state.drawn.change, &mut state.records.written.compared));
    effects
}
