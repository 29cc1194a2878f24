//! The person's file of keys: a preset, and what keys an action has instead of its own.
//!
//! ```toml
//! preset = "vim"
//!
//! [everywhere]
//! commands = ["ctrl+p", "F10"]
//!
//! [waiting]
//! order = []
//! ```
//!
//! A file with a fault counts for nothing: half of one could leave two meanings on one key.

use std::{collections::HashMap, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Action, Key, Keymap, Place, Preset, TABLE, UNBOUND};
use crate::kernel::setting::{near, place as position, twice};

/// Why a file of keys cannot be used, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}: {hint}")]
pub struct KeysError {
    pub file: String,
    /// From 1.
    pub line: usize,
    pub what: String,
    pub hint: String,
}

type Value<'a> = Spanned<DeValue<'a>>;

struct Reader<'a> {
    file: &'a str,
    source: &'a str,
}

/// Everything that can have a key, with its words.
fn all() -> impl Iterator<Item = (Place, Action, &'static str)> {
    let bound = TABLE
        .iter()
        .flat_map(|row| row.keys.iter().map(|(_, action)| (row.place, *action, row.does)));
    bound.chain(UNBOUND.iter().copied())
}

/// A file that sets nothing, with all that can be set as comments.
pub(super) fn template() -> String {
    let mut text = String::from(
        "# Keys. A line such as order = [\"o\", \"F9\"] below a place gives an action these keys\n\
         # instead of its own; [] gives it none. What answers a question cannot be moved. Each\n\
         # saving counts at once. Take the # away where you change something.\n\n\
         # preset = \"vim\"    # adds keys of vim, takes none away\n",
    );
    for place in Place::ALL {
        let mut actions: Vec<Action> = Vec::new();
        let here = all().filter(|(at, action, _)| at == place && !action.answers());
        for (_, action, _) in here {
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        if actions.is_empty() {
            continue;
        }
        text.push_str(&format!("\n# [{}]\n", place.section()));
        let keymap = Keymap::default();
        for action in actions {
            let keys: Vec<_> =
                keymap.keys(*place, action).map(|key| format!("{:?}", key.label())).collect();
            text.push_str(&format!("# {} = [{}]\n", action.name(), keys.join(", ")));
        }
    }
    text
}

pub(super) fn read(file: &str, source: &str) -> Result<Keymap, KeysError> {
    let reader = Reader { file, source };
    let table = DeTable::parse(source).map_err(|error| {
        let span = error.span().unwrap_or_default();
        let (what, hint) = twice(source, &error).unwrap_or_else(|| {
            (error.message().replace('\n', " "), "write it as TOML: help = \"F1\"".to_owned())
        });
        reader.fault(span, what, &hint)
    })?;
    let mut preset = Preset::default();
    let mut set = Vec::new();
    for (key, value) in table.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("preset", _) => preset = reader.preset(value)?,
            (section, DeValue::Table(keys)) => {
                let place = reader.place(section, key.span())?;
                for (name, value) in keys {
                    let (action, does) = reader.action(place, name)?;
                    let keys = reader.keys(place, action, value)?;
                    set.push((place, action, does, keys, name.span()));
                }
            }
            (other, _) => {
                let sections = Place::ALL.iter().map(|place| place.section());
                let hint = match near(other, sections.chain(["preset"])) {
                    Some("preset") => "did you mean preset?".to_owned(),
                    Some(near) => format!("keys stand below the place they count in: [{near}]"),
                    None => "keys stand below the place they count in: [composer]".to_owned(),
                };
                return Err(reader.fault(key.span(), format!("{other} is no setting"), &hint));
            }
        }
    }
    // In the order in which a person reads it, so that a fault is told where it comes in.
    set.sort_by_key(|(.., span): &Set| span.start);
    let mut keymap = Keymap::of(preset);
    for (place, action, does, keys, _) in &set {
        keymap.replace(*place, *action, does, keys);
    }
    reader.bound_once(&mut keymap, &set)?;
    keymap.settle();
    reader.way_out(&keymap)?;
    Ok(keymap)
}

