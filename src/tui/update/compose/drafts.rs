//! A draft for each session: which one the composer has, and what is kept of it.

use crate::{
    kernel::id::SessionId,
    tui::{
        effect::Effect,
        state::{State, draft::Draft},
    },
};

/// No session was started for it: what was meant to be said there comes back, and what was written there
/// since is among the words of before, where another session has the composer again.
pub(in crate::tui::update) fn not_started(state: &mut State, fault: String) {
    let now = state.now.at;
    let Some(said) = state.place.starting.take() else {
        state.status.fault(fault, now);
        return;
    };
    let written = match state.written_to() {
        Some(session) => {
            let draft = state.composer.drafts.take(session);
            state.composer.drafts.of = Some(session);
            state.composer.turn_to(draft)
        }
        None => Draft::default(),
    };
    state.composer.give_back(said);
    let kept = if written.is_empty() { "" } else { " ↑ has your words back." };
    state.composer.remember(&written.written());
    state.status.fault(format!("{fault}{kept}"), now);
}

/// A draft that was kept comes back, where nothing was written since.
pub(in crate::tui::update) fn kept(state: &mut State, session: SessionId, text: &str) {
    let composer = &mut state.composer;
    if composer.drafts.of != Some(session) {
        composer.drafts.put(session, Draft::of(text));
    } else if composer.draft.is_empty() && !composer.drafts.has_changed() {
        composer.draft = Draft::of(text);
        composer.drafts.is_kept(&composer.draft);
    }
}

/// What was to be said after a turn, and never will be, becomes what is kept as a draft.
fn unsaid(state: &mut State) -> Vec<Effect> {
    let composer = &mut state.composer;
    let mut effects = Vec::new();
    for one in std::mem::take(&mut composer.queued).into_iter().rev() {
        let here = composer.drafts.of == Some(one.to);
        let draft =
            if here { std::mem::take(&mut composer.draft) } else { composer.drafts.take(one.to) };
        let (said, written) = (one.draft.written(), draft.written());
        let gap = if written.is_empty() { "" } else { "\n\n" };
        let draft = Draft::of(&format!("{said}{gap}{written}"));
        if here {
            composer.draft = draft;
        } else {
            effects.push(Effect::KeepDraft(one.to, draft.written()));
            composer.drafts.put(one.to, draft);
        }
    }
    effects
}

/// Lets the draft follow which session is written to, and keeps it.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let (now, of) = (state.now.at, state.composer.drafts.of);
    let mut effects = if state.place.leave.is_some() { unsaid(state) } else { Vec::new() };
    let composer = &mut state.composer;
    composer.drafts.look(&composer.draft, now);
    let to = state.written_to();
    let switched = to != of;
    let ends = switched || state.place.leave.is_some();
    let composer = &mut state.composer;
    if let Some(session) = of
        && (composer.drafts.is_due(now) || ends && composer.drafts.has_changed())
    {
        effects.push(Effect::KeepDraft(session, composer.draft.written()));
        composer.drafts.is_kept(&composer.draft);
    }
    if switched {
        // What was written before there was a session is for the one that is there now.
        if let Some(old) = of {
            let draft = to.map(|session| composer.drafts.take(session)).unwrap_or_default();
            let old_draft = composer.turn_to(draft);
            composer.drafts.put(old, old_draft);
            composer.drafts.is_kept(&composer.draft);
        }
        composer.drafts.of = to;
        if let Some(session) = to.filter(|session| composer.drafts.is_new(*session)) {
            effects.push(Effect::ReadDraft(session));
        }
    }
    effects
}
