//! From events to a session: what the model is told, what is open, what it cost.

mod answer;
mod begun;
mod by_hand;
mod edit;
mod folding;
mod later;
mod span;
mod undone;

use std::{collections::BTreeMap, sync::Arc};

pub use self::folding::Folding;
use self::{answer::Answer as Writing, begun::Begun, later::Later, span::Talk};
use crate::kernel::{
    error::CallError,
    event::{Envelope, Event, Origin, Outcome, Source},
    gate::approval::{Answer, Question},
    id::{ApprovalId, SignalId},
    invoke::{ToolResult, interrupted},
    message::{CallResult, Message, ModelCall, Usage},
    signal::Ending,
    spec::{Mode, SessionSpec},
    todo::Item,
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
    /// Tokens of the last request and its answer; 0 where that is not known.
    pub context: u64,
    /// Questions without an answer, by name.
    pub questions: BTreeMap<ApprovalId, Question>,
    /// The names of the agents it started, in order.
    pub children: Vec<String>,
    /// What it means to do.
    pub todo: Vec<Item>,
    /// How the last exchange ended; absent while one is going on or before the first.
    pub outcome: Option<Outcome>,
    /// The conversation up to the last whole answer.
    talk: Talk,
    /// The answer that is being written, or whose calls are being made.
    answer: Writing,
    /// What was said while an answer was on its way, or came from agents; it comes after that answer
    /// and its results.
    later: Later,
    /// Calls at any depth that the model has no answer to.
    begun: Begun,
}

