//! Text that is kept to the letter, as people are shown it: nothing that a terminal obeys, nothing
//! hidden, and nothing that vanishes without a trace.

use std::borrow::Cow;

use super::rows::is_hidden;

/// The text with each control and each hidden character as its code (`⟨U+001B⟩`), line ends and tabs
/// as well: for a name, which is on one line whatever is in it.
pub fn shown(text: &str) -> Cow<'_, str> {
    coded(text, None, |_| false)
}

/// As [`shown`], for text of several lines: its line ends and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    coded(text, None, breaks)
}

/// As [`lines`], for a text that comes in pieces.
#[derive(Debug, Default)]
pub struct Pieces {
    /// What the piece before ended with.
    last: Option<char>,
}

impl Pieces {
    /// The next piece, as it is shown.
    pub fn lines<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let before = self.last;
        self.last = text.chars().next_back().or(before);
        coded(text, before, breaks)
    }
}

fn breaks(c: char) -> bool {
    matches!(c, '\n' | '\t')
}

/// A name in quotation marks, as [`shown`], for a sentence about it.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", shown(name))
}

/// So many of them, as it is said: `1 message`, `2 messages`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `1 was`, `2 were`.
pub fn were(number: usize) -> String {
    format!("{number} {}", if number == 1 { "was" } else { "were" })
}

/// The code of a character that is not shown as itself.
pub(super) fn code(c: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(c))
}

fn coded(text: &str, mut before: Option<char>, stays: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(|c| is_hidden(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        // A joiner belongs to the emoji or the Persian word that it is in.
        let joins = matches!(c, '\u{200c}' | '\u{200d}')
            && before.is_some_and(|before| !before.is_ascii() && !is_hidden(before));
        if is_hidden(c) && !stays(c) && !joins {
            out.push_str(&code(c));
        } else {
            out.push(c);
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_or_nobody_sees_is_shown_as_its_code() {
        for (name, expected) in [
            ("src/é 漢 👩\u{200d}🔬.py", "src/é 漢 👩\u{200d}🔬.py"),
            ("new\nline.txt", "new⟨U+000A⟩line.txt"),
            ("a\tb\r", "a⟨U+0009⟩b⟨U+000D⟩"),
            ("\u{1b}[31mred", "⟨U+001B⟩[31mred"),
            ("\u{202e}txt\u{200b}", "⟨U+202E⟩txt⟨U+200B⟩"),
            ("a\u{200d}b", "a⟨U+200D⟩b"),
        ] {
            assert_eq!(shown(name), expected);
        }
        assert_eq!(lines("a\n\tb\u{7}"), "a\n\tb⟨U+0007⟩");
        let mut pieces = Pieces::default();
        let said = ["👩", "\u{200d}", "🔬 a", "", "\u{200d}b\u{202e}\n"];
        let said: String = said.map(|piece| pieces.lines(piece).into_owned()).concat();
        assert_eq!(said, "👩\u{200d}🔬 a⟨U+200D⟩b⟨U+202E⟩\n");
        assert_eq!(quoted("x\u{1b}y"), "\"x⟨U+001B⟩y\"");
    }
}
