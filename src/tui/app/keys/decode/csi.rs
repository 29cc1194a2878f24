//! Control sequences: `ESC [`, numbers, and a letter that says what they are.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::{First, plain};

/// The longest that is read; a longer one is none.
pub(super) const LONGEST: usize = 128;

/// What stands first in the bytes behind `ESC [`.
pub(super) fn first(bytes: &[u8]) -> First {
    let middle = bytes.iter().take(LONGEST).take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    let (numbers, rest) = bytes.split_at(middle);
    let whole = middle + 1;
    match (rest, numbers) {
        ([], _) if middle < LONGEST => First::Open,
        // As mice are told of by terminals that know no other way: three bytes behind it.
        ([b'M', mouse @ ..], []) => match mouse {
            [button, x, y, ..] => {
                let place = |byte: &u8| u16::from(byte.saturating_sub(33));
                let kind = button.checked_sub(32).and_then(|button| pointed(button.into(), b'M'));
                told(kind.map(|kind| mouse_event(kind, place(x), place(y))), 4)
            }
            _ => First::Open,
        },
        // Function keys of the Linux console.
        ([b'[', function, ..], []) => {
            let function = matches!(function, b'A'..=b'E').then(|| 1 + function - b'A');
            told(function.map(|number| plain(KeyCode::F(number))), 2)
        }
        ([b'[', ..], []) => First::Open,
        ([b'~', ..], b"200") => First::PasteBegins(whole),
        ([last @ 0x40..=0x7e, ..], _) => told(event(numbers, *last), whole),
        // Cut off by something else.
        (_, _) => First::Nothing(middle),
    }
}

fn told(event: Option<Event>, count: usize) -> First {
    match event {
        Some(event) => First::Event(event, count),
        None => First::Nothing(count),
    }
}

fn event(numbers: &[u8], last: u8) -> Option<Event> {
    let numbers = std::str::from_utf8(numbers).ok()?;
    if let Some(mouse) = numbers.strip_prefix('<') {
        return clicked(mouse, last);
    }
    // `;` between numbers, `:` between what says more of one.
    let mut fields = numbers.split(';').map(|field| field.split(':'));
    let mut first = fields.next()?.map(|number| number.parse::<u32>().ok());
    let number = first.next().flatten();
    let mut second = fields.next();
    let mut more = || second.as_mut().and_then(|field| field.next()?.parse::<u32>().ok());
    let (mask, kind) = (more(), more());
    let modifiers = modifiers(mask.unwrap_or(1));
    let code = match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P' => KeyCode::F(1),
        b'Q' => KeyCode::F(2),
        // Else it says where the cursor is.
        b'R' if number == Some(1) && mask.is_some() => KeyCode::F(3),
        b'S' => KeyCode::F(4),
        b'Z' => return Some(Event::Key(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT))),
        b'I' if numbers.is_empty() => return Some(Event::FocusGained),
        b'O' if numbers.is_empty() => return Some(Event::FocusLost),
        // By their characters, as xterm does where it is told to.
        b'~' if number == Some(27) => {
            let code = fields.next()?.next()?.parse().ok()?;
            return character(code, modifiers).map(|code| pressed(code, modifiers, None));
        }
        b'~' => numbered(number?)?,
        b'u' => {
            let code = character(number?, modifiers)?;
            return Some(pressed(code, modifiers, kind));
        }
        _ => return None,
    };
    Some(pressed(code, modifiers, kind))
}

fn pressed(code: KeyCode, modifiers: KeyModifiers, kind: Option<u32>) -> Event {
    let kind = match kind {
        Some(2) => KeyEventKind::Repeat,
        Some(3) => KeyEventKind::Release,
        Some(_) | None => KeyEventKind::Press,
    };
    Event::Key(KeyEvent::new_with_kind(code, modifiers, kind))
}

fn modifiers(mask: u32) -> KeyModifiers {
    let mask = mask.saturating_sub(1);
    let all = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ];
    let held = all.into_iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
    held.fold(KeyModifiers::NONE, |all, (_, one)| all | one)
}

/// `ESC [ number ~`.
fn numbered(number: u32) -> Option<KeyCode> {
    let function = |first: u32, before: u32| u8::try_from(number - before + first).ok();
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(function(1, 11)?),
        17..=21 => KeyCode::F(function(6, 17)?),
        23..=26 => KeyCode::F(function(11, 23)?),
        28 | 29 => KeyCode::F(function(15, 28)?),
        31..=34 => KeyCode::F(function(17, 31)?),
        _ => return None,
    })
}

/// A key by its character, or by its number among those of kitty's protocol.
fn character(code: u32, modifiers: KeyModifiers) -> Option<KeyCode> {
    Some(match code {
        9 if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        57376..=57398 => KeyCode::F(u8::try_from(code - 57376 + 13).ok()?),
        57399..=57408 => KeyCode::Char(char::from_digit(code - 57399, 10)?),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        // Keys that only hold others, and those of players.
        57344..=63743 => return None,
        _ => KeyCode::Char(char::from_u32(code)?),
    })
}

/// `ESC [ < button ; column ; row M`, or `m` where it was let go.
fn clicked(numbers: &str, last: u8) -> Option<Event> {
    let mut numbers = numbers.split(';').map(|number| number.parse::<u16>().ok());
    let mut next = || numbers.next().flatten();
    let (button, x, y) = (next()?, next()?, next()?);
    let place = |number: u16| number.saturating_sub(1);
    Some(mouse_event(pointed(button, last)?, place(x), place(y)))
}

fn mouse_event(kind: MouseEventKind, column: u16, row: u16) -> Event {
    Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
}

fn pointed(button: u16, last: u8) -> Option<MouseEventKind> {
    let moves = button & 32 != 0;
    let which = button & 3 | (button & 192) >> 4;
    let held = [MouseButton::Left, MouseButton::Middle, MouseButton::Right];
    let held = held.get(usize::from(which)).copied();
    Some(match (last, which, held, moves) {
        (b'm', _, Some(held), false) => MouseEventKind::Up(held),
        (b'M', _, Some(held), false) => MouseEventKind::Down(held),
        (b'M', _, Some(held), true) => MouseEventKind::Drag(held),
        (b'M' | b'm', 3, _, false) => MouseEventKind::Up(MouseButton::Left),
        (b'M', 4, _, false) => MouseEventKind::ScrollUp,
        (b'M', 5, _, false) => MouseEventKind::ScrollDown,
        _ => return None,
    })
}
