//! The lists of what was decided and what stands: opened, filtered, and taken back from.

use crate::{
    kernel::{command::Command, gate::law::Layer, session::decisions::Ruling},
    tui::{
        effect::Effect,
        keymap::Edit,
        state::{
            Focus, Popup, State,
            draft::Draft,
            records::standing::{Row, kept},
            waiting::Form,
        },
    },
};

/// The text that takes the keys of an open list or of a rule, if one does.
pub(super) fn field(state: &mut State) -> Option<&mut Draft> {
    match state.popup {
        Some(Popup::Decisions { .. }) if state.records.decisions.typing => {
            Some(&mut state.records.decisions.filter)
        }
        None if state.focus == Focus::Question => match &mut state.queue.form {
            Some(Form::Wider(wider)) => Some(&mut wider.draft),
            Some(Form::Because(..) | Form::Search(_) | Form::Edit(_)) | None => None,
        },
        _ => None,
    }
}

/// An edit of that text; whether there was one.
pub(super) fn edit(state: &mut State, edit: Edit) -> bool {
    let Some(draft) = field(state) else { return false };
    draft.edit(edit);
    top(state);
    true
}

/// A character for that text; whether there was one.
pub(super) fn typed(state: &mut State, c: char) -> bool {
    let Some(draft) = field(state) else { return false };
    draft.type_char(c);
    top(state);
    true
}

/// A paste into that text, letter by letter, so that nothing of it is folded; whether there was one.
pub(super) fn pasted(state: &mut State, text: &str) -> bool {
    let Some(draft) = field(state) else { return false };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| *c == '\n' || !c.is_control()).for_each(|c| draft.type_char(c));
    top(state);
    true
}

fn top(state: &mut State) {
    if let Some(Popup::Decisions { row }) = &mut state.popup {
        *row = 0;
    }
}

/// Begins to type what a list is narrowed by, or ends it.
pub(super) fn filter(state: &mut State, typing: bool) {
    if matches!(state.popup, Some(Popup::Decisions { .. })) {
        state.records.decisions.typing = typing;
    }
}

/// esc in a list: first the words of its filter go. Whether that was all.
pub(super) fn leave(state: &mut State) -> bool {
    let decisions = &mut state.records.decisions;
    let filtered = decisions.typing || !decisions.filter.is_empty();
    if !matches!(state.popup, Some(Popup::Decisions { .. })) || !filtered {
        return false;
    }
    decisions.typing = false;
    decisions.filter = Draft::default();
    true
}

/// Goes to where a decision was made: to its question while it is open, else to its cell.
pub(super) fn open(state: &mut State, row: usize) {
    let shown = state.records.decisions.shown();
    let Some((session, decided)) = shown.get(row).map(|entry| (entry.0, entry.1.clone())) else {
        return;
    };
    state.popup = None;
    if let (Ruling::Open, Some(approval)) = (decided.verdict, decided.approval) {
        state.queue.choose(approval);
        state.focus = Focus::Question;
        return;
    }
    state.sessions.show(session);
    let Some(node) = state.sessions.node_mut() else { return };
    if let Some(cell) = node.transcript.cell_of(decided.call) {
        node.transcript.here = Some(cell);
        node.transcript.scroll = crate::tui::state::transcript::Scroll::Held { cell, row: 0 };
        state.focus = Focus::Transcript;
    }
}

/// Takes the chosen rule back, where that is the person's to do.
pub(super) fn revoke(state: &mut State, row: usize) -> Vec<Effect> {
    let rows = state.records.rules.rows();
    let placed = match rows.get(row) {
        None => return Vec::new(),
        Some(Row::Fault(_)) => {
            let text = "A fault is mended in its file; F6 shows which.";
            state.status.say(text, state.now.at);
            return Vec::new();
        }
        Some(Row::Rule(placed)) => (*placed).clone(),
    };
    let Some(session) = state.sessions.viewed() else { return Vec::new() };
    let command = match (placed.cited.layer, placed.cited.grant) {
        (Layer::Session, Some(grant)) => Command::Revoke { grant },
        (Layer::User, _) => {
            let session = state.records.root(session);
            Command::RevokeSaved { session, rule: placed.cited }
        }
        (Layer::Session, None) | (Layer::Project | Layer::Admin, _) => {
            state.status.say(kept(&placed), state.now.at);
            return Vec::new();
        }
    };
    state.records.stale = true;
    vec![Effect::Send(command)]
}

/// Makes what is in sight anew where something happened to it.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let Some(session) = state.sessions.viewed() else { return Vec::new() };
    let root = state.records.root(session);
    match state.popup {
        Some(Popup::Decisions { row }) if state.records.stale => {
            let shown = |state: &State| {
                let all = state.records.decisions.shown();
                all.iter().map(|(_, decided)| (decided.call, decided.approval)).collect::<Vec<_>>()
            };
            let held = shown(state).get(row).copied();
            state.records.stale = false;
            state.records.decisions.all = state.records.decided(root);
            // The list holds what is chosen in it, not its line; at the top it follows the newest.
            if let Some(held) = held.filter(|_| row > 0)
                && let Some(now) = shown(state).iter().position(|one| *one == held)
            {
                state.popup = Some(Popup::Decisions { row: now });
            }
            Vec::new()
        }
        Some(Popup::Grants { .. }) if state.records.stale => {
            state.records.stale = false;
            state.records.rules.tally = state.records.tally(root);
            vec![Effect::ReadRules(root)]
        }
        _ => Vec::new(),
    }
}
