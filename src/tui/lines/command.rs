//! The commands that begin with a slash: those of the composer, and those that stand for what a list of
//! the screen does with a key.

use super::{Lines, Wanted, ask, forms, hear, help, lists, outputs};
use crate::{
    kernel::{
        command::Command,
        id::SessionId,
        port::{When, Whereabouts},
        signal::Extent,
        spec::Mode,
    },
    tui::{
        effect::{Effect, Setting, Start},
        slash::{self, Word},
        state::{composer::Looks, status::Player},
        update::steps,
    },
};

/// A command that only lines need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    Agents,
    To,
    Resume,
    Undo,
    Revoke,
    Model,
    Tour,
    Send,
    Draft,
    Drop,
}

impl Own {
    pub(super) const ALL: [Self; 10] = [
        Self::Agents,
        Self::To,
        Self::Resume,
        Self::Undo,
        Self::Revoke,
        Self::Model,
        Self::Tour,
        Self::Send,
        Self::Draft,
        Self::Drop,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::To => "to",
            Self::Resume => "resume",
            Self::Undo => "undo",
            Self::Revoke => "revoke",
            Self::Model => "model",
            Self::Tour => "tour",
            Self::Send => "send",
            Self::Draft => "draft",
            Self::Drop => "drop",
        }
    }

    pub(super) fn does(self) -> &'static str {
        match self {
            Self::Agents => "the sessions and agents that are here, numbered",
            Self::To => "speak to that one from now on: its number in /agents",
            Self::Resume => "carry on that one here: its number in /sessions",
            Self::Undo => "take back that change, its number in /changes; else the last",
            Self::Revoke => "take back that rule: its number in /grants",
            Self::Model => "which model there is, and which of those found here to take",
            Self::Tour => "a script plays the model, in a scratch folder",
            Self::Send => "say the draft",
            Self::Draft => "tell the draft",
            Self::Drop => "drop the draft",
        }
    }
}

fn own(line: &str) -> Option<(Own, &str)> {
    let line = line.trim().strip_prefix('/')?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let known = Own::ALL.into_iter().find(|known| known.name() == word)?;
    Some((known, rest.trim()))
}

/// Whether a line is a command, or Python by hand.
pub(super) fn is_one(line: &str) -> bool {
    own(line).is_some() || slash::read(line.trim()).is_some()
}

/// Does a command.
pub(super) fn run(lines: &mut Lines, line: &str) -> Vec<Effect> {
    if let Some((word, rest)) = own(line) {
        return run_own(lines, word, rest);
    }
    match slash::read(line.trim()) {
        Some(slash::Line::Does(word, rest)) => run_known(lines, word, &rest),
        Some(slash::Line::Unknown(why)) => {
            lines.say(why);
            Vec::new()
        }
        None => Vec::new(),
    }
}

fn run_known(lines: &mut Lines, word: Word, rest: &str) -> Vec<Effect> {
    match word {
        Word::Mode if rest.is_empty() => mode(lines),
        Word::Rewind if rest.is_empty() => said(lines),
        Word::Stop if !rest.is_empty() => stop(lines, rest),
        Word::Rename if rest.is_empty() => nothing(lines, "/rename takes a name."),
        Word::Mode
        | Word::Rename
        | Word::Fork
        | Word::Rewind
        | Word::Stop
        | Word::New
        | Word::Quit => {
            let before = std::mem::take(&mut lines.state.composer.draft);
            let effects = steps::run(&mut lines.state, word, rest);
            // What could not be done gives its line back, which is said to be wrong.
            let given = std::mem::replace(&mut lines.state.composer.draft, before).text();
            // There is no draft here that pictures would be attached to.
            lines.state.composer.looks = Looks::default();
            if !given.is_empty() && word == Word::Rewind && !effects.is_empty() {
                lines.say(format!("The words there were: {given}"));
            }
            if word == Word::Stop && !effects.is_empty() {
                lines.say("Stops this turn. Agents go on.");
            }
            lines.after(effects)
        }
        Word::Changes => {
            let root = lists::root(lines);
            list(lines, root, Wanted::Changes, Effect::ReadChanges)
        }
        Word::Grants => {
            let root = lists::root(lines);
            list(lines, root, Wanted::Grants, Effect::ReadRules)
        }
        Word::Decisions => {
            lists::decisions(lines);
            Vec::new()
        }
        Word::Sessions => forms::want(lines, Wanted::Sessions, Effect::ListSessions),
        Word::Waiting => waiting(lines, rest),
        Word::Output => outputs::more(lines),
        Word::File => file(lines, rest),
        Word::Theme => nothing(lines, "Lines have no colours."),
        Word::Attach => nothing(
            lines,
            "Lines have no pictures. Name the file: the model can look at it itself.",
        ),
        Word::News | Word::Log => nothing(lines, "All of it was told, in the lines above."),
        Word::Help => {
            help::commands(lines);
            Vec::new()
        }
    }
}

