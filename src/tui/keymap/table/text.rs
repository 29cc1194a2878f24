//! The keys that write, wherever something is written.

use crossterm::event::KeyCode;

use super::{DOWN, Edit, Key, Keys, LEFT, RIGHT, Text, UP};

pub(super) const NEW_LINE: Keys =
    &[(Key::ctrl('j'), Text(Edit::NewLine)), (Key::alt(KeyCode::Enter), Text(Edit::NewLine))];

pub(super) const EDITING: Keys = &[
    (LEFT, Text(Edit::Left)),
    (RIGHT, Text(Edit::Right)),
    (UP, Text(Edit::Up)),
    (DOWN, Text(Edit::Down)),
    (Key::plain(KeyCode::Home), Text(Edit::LineStart)),
    (Key::plain(KeyCode::End), Text(Edit::LineEnd)),
    (Key::ctrl('a'), Text(Edit::LineStart)),
    (Key::ctrl('e'), Text(Edit::LineEnd)),
    (Key::alt(KeyCode::Char('b')), Text(Edit::WordLeft)),
    (Key::alt(KeyCode::Char('f')), Text(Edit::WordRight)),
];

/// In a field of one line.
pub(super) const SHORT: Keys = &[
    (LEFT, Text(Edit::Left)),
    (RIGHT, Text(Edit::Right)),
    (Key::plain(KeyCode::Home), Text(Edit::LineStart)),
    (Key::plain(KeyCode::End), Text(Edit::LineEnd)),
    (Key::ctrl('a'), Text(Edit::LineStart)),
    (Key::ctrl('e'), Text(Edit::LineEnd)),
];

pub(super) const KILLING: Keys = &[
    (Key::plain(KeyCode::Backspace), Text(Edit::Backspace)),
    (Key::plain(KeyCode::Delete), Text(Edit::Delete)),
    (Key::ctrl('w'), Text(Edit::KillWord)),
    (Key::ctrl('u'), Text(Edit::KillToStart)),
    (Key::ctrl('k'), Text(Edit::KillToEnd)),
];
