//! The list of all commands: opened over whatever is there, and gone again before a command is done.

use super::{controls, input, panes};
use crate::tui::{
    effect::{Effect, Setting},
    keymap::{Action, Go, Key, Move, Place},
    state::{
        Focus, Popup, State,
        palette::{Asks, Entry, Palette, found},
    },
};

/// Opens it; where it is open, closes it.
pub(super) fn open(state: &mut State) {
    if state.popup == Some(Popup::Commands) {
        leave(state);
        return;
    }
    // A theme that is only tried does not stay behind another list.
    super::themes::leave(state);
    state.controls.palette =
        Palette { from: state.key_place(), under: state.popup, ..Palette::default() };
    state.popup = Some(Popup::Commands);
}

/// Closes it; whether it was open.
pub(super) fn leave(state: &mut State) -> bool {
    let open = state.popup == Some(Popup::Commands);
    if open {
        state.popup = state.controls.palette.under.take();
    }
    open
}

pub(super) fn choose(state: &mut State, by: Move) {
    let count = found(state).len();
    let palette = &mut state.controls.palette;
    palette.row = super::moves::step_in(palette.row, count, 10, by);
}

/// Asks for a key for the chosen one.
pub(super) fn ask(state: &mut State) {
    let chosen = found(state).into_iter().nth(state.controls.palette.row);
    let asks = |entry: Entry| Asks {
        place: entry.place,
        action: entry.action,
        title: entry.title,
        not: None,
    };
    state.controls.palette.asks = chosen.map(asks);
}

/// Whether the next key is to be that of a command.
pub(super) fn asks(state: &State) -> bool {
    state.popup == Some(Popup::Commands) && state.controls.palette.asks.is_some()
}

/// The key that was asked for: it counts at once, and is kept.
pub(super) fn given(state: &mut State, key: Key) -> Vec<Effect> {
    let Some(asks) = state.controls.palette.asks.take() else { return Vec::new() };
    if state.controls.keys.action(Place::Everywhere, key) == Some(Action::Leave) {
        return Vec::new();
    }
    let (place, action) = (asks.place, asks.action);
    match state.controls.keys.given(place, action, key) {
        Ok((keys, note)) => {
            state.controls.keys = keys;
            state.controls.palette.note = note;
            controls::keep(Setting::Key(place, action, key))
        }
        Err(why) => {
            state.controls.palette.asks = Some(Asks { not: Some(why), ..asks });
            Vec::new()
        }
    }
}

/// Does the chosen one, or goes where it is done: what is done to a row is done where the row is in
/// sight.
pub(super) fn run(state: &mut State) -> Vec<Effect> {
    let row = state.controls.palette.row;
    let Some(entry) = found(state).into_iter().nth(row) else { return Vec::new() };
    if let Some(off) = entry.off {
        state.status.say(format!("Not now: {off}."), state.now.at);
        return Vec::new();
    }
    let from = state.controls.palette.from;
    leave(state);
    if entry.place == Place::Everywhere || entry.place == from {
        return input::act(state, entry.action);
    }
    go(state, &entry)
}

/// Goes to where a command of another place is done.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other places are no lists")]
fn go(state: &mut State, entry: &Entry) -> Vec<Effect> {
    let list = match entry.place {
        Place::Sessions => Some(Go::Sessions),
        Place::Waiting => Some(Go::Waiting),
        Place::Output => Some(Go::Output),
        Place::Changes => Some(Go::Changes),
        Place::Grants => Some(Go::Grants),
        Place::Decisions => Some(Go::Decisions),
        Place::Log => Some(Go::Log),
        _ => None,
    };
    state.popup = None;
    match list {
        Some(list) => panes::go(state, list),
        None if entry.place == Place::Question => {
            state.queue.form = None;
            state.focus = Focus::Question;
            // Nothing of these answers.
            return input::act(state, entry.action);
        }
        None => state.focus = Focus::Transcript,
    }
    if matches!(entry.action, Action::Filter | Action::Order | Action::Add) {
        return input::act(state, entry.action);
    }
    let key = state.controls.key(entry.place, entry.action);
    if !key.is_empty() {
        state.status.say(format!("{key} here: {}", entry.title), state.now.at);
    }
    Vec::new()
}