impl Session {
    /// The fold of a whole journal; absent if its first event is not `session_started`.
    pub fn replay(events: &[Arc<Envelope>]) -> Option<Self> {
        let mut folding = Folding::default();
        events.iter().for_each(|envelope| folding.take(envelope));
        folding.session()
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
            todo: Vec::new(),
            outcome: None,
            talk: Talk::default(),
            answer: Writing::default(),
            later: Later::default(),
            begun: Begun::default(),
        }
    }

    /// Takes one more event in, which has that number.
    pub fn apply(&mut self, seq: u64, event: &Event) {
        self.talk.upto = seq;
        match event {
            Event::MessageSent { text, pictures } => {
                self.outcome = None;
                self.later.said(seq, text.clone(), pictures.clone());
                self.settle_if_quiet();
            }
            Event::TurnStarted { .. } => {
                self.settle();
                self.turns += 1;
                self.later.asked();
                self.outcome = None;
                self.answer.arrives = true;
            }
            Event::TextStreamed { text } => {
                self.settle_lost_turn();
                self.answer.text.push_str(text);
            }
            Event::ThinkingStreamed { text } => {
                self.settle_lost_turn();
                self.answer.thinks(text);
            }
            Event::TurnFinished { stop, usage, calls, thoughts } => {
                self.settle_lost_turn();
                self.usage += *usage;
                self.context = usage.input.saturating_add(usage.output);
                self.answer.finish(stop, calls, thoughts);
            }
            Event::ContextCompacted { summarised, summary, usage } => {
                self.settle();
                self.usage += *usage;
                self.context = 0;
                self.talk.compact(*summarised, summary);
            }
            Event::CallJudged { usage, .. } => self.usage += *usage,
            Event::ExchangeFinished { outcome } => {
                self.settle_answer();
                self.talk.forget_thoughts();
                self.talk.take(self.later.words());
                self.outcome = Some(outcome.clone());
            }
            Event::CallStarted { call, .. } => {
                self.begun.began(call);
            }
            Event::ExecutionStarted { call, .. } => self.begun.runs(*call),
            Event::ExecutionFinished { call, .. } => self.begun.ran(*call),
            Event::CallFinished { call, result, origin, parent, .. } => {
                self.begun.finished(*call);
                let note = undone::note(*origin, result);
                if let Some(note) = note.or_else(|| by_hand::note(*origin, *parent, result)) {
                    self.later.noted(note);
                    self.settle_if_quiet();
                }
                let slot = self.answer.calls.iter_mut().find(|(known, _)| known.id == *call);
                if let Some((_, empty @ None)) = slot {
                    *empty = Some(self.begun.told(result, *call));
                }
            }
            Event::ApprovalRequested { question } => {
                self.begun.asked(&question.call);
                self.questions.insert(question.id, question.clone());
            }
            Event::ApprovalAnswered { approval, answer, .. } => {
                let question = self.questions.remove(approval);
                if let (Some(question), Answer::AllowEdited { input }) = (question, answer) {
                    self.begun.edited(&question.call, input);
                }
            }
            Event::ApprovalWithdrawn { approval, .. } => {
                self.questions.remove(approval);
            }
            Event::ModeChanged { to, .. } => self.mode = *to,
            Event::ChildStarted { agent, .. } => self.children.push(agent.clone()),
            Event::ConversationRewound { to } => {
                self.settle();
                self.context = 0;
                self.talk.go_back(*to);
            }
            Event::SessionResumed { .. } | Event::SessionForked { .. } => {
                if let Event::SessionForked { source: Source::File, .. } = event {
                    self.talk.ours = seq;
                }
                if let Event::SessionForked { .. } = event {
                    self.answer.thoughts.clear();
                    self.talk.forget_thoughts();
                }
                // Whoever asked died with the process that held the question.
                self.questions.clear();
                self.answer.lost();
            }
            Event::TodoChanged { items, .. } => self.todo.clone_from(items),
            Event::SignalReceived { signal, agent, what, .. } => {
                self.later.signal(*signal, what, agent, &self.spec);
            }
            Event::SignalTaken { signal, .. } => self.later.taken(*signal),
            Event::SessionFinished { outcome } => self.outcome = Some(outcome.clone()),
            Event::SessionStarted { .. }
            | Event::AnswerDelayed(_)
            | Event::CompactionStarted { .. }
            | Event::SessionNamed { .. }
            | Event::RuleRevoked { .. }
            | Event::OutputWritten { .. }
            | Event::PictureMade { .. }
            | Event::ChangeBegun { .. }
            | Event::PutAside { .. }
            | Event::SignalSent { .. } => {}
        }
    }

    /// The conversation so far: every call in it has exactly one result. What is longer than any request
    /// could hold has a note in its place; so has the middle of a long result.
    pub fn messages(&self) -> Vec<Message> {
        self.settled().talk.messages
    }

    /// How many messages the first so many of those stand for: what a summary of them records.
    pub fn stands_for(&self, first: usize) -> usize {
        self.settled().talk.stands_for(first)
    }

    fn settled(&self) -> Self {
        let mut settled = self.clone();
        settled.settle();
        settled
    }

    /// The conversation that the request which has just started is about: what came after its start
    /// is for the next one.
    pub fn asked(&self) -> Vec<Message> {
        self.talk.messages.clone()
    }

    /// The number of the last event it took in.
    pub fn upto(&self) -> u64 {
        self.talk.upto
    }

    /// Whether the conversation went back to what a summary had stood for, and has only the words of
    /// people from there: a fold of the journal that is [`Folding::returning`] has all of it.
    pub fn lacks(&self) -> bool {
        self.talk.lacks()
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
        if !self.answer.text.is_empty() {
            return &self.answer.text;
        }
        let answer = self.talk.messages.iter().rev().find_map(|message| {
            let Message::Assistant { text, .. } = message else { return None };
            (!text.is_empty()).then_some(text.as_str())
        });
        answer.unwrap_or_default()
    }

    /// What was said to it, oldest first: by the person, or by the agent above. What a model wrote down
    /// of it is no such word, and neither is one that a file brought in.
    pub fn said(&self) -> Vec<String> {
        let ours = self.numbered().into_iter().filter(|(seq, _)| *seq >= self.talk.ours);
        ours.map(|(_, text)| text.to_owned()).collect()
    }

    /// What people said in the conversation as it is now, in order, with the number of its event. What
    /// was summed up belongs to it.
    pub fn numbered(&self) -> Vec<(u64, &str)> {
        self.talk.numbered().chain(self.later.spoken()).collect()
    }

    /// What came of it, if it ends like this.
    pub fn ending(&self, outcome: Outcome) -> Ending {
        let text = self.last_text().to_owned();
        Ending { outcome, text, turns: self.turns, usage: self.usage, worktree: None }
    }

    /// The events that close what a crash left open: an end for each program that ran, then one
    /// "interrupted" for each call without a result, inner ones first. Nothing if all was closed.
    pub fn interruptions(&self) -> Vec<Event> {
        let unseen = self
            .answer
            .calls
            .iter()
            .filter(|(call, result)| result.is_none() && !self.begun.is_open(call.id))
            .map(|(call, _)| {
                begun::lost(call.id, &call.name, input_of(call), None, Origin::Model, false)
            });
        self.begun.lost().chain(unseen).collect()
    }

    /// Whether something was going on when the journal ended.
    pub fn is_busy(&self) -> bool {
        let spoken =
            !self.talk.messages.is_empty() || self.later.has_words() || !self.answer.is_empty();
        spoken && self.outcome.is_none()
    }

    /// Takes in what was said, unless an answer is on its way: then it comes after that.
    fn settle_if_quiet(&mut self) {
        if !self.answer.arrives && self.answer.is_empty() {
            self.settle();
        }
    }

    /// Ends the answer before, where a damaged journal lacks the beginning of the next.
    fn settle_lost_turn(&mut self) {
        if !self.answer.calls.is_empty() {
            self.settle();
        }
    }

    /// Moves a finished answer and its results into the conversation, then what was said meanwhile.
    fn settle(&mut self) {
        self.settle_answer();
        self.talk.take(self.later.all());
    }

    fn settle_answer(&mut self) {
        let Writing { text, calls, thoughts, .. } = std::mem::take(&mut self.answer);
        if !text.is_empty() || !calls.is_empty() {
            let asked = calls.iter().map(|(call, _)| call.clone()).collect();
            self.talk.push(Message::Assistant { text, calls: asked, thoughts });
        }
        if !calls.is_empty() {
            let results = calls.into_iter().map(|(call, result)| CallResult {
                result: result.unwrap_or_else(|| self.no_result(&call)),
                provider_id: call.provider_id,
            });
            let results = results.collect();
            self.talk.push(Message::Results(results));
        }
    }

    fn no_result(&self, call: &ModelCall) -> ToolResult {
        let began = self.begun.may_have_taken_effect(call.id);
        failure(&call.name, input_of(call), &interrupted(began))
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
