use std::collections::{HashMap, HashSet};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;

fn presets() -> [Keymap; 2] {
    Preset::ALL.map(Keymap::of)
}

/// What holds of every map of keys, whoever made it.
fn hold(keymap: &Keymap) {
    let mut seen = HashSet::new();
    for row in keymap.rows() {
        assert!(!row.does.is_empty() && !row.keys.is_empty(), "{row:?}");
        for (key, action) in &row.keys {
            let (place, name) = (row.place, key.label());
            assert!(seen.insert((place, *key)), "{name} is bound twice in {place:?}");
            assert_eq!(keymap.action(place, *key), Some(*action), "{name} in {place:?}");
            let yes = *action == Action::Answer(Letter::Yes);
            assert_eq!(key.is_yes(), yes, "{name} in {place:?}");
            let answers = matches!(action, Action::Answer(_));
            let question = place == Place::Question;
            assert!(!answers || (question && key.typed().is_some()), "{name} in {place:?}");
            assert!(!question || !key.is_beside_yes(), "{name} is beside y");
        }
    }
    for code in [KeyCode::Enter, KeyCode::Esc] {
        let found = keymap.action(Place::Question, Key::plain(code));
        assert!(!found.is_some_and(Action::answers), "{code} answers a question");
    }
    for place in Place::ALL {
        let leaves = keymap.action(*place, Key::plain(KeyCode::Esc));
        assert!(matches!(leaves, Some(Action::Leave) | None), "esc in {place:?}");
    }
}

#[test]
fn no_key_is_bound_twice_and_nothing_is_beside_yes_in_any_preset() {
    presets().iter().for_each(hold);
}

#[test]
fn the_vim_like_keys_are_added_and_none_is_taken_away() {
    let [plain, vim] = presets();
    let mut added = 0;
    for row in vim.rows() {
        for (key, action) in &row.keys {
            match plain.bound(row.place, *key) {
                Some(before) => assert_eq!(before, *action, "{} in {:?}", key.label(), row.place),
                None => added += 1,
            }
        }
    }
    assert!(added > 50, "{added}");
    let count = |keymap: &Keymap| keymap.rows().iter().map(|row| row.keys.len()).sum::<usize>();
    assert_eq!(count(&vim), count(&plain) + added);
    let question: Vec<_> = vim.keys(Place::Question, Action::Move(Move::Down)).collect();
    assert_eq!(question, [Key::plain(KeyCode::Down), Key::char('j')]);
    assert_eq!(vim.action(Place::Question, Key::char('g')), None, "g touches y");
    assert_eq!(vim.action(Place::Composer, Key::char('j')), None, "j is text there");
}

#[test]
fn no_file_of_keys_can_break_what_holds_of_them() {
    let mut kept = 0;
    let all = TABLE.iter().flat_map(|row| row.keys.iter().map(|(_, does)| (row.place, *does)));
    let all: HashSet<_> = all.chain(UNBOUND.iter().map(|(at, does, _)| (*at, *does))).collect();
    for (place, action) in all {
        for key in ["Y", "t", "z", "enter", "esc", "ctrl+s"] {
            for preset in ["plain", "vim"] {
                let source = format!(
                    "preset = \"{preset}\"\n[{}]\n{} = [\"{key}\", \"F11\"]\n",
                    place.section(),
                    action.name()
                );
                match Keymap::read("keys.toml", &source) {
                    Ok(keymap) => {
                        kept += 1;
                        hold(&keymap);
                        let key = Key::parse(key).unwrap();
                        assert_eq!(keymap.bound(place, key), Some(action), "{source}");
                    }
                    Err(fault) => {
                        assert!(fault.line >= 2 && !fault.hint.is_empty(), "{source}{fault}");
                    }
                }
            }
        }
    }
    assert!(kept > 500, "{kept}");
}

#[test]
fn a_fault_in_the_file_of_keys_says_its_line_and_what_to_do() {
    for (source, expected) in [
        ("[waiting]\norder = \"q", "keys.toml:2: "),
        ("preset = \"emacs\"", "keys.toml:1: \"emacs\" is no preset: write \"plain\" or \"vim\""),
        ("presett = \"vim\"", "keys.toml:1: presett is no setting: did you mean preset?"),
        ("[wating]\n", "keys.toml:1: [wating] is no place: did you mean [waiting]?"),
        (
            "[waiting]\nordre = \"x\"",
            "keys.toml:2: ordre is nothing that a key does in [waiting]: did you mean order?",
        ),
        ("[waiting]\n\norder = \"hyper+x\"", "keys.toml:3: \"hyper+x\" is no key: write a key"),
        (
            "[waiting]\norder = \"x\"\norder = \"z\"",
            "keys.toml:3: `order` stands here a second time: keep one of the two",
        ),
        ("[waiting]\norder = 7", "keys.toml:2: order has no key: write a key such as"),
        ("[waiting]\norder = [\"x\", 7]", "keys.toml:2: \"\" is no key: "),
        ("[waiting]\norder = \"ctrl+i\"", "keys.toml:2: many terminals send tab for ctrl+i: "),
        (
            "[waiting]\norder = \"l\"",
            "keys.toml:2: l is not-now already in [waiting]: take another key, or give not-now one",
        ),
        (
            "[waiting]\norder = \"x\"\nnot-now = \"x\"",
            "keys.toml:3: x is order already in [waiting]: take another key, or give order one",
        ),
        ("[waiting]\norder = \"y\"", "keys.toml:2: y says yes to a question, and nothing else"),
        ("[question]\nscript = \"t\"", "keys.toml:2: t is beside y on some keyboards: take one"),
        ("[question]\nyes = \"z\"", "keys.toml:2: the key of yes in [question] cannot be moved: "),
        ("[several]\nconfirm = \"z\"", "keys.toml:2: the key of confirm in [several] cannot be"),
        ("[composer]\nsend = \"z\"", "keys.toml:2: z is text in [composer]: take one with ctrl+"),
        ("[everywhere]\nhelp = \"z\"", "keys.toml:2: z is text in [everywhere]: take one with"),
        ("[changes]\nundo = \"esc\"", "keys.toml:2: esc leaves what is open: take another"),
        (
            "[everywhere]\nleave = []",
            "keys.toml:2: leave has no key, and there would be no way out: give it one in",
        ),
        ("[everywhere]\nclear = []\nquit = []", "keys.toml:3: quit has no key, and there would"),
    ] {
        let fault = Keymap::read("keys.toml", source).expect_err(source).to_string();
        assert!(fault.starts_with(expected), "{source}\n{fault}");
    }
}

