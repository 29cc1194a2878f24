//! The only place that writes to standard output and standard error outside the screen.

use std::io::{self, Write as _};

use serde::Serialize;

use super::exit::Failure;
use crate::kernel::text;

/// Whoever reads our output has gone: not a failure, but nothing more need be said.
#[derive(Debug)]
pub(super) struct Closed;

/// Writes some text to standard output at once.
pub(super) fn text(text: &str) -> Result<(), Closed> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|_| Closed)
}

/// Writes a value as one line of JSON.
pub(super) fn json(value: &impl Serialize) -> Result<(), Closed> {
    let mut line = serde_json::to_string(value).map_err(|_| Closed)?;
    line.push('\n');
    text(&line)
}

/// Tells the person something beside the output.
pub(super) fn aside(line: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(io::stderr(), "{}", text::clean(line.as_bytes()));
}

/// Says why the program ends.
pub(super) fn failure(failure: &Failure) {
    aside(&failure.to_string());
}
