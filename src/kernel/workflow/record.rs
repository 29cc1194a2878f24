//! What an earlier run of a script has done, call by call, so that nothing is done twice.
//!
//! The script is run again from its start. A call is found in the record by its place, its name and
//! its arguments. Calls that ran side by side have no order among each other, so the place of a call is
//! after all that had ended before it began. Where the script asks for something else it has parted
//! from the record, and from there on all its calls are new.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use crate::kernel::{
    capability::Category,
    error::ErrorCode,
    event::{Call, Decider, Envelope, Event},
    id::{CallId, SessionId},
    invoke::{ToolResult, is_cut},
};

/// The module of which no call is harmless to repeat, although all are reads.
const AGENTS: &str = "agents.";

/// What an earlier run has done, and how far the script that is run again has come in it.
pub struct Record {
    run: SessionId,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    /// Calls so far.
    made: usize,
    answered: usize,
    /// Where the script left the record.
    parted: Option<String>,
    unknown: Vec<String>,
}

/// One call of the earlier run.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: String,
    /// As the script gave them, whatever a person made of them.
    input: Value,
    /// The numbers of its first event and of its end.
    span: (u64, u64),
    came: Came,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
enum Came {
    /// This.
    Result(Box<ToolResult>),
    /// Nothing was done, or nothing that would matter twice.
    Nothing,
    /// That is not known.
    Unknown,
}

/// What becomes of a call that is asked for now.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// It was made, and this came of it.
    Made(Box<ToolResult>, SessionId),
    /// It is made.
    New,
    /// It was begun, and what came of it is not known: it is not made without a person's yes.
    Unknown,
}

impl Record {
    /// The record of a run, from its journal.
    pub fn of(run: SessionId, events: &[Arc<Envelope>]) -> Self {
        Self::with(run, entries(events))
    }

    /// The record of a run that carried this one on: what it did, then what it had not come to.
    #[must_use]
    pub fn then(self, run: SessionId, events: &[Arc<Envelope>]) -> Self {
        let mut all = entries(events);
        for entry in &mut all {
            let before = self.next(&entry.name, &entry.input);
            // Nobody had said yes to that.
            if before == Next::Unknown && entry.came == Came::Nothing {
                entry.came = Came::Unknown;
            }
        }
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if state.parted.is_none() {
            let ends = |all: &[Entry]| all.iter().map(|entry| entry.span.0).max().unwrap_or(0) + 1;
            let after = ends(&all);
            all.extend(state.entries.into_iter().map(|entry| Entry {
                span: (entry.span.0.saturating_add(after), entry.span.1.saturating_add(after)),
                ..entry
            }));
        }
        Self::with(run, all)
    }

    fn with(run: SessionId, entries: Vec<Entry>) -> Self {
        Self { run, state: Mutex::new(State { entries, ..State::default() }) }
    }

    /// The run.
    pub fn run(&self) -> SessionId {
        self.run
    }

    /// Takes the next call of the script.
    pub fn next(&self, name: &str, input: &Value) -> Next {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.made += 1;
        if state.parted.is_some() || state.entries.is_empty() {
            return Next::New;
        }
        // Only what had begun before the first of them ended may come next.
        let first_end = state.entries.iter().map(|entry| entry.span.1).min().unwrap_or(u64::MAX);
        let found = state.entries.iter().position(|entry| {
            entry.span.0 <= first_end && entry.name == name && entry.input == *input
        });
        let Some(at) = found else {
            let number = state.made;
            let there = &state.entries[0].name;
            let other = if there == name { " with other arguments" } else { "" };
            state.parted = Some(format!(
                "Its call {number} is {name}, where the earlier run made {there}{other}: from there on \
                 its calls are new"
            ));
            return Next::New;
        };
        match state.entries.remove(at).came {
            Came::Result(result) => {
                state.answered += 1;
                Next::Made(result, self.run)
            }
            Came::Nothing => Next::New,
            Came::Unknown => {
                let number = state.made;
                state.unknown.push(format!("{name} (call {number})"));
                Next::Unknown
            }
        }
    }

