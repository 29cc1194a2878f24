//! What the first screen offers.

use crate::tui::{
    effect::{Effect, Start},
    keymap::Begin,
    state::{Focus, Popup, State},
};

pub(super) fn with(state: &mut State, begin: Begin) -> Vec<Effect> {
    match begin {
        Begin::Tour => return tour(state),
        Begin::Connect => state.popup = Some(Popup::Connect { row: 0 }),
        // Nothing begins by a key whose meaning cannot be read.
        Begin::Chosen if state.is_unreadable() => {}
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
    state.place.starting = Some(Default::default());
    vec![Effect::Start { what: Start::Tour, message: None }]
}
