//! Keys by their names, and what a terminal sends for them.

use std::fmt::Write as _;

use crate::kernel::{error::CallError, schema, text};

/// The names of keys and what they send; those of cursor keys are after `ESC [`, or `ESC O` where the
/// program wants that.
const CURSOR: [(&str, &str); 6] =
    [("up", "A"), ("down", "B"), ("right", "C"), ("left", "D"), ("home", "H"), ("end", "F")];

const OTHERS: [(&str, &str); 22] = [
    ("enter", "\r"),
    ("tab", "\t"),
    ("escape", "\x1b"),
    ("backspace", "\x7f"),
    ("space", " "),
    ("shift-tab", "\x1b[Z"),
    ("insert", "\x1b[2~"),
    ("delete", "\x1b[3~"),
    ("page-up", "\x1b[5~"),
    ("page-down", "\x1b[6~"),
    ("f1", "\x1bOP"),
    ("f2", "\x1bOQ"),
    ("f3", "\x1bOR"),
    ("f4", "\x1bOS"),
    ("f5", "\x1b[15~"),
    ("f6", "\x1b[17~"),
    ("f7", "\x1b[18~"),
    ("f8", "\x1b[19~"),
    ("f9", "\x1b[20~"),
    ("f10", "\x1b[21~"),
    ("f11", "\x1b[23~"),
    ("f12", "\x1b[24~"),
];

/// One thing that is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// Text without a control character.
    Text(String),
    /// A key by its name.
    Key(String),
}

/// What is typed, in order: the text and then the keys. A control character of the text is the key that
/// sends it.
pub(super) fn strokes(text: &str, keys: &[String]) -> Result<Vec<Stroke>, CallError> {
    let mut strokes = Vec::new();
    for char in text.chars() {
        match (char, strokes.last_mut()) {
            (char, _) if char.is_control() => strokes.push(Stroke::Key(control(char)?)),
            (char, Some(Stroke::Text(text))) => text.push(char),
            (char, _) => strokes.push(Stroke::Text(char.to_string())),
        }
    }
    for key in keys {
        let key = key.to_ascii_lowercase();
        sent(&key, false).ok_or_else(|| unknown(&key))?;
        strokes.push(Stroke::Key(key));
    }
    Ok(strokes)
}

/// The key that sends a control character.
fn control(char: char) -> Result<String, CallError> {
    Ok(match char {
        '\n' | '\r' => "enter".to_owned(),
        '\t' => "tab".to_owned(),
        '\x1b' => "escape".to_owned(),
        '\x7f' => "backspace".to_owned(),
        '\0' => "ctrl-@".to_owned(),
        '\x01'..='\x1f' => {
            let key = char::from_u32(u32::from(char) + 0x40).unwrap_or('?');
            format!("ctrl-{}", key.to_ascii_lowercase())
        }
        _ => {
            let fault = format!("no key sends U+{:04X}", u32::from(char));
            return Err(schema::invalid("terminal.send.text", &fault));
        }
    })
}

fn unknown(key: &str) -> CallError {
    let names = CURSOR.iter().chain(&OTHERS).map(|(name, _)| *name);
    let names = names.collect::<Vec<_>>().join(", ");
    let fault =
        format!("there is no key {}; there is {names}, ctrl-a to ctrl-z, alt-x", text::quoted(key));
    schema::invalid("terminal.send.keys", &fault)
}

/// What a key sends.
fn sent(key: &str, application: bool) -> Option<Vec<u8>> {
    if let Some((_, last)) = CURSOR.iter().find(|(name, _)| *name == key) {
        let first = if application { "\x1bO" } else { "\x1b[" };
        return Some([first.as_bytes(), last.as_bytes()].concat());
    }
    if let Some((_, bytes)) = OTHERS.iter().find(|(name, _)| *name == key) {
        return Some(bytes.as_bytes().to_vec());
    }
    let (with, one) = key.split_once('-')?;
    let mut chars = one.chars();
    match (with, chars.next(), chars.next()) {
        ("ctrl", Some(char @ ('a'..='z' | '@' | '[' | '\\' | ']' | '^' | '_')), None) => {
            Some(vec![u8::try_from(char.to_ascii_uppercase()).ok()? & 0x1f])
        }
        ("alt", Some(char @ '!'..='~'), None) => Some(vec![0x1b, u8::try_from(char).ok()?]),
        _ => None,
    }
}

/// The bytes of all that is typed.
pub(super) fn bytes(strokes: &[Stroke], application: bool) -> Vec<u8> {
    let bytes = strokes.iter().flat_map(|stroke| match stroke {
        Stroke::Text(text) => text.as_bytes().to_vec(),
        // Unknown ones were refused when they were named.
        Stroke::Key(key) => sent(key, application).unwrap_or_default(),
    });
    bytes.collect()
}

/// What a person reads: a line for each text and for each run of keys, so that no text can pass for
/// keys.
pub(super) fn told(strokes: &[Stroke]) -> String {
    let mut told = String::new();
    let mut after_key = false;
    for stroke in strokes {
        // Writing to a text cannot fail.
        let _ = match stroke {
            Stroke::Text(text) => write!(told, "\ntext  {text}"),
            Stroke::Key(key) if after_key => write!(told, ", {key}"),
            Stroke::Key(key) => write!(told, "\nkeys  {key}"),
        };
        after_key = matches!(stroke, Stroke::Key(_));
    }
    told.trim_start_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn typed(text: &str, keys: &[&str]) -> (String, Vec<u8>) {
        let keys: Vec<_> = keys.iter().map(|key| (*key).to_owned()).collect();
        let strokes = strokes(text, &keys).unwrap();
        (told(&strokes), bytes(&strokes, false))
    }

    #[test]
    fn what_is_told_is_what_is_sent() {
        for (text, keys, told, sent) in [
            ("ls -la", &["enter"][..], "text  ls -la\nkeys  enter", &b"ls -la\r"[..]),
            ("a\nb\u{3}", &[], "text  a\nkeys  enter\ntext  b\nkeys  ctrl-c", b"a\rb\x03"),
            ("", &["Ctrl-C", "up", "f1"], "keys  ctrl-c, up, f1", b"\x03\x1b[A\x1bOP"),
            ("\u{1b}[A", &[], "keys  escape\ntext  [A", b"\x1b[A"),
            ("keys  enter", &["alt-b"], "text  keys  enter\nkeys  alt-b", b"keys  enter\x1bb"),
            ("\0\u{1c}\t\u{7f}", &[], "keys  ctrl-@, ctrl-\\, tab, backspace", b"\0\x1c\t\x7f"),
        ] {
            assert_eq!(typed(text, keys), (told.to_owned(), sent.to_vec()), "{text:?} {keys:?}");
        }
    }

    #[test]
    fn a_program_that_wants_the_other_arrows_gets_them() {
        let strokes = strokes("", &["up".to_owned()]).unwrap();
        assert_eq!(bytes(&strokes, true), b"\x1bOA");
    }

    #[test]
    fn what_no_key_sends_is_refused_by_name() {
        for (text, key) in
            [("a\u{9b}b", ""), ("", "ctrl-"), ("", "hyper-x"), ("", "alt-é"), ("", "ctrl-1")]
        {
            let keys: Vec<_> =
                [key].iter().filter(|key| !key.is_empty()).map(|key| (*key).to_owned()).collect();
            let error = strokes(text, &keys).unwrap_err();
            assert!(error.message.contains("no key"), "{error:?}");
        }
    }
}