    /// What a reader of the run should know of all this, a sentence each, without full stops.
    pub fn told(&self) -> Vec<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told = vec![format!(
            "{} of its calls had their result from the run {}, and nothing was done for them",
            state.answered, self.run
        )];
        told.extend(state.parted.clone());
        if let (None, Some(next)) = (&state.parted, state.entries.first()) {
            told.push(format!(
                "It made {} calls fewer than the earlier run, which went on with {}",
                state.entries.len(),
                next.name
            ));
        }
        if !state.unknown.is_empty() {
            told.push(format!(
                "Begun by the earlier run, and whether they took effect was unknown: {}",
                state.unknown.join(", ")
            ));
        }
        told
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("run", &self.run).finish_non_exhaustive()
    }
}

/// Of a call, what its events tell.
struct Told {
    /// Its name and arguments.
    asked: (String, Value),
    first: u64,
    category: Option<Category>,
    began: bool,
    end: Option<(u64, ToolResult)>,
}

/// All calls, and the order in which they came.
#[derive(Default)]
struct Calls {
    told: BTreeMap<CallId, Told>,
    order: Vec<CallId>,
}

impl Calls {
    /// What is told of that call, which has these arguments if it is new.
    fn of(&mut self, seq: u64, id: CallId, name: &str, input: &Value) -> &mut Told {
        self.told.entry(id).or_insert_with(|| {
            self.order.push(id);
            let asked = (name.to_owned(), input.clone());
            Told { asked, first: seq, category: None, began: false, end: None }
        })
    }
}

/// The calls that the script made over its modules, in the order in which they came.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is no call")]
fn entries(events: &[Arc<Envelope>]) -> Vec<Entry> {
    let mut calls = Calls::default();
    for envelope in events {
        let seq = envelope.seq;
        match &envelope.event {
            Event::ApprovalRequested { question } if is_script_s(&question.call) => {
                let call = &question.call;
                calls.of(seq, call.id, &call.name, &call.input);
            }
            Event::CallStarted { call, category, .. } if is_script_s(call) => {
                let told = calls.of(seq, call.id, &call.name, &call.input);
                (told.began, told.category) = (true, Some(*category));
            }
            Event::CallFinished { call, parent: Some(_), result, decision, .. }
                if result.name.contains('.') =>
            {
                let told = calls.of(seq, *call, &result.name, &result.input);
                // It was answered by the record of a run before that one.
                let by = decision.as_ref().map(|decision| &decision.by);
                told.began |= matches!(by, Some(Decider::Record { .. }));
                told.end = Some((seq, result.clone()));
            }
            _ => {}
        }
    }
    let Calls { told: mut calls, order } = calls;
    let entry = |id: CallId| {
        let Told { asked, first, category, began, end } = calls.remove(&id)?;
        let (name, input) = asked;
        let span = (first, end.as_ref().map_or(u64::MAX, |(seq, _)| *seq));
        let harmless = category == Some(Category::Read) && !name.starts_with(AGENTS);
        let came = match end {
            _ if !began => Came::Nothing,
            Some((_, result)) if is_whole(&result) => Came::Result(Box::new(result)),
            _ if harmless => Came::Nothing,
            _ => Came::Unknown,
        };
        Some(Entry { name, input, span, came })
    };
    order.into_iter().filter_map(entry).collect()
}

/// Made by the script, and over a module: what is made for the run itself is no part of the script.
fn is_script_s(call: &Call) -> bool {
    call.parent.is_some() && call.name.contains('.')
}

fn is_whole(result: &ToolResult) -> bool {
    result.error_code() != Some(ErrorCode::Interrupted) && !is_cut(result)
}

#[cfg(test)]
mod tests;
