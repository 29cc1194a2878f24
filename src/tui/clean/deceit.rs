//! Characters that deceive the eye: what they are, and why.

use ratatui::{style::Style, text::Span};

use super::{Piece, TAB_STOP, build, hidden_chars};
use crate::kernel::text::twin;

/// A character that can make a text look like another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deceit {
    /// Its byte position.
    pub at: usize,
    pub char: char,
    /// In the words the question shows.
    pub why: &'static str,
}

/// Deceiving characters that are named; more are counted.
const NAMED: usize = 12;

/// What was found in several texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deceits {
    /// The first of them: where, in words, and what.
    pub first: Vec<(String, Deceit)>,
    /// How many there are.
    pub count: usize,
}

impl Deceits {
    /// Looks through one more text.
    pub fn search(&mut self, text: &str, place: impl Fn() -> String) {
        self.take(&deceits(text), place);
    }

    /// Takes in what was found in one more text.
    pub fn take(&mut self, found: &[Deceit], place: impl Fn() -> String) {
        let room = NAMED.saturating_sub(self.first.len());
        self.first.extend(found.iter().take(room).map(|deceit| (place(), *deceit)));
        self.count += found.len();
    }

    /// Takes in what is known of one more text.
    pub fn add(&mut self, known: &Self) {
        let room = NAMED.saturating_sub(self.first.len());
        self.first.extend(known.first.iter().take(room).cloned());
        self.count += known.count;
    }
}

/// Everything in `text` a person should be warned of before saying yes to it: hidden and
/// direction-changing characters, spaces that are no spaces, and letters of another script among
/// (or instead of) Latin ones. Line ends and tabs of a text in several lines are none.
pub fn deceits(text: &str) -> Vec<Deceit> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Vec::new();
    }
    let mut found: Vec<Deceit> = hidden_chars(text)
        .into_iter()
        .filter_map(|at| {
            let char = text[at..].chars().next()?;
            let plain_line_end = char == '\n' || (char == '\r' && text[at..].starts_with("\r\n"));
            let why = invisible(char).unwrap_or("a mark without a letter of its own");
            (!plain_line_end).then_some(Deceit { at, char, why })
        })
        .collect();
    found.extend(text.char_indices().filter_map(|(at, char)| {
        odd_space(char).then_some(Deceit { at, char, why: "a space that is not a plain space" })
    }));
    look_alikes(text, &mut found);
    found.sort_by_key(|deceit| deceit.at);
    found
}

/// As [`deceits`], in a name: nothing in it may look like the end of it.
pub fn deceits_of_name(name: &str) -> Vec<Deceit> {
    let mut found = deceits(name);
    found.extend(name.char_indices().filter_map(|(at, char)| match char {
        '\n' => Some(Deceit { at, char, why: "a line end, in a name" }),
        '\t' => Some(Deceit { at, char, why: "a tab, in a name" }),
        _ => None,
    }));
    found.sort_by_key(|deceit| deceit.at);
    found.dedup_by_key(|deceit| deceit.at);
    found
}

/// The text with each of these deceits as its code, for the question that asks about it.
pub fn revealed(text: &str, deceits: &[Deceit]) -> Vec<Piece> {
    revealed_at(text, deceits, 0)
}

/// As [`spans_at`](super::spans_at), with all that deceives as its code: for text that is asked
/// about.
pub fn asked_at(text: &str, column: usize, base: Style, escape: Style) -> Vec<Span<'static>> {
    let pieces = asked_pieces(text, column).into_iter();
    pieces.map(|piece| Span::styled(piece.text, if piece.escape { escape } else { base })).collect()
}

/// The same in pieces.
pub fn asked_pieces(text: &str, column: usize) -> Vec<Piece> {
    revealed_at(text, &deceits(text), column)
}

fn revealed_at(text: &str, deceits: &[Deceit], column: usize) -> Vec<Piece> {
    let mut at = hidden_chars(text);
    at.extend(deceits.iter().map(|deceit| deceit.at).filter(|&at| text.is_char_boundary(at)));
    at.sort_unstable();
    at.dedup();
    build(text, &at, column, TAB_STOP)
}

/// Why this character cannot be drawn as itself, if it cannot.
pub(super) fn invisible(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{1b}' | '\u{9b}' => "starts a command to the terminal",
        '\r' => "moves what follows over what stood before",
        '\u{8}' | '\u{7f}' => "deletes what stood before it",
        '\0' => "ends the text for many programs",
        _ if c.is_control() => "a control character",
        '\u{202e}' | '\u{202b}' | '\u{2067}' => "turns the text after it right to left",
        '\u{202d}' | '\u{202a}' | '\u{2066}' => "turns the text after it left to right",
        '\u{202c}' | '\u{2068}' | '\u{2069}' => "changes where a turned text ends",
        '\u{200e}' | '\u{200f}' | '\u{61c}' => "changes the direction of its neighbours",
        '\u{2028}' | '\u{2029}' => "a line end some programs see and others do not",
        '\u{e0000}'..='\u{e007f}' => "a hidden letter, read by machines only",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "a hidden variant mark",
        '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{180b}'..='\u{180f}' => "has no width, cannot be seen",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{17b4}' | '\u{17b5}' => {
            "a letter that looks like nothing"
        }
        '\u{10eeee}' => "a part of a picture, for some terminals",
        '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => "a hidden layout mark",
        _ => return None,
    })
}

/// The few places where an invisible character is honest writing: inside a joined emoji, as the
/// colour form of a symbol, and between letters of scripts that join.
pub(super) fn belongs(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{fe0f}' => {
            matches!(before, '#' | '*' | '0'..='9' | '©' | '®' | '\u{203c}'..='\u{3299}')
                || pictures(before)
        }
        '\u{200d}' | '\u{200c}' => {
            let Some(after) = after else { return false };
            let joins = |c| matches!(c, '\u{620}'..='\u{1cff}' | '\u{a800}'..='\u{abff}');
            let emoji = |c| pictures(c) || matches!(c, '\u{2600}'..='\u{2bff}' | '\u{fe0f}');
            (joins(before) && joins(after)) || (c == '\u{200d}' && emoji(before) && emoji(after))
        }
        _ => false,
    }
}

fn pictures(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}')
}

fn odd_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}')
        || matches!(c, '\u{2800}' | '\u{3000}')
}

/// A letter deceives among Latin letters; a word that consists of nothing but look-alikes does so
/// too, unless its own script is plainly being written around it.
fn look_alikes(text: &str, found: &mut Vec<Deceit>) {
    let own_script = text.chars().any(|c| matches!(c, '\u{370}'..='\u{52f}') && twin(c).is_none());
    let mut from = 0;
    for word in text.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let letters = || word.chars().filter(|c| c.is_alphabetic());
        let among_latin = letters().any(|c| c.is_ascii());
        let only_twins = !own_script && letters().all(|c| twin(c).is_some());
        for (at, char) in word.char_indices() {
            let always = matches!(char, '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}');
            match twin(char) {
                Some(why) if among_latin || only_twins || always => {
                    found.push(Deceit { at: from + at, char, why });
                }
                _ => {}
            }
        }
        from += word.len();
    }
}
