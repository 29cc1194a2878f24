//! Whether the terminal is light: it is asked once, after the first frame, and its answer comes among
//! the keys, from which it is taken out again.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::time::Instant;

use super::keys::Key;
use crate::tui::{message::Input, theme::Rgb};

/// A terminal that has not answered by then does not know the question. What looks like an answer
/// later was typed.
const PATIENCE: Duration = Duration::from_secs(3);

/// What every answer begins with, after its escape.
const BEGINNING: &str = "11;rgb:";

/// The longest answer.
const LONGEST: usize = 32;

/// What is known of the ground.
pub(super) enum Ground {
    /// To be asked after the first frame.
    Wanted,
    /// Asked; the keys that may be an answer, and what they would say.
    Asked { until: Instant, held: Vec<Key>, text: String },
    /// Nobody asks, or it was answered.
    Known,
}

impl Ground {
    pub(super) fn asked(at: Instant) -> Self {
        Self::Asked { until: at + PATIENCE, held: Vec::new(), text: String::new() }
    }

    /// The keys that are keys, in their order, and the colour if this one ended the answer.
    pub(super) fn take(&mut self, key: Key) -> (Vec<Key>, Option<Rgb>) {
        let Self::Asked { until, held, text } = self else { return (vec![key], None) };
        let (pressed, at) = match &key {
            Key::Pressed(at, Input::Key(event)) => (event, at.at),
            // Not part of an answer, and no end of it.
            Key::Pressed(..) | Key::Resized(..) => return (vec![key], None),
            Key::Closed => {
                held.push(key);
                return (self.give_back(), None);
            }
        };
        if held.is_empty() && at > *until {
            *self = Self::Known;
            return (vec![key], None);
        }
        let part = match (held.is_empty(), part(pressed)) {
            (true, Some(Part::Begin)) => {
                held.push(key);
                return (Vec::new(), None);
            }
            (true, _) => return (vec![key], None),
            (false, part) => part,
        };
        held.push(key);
        match part {
            Some(Part::Letter(letter)) if fits(text, letter) => {
                text.push(letter);
                (Vec::new(), None)
            }
            Some(Part::End) if text.starts_with(BEGINNING) => {
                let colour = colour(&text[BEGINNING.len()..]);
                *self = Self::Known;
                (Vec::new(), colour)
            }
            _ => (self.give_back(), None),
        }
    }

    fn give_back(&mut self) -> Vec<Key> {
        let Self::Asked { held, text, .. } = self else { return Vec::new() };
        text.clear();
        std::mem::take(held)
    }
}

enum Part {
    Begin,
    Letter(char),
    End,
}

/// What a key would be in an answer: `ESC ] 11;rgb:RRRR/GGGG/BBBB`, then BEL or `ESC \`.
fn part(event: &KeyEvent) -> Option<Part> {
    let KeyCode::Char(letter) = event.code else { return None };
    let modifiers = event.modifiers - KeyModifiers::SHIFT;
    if modifiers == KeyModifiers::ALT {
        return match letter {
            ']' => Some(Part::Begin),
            '\\' => Some(Part::End),
            _ => None,
        };
    }
    match (modifiers.is_empty(), letter) {
        (true, letter) => Some(Part::Letter(letter)),
        // BEL, as it is read.
        (false, 'g') if modifiers == KeyModifiers::CONTROL => Some(Part::End),
        (false, _) => None,
    }
}

fn fits(text: &str, letter: char) -> bool {
    match BEGINNING.chars().nth(text.len()) {
        Some(expected) => letter == expected,
        None => text.len() < LONGEST && (letter.is_ascii_hexdigit() || letter == '/'),
    }
}

/// The colour of `RRRR/GGGG/BBBB`, with one to four digits each.
fn colour(text: &str) -> Option<Rgb> {
    let parts: Vec<u8> = text
        .split('/')
        .map(|digits| {
            let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1)?;
            let value = u32::from_str_radix(digits, 16).ok()?;
            u8::try_from((value * 255).checked_div(most)?).ok()
        })
        .collect::<Option<_>>()?;
    match parts[..] {
        [red, green, blue] => Some(Rgb(red, green, blue)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::tui::state::Moment;

    fn keys(text: &str, at: Instant) -> Vec<Key> {
        let moment = Moment { at, wall: jiff::Timestamp::UNIX_EPOCH };
        let mut alt = false;
        let mut all = Vec::new();
        for letter in text.chars() {
            let (code, modifiers) = match letter {
                '\u{1b}' => {
                    alt = true;
                    continue;
                }
                '\u{7}' => ('g', KeyModifiers::CONTROL),
                letter if alt => (letter, KeyModifiers::ALT),
                letter => (letter, KeyModifiers::NONE),
            };
            alt = false;
            let event = KeyEvent::new(KeyCode::Char(code), modifiers);
            all.push(Key::Pressed(moment, Input::Key(event)));
        }
        all
    }

    /// What is left as keys of a text that arrives, and the colour it told.
    fn read(text: &str, late: bool) -> (String, Option<Rgb>) {
        let start = Instant::now();
        let mut ground = Ground::asked(start);
        let at = if late { start + PATIENCE * 2 } else { start };
        let (mut left, mut colour) = (String::new(), None);
        for key in keys(text, at) {
            let (keys, told) = ground.take(key);
            colour = colour.or(told);
            for key in keys {
                let Key::Pressed(_, Input::Key(event)) = key else { panic!("{key:?}") };
                let KeyCode::Char(letter) = event.code else { panic!("{event:?}") };
                match event.modifiers {
                    KeyModifiers::ALT => left.extend(['\u{1b}', letter]),
                    KeyModifiers::CONTROL => left.push('\u{7}'),
                    _ => left.push(letter),
                }
            }
        }
        (left, colour)
    }

    #[test]
    fn an_answer_is_taken_out_of_the_keys_and_tells_the_colour() {
        let white = Some(Rgb(255, 255, 255));
        for (text, left, colour) in [
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\", "", white),
            ("\u{1b}]11;rgb:FF/FF/FF\u{7}", "", white),
            ("ab\u{1b}]11;rgb:0000/8080/ffff\u{7}cd", "abcd", Some(Rgb(0, 128, 255))),
            ("\u{1b}]11;rgb:ffff\u{7}x", "x", None),
        ] {
            assert_eq!(read(text, false), (left.to_owned(), colour), "{text:?}");
        }
    }

    #[test]
    fn what_is_typed_is_not_lost_even_if_it_begins_like_an_answer() {
        for text in [
            "yes\u{7}\u{1b}\\",
            "\u{1b}]11 reasons",
            "\u{1b}]\u{1b}]x",
            "\u{1b}]11;rgb:zz\u{7}",
            "\u{1b}]11;rgb:00000000000000000000000000000000000000\u{7}",
        ] {
            assert_eq!(read(text, false), (text.to_owned(), None), "{text:?}");
        }
        let answer = "\u{1b}]11;rgb:ffff/ffff/ffff\u{7}";
        assert_eq!(read(answer, true), (answer.to_owned(), None), "long after the question");
    }
}
