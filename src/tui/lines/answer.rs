//! What an answer does: what the letters of a question do on the screen, by the same steps.

use super::{
    Lines,
    ask::{self, Open},
    forms, lists, paper,
    words::Word,
};
use crate::{
    kernel::{
        gate::approval::{Answer, Then},
        id::ApprovalId,
    },
    tui::{effect::Effect, keymap::Letter, update::steps},
};

/// Does what a word says that is known to be meant for what was said last.
pub(super) fn act(lines: &mut Lines, word: Word) -> Vec<Effect> {
    match lines.open {
        Open::Question(id) => to_question(lines, id, word),
        Open::Wider(id) => forms::wider_says(lines, id, &word),
        Open::Edited(id) => forms::edited_says(lines, id, &word),
        Open::Undo => forms::undo_says(lines, &word),
        Open::Quit => forms::quit_says(lines, &word),
        Open::Held(session) => forms::held_says(lines, session, &word),
        Open::Nothing | Open::Sent(_) => Vec::new(),
    }
}

fn to_question(lines: &mut Lines, id: ApprovalId, word: Word) -> Vec<Effect> {
    let Some(waiting) = lines.state.queue.get(id) else { return Vec::new() };
    let trust = paper::is_trust(waiting);
    match word {
        Word::Yes | Word::Wider if !ask::is_all_told(waiting) => {
            refuse(lines, "Not yet: you have not had all of it. Type: more, or full.")
        }
        Word::Yes => send(lines, id, Letter::Yes),
        Word::No(None) => send(lines, id, Letter::No),
        Word::No(Some(_)) | Word::Stop | Word::Edit | Word::Wider if trust => {
            refuse(lines, "Here: yes, no, or later.")
        }
        Word::No(because @ Some(_)) => {
            lines.open = Open::Sent(id);
            steps::answer(id, Answer::Deny { because, then: Then::GoOn })
        }
        Word::Stop => send(lines, id, Letter::StopTurn),
        Word::Edit => forms::edit(lines, id),
        Word::Wider => match waiting.not_offered() {
            Some(why) => refuse(lines, &format!("Not offered. {why}.")),
            None => forms::wider(lines, id),
        },
        Word::Later => {
            lines.state.queue.choose(id);
            lines.state.queue.not_now();
            lines.open = Open::Nothing;
            lines.announce();
            lines.say(if trust { steps::NOT_NOW } else { "Not now. It waits; /waiting shows it." });
            Vec::new()
        }
        Word::More => {
            ask::more(lines, id);
            Vec::new()
        }
        Word::Full => {
            ask::full(lines, id);
            Vec::new()
        }
        Word::Script => {
            ask::script(lines, id);
            Vec::new()
        }
        Word::List => {
            lists::waiting(lines);
            ask::ask_again(lines);
            Vec::new()
        }
        Word::Next => {
            lines.state.queue.step(true);
            if lines.state.queue.current().is_some_and(|waiting| waiting.question.id == id) {
                return refuse(lines, "No other question waits.");
            }
            Vec::new()
        }
        Word::Save
        | Word::Always
        | Word::Session
        | Word::Back
        | Word::Quit
        | Word::WhenDone
        | Word::Watch
        | Word::Wait => Vec::new(),
    }
}

/// Says why nothing was done, and asks again.
pub(super) fn refuse(lines: &mut Lines, why: &str) -> Vec<Effect> {
    lines.say(why);
    ask::ask_again(lines);
    Vec::new()
}

/// What that letter does on the screen.
fn send(lines: &mut Lines, id: ApprovalId, letter: Letter) -> Vec<Effect> {
    let effects = steps::says(&mut lines.state, id, letter);
    if lines.state.queue.get(id).is_some() {
        lines.open = Open::Sent(id);
    }
    lines.after(effects)
}