fn run_own(lines: &mut Lines, word: Own, rest: &str) -> Vec<Effect> {
    match word {
        Own::Agents => {
            lists::agents(lines);
            Vec::new()
        }
        Own::To => to(lines, rest),
        Own::Resume => resume(lines, rest),
        Own::Undo => {
            let number = if rest.is_empty() { None } else { Some(rest.parse().unwrap_or(0)) };
            let root = lists::root(lines);
            list(lines, root, Wanted::Undo(number), Effect::ReadChanges)
        }
        Own::Revoke => match rest.parse() {
            Ok(number) => {
                let root = lists::root(lines);
                list(lines, root, Wanted::Revoke(number), Effect::ReadRules)
            }
            Err(_) => nothing(lines, "/revoke takes the number of a rule in /grants."),
        },
        Own::Model => model(lines, rest),
        Own::Tour => {
            lines.state.place.starting = Some(Default::default());
            vec![Effect::Start { what: Start::Tour, message: None }]
        }
        Own::Send => {
            let text = lines.state.composer.take().text();
            if text.trim().is_empty() {
                return nothing(lines, "There is no draft.");
            }
            hear::say(lines, &text)
        }
        Own::Draft => {
            let text = lines.state.composer.draft.text();
            let said = if text.is_empty() {
                "There is no draft.".to_owned()
            } else {
                format!("Draft: {text}")
            };
            nothing(lines, &said)
        }
        Own::Drop => {
            let text = lines.state.composer.take();
            let said = if text.is_empty() { "There is no draft." } else { "Draft dropped." };
            nothing(lines, said)
        }
    }
}

/// Says why there is nothing to be done.
fn nothing(lines: &mut Lines, why: &str) -> Vec<Effect> {
    lines.say(why);
    Vec::new()
}

/// Has a list of a session made, which is said when it is there.
fn list(
    lines: &mut Lines,
    session: Option<SessionId>,
    wanted: Wanted,
    effect: impl FnOnce(SessionId) -> Effect,
) -> Vec<Effect> {
    match session {
        Some(session) => forms::want(lines, wanted, effect(session)),
        None => nothing(lines, "There is no session yet."),
    }
}

fn mode(lines: &mut Lines) -> Vec<Effect> {
    let now = lines.state.sessions.node().map_or(lines.state.place.mode, |node| node.mode);
    let all = Mode::ALL.map(Mode::name).join(", ");
    nothing(lines, &format!("Mode: {}. Another one: /mode NAME, of {all}.", now.name()))
}

/// Opens a file of the folder that is worked in.
fn file(lines: &mut Lines, rest: &str) -> Vec<Effect> {
    if rest.is_empty() {
        return nothing(lines, "/file takes the name of a file, and opens it in $EDITOR.");
    }
    let state = &lines.state;
    let folder = state.sessions.node().map_or(&state.place.folder, |node| &node.spec.workspace);
    vec![Effect::Visit(folder.join(rest))]
}

/// What was said, numbered, to go back to before one of them.
fn said(lines: &mut Lines) -> Vec<Effect> {
    let session = lines.state.sessions.viewed();
    list(lines, session, Wanted::Said, Effect::ReadSaid)
}

/// Stops an agent, and all below it.
fn stop(lines: &mut Lines, rest: &str) -> Vec<Effect> {
    let Some(session) = numbered(&lines.numbered.agents, rest) else {
        return nothing(
            lines,
            "/stop takes the number of an agent in /agents; alone, it stops this turn.",
        );
    };
    let who = super::tell::who(&lines.state, session);
    lines.say(format!("Stops {who} and all below it."));
    vec![Effect::Send(Command::Cancel { session, extent: Extent::Subtree })]
}

fn numbered<T: Clone>(all: &[T], number: &str) -> Option<T> {
    let number: usize = number.parse().ok()?;
    all.get(number.checked_sub(1)?).cloned()
}

fn to(lines: &mut Lines, rest: &str) -> Vec<Effect> {
    match numbered(&lines.numbered.agents, rest) {
        Some(session) => {
            lines.state.sessions.show(session);
            let who = super::tell::who(&lines.state, session);
            let effects = lines.settle();
            lines.say(format!("From now on you speak to {who}."));
            effects
        }
        None => nothing(lines, "/to takes a number of /agents."),
    }
}

fn resume(lines: &mut Lines, rest: &str) -> Vec<Effect> {
    let effects = match numbered(&lines.numbered.sessions, rest) {
        Some((session, Whereabouts::There(_))) => {
            forms::held(lines, session);
            Vec::new()
        }
        Some((session, Whereabouts::Free)) => steps::carry_on(&mut lines.state, session, When::Now),
        Some((session, Whereabouts::Here)) => {
            lines.state.sessions.show(session);
            lines.settle()
        }
        None => return nothing(lines, "/resume takes a number of /sessions."),
    };
    lines.after(effects)
}

/// The questions that wait; with a number, that one is asked next.
fn waiting(lines: &mut Lines, rest: &str) -> Vec<Effect> {
    let ordered = lines.state.queue.ordered();
    let all: Vec<_> = ordered.iter().map(|waiting| waiting.question.id).collect();
    match numbered(&all, rest) {
        Some(id) => {
            if lines.state.queue.get(id).is_some_and(|waiting| waiting.put_off) {
                lines.state.queue.toggle(id);
            }
            lines.state.queue.choose(id);
            if let ask::Open::Question(_) = lines.open {
                lines.open = ask::Open::Nothing;
            }
        }
        None => lists::waiting(lines),
    }
    Vec::new()
}

/// The model there is; or takes one of those that were found here.
fn model(lines: &mut Lines, rest: &str) -> Vec<Effect> {
    let found = &lines.state.controls.models;
    if let Some(name) = found.iter().find(|name| **name == rest) {
        return vec![Effect::Keep(Setting::Model(name.clone()))];
    }
    let found = found.join(", ");
    let now = match &lines.state.place.player {
        Player::Nobody { looked_for } => {
            format!("No model is connected. Looked for {}.", looked_for.join(", "))
        }
        Player::Model(name) => format!("Model: {name}."),
        Player::Script(name) => format!("A script plays the model: {name}."),
    };
    lines.say(now);
    if !found.is_empty() {
        lines.say(format!("Found on this computer: {found}. Type: /model NAME."));
    }
    lines.say(
        "Another one: set the variable with its key, then footplate --lines --model PROVIDER/NAME.",
    );
    Vec::new()
}