#[test]
fn a_file_puts_keys_in_the_place_of_others() {
    let source = "preset = \"vim\"\n[waiting]\norder = [\"z\", \"j\"]\nnot-now = []\n\
                  [everywhere]\nthemes = \"F12\"\nhelp = [\"F1\", \"alt+h\"]\n";
    let keymap = Keymap::read("keys.toml", source).unwrap();
    hold(&keymap);
    let at = |place, key: &str| keymap.action(place, Key::parse(key).unwrap());
    assert_eq!(at(Place::Waiting, "z"), Some(Action::Order));
    assert_eq!(at(Place::Waiting, "j"), Some(Action::Order), "what vim added gives way");
    assert_eq!(at(Place::Waiting, "o"), None);
    assert_eq!(at(Place::Waiting, "l"), None);
    assert_eq!(at(Place::Sessions, "j"), Some(Action::Move(Move::Down)));
    assert_eq!(at(Place::Composer, "F12"), Some(Action::Go(Go::Themes)));
    assert_eq!(at(Place::Question, "alt+h"), Some(Action::Go(Go::Help)));
    assert_eq!(at(Place::Question, "y"), Some(Action::Answer(Letter::Yes)));
    assert_eq!(keymap.words(), "your keys, vim-like");
    // Two that change places are no fault.
    let swapped = Keymap::read("k", "[waiting]\norder = \"l\"\nnot-now = \"o\"\n").unwrap();
    hold(&swapped);
}

#[test]
fn the_file_to_begin_with_sets_nothing_and_everything_in_it_could_be_set() {
    let template = Keymap::template();
    assert_eq!(Keymap::read("keys.toml", &template), Ok(Keymap::default()));
    let set: String = template
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.starts_with('[') || line.contains(" = ["))
        .filter(|line| !line.starts_with("Keys."))
        .map(|line| format!("{line}\n"))
        .collect();
    let keymap = Keymap::read("keys.toml", &set).unwrap_or_else(|fault| panic!("{set}\n{fault}"));
    hold(&keymap);
    for row in Keymap::default().rows() {
        for (key, action) in &row.keys {
            assert_eq!(keymap.bound(row.place, *key), Some(*action), "{}", key.label());
        }
    }
}

#[test]
fn every_action_is_a_command_or_says_why_not_and_has_a_name_of_its_own() {
    let mut names: HashMap<(Place, &str), Action> = HashMap::new();
    let mut titles: HashMap<(Place, &str), Action> = HashMap::new();
    let bound = TABLE.iter().flat_map(|row| row.keys.iter().map(|(_, does)| (row.place, *does)));
    for (place, action) in bound.chain(UNBOUND.iter().map(|(at, does, _)| (*at, *does))) {
        let other = *names.entry((place, action.name())).or_insert(action);
        assert_eq!(other, action, "{} in {place:?}", action.name());
        match listed(place, action) {
            Listed::As(title) => {
                assert!(title.chars().next().is_some_and(char::is_uppercase), "{title}");
                let other = *titles.entry((place, title)).or_insert(action);
                assert_eq!(other, action, "{title} in {place:?}");
            }
            Listed::Not(why) => assert!(why.len() > 10, "{action:?}"),
        }
    }
    assert!(titles.len() > 30, "{}", titles.len());
}

#[test]
fn keys_are_the_same_however_a_terminal_reports_them() {
    let shifted = KeyEvent::new(KeyCode::Char('n'), KeyModifiers::SHIFT);
    let capital = KeyEvent::new(KeyCode::Char('N'), KeyModifiers::SHIFT);
    let bare = KeyEvent::new(KeyCode::Char('N'), KeyModifiers::NONE);
    assert_eq!(Key::of(&shifted), Key::of(&capital));
    assert_eq!(Key::of(&capital), Key::of(&bare));
    let back = KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!(Key::of(&back).label(), "shift+tab");
}

#[test]
fn a_key_is_read_by_the_name_it_is_shown_by() {
    let rows = TABLE.iter().flat_map(|row| row.keys);
    for (key, _) in rows {
        assert_eq!(Key::parse(&key.label()), Ok(*key), "{}", key.label());
    }
    for (name, same) in [("up", "↑"), ("ctrl+K", "ctrl+k"), ("shift+n", "N"), ("f5", "F5")] {
        assert_eq!(Key::parse(name), Key::parse(same));
    }
    for name in ["", "ctrl+", "F0", "F25", "f1x", "nothing", "super+a", "\u{1b}"] {
        assert!(Key::parse(name).is_err(), "{name:?}");
    }
}
