//! The workstation line by line, for screen readers and for scripts through pipes: the same state as
//! the screen's, of which nothing is drawn. What happens, what is asked and what came of it is told in
//! lines that are only ever added; what somebody wants is a line as well.
//!
//! It stands in the screen's room, since what it says are the screen's words and what it does are the
//! screen's steps: it has no other way to an answer than the letters of a question have.

mod answer;
mod ask;
mod command;
mod forms;
mod guard;
mod hear;
mod help;
mod lists;
mod outcome;
mod outputs;
mod paper;
pub mod rendered;
mod tell;
#[cfg(test)]
mod tests;
mod words;

use std::collections::VecDeque;

use self::{
    ask::{Open, Reading},
    guard::Guard,
    outputs::Outputs,
    tell::Teller,
};
use super::{
    clean,
    effect::Effect,
    message::Message,
    state::{Leave, Moment, Popup, State},
    update::update as screen,
};
use crate::kernel::{
    id::{CallId, SessionId},
    port::Whereabouts,
};

/// Where lines come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Somebody types, and can do so again after an end.
    Terminal,
    /// A pipe or a file: after its end nobody can answer.
    Pipe,
}

/// What comes to the line mode.
#[derive(Clone, Debug)]
pub enum Heard {
    Typed(Moment, Burst),
    /// All that was said up to this mark is written, and all lines that were typed until then were
    /// heard; with the text of one that was begun then and had no end yet.
    Reached(Moment, u64, String),
    /// Nothing more comes from there, for now.
    Ended(Moment),
    /// ctrl+c.
    Interrupted(Moment),
    /// What a screen would be told as well.
    Told(Message),
    /// Nothing else waits to be told.
    Quiet,
}

/// Lines that came at once, without their ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Burst {
    pub lines: Vec<String>,
    /// Right behind the last one another one was begun.
    pub goes_on: bool,
}

/// One line of what is said; none holds a control character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Says(String),
    /// Behind this an answer is written, in the same line.
    Prompt(String),
    /// Somebody wrote this line.
    Wrote(String),
}

/// What one thing that was heard comes to.
#[derive(Debug, Default)]
pub struct Step {
    pub lines: Vec<Line>,
    pub effects: Vec<Effect>,
    /// To be told of by [`Heard::Reached`] when these lines are written.
    pub mark: Option<u64>,
}

/// The line mode.
#[derive(Debug)]
pub struct Lines {
    state: State,
    source: Source,
    guard: Guard,
    open: Open,
    reading: Reading,
    teller: Teller,
    outputs: Outputs,
    numbered: Numbered,
    said: Vec<Line>,
    /// The beginning of a line that somebody is still at.
    begun: String,
    /// The prompt that the next lines end with.
    prompt: Option<String>,
    /// The source has ended, so that nobody answers any more.
    ended: bool,
    /// Words and Python that were sent, and of which nothing was heard yet.
    owed: usize,
}

/// What the numbers of the lists that were said last stand for.
#[derive(Clone, Debug, Default)]
struct Numbered {
    agents: Vec<SessionId>,
    sessions: Vec<(SessionId, Whereabouts)>,
    changes: Vec<CallId>,
    /// What is said as soon as it is known.
    wanted: Option<Wanted>,
    /// What undoing was asked about.
    undo: Vec<CallId>,
}

/// A list that was asked for and is not here yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Sessions,
    Grants,
    Revoke(usize),
    Changes,
    Undo(Option<usize>),
    Said,
}

impl Lines {
    /// Of a screen on which nothing has happened; what happened before that moment is told in short, and
    /// so many messages are on their way already.
    pub fn new(state: State, source: Source, began: jiff::Timestamp, owed: usize) -> Self {
        Self {
            state,
            source,
            guard: Guard::default(),
            open: Open::Nothing,
            reading: Reading::default(),
            teller: Teller::since(began),
            outputs: Outputs::default(),
            numbered: Numbered::default(),
            said: Vec::new(),
            begun: String::new(),
            prompt: None,
            ended: false,
            owed,
        }
    }

