//! How everything is left again.

use super::{
    away, compose, file, output, palette, records, save, several, themes, transcript, tree, trust,
    written,
};
use crate::{
    kernel::command::Command,
    tui::{
        effect::Effect,
        hints,
        keymap::{Action, Go, Place},
        state::{Focus, Leave, Popup, State, status::Twice, waiting::Form},
    },
};

/// esc: leaves what has the keys, one thing at a time; last of all, the turn.
pub(super) fn leave(state: &mut State) -> Vec<Effect> {
    let now = state.now.at;
    if away::leave(state)
        || file::leave(state)
        || tree::step_back(state)
        || save::leave(state)
        || output::leave(state)
        || records::leave(state)
        || written::leave(state)
        || transcript::leave(state)
        || palette::leave(state)
        || themes::leave(state)
    {
        return Vec::new();
    }
    if state.panes.unzoom()
        || state.popup.take().is_some()
        || compose::leave(state)
        || several::leave(state)
    {
        return Vec::new();
    }
    match state.focus {
        Focus::Question => match state.queue.form.take() {
            Some(Form::Because(_, draft)) => state.composer.remember(&draft.text()),
            Some(Form::Wider(_) | Form::Search(_) | Form::Edit(_)) => {}
            None => {
                let trust = state.queue.current().is_some_and(trust::is_asked);
                if state.queue.not_now().is_some() {
                    let key = hints::shows(&state.controls, Go::Waiting);
                    let said = format!("Not now. It waits; {key} shows it.");
                    let said = if trust { trust::NOT_NOW.to_owned() } else { said };
                    state.status.say(said, now);
                }
                state.focus = state.beside();
            }
        },
        Focus::Start
        | Focus::Transcript
        | Focus::Output(_)
        | Focus::Sessions
        | Focus::Waiting
        | Focus::Plan
        | Focus::Changes
        | Focus::Away => {
            state.focus = Focus::Composer;
            if let Some(node) = state.sessions.node_mut() {
                node.transcript.here = None;
            }
        }
        Focus::Composer => {
            let Some(node) = state.sessions.node() else {
                if state.place.starts_empty() && state.composer.draft.is_empty() {
                    state.focus = Focus::Start;
                }
                return Vec::new();
            };
            if !node.doing.works() && node.by_hand.is_empty() {
                return Vec::new();
            }
            if state.status.twice(Twice::StopTurn, now) {
                return vec![Effect::Send(Command::Interrupt { session: node.spec.id })];
            }
            let key = state.controls.key(Place::Composer, Action::Leave);
            state.status.say(format!("{key} again stops this turn"), now);
        }
    }
    Vec::new()
}

/// Whether something would end with the screen.
pub(super) fn asks(state: &State) -> bool {
    !state.has_ended() || state.queue.calls() > 0
}

/// Leaves the screen, or asks first if something would end with it.
pub(in crate::tui) fn quit(state: &mut State) {
    if asks(state) {
        state.popup = Some(Popup::Quit { row: 0 });
    } else {
        state.place.leave = Some(Leave::Quit);
    }
}
