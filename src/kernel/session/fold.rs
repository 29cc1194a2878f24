//! From events to a session: what the model is told, what is open, what it cost.

mod edit;
mod later;
mod undone;

use std::{collections::BTreeMap, sync::Arc};

use self::later::Later;
use crate::kernel::{
    error::CallError,
    event::{Call, Envelope, Event, Origin, Outcome, Stop},
    gate::approval::{Answer, Question},
    id::{ApprovalId, CallId, SignalId},
    invoke::{ToolResult, interrupted},
    message::{CallResult, Message, ModelCall, Usage},
    signal::Ending,
    spec::{Mode, SessionSpec},
};

/// What stands before a summary.
const SUMMARY: &str = "[The conversation before this was too long and is gone from here. This is what \
                       you wrote down of it:]\n\n";
/// What stands between it and what was said last.
const LAST_WORDS: &str = "\n\n[The last message in it, word for word:]\n\n";

/// What a session is, as far as its journal tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its description.
    pub spec: SessionSpec,
    /// The mode it is in.
    pub mode: Mode,
    /// Model requests so far.
    pub turns: u32,
    /// Tokens used so far, children not counted.
    pub usage: Usage,
    /// Tokens of the last request and its answer; 0 where that is not known.
    pub context: u64,
    /// Questions without an answer, by name.
    pub questions: BTreeMap<ApprovalId, Question>,
    /// The names of the agents it started, in order.
    pub children: Vec<String>,
    /// How the last exchange ended; absent while one is going on or before the first.
    pub outcome: Option<Outcome>,
    /// The conversation up to the last whole answer.
    messages: Vec<Message>,
    /// Text of the answer that is being written.
    text: String,
    /// The calls of the last answer, with the results that have come.
    calls: Vec<(ModelCall, Option<ToolResult>)>,
    /// Whether an answer is being written.
    answering: bool,
    /// What was said while an answer was on its way, or came from agents; it comes after that answer
    /// and its results.
    later: Later,
    /// Calls that were asked about or began, and have no result: any depth.
    open: BTreeMap<CallId, OpenCall>,
    /// What a person made of calls before saying yes, for the model, by its own call.
    edited: Vec<(CallId, String)>,
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq)]
struct OpenCall {
    /// Whether it may have taken effect.
    began: bool,
    name: String,
    input: serde_json::Value,
    origin: Origin,
    parent: Option<CallId>,
}

impl Session {
    /// The fold of a whole journal; absent if its first event is not `session_started`.
    pub fn replay(events: &[Arc<Envelope>]) -> Option<Self> {
        let (first, rest) = events.split_first()?;
        let Event::SessionStarted { spec } = &first.event else { return None };
        let mut session = Self::new(spec.clone());
        for envelope in rest {
            session.apply(&envelope.event);
        }
        Some(session)
    }

    /// A session in which nothing has happened.
    pub fn new(spec: SessionSpec) -> Self {
        Self {
            mode: spec.mode,
            spec,
            turns: 0,
            usage: Usage::default(),
            context: 0,
            questions: BTreeMap::new(),
            children: Vec::new(),
            outcome: None,
            messages: Vec::new(),
            text: String::new(),
            calls: Vec::new(),
            answering: false,
            later: Later::default(),
            open: BTreeMap::new(),
            edited: Vec::new(),
        }
    }

