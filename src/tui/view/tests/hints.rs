//! Every key that is shown is the one that counts: with other keys there are other hints, and without
//! keys none.

use std::collections::{BTreeMap, BTreeSet};

use super::{SIZES, Stage, all::ALL};
use crate::tui::keymap::{Action, Keymap, Place};

/// Keys that nobody has: one for each action, and none is shown as any of the old ones.
fn others() -> Keymap {
    let mut keymap = Keymap::default();
    let mut letters = ('а'..='я')
        .chain('А'..='Я')
        .chain('α'..='ω')
        .chain('Α'..='Ρ')
        .chain('ა'..='ჰ')
        .chain('Ա'..='Ֆ');
    let mut own: BTreeMap<&str, char> = BTreeMap::new();
    for (place, action) in bound(&keymap) {
        let letter = *own.entry(action.name()).or_insert_with(|| letters.next().unwrap());
        keymap.rebind(place, action, Some(letter));
    }
    keymap
}

fn without() -> Keymap {
    let mut keymap = Keymap::default();
    for (place, action) in bound(&keymap) {
        keymap.rebind(place, action, None);
    }
    keymap
}

/// All that can have another key: the letters of a question cannot.
fn bound(keymap: &Keymap) -> Vec<(Place, Action)> {
    let all =
        keymap.rows().iter().flat_map(|row| row.keys.iter().map(|(_, does)| (row.place, *does)));
    let mut seen = BTreeSet::new();
    all.filter(|(place, action)| {
        let fixed = *place == Place::Question && action.answers();
        !fixed && seen.insert((place.section(), action.name()))
    })
    .collect()
}

/// The keys as they are shown where nobody chose others, as far as they are no words and letters.
fn old() -> BTreeSet<String> {
    let keymap = Keymap::default();
    let labels = keymap.rows().iter().flat_map(|row| row.keys.iter().map(|(key, _)| key.label()));
    let mut labels: BTreeSet<_> = labels.filter(|label| label.chars().count() > 1).collect();
    labels.extend(["↑↓", "←→"].map(str::to_owned));
    for word in ["home", "end", "space", "tab"] {
        labels.remove(word);
    }
    labels
}

/// Hints with those that are.
const LETTERS: [&str; 34] = [
    "l not now",
    "o order",
    "c copy",
    "s save",
    "w wrap",
    "f follow",
    "f hold",
    "p pin",
    "p script",
    "s stop",
    "r resume",
    "d delete",
    "u undo",
    "v side by side",
    "v unified",
    "d take it back",
    "e edit its file",
    "space choose",
    "tab to write",
    "tab answers",
    "tab next",
    "tab other",
    "tab puts",
    "tab set",
    "/ search",
    "/ filter",
    "/ find",
    ": line",
    "home first line",
    "end last line",
    "a adds one",
    "t try another",
    "e edit",
    "d what was changed",
];

/// The old keys that stand in a picture. What was said in passing has the keys of its time.
fn shown(stage: &mut Stage, old: &BTreeSet<String>) -> Vec<String> {
    stage.state.status.say("", stage.state.now.at);
    let screen = stage.screen();
    let words = screen.split([' ', '"', '·', '─', '━', '│', ';', '.', ',', '\n']);
    let words = words.filter(|word| old.contains(*word)).map(str::to_owned);
    // The e of a question is none of those: no file gives it another key.
    let letters = LETTERS.iter().filter(|hint| screen.contains(&format!(" {hint}")));
    let letters = letters.filter(|hint| **hint != "e edit" || !screen.contains("n no"));
    words.chain(letters.map(|hint| (*hint).to_owned())).collect()
}

#[test]
fn no_hint_names_a_key_that_does_not_do_it() {
    let old = old();
    let mut found = Vec::new();
    for (name, build) in ALL.iter().filter(|(name, _)| !name.starts_with("help") && *name != "log")
    {
        for (width, height) in SIZES.into_iter().chain([(40, 12)]) {
            let mut stage = build(width, height);
            for (which, keymap) in [("other keys", others()), ("no keys", without())] {
                stage.state.controls.keys = keymap;
                stage.state.look.again();
                let words = shown(&mut stage, &old);
                if !words.is_empty() {
                    found.push(format!("{name} at {width}, {which}: {words:?}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_hint_has_the_key_that_the_person_chose() {
    let keys = "[waiting]\nopen = \"F12\"\nnot-now = \"x\"\n[everywhere]\nquestion = \"ctrl+b\"\n";
    let mut stage = (ALL.iter().find(|(name, _)| *name == "inbox").unwrap().1)(80, 24);
    let keys = Keymap::read("keys.toml", keys).unwrap();
    stage.send(crate::tui::message::Message::Rekeyed(Ok(keys)));
    let screen = stage.screen();
    assert!(screen.contains("F12 open   x not now"), "{screen}");
    assert!(screen.contains("need you ctrl+b") || screen.contains("needs you ctrl+b"), "{screen}");
}

#[test]
fn the_titles_name_the_folder_of_the_session_in_view() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let spec = crate::kernel::spec::SessionSpec {
        path: vec!["main".into()],
        workspace: "/home/me/shelf-api".into(),
        ..crate::kernel::spec::SessionSpec::sample(7)
    };
    stage.event(7.into(), crate::kernel::event::Event::SessionStarted { spec });
    let title = |stage: &mut Stage| {
        let first = stage.screen().lines().next().unwrap_or_default().to_owned();
        (first, crate::tui::view::title(&stage.state))
    };
    let (rule, terminal) = title(&mut stage);
    assert!(rule.contains("─ tally / ") && terminal.contains("tally"), "{rule} {terminal}");
    stage.state.sessions.show(7.into());
    let (rule, terminal) = title(&mut stage);
    assert!(rule.contains("─ shelf-api / "), "{rule}");
    assert!(terminal.contains("shelf-api") && !terminal.contains("tally"), "{terminal}");
}
