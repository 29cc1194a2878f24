//! The keys that count: the table, a preset over it, and over both what the person's file says.

use std::collections::HashMap;

use super::{Action, Key, KeysError, Place, TABLE, file, vim};

/// Keys that belong together in one place, and the words for what they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub place: Place,
    pub keys: Vec<(Key, Action)>,
    pub does: &'static str,
}

impl Bound {
    /// The keys as help names them.
    pub fn label(&self) -> String {
        let mut labels: Vec<_> = self.keys.iter().map(|(key, _)| key.label()).collect();
        if let [first, rest @ ..] = &mut labels[..]
            && rest.len() > 2
            && let Some(prefix) = first.rfind('+').map(|at| first[..=at].to_owned())
            && rest.iter().all(|label| label.starts_with(&prefix))
        {
            // Many with the same modifiers are told of together.
            rest.iter_mut().for_each(|label| *label = label.split_off(prefix.len()));
            let all: String = rest.concat();
            return match (all.chars().all(|c| c.is_ascii_digit()), all.chars().last()) {
                (true, Some(last)) => format!("{first}…{last}"),
                _ => labels.concat(),
            };
        }
        labels.join(" ")
    }
}

/// Whose habits the keys follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Preset {
    #[default]
    Plain,
    /// Adds the keys of vim and takes none away.
    Vim,
}

impl Preset {
    pub const ALL: [Self; 2] = [Self::Plain, Self::Vim];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Vim => "vim",
        }
    }
}

/// What each key does, in each place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    preset: Preset,
    /// Some key is where the person's file put it.
    own: bool,
    rows: Vec<Bound>,
    found: HashMap<(Place, Key), Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::of(Preset::Plain)
    }
}

impl Keymap {
    /// The keys of a preset.
    pub fn of(preset: Preset) -> Self {
        let rows = TABLE.iter().map(|row| Bound {
            place: row.place,
            keys: row.keys.to_vec(),
            does: row.does,
        });
        let mut all = Self { preset, own: false, rows: rows.collect(), found: HashMap::new() };
        all.index();
        match preset {
            Preset::Plain => {}
            Preset::Vim => vim::add(&mut all),
        }
        all
    }

    /// The keys as a file sets them; `name` is only used in errors.
    pub fn read(name: &str, source: &str) -> Result<Self, KeysError> {
        file::read(name, source)
    }

    /// These keys with that one for an action in a place, in the place of its own; and a line on what it
    /// hides elsewhere or is hidden by, if it is. The error says what is in the way.
    pub fn given(
        &self,
        place: Place,
        action: Action,
        key: Key,
    ) -> Result<(Self, Option<String>), String> {
        file::given(self, place, action, key)
    }

    /// What a file of keys is begun with.
    pub fn template() -> String {
        file::template()
    }

    /// What a key does in a place, or failing that everywhere.
    pub fn action(&self, place: Place, key: Key) -> Option<Action> {
        let found = |place| self.found.get(&(place, key)).copied();
        found(place).or_else(|| found(Place::Everywhere))
    }

    /// The action of that very place, were it bound everywhere or not.
    pub(super) fn bound(&self, place: Place, key: Key) -> Option<Action> {
        self.found.get(&(place, key)).copied()
    }

    /// All bindings, in the order in which help shows them.
    pub fn rows(&self) -> &[Bound] {
        &self.rows
    }

    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// Whose keys these are, in words.
    pub fn words(&self) -> &'static str {
        match (self.preset, self.own) {
            (Preset::Plain, false) => "plain keys",
            (Preset::Vim, false) => "plain and vim-like keys",
            (Preset::Plain, true) => "your keys",
            (Preset::Vim, true) => "your keys, vim-like",
        }
    }

    /// The keys of an action in a place, the first first.
    pub fn keys(&self, place: Place, action: Action) -> impl Iterator<Item = Key> {
        let rows = self.rows.iter().filter(move |row| row.place == place);
        let keys = rows.flat_map(|row| &row.keys);
        keys.filter(move |(_, does)| *does == action).map(|(key, _)| *key)
    }

    /// Binds one more key where that action is; whether it is anywhere in that place.
    pub(super) fn add(&mut self, place: Place, action: Action, key: Key) -> bool {
        let row = self
            .rows
            .iter_mut()
            .find(|row| row.place == place && row.keys.iter().any(|(_, does)| *does == action));
        let Some(row) = row else { return false };
        row.keys.push((key, action));
        self.found.insert((place, key), action);
        true
    }

    /// Puts these keys in the place of all that an action has in a place.
    pub(super) fn replace(
        &mut self,
        place: Place,
        action: Action,
        does: &'static str,
        keys: &[Key],
    ) {
        self.own = true;
        let has =
            |row: &Bound| row.place == place && row.keys.iter().any(|(_, does)| *does == action);
        let mut new: Vec<_> = keys.iter().map(|key| (*key, action)).collect();
        let mut first = self.rows.iter().position(has);
        for row in self.rows.iter_mut().filter(|row| row.place == place) {
            row.keys.retain(|(_, does)| *does != action);
        }
        match first.take() {
            Some(at) => {
                new.append(&mut self.rows[at].keys);
                self.rows[at].keys = new;
            }
            None => self.rows.push(Bound { place, keys: new, does }),
        }
        self.index();
    }

    /// Gives an action that one key, or none.
    #[cfg(test)]
    pub fn rebind(&mut self, place: Place, action: Action, letter: Option<char>) {
        let keys: Vec<_> = letter.into_iter().map(Key::letter).collect();
        self.replace(place, action, "", &keys);
    }

    /// What a preset added goes where the person has put something else.
    pub(super) fn give_way(&mut self, mine: &HashMap<(Place, Key), Action>) {
        for row in &mut self.rows {
            let place = row.place;
            row.keys.retain(|(key, action)| {
                mine.get(&(place, *key)).is_none_or(|other| other == action)
            });
        }
    }

    /// Rows without a key are no rows.
    pub(super) fn settle(&mut self) {
        self.rows.retain(|row| !row.keys.is_empty());
        self.index();
    }

    fn index(&mut self) {
        self.found.clear();
        for row in &self.rows {
            self.found.extend(row.keys.iter().map(|(key, action)| ((row.place, *key), *action)));
        }
    }
}
