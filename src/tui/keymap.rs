//! Every key, in one table: where it counts, what it does, and the words help says of it.
//!
//! The letters of a question are answered by the guard, not here; nothing that touches `y` on a
//! QWERTY, QWERTZ or AZERTY keyboard is bound beside it.

mod table;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub use table::TABLE;

/// Where a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Everywhere,
    Start,
    Composer,
    Question,
    Because,
    Wider,
    Search,
    Edit,
    Several,
    Transcript,
    Output,
    /// The lists of the right column.
    Lines,
    Sessions,
    Waiting,
    Changes,
    /// What undoing would do, asked.
    Undo,
    Grants,
    Decisions,
    /// The words by which a list is narrowed.
    Filter,
    Help,
    Connect,
    Quit,
    Mode,
    Stop,
    Script,
    /// What to do about a session that another process has.
    Held,
    Delete,
    Rename,
    /// What was said in a session.
    Said,
    Rewind,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Go(Go),
    Move(Move),
    /// Shows what has the keys alone, and everything again.
    Zoom,
    /// Makes what has the keys larger or smaller.
    Size(Grow),
    Answer(Letter),
    Edit(Edit),
    Begin(Begin),
    /// Opens or folds what is chosen; in a question, shows it in full.
    Open,
    /// Puts a question off, or takes it up again.
    NotNow,
    /// Puts what is asked about on the clipboard.
    Copy,
    /// Shows the script that asks.
    Script,
    /// Shows both sides of a change beside each other, and back.
    Compare,
    /// Folds what is chosen, or opens it.
    Fold,
    Unfold,
    /// To the next of its kind, or to the one before.
    Jump(Jump),
    /// Looks for a word.
    Search,
    /// Puts a list in another order.
    Order,
    /// Shows all that a script asks for.
    Several,
    /// Takes a row in, or out.
    Choose,
    /// No to all that is chosen.
    Refuse,
    /// Opens a text in the person's own editor.
    Editor(Part),
    /// Asks whether the chosen session is to be stopped.
    Stop,
    /// Begins a copy of the chosen session.
    Fork,
    /// Asks whether the chosen session is to be deleted.
    Delete,
    /// Carries the chosen session on here.
    Resume,
    /// Goes to where words for it are written.
    Message,
    /// Begins a session.
    Add,
    Rename,
    /// Shows what was said, to go back to before that.
    Said,
    /// Types what a list is narrowed by.
    Filter,
    /// Switches between for the session and for always.
    Lasting,
    /// Asks what undoing would do.
    Undo,
    /// Takes the chosen rule back.
    Revoke,
    /// Does what a form describes.
    Confirm,
    /// Empties the draft, else quits on the second press.
    Clear,
    /// Leaves what has the keys.
    Leave,
    Quit,
    Suspend,
}

/// What of a call is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Field,
    Whole,
}

/// Somewhere else on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    Question,
    NextPane,
    PreviousPane,
    Help,
    Sessions,
    Waiting,
    Output,
    Changes,
    Grants,
    Decisions,
    Mode,
    Session(u8),
    Back,
    Forward,
    Parent,
    PreviousQuestion,
    NextQuestion,
}

/// Larger, or smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grow {
    Width(bool),
    Height(bool),
}

/// What is jumped to in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    NextError,
    PreviousError,
    NextChange,
    PreviousChange,
}

/// Up and down, in text and in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    PreviousCell,
    NextCell,
}

/// What the row of keys of a question offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    Yes,
    No,
    Because,
    StopTurn,
    Edit,
    Several,
    Wider,
}

/// What a letter does in a question.
pub fn letter(letter: char) -> Option<Action> {
    action(Place::Question, Key::char(letter))
}

/// What is done to a text that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    Send,
    NewLine,
    Left,
    Right,
    WordLeft,
    WordRight,
    Up,
    Down,
    LineStart,
    LineEnd,
    Backspace,
    Delete,
    KillWord,
    KillToStart,
    KillToEnd,
}

/// What the first screen offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    Chosen,
    Connect,
    NextTheme,
}

/// A key as a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Key {
    const fn plain(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::NONE }
    }

    const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), modifiers: KeyModifiers::CONTROL }
    }

    const fn alt(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::ALT }
    }

    const fn shift(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::SHIFT }
    }

    const fn alt_shift(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::ALT.union(KeyModifiers::SHIFT) }
    }

    /// The key of a press. A shifted letter is its capital, whatever the terminal reports.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other keys are what they are")]
    pub fn of(event: &KeyEvent) -> Self {
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
                modifiers -= KeyModifiers::SHIFT;
                KeyCode::Char(c.to_ascii_lowercase())
            }
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::SHIFT) => {
                modifiers -= KeyModifiers::SHIFT;
                KeyCode::Char(if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c })
            }
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            other => other,
        };
        Self { code, modifiers }
    }

    /// The character this key types into a text, if it types one.
    pub fn typed(self) -> Option<char> {
        let KeyCode::Char(c) = self.code else { return None };
        (self.modifiers.is_empty() && !c.is_control()).then_some(c)
    }

    /// Its name on the screen.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other keys have names already")]
    pub fn label(self) -> String {
        let mut label = String::new();
        for (modifier, name) in [
            (KeyModifiers::CONTROL, "ctrl+"),
            (KeyModifiers::ALT, "alt+"),
            (KeyModifiers::SHIFT, "shift+"),
        ] {
            if self.modifiers.contains(modifier) {
                label.push_str(name);
            }
        }
        match self.code {
            KeyCode::Char(' ') => label.push_str("space"),
            KeyCode::Char(c) => label.push(c),
            KeyCode::F(n) => label.push_str(&format!("F{n}")),
            KeyCode::Enter => label.push_str("enter"),
            KeyCode::Esc => label.push_str("esc"),
            KeyCode::Tab => label.push_str("tab"),
            KeyCode::Up => label.push('↑'),
            KeyCode::Down => label.push('↓'),
            KeyCode::Left => label.push('←'),
            KeyCode::Right => label.push('→'),
            KeyCode::PageUp => label.push_str("pgup"),
            KeyCode::PageDown => label.push_str("pgdn"),
            KeyCode::Home => label.push_str("home"),
            KeyCode::End => label.push_str("end"),
            KeyCode::Delete => label.push_str("del"),
            other => label.push_str(&other.to_string().to_lowercase()),
        }
        label
    }
}

/// One row of the table: keys that belong together, and the words for them.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub place: Place,
    pub keys: &'static [(Key, Action)],
    pub does: &'static str,
}

impl Row {
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
            return labels.concat();
        }
        labels.join(" ")
    }
}

/// What a key does in a place, or failing that everywhere.
pub fn action(place: Place, key: Key) -> Option<Action> {
    find(place, key).or_else(|| find(Place::Everywhere, key))
}

fn find(place: Place, key: Key) -> Option<Action> {
    let keys = TABLE.iter().filter(|row| row.place == place).flat_map(|row| row.keys);
    keys.into_iter().find(|(known, _)| *known == key).map(|(_, action)| *action)
}

#[cfg(test)]
mod tests {
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
}
