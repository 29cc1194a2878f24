//! What commands that begin with a slash do.

use super::{attach, leave, panes, tree};
use crate::{
    kernel::command::Command,
    tui::{
        effect::Effect,
        keymap::{self, Go},
        slash::{self, Word},
        state::{Popup, State, draft::Draft},
        theme::Theme,
    },
};

/// Does a command. What could not be done is said, and the line is among the words of before.
pub(in crate::tui) fn run(state: &mut State, word: Word, rest: &str) -> Vec<Effect> {
    let now = state.now.at;
    let session = state.heard_by();
    match word {
        Word::Help => {
            state.popup = Some(Popup::Help { of: keymap::Place::Composer, top: 0 });
            return Vec::new();
        }
        Word::Quit => {
            leave::quit(state);
            return Vec::new();
        }
        Word::Theme => {
            theme(state, rest);
            return Vec::new();
        }
        Word::New => return tree::start(state),
        Word::Changes => return go(state, Go::Changes),
        Word::Grants => return go(state, Go::Grants),
        Word::Decisions => return go(state, Go::Decisions),
        Word::Sessions => return go(state, Go::Sessions),
        Word::Waiting => return go(state, Go::Waiting),
        Word::Output => return go(state, Go::Output),
        Word::News => return go(state, Go::Away),
        Word::Log => return go(state, Go::Log),
        Word::File => {
            panes::go(state, Go::Files);
            state.panes.viewer.choice.words = Draft::of(rest);
            return Vec::new();
        }
        Word::Mode if rest.is_empty() => return go(state, Go::Mode),
        Word::Attach if rest.is_empty() => {
            state.status.say("/attach takes a picture file: PNG, JPEG, GIF or WebP.", now);
            return Vec::new();
        }
        Word::Attach => return attach::file(state, rest),
        Word::Mode | Word::Rename | Word::Fork | Word::Rewind | Word::Stop => {}
    }
    let Some(session) = session else {
        let why = format!("/{} is for a session, and there is none yet.", word.name());
        state.status.say(why, now);
        return Vec::new();
    };
    let command = match word {
        Word::Mode => slash::mode(rest).map(|mode| Command::SetMode { session, mode }),
        Word::Rename => return vec![tree::name(state, session, rest.to_owned())],
        Word::Fork => {
            state.status.say("A copy begins, and asks for everything again.", now);
            Some(Command::Fork { session, before: None })
        }
        Word::Rewind => return rewind(state, rest),
        Word::Stop => Some(Command::Interrupt { session }),
        Word::New
        | Word::Attach
        | Word::Changes
        | Word::Grants
        | Word::Decisions
        | Word::Sessions
        | Word::Waiting
        | Word::Output
        | Word::File
        | Word::News
        | Word::Log
        | Word::Theme
        | Word::Help
        | Word::Quit => None,
    };
    if command.is_none() {
        refuse(state, word, rest);
    }
    command.map(Effect::Send).into_iter().collect()
}

fn go(state: &mut State, go: Go) -> Vec<Effect> {
    panes::go(state, go);
    Vec::new()
}

/// The line comes back, since something in it is wrong.
fn refuse(state: &mut State, word: Word, rest: &str) {
    let slash::Takes::One(names) = word.takes() else { return };
    let why = format!("No {} {rest}. There is: {}.", word.name(), names.join(", "));
    state.status.say(why, state.now.at);
    state.composer.give_back(&*format!("/{} {rest}", word.name()));
}

fn theme(state: &mut State, name: &str) {
    match Theme::built_in(name, state.look.theme.depth()) {
        Some(theme) => state.look.change(theme),
        None => refuse(state, Word::Theme, name),
    }
}

/// Goes back to before a message, whose words then stand in the composer.
fn rewind(state: &mut State, rest: &str) -> Vec<Effect> {
    let now = state.now.at;
    let Some(node) = state.sessions.node() else { return Vec::new() };
    let said = node.said.len();
    let before = if rest.is_empty() { Some(said) } else { rest.parse().ok() };
    let before = before.filter(|before| (1..=said).contains(before));
    let why = match before {
        _ if node.doing.works() => "It is at work: /stop first, then go back.".to_owned(),
        _ if said == 0 => "Nothing was said here yet.".to_owned(),
        None => format!("/rewind takes the number of a message, from 1 to {said}."),
        Some(before) => {
            let (session, said) = (node.spec.id, node.said[before - 1].clone());
            let mut effects = vec![Effect::Send(Command::Rewind { session, before })];
            let empty = state.composer.draft.is_empty();
            state.composer.give_back(&*said.text);
            if empty {
                effects.extend(attach::again(state, session, &said.pictures));
            }
            return effects;
        }
    };
    state.status.say(why, now);
    state.composer.give_back(format!("/rewind {rest}").trim_end());
    Vec::new()
}
