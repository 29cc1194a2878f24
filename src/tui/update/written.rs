//! The list of what was written: read, compared, chosen from, and undone.

use crate::{
    kernel::{
        change::Planned,
        command::Command,
        event::Envelope,
        id::{CallId, SessionId},
    },
    tui::{
        diff::LEAST_FOR_SIDES,
        effect::Effect,
        hints,
        keymap::{Go, Move},
        state::{Popup, State, records::written::View},
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
    let new = matches!(&written.compared, Some((_, Ok(diff))) if diff.new_file);
    if view == View::Sides && (new || width < LEAST_FOR_SIDES) {
        let why = match new {
            true => "A new file has one side.".to_owned(),
            false => format!("Side by side needs {LEAST_FOR_SIDES} columns; here are {width}."),
        };
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
    let lines = match &written.compared {
        Some((_, Ok(diff))) => diff.rows.len(),
        _ => 0,
    };
    let page = usize::from(state.drawn.height) / 2;
    let last = lines.saturating_sub(1);
    written.top = match by {
        Move::Up | Move::PreviousCell => written.top.saturating_sub(1),
        Move::Down | Move::NextCell => written.top + 1,
        Move::PageUp => written.top.saturating_sub(page),
        Move::PageDown => written.top + page,
        Move::Home => 0,
        Move::End if written.view == View::Sides => last,
        Move::End => last.saturating_sub(page),
    }
    .min(last);
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
    let now = there.iter().position(|call| Some(*call) == held).filter(|_| !first);
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
        Err(fault) => state.status.say(fault, state.now.at),
    }
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
        && written.compared.as_ref().map(|(of, _)| *of) != Some(call)
    {
        written.compared = Some((call, Err(String::new())));
        written.top = 0;
        effects.push(Effect::Compare(root, call));
    }
    effects
}