    /// What the screen knows.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Why it is to be left, if it is.
    pub fn leave(&self) -> Option<Leave> {
        self.state.place.leave
    }

    /// Says a text. Its further lines stand in a little.
    fn say(&mut self, text: impl AsRef<str>) {
        self.teller.interrupted();
        for (at, line) in text.as_ref().trim_end().split('\n').enumerate() {
            let indent = if at == 0 { "" } else { "  " };
            self.said.push(Line::Says(format!("{indent}{}", clean::shown(line))));
        }
    }

    /// Something was said that changes what a word means: none of before is an answer to it.
    fn announce(&mut self) {
        self.guard.announce();
    }

    /// Does one step of the screen, and says what it says in passing.
    fn turn(&mut self, message: Message) -> Vec<Effect> {
        let effects = screen(&mut self.state, message);
        self.after(effects)
    }

    /// Lets what belongs together follow what was done to the state.
    fn settle(&mut self) -> Vec<Effect> {
        let clocks = self.state.output.clocks.iter().map(|(call, read)| (*call, *read)).collect();
        self.turn(Message::Tick(self.state.now, clocks))
    }

    /// What a step of the screen left to be said, and which of its effects are for no picture.
    fn after(&mut self, mut effects: Vec<Effect>) -> Vec<Effect> {
        if let Some(text) = self.state.status.take() {
            self.say(words::without_keys(&text));
        }
        match self.state.popup.take() {
            Some(Popup::Quit { .. }) => forms::quit(self),
            Some(Popup::Held { session }) => forms::held(self, session),
            Some(_) | None => {}
        }
        effects.retain(|effect| {
            !matches!(
                effect,
                Effect::Colour(..)
                    | Effect::LayOut(..)
                    | Effect::Find(..)
                    | Effect::ReadOutput(..)
                    | Effect::FindFiles(..)
                    | Effect::Compare(..)
                    | Effect::Copy(_)
                    | Effect::Notify(_)
            )
        });
        effects
    }
}

/// The first lines: where one is, and what is there to speak to.
pub fn begin(lines: &mut Lines) -> Step {
    let before = lines.guard.mark();
    help::greet(lines);
    let effects = lines.settle();
    step(lines, before, effects)
}

fn step(lines: &mut Lines, before: u64, effects: Vec<Effect>) -> Step {
    let mut said = std::mem::take(&mut lines.said);
    said.extend(lines.prompt.take().map(Line::Prompt));
    let mark = Some(lines.guard.mark()).filter(|mark| *mark != before);
    Step { lines: said, effects, mark }
}

/// Takes in what was heard.
pub fn update(lines: &mut Lines, heard: Heard) -> Step {
    let before = lines.guard.mark();
    let mut effects = Vec::new();
    match heard {
        Heard::Typed(now, typed) => {
            lines.state.now = now;
            tell::so_far(lines);
            effects = hear::typed(lines, typed);
        }
        Heard::Reached(now, mark, begun) => {
            lines.state.now = now;
            lines.guard.reached(mark, now);
            hear::begun(lines, &begun);
        }
        Heard::Ended(now) => {
            lines.state.now = now;
            tell::so_far(lines);
            effects = hear::ended(lines);
        }
        Heard::Interrupted(now) => {
            lines.state.now = now;
            effects = hear::interrupted(lines);
        }
        Heard::Told(Message::Came(came)) => effects = lists::came(lines, came),
        Heard::Told(message) => effects = tell::message(lines, message),
        Heard::Quiet => tell::so_far(lines),
    }
    effects.extend(ask::follow(lines));
    effects.extend(hear::leave(lines));
    step(lines, before, effects)
}

/// The last lines that were told of before, and how many there were.
#[derive(Clone, Debug, Default)]
struct SoFar {
    last: VecDeque<Line>,
    count: usize,
}
