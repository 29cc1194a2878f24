//! What the first screen begins, and how everything is left again.

use super::{
    away, compose, file, output, palette, records, themes, transcript, tree, trust, written,
};
use crate::{
    kernel::command::Command,
    tui::{
        effect::{Effect, Start},
        keymap::Begin,
        state::{Focus, Leave, Popup, State, status::Twice, waiting::Form},
        view,
    },
};

pub(super) fn begin_with(state: &mut State, begin: Begin) -> Vec<Effect> {
    match begin {
        Begin::Tour => return tour(state),
        Begin::Connect => state.popup = Some(Popup::Connect { row: 0 }),
        // Nothing begins by a key whose meaning cannot be read. Before the first frame is known to
        // be out there is no size yet.
        Begin::Chosen
            if state.drawn.width > 0 && view::is_tiny(state.drawn.width, state.drawn.height) => {}
        Begin::Chosen => match state.place.row {
            0 => return tour(state),
            1 => state.popup = Some(Popup::Connect { row: 0 }),
            _ => state.focus = Focus::Composer,
        },
    }
    Vec::new()
}

fn tour(state: &mut State) -> Vec<Effect> {
    if state.place.starting.is_some() {
        return Vec::new();
    }
    state.place.starting = Some(String::new());
    vec![Effect::Start { what: Start::Tour, message: None }]
}

/// esc: leaves what has the keys, one thing at a time; last of all, the turn.
pub(super) fn leave(state: &mut State) -> Vec<Effect> {
    let now = state.now.at;
    if away::leave(state)
        || file::leave(state)
        || tree::step_back(state)
        || output::leave(state)
        || records::leave(state)
        || written::leave(state)
        || transcript::leave(state)
        || palette::leave(state)
        || themes::leave(state)
    {
        return Vec::new();
    }
    if state.panes.unzoom() || state.popup.take().is_some() || compose::leave(state) {
        return Vec::new();
    }
    match state.focus {
        Focus::Question => match state.queue.form.take() {
            Some(Form::Because(_, draft)) => state.composer.remember(&draft.text()),
            Some(Form::Wider(_) | Form::Search(_) | Form::Edit(_)) => {}
            None => {
                let trust = state.queue.current().is_some_and(trust::is_asked);
                if state.queue.not_now().is_some() {
                    let said =
                        if trust { trust::NOT_NOW } else { "Not now. It waits; F3 shows it." };
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
            state.status.say("esc again stops this turn", now);
        }
    }
    Vec::new()
}

/// Leaves the screen, or asks first if something would end with it.
pub(super) fn quit(state: &mut State) {
    if state.sessions.at_work() == 0 && state.queue.calls() == 0 {
        state.place.leave = Some(Leave::Quit);
    } else {
        state.popup = Some(Popup::Quit { row: 0 });
    }
}
