//! Bytes of a terminal as keys, clicks and pastes. Pure: it is told how bytes come, and that nothing came.
//!
//! It knows the sequences of the modes that are set here and those that terminals send without being
//! asked. One that it does not know is passed over to its end, so that nothing of it is taken for letters:
//! a letter answers questions.
//!
//! Not crossterm's own, which was tried: it takes the rest of a sequence it does not know for letters, waits
//! within one that was cut off, and is told only once of what there is to read. So a key that came with a
//! new size of the window, and the end of a long paste without marks, came only with the next key.

mod csi;

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// What begins with an escape and has not gone on by then was the key of that name.
const ALONE: Duration = Duration::from_millis(25);

/// A paste that has not come to its end by then has none.
const STUCK: Duration = Duration::from_secs(1);

const ESCAPE: u8 = 0x1b;
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// Reads one terminal.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// Bytes that are nothing whole yet.
    open: Vec<u8>,
    /// What was pasted so far, in a paste.
    paste: Option<Vec<u8>>,
}

/// What stands first in some bytes, and how many of them it takes.
#[derive(Debug, PartialEq, Eq)]
enum First {
    Event(Event, usize),
    PasteBegins(usize),
    /// Nothing that anybody wants.
    Nothing(usize),
    /// It may go on.
    Open,
}

impl Decoder {
    /// Takes in what came next.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        let mut came = bytes.to_vec();
        loop {
            if let Some(mut paste) = self.paste.take() {
                // The mark of its end may have begun in what came before.
                let from = paste.len().saturating_sub(PASTE_ENDS.len() - 1);
                paste.append(&mut came);
                let Some(at) = memchr::memmem::find(&paste[from..], PASTE_ENDS) else {
                    self.paste = Some(paste);
                    return events;
                };
                came = paste.split_off(from + at + PASTE_ENDS.len());
                events.push(pasted(&paste[..from + at]));
            }
            self.open.append(&mut came);
            let mut read = 0;
            let begins = loop {
                match first(&self.open[read..]) {
                    First::Event(event, count) => {
                        events.push(event);
                        read += count;
                    }
                    First::Nothing(count) => read += count,
                    First::PasteBegins(count) => break Some(read + count),
                    First::Open => break None,
                }
            };
            let Some(begins) = begins else {
                self.open.drain(..read);
                return events;
            };
            came = self.open.split_off(begins);
            self.open.clear();
            self.paste = Some(Vec::new());
        }
    }

    /// How long it waits for what may follow; nothing where all is whole.
    pub(super) fn patience(&self) -> Option<Duration> {
        match (&self.paste, self.open.is_empty()) {
            (Some(_), _) => Some(STUCK),
            (None, false) => Some(ALONE),
            (None, true) => None,
        }
    }

    /// Nothing followed for so long.
    pub(super) fn rested(&mut self) -> Vec<Event> {
        if let Some(paste) = self.paste.take() {
            return vec![pasted(&paste)];
        }
        let open = std::mem::take(&mut self.open);
        let alt = |c| key(KeyCode::Char(c), KeyModifiers::ALT);
        match open.as_slice() {
            [ESCAPE] => vec![plain(KeyCode::Esc)],
            [ESCAPE, ESCAPE] => vec![plain(KeyCode::Esc), plain(KeyCode::Esc)],
            [ESCAPE, b'['] => vec![alt('[')],
            [ESCAPE, b'O'] => {
                vec![key(KeyCode::Char('O'), KeyModifiers::ALT | KeyModifiers::SHIFT)]
            }
            // Half of something that never came.
            _ => Vec::new(),
        }
    }
}

