//! Pastes: those that the terminal marks, and keys that come as fast as only a paste does.

use crossterm::event::KeyEvent;

use super::{compose, input, output, question, records};
use crate::tui::{
    effect::Effect,
    guard::Haste,
    keymap::{Action, Edit, Key, Place},
    state::{Focus, State, draft::Draft, waiting::Form},
};

/// Over a slow line a few keys come together as well; as many as this do not.
const LONG: usize = 16;

/// A paste that the terminal has marked.
pub(super) fn whole(state: &mut State, text: &str) -> Vec<Effect> {
    if let Some(letter) = state.guard.paste(state.now.at) {
        question::typed(state, letter);
    }
    put(state, text, &|draft| draft.paste(text))
}

/// Keys that were read together, more than fingers press at once. Where letters are no text, a few of
/// them without a line end are keys that a slow line has gathered.
pub(super) fn burst(state: &mut State, events: &[KeyEvent]) -> Vec<Effect> {
    let keys: Vec<Key> = events.iter().map(Key::of).collect();
    let text: String = keys.iter().filter_map(|key| key.writes()).collect();
    let is_long = keys.len() >= LONG || text.contains(['\n', '\t']);
    let place = state.key_place();
    if !is_long && !place.takes_text() && place != Place::Question && !state.guard.trails() {
        return keys
            .into_iter()
            .flat_map(|key| input::pressed(state, key, Haste::Pressed))
            .collect();
    }
    piece(state, &text, keys.len(), is_long)
}

/// A key that came as fast behind others as only a paste does.
pub(super) fn one_more(state: &mut State, c: char) -> Vec<Effect> {
    piece(state, c.encode_utf8(&mut [0; 4]), 0, true)
}

fn piece(state: &mut State, text: &str, keys: usize, is_long: bool) -> Vec<Effect> {
    let now = state.now.at;
    let (letter, goes_on) = state.guard.burst(keys, is_long, now);
    if let Some(letter) = letter {
        question::typed(state, letter);
    }
    let effects = put(state, text, &|draft| draft.paste_piece(text, goes_on));
    if text.ends_with('\n') && state.key_place() == Place::Composer {
        let key = state.controls.key(Place::Composer, Action::Edit(Edit::Send));
        let text = format!("Taken as a paste, for it came all at once. {key} sends it.");
        state.status.say(text, now);
    }
    effects
}

/// Puts it where text goes: into the field that is written, else into the composer.
fn put(state: &mut State, text: &str, write: &dyn Fn(&mut Draft)) -> Vec<Effect> {
    if state.finding() {
        let line = text.lines().next().unwrap_or_default();
        return output::write(state, |search| search.word.paste(line));
    }
    if records::pasted(state, text) {
        return Vec::new();
    }
    if state.focus == Focus::Question && state.queue.writing().is_some() {
        question::write(state, write);
        return Vec::new();
    }
    // A field that is written elsewhere takes nothing.
    if state.focus == Focus::Question && matches!(state.queue.form, Some(Form::Edit(_))) {
        return Vec::new();
    }
    let effects = compose::pasted(state, text, write);
    state.popup = None;
    state.focus = Focus::Composer;
    effects
}
