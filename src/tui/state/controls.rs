//! What the person works the screen with: the keys, the list of all commands, the themes.

use std::path::PathBuf;

use super::palette::Palette;
use crate::{
    config::Mouse,
    tui::{
        keymap::{Action, Keymap, Place},
        theme::Theme,
    },
};

/// Keys, commands, themes.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    pub keys: Keymap,
    pub palette: Palette,
    pub themes: Themes,
    /// A model on this computer that the person can choose, by the name that chooses it.
    pub models: Vec<String>,
    pub mouse: Mouse,
}

/// What can be chosen, and what was there before the list was opened.
#[derive(Clone, Debug, Default)]
pub struct Themes {
    /// The person's own files.
    pub own: Vec<PathBuf>,
    /// The theme that comes back if none is kept.
    pub before: Option<Theme>,
}

/// One that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offered {
    BuiltIn(&'static str),
    /// A file of the person's.
    Own(PathBuf),
}

impl Offered {
    /// The name by which settings know it.
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => (*name).to_owned(),
            Self::Own(file) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

impl Themes {
    /// All of them; a file of the person's stands in the place of a built-in one of that name.
    pub fn all(&self) -> Vec<Offered> {
        let own: Vec<_> = self.own.iter().cloned().map(Offered::Own).collect();
        let built_in = Theme::BUILT_IN.iter().map(|(name, _)| Offered::BuiltIn(name));
        let mut all: Vec<_> =
            built_in.filter(|theme| !own.iter().any(|own| own.name() == theme.name())).collect();
        all.extend(own);
        all
    }
}

impl Controls {
    /// The first key that has this action in a place, or failing that everywhere, as it is shown; empty
    /// where it has none.
    pub fn key(&self, place: Place, action: Action) -> String {
        let own = self.keys.keys(place, action);
        let mut all = own.chain(self.keys.keys(Place::Everywhere, action));
        // A key may do another thing here.
        let key = all.find(|key| self.keys.action(place, *key) == Some(action));
        key.map(|key| key.label()).unwrap_or_default()
    }
}
