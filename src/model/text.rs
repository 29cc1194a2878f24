//! The door for text that a provider sends: what could steer a terminal or mislead a reader stays
//! outside, and leaves a trace.

use crate::kernel::text;

/// The text with codes (`⟨U+001B⟩`) in the place of control characters but newline and tab, and of
/// the marks that make text read in another order than it is in. A carriage return is part of a line
/// end, or nothing.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars().filter(|character| *character != '\r') {
        if is_plain(character) {
            out.push(character);
        } else {
            out.push_str(&text::shown(character.encode_utf8(&mut [0; 4])));
        }
    }
    out
}

fn is_plain(character: char) -> bool {
    match character {
        '\n' | '\t' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        other => !other.is_control(),
    }
}

/// Some words of a provider for one line: cleaned, on one line, short.
pub(super) fn line(text: &str) -> String {
    const LONGEST: usize = 300;
    let words = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_passes_and_nothing_goes_without_a_trace() {
        #[track_caller]
        fn check(input: &str, expected: &str) {
            assert_eq!(clean(input), expected);
        }
        check("a\tb\nc", "a\tb\nc");
        check("\u{1b}[2J\u{1b}]0;owned\u{7}", "⟨U+001B⟩[2J⟨U+001B⟩]0;owned⟨U+0007⟩");
        check("one\r\ntwo\0\u{7f}\u{9b}31m", "one\ntwo⟨U+0000⟩⟨U+007F⟩⟨U+009B⟩31m");
        check("\u{202e}txet", "⟨U+202E⟩txet");
        check("å漢字👩‍🔬é", "å漢字👩‍🔬é");
    }

    #[test]
    fn a_line_is_one_line_and_short() {
        assert_eq!(line("a\n  b\u{1b}"), "a b⟨U+001B⟩");
        assert_eq!(line(&"é".repeat(400)).chars().count(), 301);
    }
}