/// The keys with this one for that action, and a word on what it hides or is hidden by; or why not.
pub(super) fn given(
    keymap: &Keymap,
    place: Place,
    action: Action,
    key: Key,
) -> Result<(Keymap, Option<String>), String> {
    let label = key.label();
    if let Some((what, hint)) = refused(place, action, key) {
        return Err(format!("{what}: {hint}."));
    }
    let does = |place, key| {
        let bound = keymap.rows().iter().filter(|row| row.place == place);
        let found =
            bound.flat_map(|row| row.keys.iter().map(|(known, of)| (*known, *of, row.does)));
        found.clone().find(|(known, of, _)| *known == key && *of != action).map(|found| found.2)
    };
    if let Some(taken) = does(place, key) {
        return Err(format!("{label} is taken in {}: {taken}.", place.shown()));
    }
    let Some((_, _, words)) = all().find(|(at, known, _)| (*at, *known) == (place, action)) else {
        return Err(format!("{} has no key in {}.", action.name(), place.shown()));
    };
    let others = Place::ALL.iter().filter(|other| **other != Place::Everywhere);
    let note = if place == Place::Everywhere {
        others
            .filter_map(|other| Some((other, does(*other, key)?)))
            .map(|(other, stays)| format!("In {} it stays: {stays}.", other.shown()))
            .next()
    } else {
        does(Place::Everywhere, key).map(|hidden| format!("There it no longer does: {hidden}."))
    };
    let mut new = keymap.clone();
    new.replace(place, action, words, &[key]);
    new.settle();
    Ok((new, note))
}