    /// Takes one more event in.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::MessageSent { text } => {
                self.outcome = None;
                self.later.said(text.clone());
                self.settle_if_quiet();
            }
            Event::TurnStarted { .. } => {
                self.settle();
                self.turns += 1;
                self.later.asked();
                self.outcome = None;
                self.answering = true;
            }
            Event::TextStreamed { text } => {
                self.settle_lost_turn();
                self.text.push_str(text);
            }
            Event::TurnFinished { stop, usage, calls } => self.turn_finished(stop, *usage, calls),
            Event::ContextCompacted { summarised, summary, usage } => {
                self.compact(*summarised, summary, *usage);
            }
            Event::ExchangeFinished { outcome } => {
                self.settle_answer();
                self.messages.extend(self.later.words());
                self.outcome = Some(outcome.clone());
            }
            Event::CallStarted { call, .. } => {
                self.open.insert(call.id, OpenCall::of(call, true));
            }
            Event::CallFinished { call, result, origin, .. } => {
                self.open.remove(call);
                if let Some(note) = undone::note(*origin, result) {
                    self.later.noted(note);
                    self.settle_if_quiet();
                }
                let slot = self.calls.iter_mut().find(|(known, _)| known.id == *call);
                if let Some((_, empty @ None)) = slot {
                    *empty = Some(edit::told(result, *call, &mut self.edited));
                }
            }
            Event::ApprovalRequested { question } => {
                let call = &question.call;
                self.open.entry(call.id).or_insert_with(|| OpenCall::of(call, false));
                self.questions.insert(question.id, question.clone());
            }
            Event::ApprovalAnswered { approval, answer, .. } => {
                let question = self.questions.remove(approval);
                if let (Some(question), Answer::AllowEdited { input }) = (question, answer) {
                    let root = self.root_of(&question.call);
                    self.edited.push((root, edit::note(&question.call, input)));
                }
            }
            Event::ApprovalWithdrawn { approval, .. } => {
                self.questions.remove(approval);
            }
            Event::ModeChanged { to, .. } => self.mode = *to,
            Event::ChildStarted { agent, .. } => self.children.push(agent.clone()),
            Event::SessionResumed { .. } => {
                // Whoever asked died with the process that held the question.
                self.questions.clear();
                if std::mem::take(&mut self.answering) && !self.text.is_empty() {
                    self.text.push_str("\n[cut off: the program ended]");
                }
            }
            Event::SignalReceived { signal, agent, what, .. } => {
                self.later.signal(*signal, what, agent, &self.spec);
            }
            Event::SignalTaken { signal, .. } => self.later.taken(*signal),
            Event::SessionFinished { outcome } => self.outcome = Some(outcome.clone()),
            Event::SessionStarted { .. }
            | Event::CompactionStarted { .. }
            | Event::ExecutionStarted { .. }
            | Event::RuleRevoked { .. }
            | Event::OutputWritten { .. }
            | Event::ChangeBegun { .. }
            | Event::PutAside { .. }
            | Event::SignalSent { .. }
            | Event::ExecutionFinished { .. } => {}
        }
    }

    /// The conversation so far: every call in it has exactly one result.
    pub fn messages(&self) -> Vec<Message> {
        let mut settled = self.clone();
        settled.settle();
        settled.messages
    }

    /// The conversation that the request which has just started is about: what came after its start
    /// is for the next one.
    pub fn asked(&self) -> Vec<Message> {
        self.messages.clone()
    }

    /// Model requests since the person, or the agent above, last said something.
    pub fn turns_since(&self) -> u32 {
        self.later.requests()
    }

    /// Whether it rests, its work done, and other agents said what its model does not know yet.
    pub fn is_woken(&self) -> bool {
        self.outcome == Some(Outcome::Done) && self.later.wakes()
    }

    /// The signals that its model does not know of yet.
    pub fn untold(&self) -> Vec<SignalId> {
        self.later.signals()
    }

    /// The text of the last answer, whole or not.
    pub fn last_text(&self) -> &str {
        if !self.text.is_empty() {
            return &self.text;
        }
        let answers = self.messages.iter().rev().filter_map(|message| match message {
            Message::Assistant { text, .. } if !text.is_empty() => Some(text.as_str()),
            Message::Assistant { .. }
            | Message::User(_)
            | Message::Agent(_)
            | Message::Results(_) => None,
        });
        answers.into_iter().next().unwrap_or_default()
    }

    /// What was said to it, oldest first: by the person, or by the agent above.
    pub fn said(&self) -> Vec<String> {
        let said = self.messages.iter().filter_map(|message| match message {
            Message::User(text) => Some(text),
            Message::Agent(_) | Message::Assistant { .. } | Message::Results(_) => None,
        });
        said.chain(self.later.spoken()).cloned().collect()
    }

    /// What came of it, if it ends like this.
    pub fn ending(&self, outcome: Outcome) -> Ending {
        let text = self.last_text().to_owned();
        Ending { outcome, text, turns: self.turns, usage: self.usage }
    }

    /// The events that close what a crash left open: one "interrupted" for each call without a
    /// result, inner ones first. Nothing if all was closed.
    pub fn interruptions(&self) -> Vec<Event> {
        let lost = |id: CallId, name: &str, input, parent, origin, started| Event::CallFinished {
            call: id,
            parent,
            origin,
            result: failure(name, input, &interrupted(started)),
            decision: None,
        };
        let open = self.open.iter().rev().map(|(id, call)| {
            lost(*id, &call.name, call.input.clone(), call.parent, call.origin, call.began)
        });
        let unseen = self
            .calls
            .iter()
            .filter(|(call, result)| result.is_none() && !self.open.contains_key(&call.id))
            .map(|(call, _)| {
                let input = input_of(call);
                lost(call.id, &call.name, input, None, Origin::Model, false)
            });
        open.chain(unseen).collect()
    }

    /// Whether something was going on when the journal ended.
    pub fn is_busy(&self) -> bool {
        let spoken = !self.messages.is_empty()
            || self.later.has_words()
            || !self.text.is_empty()
            || !self.calls.is_empty();
        spoken && self.outcome.is_none()
    }

    /// Takes in what was said, unless an answer is on its way: then it comes after that.
    fn settle_if_quiet(&mut self) {
        if !self.answering && self.text.is_empty() && self.calls.is_empty() {
            self.settle();
        }
    }

    fn turn_finished(&mut self, stop: &Stop, usage: Usage, calls: &[ModelCall]) {
        self.settle_lost_turn();
        self.answering = false;
        self.usage += usage;
        self.context = usage.input + usage.output;
        self.calls = calls.iter().map(|call| (call.clone(), None)).collect();
        let note = match stop {
            Stop::End | Stop::Calls => return,
            Stop::Length => "\n[cut off at the model's limit of length]",
            Stop::Interrupted => "\n[stopped by the person]",
            Stop::Failed { .. } => "\n[cut off: the provider failed]",
        };
        // An answer that never began is no message; some providers refuse an empty one.
        if !self.text.is_empty() {
            self.text.push_str(note);
        }
    }

    /// Puts a summary in the place of the first messages, and the person's last words with it if they
    /// are in there: nobody may paraphrase those.
    fn compact(&mut self, summarised: usize, summary: &str, usage: Usage) {
        self.settle();
        self.usage += usage;
        self.context = 0;
        let mut said = None;
        // Where a damaged journal lacks messages, no result may be left without its call.
        let results = |message: &Message| matches!(message, Message::Results(_));
        let mut cut = summarised.min(self.messages.len());
        cut += self.messages[cut..].iter().take_while(|message| results(message)).count();
        for message in self.messages.drain(..cut) {
            if let Message::User(text) = message {
                said = Some(text);
            }
        }
        let mut text = format!("{SUMMARY}{summary}");
        let is_kept = self.messages.iter().any(|message| matches!(message, Message::User(_)));
        if let Some(said) = said.filter(|_| !is_kept) {
            let said = said.rsplit_once(LAST_WORDS).map_or(said.as_str(), |(_, said)| said);
            text = format!("{text}{LAST_WORDS}{said}");
        }
        self.messages.insert(0, Message::User(text));
    }

    /// Ends the answer before, where a damaged journal lacks the beginning of the next.
    fn settle_lost_turn(&mut self) {
        if !self.calls.is_empty() {
            self.settle();
        }
    }

    /// Moves a finished answer and its results into the conversation, then what was said meanwhile.
    fn settle(&mut self) {
        self.settle_answer();
        self.messages.extend(self.later.all());
    }

    fn settle_answer(&mut self) {
        self.answering = false;
        let calls = std::mem::take(&mut self.calls);
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() || !calls.is_empty() {
            let asked = calls.iter().map(|(call, _)| call.clone()).collect();
            self.messages.push(Message::Assistant { text, calls: asked });
        }
        if !calls.is_empty() {
            let results = calls.into_iter().map(|(call, result)| CallResult {
                result: result.unwrap_or_else(|| self.no_result(&call)),
                provider_id: call.provider_id,
            });
            let results = results.collect();
            self.messages.push(Message::Results(results));
        }
    }

    /// The call by the model in which this one was made.
    fn root_of(&self, call: &Call) -> CallId {
        let (mut root, mut parent) = (call.id, call.parent);
        while let Some(above) = parent {
            (root, parent) = (above, self.open.get(&above).and_then(|open| open.parent));
        }
        root
    }

    fn no_result(&self, call: &ModelCall) -> ToolResult {
        let began = self.open.get(&call.id).is_some_and(|open| open.began);
        failure(&call.name, input_of(call), &interrupted(began))
    }
}

impl OpenCall {
    fn of(call: &Call, began: bool) -> Self {
        Self {
            began,
            name: call.name.clone(),
            input: call.input.clone(),
            origin: call.origin,
            parent: call.parent,
        }
    }
}

/// The arguments as they are recorded for a call that was never looked at: parsed if they can be.
fn input_of(call: &ModelCall) -> serde_json::Value {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| call.arguments.clone().into())
}

fn failure(name: &str, input: serde_json::Value, error: &CallError) -> ToolResult {
    ToolResult {
        ok: false,
        name: name.to_owned(),
        input,
        content: error.payload(),
        is_error: true,
        attachments: Vec::new(),
        duration_ms: 0,
    }
}

#[cfg(test)]
mod tests;
