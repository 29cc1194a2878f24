//! What is said of the line mode itself: where one is, and what can be typed.

use super::{Lines, ask, command::Own, tell};
use crate::tui::{
    slash::{self, Word},
    state::status::Player,
};

/// What is said first.
pub(super) fn greet(lines: &mut Lines) {
    let place = &lines.state.place;
    let (name, last) = (place.workspace.clone(), place.last_here.clone());
    lines.say(format!("Footplate, line by line, in {name}. Type /help to hear how."));
    match lines.state.place.player.clone() {
        Player::Nobody { looked_for } => {
            lines.say(format!("No model is connected. Looked for {}.", looked_for.join(", ")));
            lines.say("Type: /tour, two minutes in a scratch folder; or /model, for how one is connected.");
        }
        Player::Model(name) => lines.say(format!("Model: {name}. A line is said to it.")),
        Player::Script(name) => lines.say(format!("A script plays the model: {name}.")),
    }
    if let (Some(last), false) = (last, lines.state.place.carries_on) {
        lines.say(format!("Last here: {last}. Type /sessions to carry it on."));
    }
}

/// The words and commands that there are.
pub(super) fn commands(lines: &mut Lines) {
    lines.say("A line is said to the session that is listened to. !CODE runs Python by hand.");
    lines.say("While a question is asked, a word alone on a line answers it or tells more of it:");
    ask::say_in(lines, "yes: once. no: and go on. no because WORDS: the model reads them.");
    ask::say_in(lines, "stop: no, and stop the turn. edit: in $EDITOR, then yes. later: not now.");
    ask::say_in(lines, "wider: yes by a rule, which is told first. more, full: of its text.");
    ask::say_in(
        lines,
        "script: the lines around the one that asks. list: all that wait. next: another.",
    );
    lines.say(
        "A word counts 0.4 s after the question was written, alone, and yes only after all of it.",
    );
    lines.say("Commands:");
    let shown = |word: &Word| !matches!(word, Word::Theme | Word::News | Word::Log);
    for word in Word::ALL.into_iter().filter(shown) {
        let takes = match word.takes() {
            slash::Takes::Nothing => String::new(),
            slash::Takes::One(names) => format!(" {}", names.join(" or ")),
            slash::Takes::Words(_) if word == Word::File => " (its name)".to_owned(),
            slash::Takes::Words(words) => format!(" ({words})"),
        };
        let mut does = word.does();
        if word == Word::Help {
            does = "this";
        } else if word == Word::File {
            does = "open a file in $EDITOR";
        }
        ask::say_in(lines, &format!("/{}{takes}: {does}", word.name()));
    }
    for word in Own::ALL {
        ask::say_in(lines, &format!("/{}: {}", word.name(), word.does()));
    }
    lines.say("ctrl+c twice stops the turn, or quits where none goes on. The end of input quits.");
}

/// Where one is: what waits, who works, to whom one speaks.
pub(super) fn here(lines: &mut Lines) {
    let state = &lines.state;
    let waits = state.queue.asking();
    let asked = match waits {
        0 => "Nothing waits for you".to_owned(),
        1 => "1 question waits for you".to_owned(),
        count => format!("{count} questions wait for you"),
    };
    let session = match state.sessions.viewed() {
        Some(session) => format!("you speak to {}", tell::who(state, session)),
        None => "no session yet".to_owned(),
    };
    let draft = if state.composer.draft.is_empty() { "" } else { "; a draft is kept" };
    let mode = state.sessions.node().map_or(state.place.mode, |node| node.mode);
    let text = format!(
        "{asked}; {} at work; mode {}; {session}{draft}.",
        state.sessions.at_work(),
        mode.name()
    );
    lines.say(text);
}
