//! How much of the terminal the workstation gets: as was asked for, or what this terminal can give.

use std::io::{IsTerminal as _, stdin, stdout};

use super::{exit::Failure, print, setup::variable};
use crate::config::Surface;

/// What was wanted where that can be had, else lines, which is said.
pub(super) fn possible(wanted: Surface) -> Result<Surface, Failure> {
    if wanted == Surface::Lines {
        return Ok(wanted);
    }
    if !stdout().is_terminal() || !stdin().is_terminal() {
        return Err(Failure::usage(
            "the workstation needs a terminal",
            "without one: footplate --lines, or footplate exec \"PROMPT\"",
        ));
    }
    match variable("TERM").as_deref() {
        // It can neither place a cursor nor give back what stood there.
        None | Some("dumb") => {
            print::aside(
                "footplate: this terminal cannot show a screen (TERM is dumb or not set), so it is \
                 line by line, as with --lines",
            );
            Ok(Surface::Lines)
        }
        Some(_) => Ok(wanted),
    }
}
