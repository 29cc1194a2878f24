//! A question on the command line, before something is done that cannot be taken back.

use std::io::{self, IsTerminal as _, Write as _};

use super::exit::{Exit, Failure};

pub(super) enum Answered {
    Yes,
    No,
}

/// Asks who is at the terminal; `without` says what to do where nobody is.
pub(super) fn asked(question: &str, without: &str) -> Result<Answered, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure {
            exit: Exit::NobodyToAsk,
            ..Failure::new("nobody is there to ask", without)
        });
    }
    let question = format!("{question} [y/N] ");
    let mut terminal = io::stderr();
    // A question that cannot be shown gets no yes.
    let shown = terminal.write_all(question.as_bytes()).and_then(|()| terminal.flush());
    let mut answer = String::new();
    if shown.is_err() || io::stdin().read_line(&mut answer).is_err() {
        return Ok(Answered::No);
    }
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(Answered::Yes),
        _ => Ok(Answered::No),
    }
}