fn pasted(bytes: &[u8]) -> Event {
    Event::Paste(String::from_utf8_lossy(bytes).into_owned())
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn plain(code: KeyCode) -> Event {
    key(code, KeyModifiers::NONE)
}

fn first(bytes: &[u8]) -> First {
    match bytes {
        [] => First::Open,
        [ESCAPE] => First::Open,
        [ESCAPE, b'[', rest @ ..] => csi::first(rest).behind(2),
        [ESCAPE, b'O', rest @ ..] => shifted(rest).behind(2),
        [ESCAPE, ESCAPE, rest @ ..] => with_escape(rest),
        [ESCAPE, rest @ ..] => match letter(rest) {
            First::Event(Event::Key(KeyEvent { code, modifiers, .. }), count) => {
                First::Event(key(code, modifiers | KeyModifiers::ALT), count).behind(1)
            }
            other @ (First::Event(..) | First::PasteBegins(_) | First::Nothing(_)) => {
                other.behind(1)
            }
            First::Open => First::Open,
        },
        _ => letter(bytes),
    }
}

/// Two escapes: a key of several bytes with alt, as some terminals send it, or the key twice.
fn with_escape(rest: &[u8]) -> First {
    let escape = || First::Event(plain(KeyCode::Esc), 1);
    match rest {
        [] => First::Open,
        [b'[' | b'O', ..] => {
            let behind = [&[ESCAPE], &rest[..rest.len().min(csi::LONGEST + 8)]].concat();
            match first(&behind) {
                First::Event(Event::Key(KeyEvent { code, modifiers, .. }), count) => {
                    First::Event(key(code, modifiers | KeyModifiers::ALT), count + 1)
                }
                First::Open => First::Open,
                First::Event(..) | First::PasteBegins(_) | First::Nothing(_) => escape(),
            }
        }
        _ => escape(),
    }
}

/// A key of the keypad or of functions, in the mode of applications.
fn shifted(rest: &[u8]) -> First {
    let code = match rest {
        [] => return First::Open,
        [b'A', ..] => KeyCode::Up,
        [b'B', ..] => KeyCode::Down,
        [b'C', ..] => KeyCode::Right,
        [b'D', ..] => KeyCode::Left,
        [b'F', ..] => KeyCode::End,
        [b'H', ..] => KeyCode::Home,
        [b'M', ..] => KeyCode::Enter,
        [function @ b'P'..=b'S', ..] => KeyCode::F(1 + function - b'P'),
        [ESCAPE, ..] => return First::Nothing(0),
        [_, ..] => return First::Nothing(1),
    };
    First::Event(plain(code), 1)
}

/// A key of one character.
fn letter(bytes: &[u8]) -> First {
    let control = |c: u8| key(KeyCode::Char(char::from(c)), KeyModifiers::CONTROL);
    let event = match bytes {
        [] => return First::Open,
        [b'\r', ..] => plain(KeyCode::Enter),
        [b'\t', ..] => plain(KeyCode::Tab),
        [0x7f, ..] => plain(KeyCode::Backspace),
        [0, ..] => control(b' '),
        [c @ 0x01..=0x1a, ..] => control(c - 1 + b'a'),
        [c @ 0x1c..=0x1f, ..] => control(c - 0x1c + b'4'),
        _ => return character(bytes),
    };
    First::Event(event, 1)
}

fn character(bytes: &[u8]) -> First {
    let head = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => {
            return match error.error_len() {
                Some(bad) => First::Nothing(bad),
                None => First::Open,
            };
        }
    };
    match valid.chars().next() {
        Some(c) => {
            let shift = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
            First::Event(key(KeyCode::Char(c), shift), c.len_utf8())
        }
        None => First::Nothing(1),
    }
}

impl First {
    /// The same, where so many bytes stand before it.
    fn behind(self, before: usize) -> Self {
        match self {
            Self::Event(event, count) => Self::Event(event, count + before),
            Self::PasteBegins(count) => Self::PasteBegins(count + before),
            Self::Nothing(count) => Self::Nothing(count + before),
            Self::Open => Self::Open,
        }
    }
}

#[cfg(test)]
mod tests;
