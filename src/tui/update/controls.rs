//! Keys and models that the person chooses on the screen.

use crate::{
    config::{Motion, Mouse},
    tui::{
        effect::{Effect, Setting},
        keymap::{Keymap, Listed, listed},
        state::{Popup, State, pointer::Pointer, status::Player},
    },
};

/// Asks that a setting be kept.
pub(super) fn keep(setting: Setting) -> Vec<Effect> {
    vec![Effect::Keep(setting)]
}

/// Hears the mouse, or no longer.
pub(super) fn mouse(state: &mut State) -> Vec<Effect> {
    state.controls.mouse = state.controls.mouse.other();
    state.panes.pointer = Pointer::default();
    keep(Setting::Mouse(state.controls.mouse))
}

/// Has less move by itself, or all of it again.
pub(super) fn motion(state: &mut State) -> Vec<Effect> {
    state.look.motion = state.look.motion.other();
    keep(Setting::Motion(state.look.motion))
}

/// A setting was kept, or could not be; then it counts until the screen is left.
pub(super) fn kept(state: &mut State, setting: Setting, kept: Result<(), String>) {
    let what = match &setting {
        Setting::Theme { name, .. } => format!("Theme: {name}"),
        Setting::Preset(preset) => format!("Keys: {}", Keymap::of(*preset).words()),
        Setting::Model(name) => format!("Model: {name}"),
        Setting::Key(place, action, key) => {
            let title = match listed(*place, *action) {
                Listed::As(title) => title,
                Listed::Not(_) => action.name(),
            };
            format!("{}: {title}", key.label())
        }
        Setting::Motion(Motion::Full) => "Motion: all of it".to_owned(),
        Setting::Motion(Motion::Reduced) => "Motion: reduced".to_owned(),
        Setting::Mouse(Mouse::Footplate) => "The mouse is heard here".to_owned(),
        Setting::Mouse(Mouse::Terminal) => "The mouse is left to the terminal".to_owned(),
    };
    let note = state.controls.palette.note.take().map(|note| format!(" {note}"));
    let note = note.unwrap_or_default();
    let said = match kept {
        Ok(()) => format!("{what}.{note}"),
        Err(why) => format!("{what}, until you quit. {why}"),
    };
    state.status.say(said, state.now.at);
    if let Setting::Model(name) = setting {
        state.place.player = Player::Model(name);
        state.focus = state.beside();
    }
}

/// Takes the chosen model of those on this computer.
pub(super) fn connect(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Connect { row }) = state.popup.take() else { return Vec::new() };
    let model = state.controls.models.get(row).cloned();
    model.map(|model| keep(Setting::Model(model))).unwrap_or_default()
}