type Set = (Place, Action, &'static str, Vec<Key>, Range<usize>);

impl Reader<'_> {
    fn fault(&self, span: Range<usize>, what: String, hint: &str) -> KeysError {
        KeysError {
            file: self.file.to_owned(),
            line: position(self.source, span.start).0,
            what,
            hint: hint.to_owned(),
        }
    }

    fn preset(&self, value: &Value<'_>) -> Result<Preset, KeysError> {
        let name = value.get_ref().as_str().unwrap_or_default();
        Preset::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| {
            let what = format!("{} is no preset", crate::kernel::text::quoted(name));
            self.fault(value.span(), what, "write \"plain\" or \"vim\"")
        })
    }

    fn place(&self, section: &str, span: Range<usize>) -> Result<Place, KeysError> {
        let known = Place::ALL.iter().copied();
        known.clone().find(|place| place.section() == section).ok_or_else(|| {
            let hint = match near(section, known.map(Place::section)) {
                Some(near) => format!("did you mean [{near}]?"),
                None => format!(
                    "places are {}",
                    Place::ALL.iter().map(|p| p.section()).collect::<Vec<_>>().join(", ")
                ),
            };
            self.fault(span, format!("[{section}] is no place"), &hint)
        })
    }

    fn action(
        &self,
        place: Place,
        name: &Spanned<std::borrow::Cow<'_, str>>,
    ) -> Result<(Action, &'static str), KeysError> {
        let here = || all().filter(|(known, ..)| *known == place);
        let wanted = name.get_ref().as_ref();
        match here().find(|(_, action, _)| action.name() == wanted) {
            Some((_, action, _)) if action.answers() => {
                let what = format!("the key of {wanted} in [{}] cannot be moved", place.section());
                Err(self.fault(name.span(), what, "what answers a question stays as it is"))
            }
            Some((_, action, does)) => Ok((action, does)),
            None => {
                let mut names: Vec<_> = here().map(|(_, action, _)| action.name()).collect();
                names.dedup();
                let hint = match near(wanted, names.iter().copied()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("there is {}", names.join(", ")),
                };
                let what = format!("{wanted} is nothing that a key does in [{}]", place.section());
                Err(self.fault(name.span(), what, &hint))
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a key")]
    fn keys(&self, place: Place, action: Action, value: &Value<'_>) -> Result<Vec<Key>, KeysError> {
        const HINT: &str = "write a key such as \"ctrl+k\", several as [\"F5\", \"alt+c\"]";
        let values: Vec<&Value<'_>> = match value.get_ref() {
            DeValue::String(_) => vec![value],
            DeValue::Array(values) => values.iter().collect(),
            _ => {
                let what = format!("{} has no key", action.name());
                return Err(self.fault(value.span(), what, HINT));
            }
        };
        let mut keys = Vec::new();
        for value in values {
            let name = value.get_ref().as_str().unwrap_or_default();
            let key = Key::parse(name).map_err(|what| self.fault(value.span(), what, HINT))?;
            if let Some((what, hint)) = refused(place, action, key) {
                return Err(self.fault(value.span(), what, hint));
            }
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        Ok(keys)
    }

    /// A key has one meaning in a place. One that a preset only added gives way to the person's own;
    /// one of the table does not, unless the file gives that action another.
    fn bound_once(&self, keymap: &mut Keymap, set: &[Set]) -> Result<(), KeysError> {
        let mut mine: HashMap<(Place, Key), Action> = HashMap::new();
        for (place, action, _, keys, span) in set {
            for key in keys {
                let table = TABLE.iter().filter(|row| row.place == *place);
                let stays =
                    |other: Action| !set.iter().any(|(at, set, ..)| *at == *place && *set == other);
                let of_table = table
                    .flat_map(|row| row.keys)
                    .find(|(known, other)| known == key && other != action && stays(*other))
                    .map(|(_, other)| *other);
                let other = of_table.or_else(|| mine.insert((*place, *key), *action));
                if let Some(other) = other {
                    let what = format!(
                        "{} is {} already in [{}]",
                        key.label(),
                        other.name(),
                        place.section()
                    );
                    let hint = format!("take another key, or give {} one", other.name());
                    return Err(self.fault(span.clone(), what, &hint));
                }
            }
        }
        keymap.give_way(&mine);
        Ok(())
    }

    /// Nobody is locked in.
    fn way_out(&self, keymap: &Keymap) -> Result<(), KeysError> {
        let has = |action| keymap.keys(Place::Everywhere, action).next().is_some();
        let missing = match (has(Action::Leave), has(Action::Quit) || has(Action::Clear)) {
            (false, _) => "leave",
            (true, false) => "quit",
            (true, true) => return Ok(()),
        };
        let at = self.source.find(missing).unwrap_or_default();
        let what = format!("{missing} has no key, and there would be no way out");
        Err(self.fault(at..at, what, "give it one in [everywhere]"))
    }
}

/// Why a key may not be bound there.
fn refused(place: Place, action: Action, key: Key) -> Option<(String, &'static str)> {
    let label = key.label();
    if key.is_yes() {
        return Some((format!("{label} says yes to a question, and nothing else"), "take another"));
    }
    if place == Place::Question && key.is_beside_yes() {
        let hint = "take one that is further away";
        return Some((format!("{label} is beside y on some keyboards"), hint));
    }
    let own = TABLE.iter().filter(|row| row.place == place);
    if own.flat_map(|row| row.keys).any(|known| *known == (key, action)) {
        return None;
    }
    if place.takes_text() && key.typed().is_some() {
        let what = format!("{label} is text in [{}]", place.section());
        return Some((what, "take one with ctrl+ or alt+, or an F key"));
    }
    let leaves = TABLE.iter().filter(|row| row.place == Place::Everywhere);
    let leaves = leaves.flat_map(|row| row.keys).any(|known| *known == (key, Action::Leave));
    if leaves && action != Action::Leave {
        return Some((format!("{label} leaves what is open"), "take another"));
    }
    None
}
