use std::collections::HashSet;

use super::*;

#[test]
fn no_key_is_bound_twice_in_one_place() {
    let mut seen = HashSet::new();
    for row in TABLE {
        for (key, _) in row.keys {
            assert!(seen.insert((row.place, *key)), "{} in {:?}", key.label(), row.place);
        }
    }
}

#[test]
fn nothing_beside_yes_is_bound_in_a_question_and_yes_nowhere_else() {
    let neighbours = "tughasx67TUGHASX";
    for row in TABLE {
        for (key, action) in row.keys {
            let Some(c) = key.typed() else { continue };
            let question = row.place == Place::Question;
            assert!(!question || !neighbours.contains(c), "{c} is beside y");
            let yes = matches!(c, 'y' | 'Y');
            assert_eq!(yes, *action == Action::Answer(Letter::Yes), "{c}");
        }
    }
}

#[test]
fn enter_and_esc_never_answer_a_question() {
    for code in [KeyCode::Enter, KeyCode::Esc] {
        let found = action(Place::Question, Key::plain(code));
        assert!(!matches!(found, Some(Action::Answer(_) | Action::Confirm)), "{code}");
    }
}

#[test]
fn a_question_is_answered_by_plain_letters_only() {
    for row in TABLE {
        for (key, action) in row.keys {
            let answers = matches!(action, Action::Answer(_));
            assert!(!answers || (row.place == Place::Question && key.typed().is_some()));
        }
    }
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
fn every_row_says_what_it_does() {
    for row in TABLE {
        assert!(!row.does.is_empty() && !row.keys.is_empty(), "{row:?}");
    }
}
