//! The only place that writes to standard output and standard error outside the screen.

use std::{
    borrow::Cow,
    io::{self, Write as _},
};

use serde::Serialize;

use super::exit::Failure;
use crate::kernel::text;

pub(super) use crate::kernel::text::quoted;

/// Whoever reads our output has gone: not a failure, but nothing more need be said.
#[derive(Debug)]
pub(super) struct Closed;

/// Writes some text to standard output at once.
pub(super) fn text(text: &str) -> Result<(), Closed> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|_| Closed)
}

/// Words from a journal, made safe to print on a line. A name is no words: for that, [`text::shown`].
pub(super) fn one_line(words: &str) -> String {
    text::shown(&words.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Writes a value as one line of JSON.
pub(super) fn json(value: &impl Serialize) -> Result<(), Closed> {
    let mut line = serde_json::to_string(value).map_err(|_| Closed)?;
    line.push('\n');
    text(&escaped(&line))
}

/// JSON without a character that a terminal would obey or that turns text around: in a string, where
/// alone they can stand, each has an escape.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    let odd = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !json.contains(odd) {
        return Cow::Borrowed(json);
    }
    let escape = |c: char| match odd(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    Cow::Owned(json.chars().map(escape).collect())
}

/// Tells the person something beside the output.
pub(super) fn aside(line: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(io::stderr(), "{}", text::lines(line));
}

/// Says why the program ends.
pub(super) fn failure(failure: &Failure) {
    aside(&failure.to_string());
}
