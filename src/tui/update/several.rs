//! Several questions of one script, answered together.

use std::collections::BTreeSet;

use crate::{
    kernel::{
        gate::approval::{Answer, Scope, Then},
        id::ApprovalId,
    },
    tui::{
        effect::Effect,
        state::{
            Focus, Popup, State,
            several::{Batch, Settled, Several},
        },
    },
};

use super::question;

/// Shows what the script of this question asks for.
pub(super) fn open(state: &mut State, id: ApprovalId) {
    let script = state.queue.get(id).and_then(|waiting| waiting.question.script);
    if script.is_none() {
        state.status.say("No script asks this.", state.now.at);
        return;
    }
    let several = &mut state.queue.several;
    if several.script != script {
        let batch = several.batch.take();
        *several = Several { script, batch, ..Several::default() };
    }
    several.gone = 0;
    several.looked_at = None;
    let all = state.queue.of_script();
    if all.len() < 2 {
        state.status.say("Only this one waits from that script.", state.now.at);
        return;
    }
    let row = all.iter().position(|waiting| waiting.question.id == id).unwrap_or(0);
    state.popup = Some(Popup::Several { row });
}

fn chosen_row(state: &State) -> Option<ApprovalId> {
    let Some(Popup::Several { row }) = state.popup else { return None };
    let all = state.queue.of_script();
    let at = row.min(all.len().saturating_sub(1));
    all.get(at).map(|waiting| waiting.question.id)
}

/// Takes a row in, or out.
pub(super) fn choose(state: &mut State) {
    let Some(id) = chosen_row(state) else { return };
    if state.queue.several.chosen.remove(&id) {
        return;
    }
    match state.queue.get(id).and_then(|waiting| state.queue.why_not_chosen(waiting)) {
        Some(why) => state.status.say(format!("Not chosen: {why}."), state.now.at),
        None => {
            state.queue.several.chosen.insert(id);
        }
    }
}

/// Shows the question of a row; what is chosen stays so.
pub(super) fn see(state: &mut State) {
    if let Some(id) = chosen_row(state) {
        state.queue.choose(id);
        state.queue.several.looked_at = Some(id);
        state.popup = None;
        state.focus = Focus::Question;
    }
}

/// Leaves a question that was opened from the list, for the list; false if it was not.
pub(super) fn leave(state: &mut State) -> bool {
    let current = state.queue.current().map(|waiting| waiting.question.id);
    let from_list = state.focus == Focus::Question && state.queue.form.is_none();
    match state.queue.several.looked_at.take_if(|id| from_list && Some(*id) == current) {
        Some(id) => {
            open(state, id);
            true
        }
        None => false,
    }
}

pub(super) fn yes(state: &mut State) -> Vec<Effect> {
    answer(state, "Yes, once", &Answer::Allow { scope: Scope::Once })
}

/// A letter, so it counts only where nobody types.
pub(super) fn no(state: &mut State, quiet: bool) -> Vec<Effect> {
    if !quiet {
        state.status.say("Not answered: n counts when no key fell for 0.4 s.", state.now.at);
        return Vec::new();
    }
    answer(state, "No", &Answer::Deny { because: None, then: Then::GoOn })
}

fn answer(state: &mut State, says: &'static str, answer: &Answer) -> Vec<Effect> {
    let chosen: BTreeSet<_> = std::mem::take(&mut state.queue.several.chosen);
    if chosen.is_empty() {
        state.status.say("Nothing is chosen.", state.now.at);
        return Vec::new();
    }
    state.popup = None;
    let left = chosen.clone();
    state.queue.several.batch = Some(Batch { says, left, done: 0, late: 0 });
    chosen.into_iter().flat_map(|id| question::answer(id, answer.clone())).collect()
}

/// Says what became of an answer that was given with others; false if it was not.
pub(super) fn settled(state: &mut State, id: ApprovalId, settled: Settled) -> bool {
    let said = state.queue.several.settle(id, settled);
    let is_one = said.is_some();
    match said {
        Some((said, true)) => state.status.say(said, state.now.at),
        // What is counted on stands in the log once.
        Some((said, false)) => state.status.show(said, state.now.at),
        None => {}
    }
    is_one
}
