//! What is chosen on the screen, kept in the person's files.

use std::sync::{Arc, Mutex, PoisonError};

use super::setup::Setup;
use crate::{
    config::{Mouse, line},
    tui::{app::Keep, effect::Setting, keymap::Keymap},
};

/// The model that the person chose on the screen for new sessions, if they did.
pub(super) type ChosenModel = Arc<Mutex<Option<String>>>;

/// Keeps each choice where it is read from at the next start.
pub(super) fn keep(setup: &Setup, chosen: ChosenModel) -> Keep {
    let (config, keys) = (setup.home.config_file(), setup.home.keys_file());
    Arc::new(move |setting| match setting {
        Setting::Theme { name, .. } => line::set(&config, "theme", name),
        Setting::Preset(preset) => line::set(&keys, "preset", preset.name()),
        Setting::Model(name) => {
            *chosen.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.clone());
            line::set(&config, "model", name)
        }
        Setting::Motion(motion) => line::set(&config, "screen.motion", motion.name()),
        Setting::Mouse(mouse) => line::set(&config, "screen.mouse", mouse == Mouse::Footplate),
        Setting::Key(place, action, key) => {
            let setting = format!("{}.{}", place.section(), action.name());
            line::set_checked(&keys, &setting, vec![key.label()], |text| {
                let read = Keymap::read("keys.toml", text);
                read.map(drop).map_err(|fault| fault.to_string())
            })
        }
    })
}
