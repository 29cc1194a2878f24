//! The list of themes: each is put on as it is chosen, and the old one comes back unless one is kept.

use crate::tui::{
    effect::{Effect, Setting},
    keymap::Move,
    state::{Popup, State, controls::Offered},
    theme::Theme,
};

/// Opens the list, at the theme there is.
pub(super) fn open(state: &mut State) {
    if leave(state) {
        return;
    }
    let name = state.look.theme.name();
    let all = state.controls.themes.all();
    let row = all.iter().position(|theme| theme.name() == name).unwrap_or(0);
    state.controls.themes.before = Some(state.look.theme.clone());
    state.popup = Some(Popup::Themes { row });
}

/// Closes the list and puts the old theme on again; whether it was open.
pub(super) fn leave(state: &mut State) -> bool {
    if !matches!(state.popup, Some(Popup::Themes { .. })) {
        return false;
    }
    state.popup = None;
    if let Some(before) = state.controls.themes.before.take() {
        state.look.change(before);
    }
    true
}

/// Another row, whose theme is put on.
pub(super) fn choose(state: &mut State, by: Move) -> Vec<Effect> {
    let all = state.controls.themes.all();
    let Some(Popup::Themes { row }) = &mut state.popup else { return Vec::new() };
    *row = super::moves::step_in(*row, all.len(), 10, by);
    match all.get(*row) {
        Some(Offered::BuiltIn(name)) => {
            if let Some(theme) = Theme::built_in(name, state.look.theme.depth()) {
                state.look.change(theme);
            }
            Vec::new()
        }
        Some(Offered::Own(file)) => vec![Effect::ReadTheme(file.clone())],
        None => Vec::new(),
    }
}

/// A file of the person's was read; it is put on if its row is still the chosen one.
pub(super) fn came(state: &mut State, file: &std::path::Path, theme: Result<Theme, String>) {
    let Some(Popup::Themes { row }) = state.popup else { return };
    let chosen = state.controls.themes.all().into_iter().nth(row);
    if chosen != Some(Offered::Own(file.to_owned())) {
        return;
    }
    match theme {
        Ok(theme) => state.look.change(theme),
        Err(fault) => state.status.fault(fault, state.now.at),
    }
}

/// Keeps the chosen one for good.
pub(super) fn keep(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Themes { row }) = state.popup.take() else { return Vec::new() };
    let Some(chosen) = state.controls.themes.all().into_iter().nth(row) else { return Vec::new() };
    state.controls.themes.before = None;
    let file = match &chosen {
        Offered::Own(file) => Some(file.clone()),
        Offered::BuiltIn(_) => None,
    };
    vec![Effect::Keep(Setting::Theme { name: chosen.name(), file })]
}
