//! From events to a session: what the model is told, what is open, what it cost.

use std::{collections::BTreeMap, sync::Arc};

use crate::kernel::{
    error::CallError,
    event::{Envelope, Event, Origin, Outcome, Stop},
    gate::approval::Question,
    id::{ApprovalId, CallId},
    invoke::{ToolResult, interrupted},
    message::{CallResult, Message, ModelCall, Usage},
    spec::{Mode, SessionSpec},
};

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
    /// Questions without an answer, by name.
    pub questions: BTreeMap<ApprovalId, Question>,
    /// How the last exchange ended; absent while one is going on or before the first.
    pub outcome: Option<Outcome>,
    /// The conversation up to the last whole answer.
    messages: Vec<Message>,
    /// Text of the answer that is being written.
    text: String,
    /// The calls of the last answer, with the results that have come.
    calls: Vec<(ModelCall, Option<ToolResult>)>,
    /// Calls that began and have no result: any depth.
    running: BTreeMap<CallId, RunningCall>,
}

/// A call that began and has no result yet.
#[derive(Clone, Debug, PartialEq)]
struct RunningCall {
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
            questions: BTreeMap::new(),
            outcome: None,
            messages: Vec::new(),
            text: String::new(),
            calls: Vec::new(),
            running: BTreeMap::new(),
        }
    }

    /// Takes one more event in.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::MessageSent { text } => {
                self.settle();
                self.outcome = None;
                self.messages.push(Message::User(text.clone()));
            }
            Event::TurnStarted { .. } => {
                self.settle();
                self.turns += 1;
            }
            Event::TextStreamed { text } => self.text.push_str(text),
            Event::TurnFinished { stop, usage, calls } => self.turn_finished(stop, *usage, calls),
            Event::ExchangeFinished { outcome } => {
                self.settle();
                self.outcome = Some(outcome.clone());
            }
            Event::CallStarted { call, .. } => {
                let running = RunningCall {
                    name: call.name.clone(),
                    input: call.input.clone(),
                    origin: call.origin,
                    parent: call.parent,
                };
                self.running.insert(call.id, running);
            }
            Event::CallFinished { call, result, .. } => {
                self.running.remove(call);
                let slot = self.calls.iter_mut().find(|(known, _)| known.id == *call);
                if let Some((_, empty @ None)) = slot {
                    *empty = Some(result.clone());
                }
            }
            Event::ApprovalRequested { question } => {
                self.questions.insert(question.id, question.clone());
            }
            Event::ApprovalAnswered { approval, .. }
            | Event::ApprovalWithdrawn { approval, .. } => {
                self.questions.remove(approval);
            }
            Event::ModeChanged { to, .. } => self.mode = *to,
            // Whoever asked died with the process that held the question.
            Event::SessionResumed { .. } => self.questions.clear(),
            Event::SessionFinished { outcome } => self.outcome = Some(outcome.clone()),
            Event::SessionStarted { .. }
            | Event::ExecutionStarted { .. }
            | Event::OutputWritten { .. }
            | Event::ExecutionFinished { .. }
            | Event::ChildStarted { .. } => {}
        }
    }

    /// The conversation for the next model request: every call in it has exactly one result.
    pub fn messages(&self) -> Vec<Message> {
        let mut settled = self.clone();
        settled.settle();
        settled.messages
    }

    /// The text of the last answer, whole or not.
    pub fn last_text(&self) -> &str {
        if !self.text.is_empty() {
            return &self.text;
        }
        let answers = self.messages.iter().rev().filter_map(|message| match message {
            Message::Assistant { text, .. } if !text.is_empty() => Some(text.as_str()),
            Message::Assistant { .. } | Message::User(_) | Message::Results(_) => None,
        });
        answers.into_iter().next().unwrap_or_default()
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
        let begun = self.running.iter().rev().map(|(id, call)| {
            lost(*id, &call.name, call.input.clone(), call.parent, call.origin, true)
        });
        let never_begun = self
            .calls
            .iter()
            .filter(|(call, result)| result.is_none() && !self.running.contains_key(&call.id))
            .map(|(call, _)| {
                let input = serde_json::from_str(&call.arguments).unwrap_or_default();
                lost(call.id, &call.name, input, None, Origin::Model, false)
            });
        begun.chain(never_begun).collect()
    }

    /// Whether something was going on when the journal ended.
    pub fn is_busy(&self) -> bool {
        let spoken = !self.messages.is_empty() || !self.text.is_empty() || !self.calls.is_empty();
        spoken && self.outcome.is_none()
    }

    fn turn_finished(&mut self, stop: &Stop, usage: Usage, calls: &[ModelCall]) {
        self.usage += usage;
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

    /// Moves a finished answer and its results into the conversation.
    fn settle(&mut self) {
        if self.text.is_empty() && self.calls.is_empty() {
            return;
        }
        let calls = std::mem::take(&mut self.calls);
        let text = std::mem::take(&mut self.text);
        let asked = calls.iter().map(|(call, _)| call.clone()).collect();
        self.messages.push(Message::Assistant { text, calls: asked });
        if calls.is_empty() {
            return;
        }
        let results = calls.into_iter().map(|(call, result)| CallResult {
            provider_id: call.provider_id,
            result: result.unwrap_or_else(|| {
                let input = serde_json::from_str(&call.arguments).unwrap_or_default();
                failure(&call.name, input, &interrupted(self.running.contains_key(&call.id)))
            }),
        });
        self.messages.push(Message::Results(results.collect()));
    }
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
