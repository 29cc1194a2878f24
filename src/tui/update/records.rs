//! The lists of what was decided and what stands: opened, filtered, and taken back from.

use crate::{
    kernel::{command::Command, gate::law::Layer, session::decisions::Ruling},
    tui::{
        effect::Effect,
        keymap::Edit,
        state::{
            Focus, Popup, State,
            draft::Draft,
            filter::Filter,
            records::{
                decided::line,
                standing::{Row, kept},
            },
            waiting::Form,
        },
    },
};

/// The text that takes the keys of an open list or of a rule, if one does.
pub(super) fn field(state: &mut State) -> Option<&mut Draft> {
    match state.popup {
        Some(popup) if popup.is_narrowed() && state.records.filter.typing => {
            Some(&mut state.records.filter.words)
        }
        Some(Popup::Commands) => Some(&mut state.controls.palette.words),
        Some(Popup::File | Popup::Files { .. }) => super::file::field(state),
        None if state.focus == Focus::Question => match &mut state.queue.form {
            Some(Form::Wider(wider)) => Some(&mut wider.draft),
            Some(Form::Because(..) | Form::Search(_) | Form::Edit(_)) | None => None,
        },
        None if state.focus == Focus::Transcript => super::transcript::word(state),
        _ => None,
    }
}

/// An edit of that text; whether there was one.
pub(super) fn edit(state: &mut State, edit: Edit) -> bool {
    if super::tree::edit(state, edit) {
        return true;
    }
    let Some(draft) = field(state) else { return false };
    draft.edit(edit);
    top(state);
    true
}

/// A character for that text; whether there was one.
pub(super) fn typed(state: &mut State, c: char) -> bool {
    if super::tree::write(state, |draft| draft.type_char(c)) {
        return true;
    }
    let Some(draft) = field(state) else { return false };
    draft.type_char(c);
    top(state);
    true
}

/// A paste into that text, letter by letter, so that nothing of it is folded; whether there was one.
pub(super) fn pasted(state: &mut State, text: &str) -> bool {
    let line: String = text.chars().filter(|c| !c.is_control()).collect();
    if super::tree::write(state, |draft| line.chars().for_each(|c| draft.type_char(c))) {
        return true;
    }
    let Some(draft) = field(state) else { return false };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| *c == '\n' || !c.is_control()).for_each(|c| draft.type_char(c));
    top(state);
    true
}

fn top(state: &mut State) {
    super::transcript::sought(state);
    state.controls.palette.row = 0;
    if let Some(
        Popup::Waiting { row }
        | Popup::Grants { row }
        | Popup::Decisions { row }
        | Popup::Log { row }
        | Popup::Files { row }
        | Popup::Help { top: row, .. },
    ) = &mut state.popup
    {
        *row = 0;
    }
}

/// Begins to type what a list is narrowed by, or ends it. The pane of what waits becomes a list.
pub(super) fn filter(state: &mut State, typing: bool) {
    if typing && state.popup.is_none() && state.focus == Focus::Waiting {
        state.records.filter = Filter::default();
        state.popup = Some(Popup::Waiting { row: 0 });
    }
    state.records.filter.typing = typing;
}

/// esc in a list: first what it is narrowed by goes. Whether that was all.
pub(super) fn leave(state: &mut State) -> bool {
    if !state.popup.is_some_and(Popup::is_narrowed) || !state.records.filter.is_on() {
        return false;
    }
    state.records.filter = Filter::default();
    top(state);
    true
}

/// Shows what a rule decided.
pub(super) fn decided_by(state: &mut State, row: usize) {
    let rows = state.records.rules.rows(&state.records.filter);
    let Some(Row::Rule(placed)) = rows.get(row) else { return };
    let rule = Some(placed.cited.clone());
    state.records.filter = Filter { rule, ..Filter::default() };
    state.records.stale = true;
    state.popup = Some(Popup::Decisions { row: 0 });
}

/// Opens the file of the chosen rule.
pub(super) fn visit(state: &mut State, row: usize) -> Vec<Effect> {
    let rows = state.records.rules.rows(&state.records.filter);
    let placed = match rows.get(row) {
        Some(Row::Rule(placed)) => *placed,
        Some(Row::Fault(_)) => {
            let text = "A fault is mended in its file, which stands here.";
            state.status.say(text, state.now.at);
            return Vec::new();
        }
        None => {
            state.status.say("There is no rule to edit.", state.now.at);
            return Vec::new();
        }
    };
    let (layer, file) = (placed.cited.layer, placed.cited.file.clone());
    match (layer, file) {
        (Layer::User | Layer::Project, Some(file)) => return vec![Effect::Visit(file.into())],
        (Layer::Session, _) => {
            let text = "d takes it back; w at the next such question writes another.";
            state.status.say(text, state.now.at);
        }
        (Layer::Admin, _) | (_, None) => {
            let text = kept(placed);
            state.status.say(text, state.now.at);
        }
    }
    Vec::new()
}

/// The chosen decision as a line, to be used elsewhere.
pub(super) fn copy(state: &mut State, row: usize) -> Vec<Effect> {
    let shown = state.records.decisions.shown(&state.records.filter);
    let Some((_, decided)) = shown.get(row) else { return Vec::new() };
    let at = format!("{} {}", state.records.day(decided.at), state.records.second(decided.at));
    let line = line(decided, &at);
    state.status.say("Copied, if the terminal allows it.", state.now.at);
    vec![Effect::Copy(line)]
}

/// Goes to where a decision was made: to its question while it is open, else to its cell.
pub(super) fn open(state: &mut State, row: usize) {
    let shown = state.records.decisions.shown(&state.records.filter);
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
pub(in crate::tui) fn revoke(state: &mut State, row: usize) -> Vec<Effect> {
    let rows = state.records.rules.rows(&state.records.filter);
    let placed = match rows.get(row) {
        None => return Vec::new(),
        Some(Row::Fault(_)) => {
            let text = "A fault is mended in its file, which stands here.";
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
                let all = state.records.decisions.shown(&state.records.filter);
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
        Some(Popup::Decisions { .. }) => Vec::new(),
        _ => {
            // What nobody looks at is made again when somebody does.
            if !state.records.decisions.all.is_empty() {
                state.records.decisions.all = Vec::new();
                state.records.stale = true;
            }
            Vec::new()
        }
    }
}
