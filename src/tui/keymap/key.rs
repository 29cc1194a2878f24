//! A key as a person names it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key as a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Key {
    pub(super) const fn plain(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::NONE }
    }

    pub(super) const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    pub(super) const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), modifiers: KeyModifiers::CONTROL }
    }

    pub(super) const fn alt(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::ALT }
    }

    pub(super) const fn shift(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::SHIFT }
    }

    pub(super) const fn alt_shift(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::ALT.union(KeyModifiers::SHIFT) }
    }

    /// The key that types this letter.
    pub fn letter(letter: char) -> Self {
        Self::char(letter)
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

    /// The letter that says yes to a question.
    pub fn is_yes(self) -> bool {
        matches!(self.typed(), Some('y' | 'Y'))
    }

    /// It touches that letter on a QWERTY, QWERTZ or AZERTY keyboard.
    pub fn is_beside_yes(self) -> bool {
        self.typed().is_some_and(|typed| "tughasx67TUGHASX".contains(typed))
    }

    /// The character this key types into a text, if it types one.
    pub fn typed(self) -> Option<char> {
        let KeyCode::Char(c) = self.code else { return None };
        (self.modifiers.is_empty() && !c.is_control()).then_some(c)
    }

    /// What a paste without marks has this key for: a character, a line end or a tab.
    pub fn writes(self) -> Option<char> {
        match (self.code, self.modifiers) {
            (KeyCode::Enter, KeyModifiers::NONE) => Some('\n'),
            (KeyCode::Char('j'), KeyModifiers::CONTROL) => Some('\n'),
            (KeyCode::Tab, KeyModifiers::NONE) => Some('\t'),
            _ => self.typed(),
        }
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

    /// The key of that name, as it stands on the screen or in a file: `ctrl+k`, `F5`, `pgup`, `↑`.
    /// The error says why no key is meant, or why a terminal cannot tell it from another.
    pub fn parse(name: &str) -> Result<Self, String> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = name;
        while let Some((modifier, tail)) = [
            ("ctrl+", KeyModifiers::CONTROL),
            ("alt+", KeyModifiers::ALT),
            ("shift+", KeyModifiers::SHIFT),
        ]
        .into_iter()
        .find_map(|(prefix, modifier)| Some((modifier, rest.strip_prefix(prefix)?)))
        {
            modifiers |= modifier;
            rest = tail;
        }
        let mut letters = rest.chars();
        let code = match (rest, letters.next(), letters.next()) {
            ("up" | "↑", ..) => KeyCode::Up,
            ("down" | "↓", ..) => KeyCode::Down,
            ("left" | "←", ..) => KeyCode::Left,
            ("right" | "→", ..) => KeyCode::Right,
            (_, Some(letter), None) if !letter.is_control() => KeyCode::Char(letter),
            ("space", ..) => KeyCode::Char(' '),
            ("enter", ..) => KeyCode::Enter,
            ("esc", ..) => KeyCode::Esc,
            ("tab", ..) => KeyCode::Tab,
            ("pgup", ..) => KeyCode::PageUp,
            ("pgdn", ..) => KeyCode::PageDown,
            ("home", ..) => KeyCode::Home,
            ("end", ..) => KeyCode::End,
            ("del", ..) => KeyCode::Delete,
            ("insert", ..) => KeyCode::Insert,
            ("backspace", ..) => KeyCode::Backspace,
            (_, Some('F' | 'f'), Some('1'..='9')) => match rest[1..].parse() {
                Ok(number @ 1..=24) => KeyCode::F(number),
                _ => return Err(format!("{name:?} is no key")),
            },
            _ => return Err(format!("{name:?} is no key")),
        };
        if let (KeyCode::Char(letter), true) = (code, modifiers.contains(KeyModifiers::CONTROL)) {
            let same = match letter.to_ascii_lowercase() {
                'i' => Some("tab"),
                'm' => Some("enter"),
                '[' => Some("esc"),
                'h' => Some("backspace"),
                _ => None,
            };
            if let Some(same) = same {
                return Err(format!("many terminals send {same} for {name}"));
            }
        }
        let event = KeyEvent::new(code, modifiers);
        Ok(Self::of(&event))
    }
}
