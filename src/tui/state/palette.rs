//! The list of all commands: what there is, what of it fits the words, and why one is off.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use super::{Popup, State, draft::Draft};
use crate::{
    kernel::spec::SessionSpec,
    tui::keymap::{Action, Begin, Go, Listed, Place, TABLE, UNBOUND, listed},
};

/// The open list: the words, the chosen row, and where the person was.
#[derive(Clone, Debug)]
pub struct Palette {
    pub words: Draft,
    pub row: usize,
    /// Where a key counted before.
    pub from: Place,
    /// What was open before.
    pub under: Option<Popup>,
    /// The command that is to have the next key that is pressed.
    pub asks: Option<Asks>,
    /// A word on the key that was given last.
    pub note: Option<String>,
}

/// A command that is to have another key.
#[derive(Clone, Debug)]
pub struct Asks {
    pub place: Place,
    pub action: Action,
    pub title: &'static str,
    /// Why the key before was none for it.
    pub not: Option<String>,
}

impl Default for Palette {
    fn default() -> Self {
        Self {
            words: Draft::default(),
            row: 0,
            from: Place::Composer,
            under: None,
            asks: None,
            note: None,
        }
    }
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub place: Place,
    pub action: Action,
    pub title: &'static str,
    /// Its keys, and where they count if not everywhere.
    pub keys: String,
    /// Why it can do nothing now.
    pub off: Option<&'static str>,
}

/// All commands, what counts everywhere first.
pub fn entries(state: &State) -> Vec<Entry> {
    let bound =
        TABLE.iter().flat_map(|row| row.keys.iter().map(|(_, action)| (row.place, *action)));
    let unbound = UNBOUND.iter().map(|(place, action, _)| (*place, *action));
    let mut all: Vec<Entry> = Vec::new();
    for (place, action) in bound.chain(unbound) {
        let Listed::As(title) = listed(place, action) else { continue };
        if all.iter().any(|known| (known.place, known.action) == (place, action)) {
            continue;
        }
        let (keys, off) = (keys(state, place, action), off(state, place, action));
        all.push(Entry { place, action, title, keys, off });
    }
    all.sort_by_key(|entry| entry.place != Place::Everywhere);
    all
}

/// Those that fit the words, best first; all of them where there are none.
pub fn found(state: &State) -> Vec<Entry> {
    let all = entries(state);
    let words = state.controls.palette.words.text();
    if words.trim().is_empty() {
        return all;
    }
    let pattern = Pattern::parse(&words, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut scored: Vec<(u32, Entry)> = all
        .into_iter()
        .filter_map(|entry| {
            let text = format!("{} {}", entry.title, entry.keys);
            let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher)?;
            Some((score, entry))
        })
        .collect();
    // Stable, so that equals keep their order.
    scored.sort_by_key(|(score, entry)| (entry.off.is_some(), std::cmp::Reverse(*score)));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

/// `F5`, `u in changes`, or nothing.
fn keys(state: &State, place: Place, action: Action) -> String {
    let keys = &state.controls.keys;
    let of =
        |place| keys.keys(place, action).map(|key| key.label()).collect::<Vec<_>>().join(" · ");
    let here = of(place);
    match (place, here.is_empty()) {
        (Place::Everywhere, false) => here,
        (_, false) => format!("{here} in {}", place.shown()),
        (_, true) => {
            let elsewhere = Place::ALL.iter().map(|place| (*place, of(*place)));
            let mut found =
                elsewhere.filter(|(_, keys)| place == Place::Everywhere && !keys.is_empty());
            found.next().map(|(at, keys)| format!("{keys} in {}", at.shown())).unwrap_or_default()
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all else can always be done")]
fn off(state: &State, place: Place, action: Action) -> Option<&'static str> {
    const NO_SESSION: &str = "no session is there yet";
    const NOTHING_WAITS: &str = "nothing waits";
    let node = state.sessions.node();
    let found = |missing: bool, why| missing.then_some(why);
    match place {
        Place::Question => found(state.queue.current().is_none(), NOTHING_WAITS),
        Place::Waiting => found(state.queue.listed().is_empty(), NOTHING_WAITS),
        Place::Sessions if action == Action::Add => {
            found(state.place.starting.is_some(), "a session is being started")
        }
        Place::Sessions => found(state.tree().is_empty(), NO_SESSION),
        Place::Transcript | Place::Changes | Place::Grants | Place::Decisions => {
            found(node.is_none(), NO_SESSION)
        }
        Place::File => {
            let here = state.controls.palette.from == Place::File;
            found(!here, "no file is looked at")
        }
        Place::Output => found(state.output.runs.is_empty(), "nothing has run yet"),
        Place::Everywhere => match action {
            Action::Go(Go::Question) => found(state.queue.listed().is_empty(), NOTHING_WAITS),
            Action::Go(Go::Mode) => found(node.is_none(), "a mode belongs to a session"),
            Action::Go(Go::Parent) => {
                let parent = |spec: &SessionSpec| spec.parent.is_some();
                found(!node.is_some_and(|node| parent(&node.spec)), "no agent is in view")
            }
            Action::Go(Go::Output) => found(state.output.runs.is_empty(), "nothing has run yet"),
            Action::Stop => {
                let works = |node: &super::sessions::Node| {
                    node.doing.works() || state.sessions.at_work_below(node.spec.id) > 0
                };
                found(!node.is_some_and(works), "nothing works here now")
            }
            Action::Go(Go::Away) => {
                found(state.status.away.told.is_none(), "nothing happened while you were away")
            }
            Action::Clear => found(state.composer.draft.is_empty(), "there is no draft"),
            Action::Preset(preset) => {
                found(preset == state.controls.keys.preset(), "these are your keys now")
            }
            Action::Begin(Begin::Tour) => {
                found(state.place.starting.is_some(), "a session is being started")
            }
            _ => None,
        },
        _ => None,
    }
}
