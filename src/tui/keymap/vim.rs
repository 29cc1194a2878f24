//! What the vim-like preset adds. It takes nothing: a key that does something already goes on doing
//! it.

use super::{Action, Key, Keymap, Move, Place};

const MOVES: [(Action, Key); 10] = [
    (Action::Fold, Key::char('h')),
    (Action::Unfold, Key::char('l')),
    (Action::Move(Move::Down), Key::char('j')),
    (Action::Move(Move::Up), Key::char('k')),
    (Action::Move(Move::PageDown), Key::ctrl('d')),
    (Action::Move(Move::PageUp), Key::ctrl('u')),
    (Action::Move(Move::Home), Key::char('g')),
    (Action::Move(Move::End), Key::char('G')),
    (Action::Move(Move::PreviousCell), Key::char('{')),
    (Action::Move(Move::NextCell), Key::char('}')),
];

/// Adds them wherever no text is typed and they do nothing yet.
pub(super) fn add(to: &mut Keymap) {
    for place in Place::ALL.iter().copied().filter(|place| !place.takes_text()) {
        for (action, key) in MOVES {
            // What touches y on a keyboard has no place beside it.
            let beside = place == Place::Question && key.is_beside_yes();
            if !beside && to.bound(place, key).is_none() {
                to.add(place, action, key);
            }
        }
    }
}
