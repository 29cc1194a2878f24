//! Who or what decided each effect: rebuilt from a journal alone.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::kernel::{
    capability::Category,
    error::ErrorCode,
    event::{Call, Decider, Decision, Envelope, Event, Origin, Source},
    gate::{
        approval::{Answer, Question, Scope},
        monitor::Doubt,
    },
    id::{ApprovalId, CallId},
    invoke::ToolResult,
};

/// Said of a yes to other arguments than were asked for.
pub const EDITED: &str = "with arguments edited";

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decided {
    /// When it was made, or asked for while it is open.
    pub at: Timestamp,
    /// The call.
    pub call: CallId,
    /// The capability.
    pub name: String,
    /// What the call does to the world; absent in a journal that does not say it.
    pub category: Option<Category>,
    /// What it acts on, in words.
    pub effect: String,
    /// How it ended.
    pub verdict: Ruling,
    /// What came of the call that it let through; absent before that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// In whose name; absent where nobody decided.
    pub by: Option<Decider>,
    /// How far a person's yes reached.
    pub scope: Option<Scope>,
    /// The words of a person's no, or why a question was withdrawn.
    pub words: Option<String>,
    /// Why the monitor wanted it asked, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitor: Option<Doubt>,
    /// How long it waited.
    #[serde(flatten)]
    pub waited: Waited,
    /// The agents from the root to the one that wanted it.
    pub agent: Arc<[String]>,
    /// The line of its Python, where it is Python.
    pub line: Option<u32>,
    /// The question it was, if it was asked.
    pub approval: Option<ApprovalId>,
}

/// How long a question waited, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Waited {
    pub waited_ms: u64,
    /// How much of that the clock of a run left out.
    pub excluded_ms: u64,
}

/// How a decision ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// It may run.
    Allowed,
    /// It may not.
    Denied,
    /// Its question went away.
    Withdrawn,
    /// Its question still waits.
    Open,
}

/// What came of a call that was let through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "was")]
pub enum Outcome {
    /// It did what it was to do.
    Done,
    /// It did not, or not whole, for this reason: the first line of what its caller was told.
    Failed { because: String },
    /// It was cut off; whether it took effect is not known.
    Unknown,
}

impl Outcome {
    /// What has to be said beside a yes: nothing where it was done.
    pub fn words(&self) -> Option<String> {
        match self {
            Self::Done => None,
            Self::Failed { because } => Some(format!("failed: {because}")),
            Self::Unknown => Some("cut off: whether it was done is not known".to_owned()),
        }
    }

    fn of(result: &ToolResult) -> Self {
        if result.ok {
            return Self::Done;
        }
        if result.error_code() == Some(ErrorCode::Interrupted) {
            return Self::Unknown;
        }
        let message = result.content.get("message").and_then(Value::as_str).unwrap_or_default();
        Self::Failed { because: message.lines().next().unwrap_or_default().to_owned() }
    }
}

/// The decisions of a journal, oldest first. A read that simply ran is none.
pub fn decisions(events: &[Arc<Envelope>]) -> Vec<Decided> {
    let mut log = Log::default();
    for envelope in events {
        log.apply(envelope);
    }
    log.made
}

/// The decisions of a journal that comes event by event.
#[derive(Clone, Debug, Default)]
pub struct Log {
    agent: Arc<[String]>,
    /// Calls that were asked for, and have no result yet.
    asked: HashSet<CallId>,
    /// Which line is the last about a call that has no result yet.
    calls: HashMap<CallId, usize>,
    made: Vec<Decided>,
}

impl Log {
    /// Those so far, oldest first.
    pub fn made(&self) -> &[Decided] {
        &self.made
    }

    /// Takes the next event in.
    pub fn apply(&mut self, envelope: &Envelope) {
        let at = envelope.at;
        match &envelope.event {
            Event::SessionStarted { spec } => self.agent = spec.path.as_slice().into(),
            Event::ApprovalRequested { question } => {
                self.asked.insert(question.call.id);
                self.push(asked(question, at));
            }
            Event::ApprovalAnswered { approval, answer, by, waited_ms, excluded_ms } => {
                let Some(made) = self.open(*approval) else { return };
                (made.at, made.by) = (at, Some(by.clone()));
                made.waited = Waited { waited_ms: *waited_ms, excluded_ms: *excluded_ms };
                match answer {
                    Answer::Allow { scope } => {
                        made.verdict = Ruling::Allowed;
                        made.scope = Some(scope.clone());
                    }
                    Answer::AllowEdited { .. } => {
                        made.verdict = Ruling::Allowed;
                        made.scope = Some(Scope::Once);
                        made.words = Some(EDITED.to_owned());
                    }
                    Answer::Deny { because, then: _ } => {
                        made.verdict = Ruling::Denied;
                        made.words.clone_from(because);
                    }
                }
            }
            Event::ApprovalWithdrawn { approval, reason, waited_ms, excluded_ms } => {
                let Some(made) = self.open(*approval) else { return };
                (made.at, made.verdict) = (at, Ruling::Withdrawn);
                made.words = Some(reason.clone());
                made.waited = Waited { waited_ms: *waited_ms, excluded_ms: *excluded_ms };
            }
            Event::CallStarted { call, category, decision, subject: _ } => {
                if let Some(made) = self.of_call(call.id)
                    && made.words.as_deref() == Some(EDITED)
                {
                    made.effect = words(&call.name, &call.input);
                }
                let plain = matches!(decision.by, Decider::Mode { .. });
                let is_plain_read = plain && *category == Category::Read;
                if !is_plain_read && !self.asked.contains(&call.id) {
                    let unasked = Unasked { name: &call.name, input: &call.input, id: call.id };
                    self.unasked(at, unasked, Some(*category), call.origin, decision);
                }
            }
            Event::CallFinished { call, result, decision: None, .. } => {
                if let Some(made) =
                    self.of_call(*call).filter(|made| made.verdict == Ruling::Allowed)
                {
                    made.outcome = Some(Outcome::of(result));
                }
                self.over(*call);
            }
            Event::CallFinished { call, origin, result, decision: Some(decision), .. } => {
                // What a rule let out of its question, the monitor may still have refused.
                let refused = matches!(decision.by, Decider::Monitor(_));
                if refused || !self.asked.contains(call) {
                    let unasked = Unasked { name: &result.name, input: &result.input, id: *call };
                    self.unasked(at, unasked, decision.category, *origin, decision);
                }
                self.over(*call);
            }
            // Who decided elsewhere is what a file says, and decides nothing here.
            Event::SessionForked { source: Source::File, .. } => {
                self.made.clear();
                self.calls.clear();
            }
            Event::SessionResumed { .. } | Event::SessionForked { source: Source::Here, .. } => {
                for made in self.made.iter_mut().filter(|made| made.verdict == Ruling::Open) {
                    (made.at, made.verdict) = (at, Ruling::Withdrawn);
                    made.words = Some("the program ended".to_owned());
                }
            }
            Event::MessageSent { .. }
            | Event::SessionNamed { .. }
            | Event::ConversationRewound { .. }
            | Event::TurnStarted { .. }
            | Event::TextStreamed { .. }
            | Event::ThinkingStreamed { .. }
            | Event::TurnFinished { .. }
            | Event::ExchangeFinished { .. }
            | Event::ExecutionStarted { .. }
            | Event::OutputWritten { .. }
            | Event::ExecutionFinished { .. }
            | Event::ModeChanged { .. }
            | Event::RuleRevoked { .. }
            | Event::AnswerDelayed(_)
            | Event::CompactionStarted { .. }
            | Event::ContextCompacted { .. }
            | Event::CallJudged { .. }
            | Event::PutAside { .. }
            | Event::PictureMade { .. }
            | Event::ChangeBegun { .. }
            | Event::ChildStarted { .. }
            | Event::SignalSent { .. }
            | Event::SignalReceived { .. }
            | Event::SignalTaken { .. }
            | Event::TodoChanged { .. }
            | Event::SessionFinished { .. } => {}
        }
    }

    fn push(&mut self, made: Decided) {
        self.calls.insert(made.call, self.made.len());
        self.made.push(made);
    }

    /// Nothing more will be told of a call.
    fn over(&mut self, call: CallId) {
        self.asked.remove(&call);
        self.calls.remove(&call);
    }

    /// The last decision about a call.
    fn of_call(&mut self, call: CallId) -> Option<&mut Decided> {
        let at = *self.calls.get(&call)?;
        self.made.get_mut(at)
    }

    fn open(&mut self, approval: ApprovalId) -> Option<&mut Decided> {
        let open =
            |made: &&mut Decided| made.approval == Some(approval) && made.verdict == Ruling::Open;
        self.made.iter_mut().rev().find(open)
    }

    fn unasked(
        &mut self,
        at: Timestamp,
        call: Unasked<'_>,
        category: Option<Category>,
        origin: Origin,
        decision: &Decision,
    ) {
        self.push(Decided {
            at,
            call: call.id,
            name: call.name.to_owned(),
            category,
            effect: words(call.name, call.input),
            verdict: if decision.allowed { Ruling::Allowed } else { Ruling::Denied },
            outcome: None,
            by: Some(decision.by.clone()),
            scope: None,
            words: None,
            monitor: None,
            waited: Waited::default(),
            agent: self.agent.clone(),
            line: line(origin),
            approval: None,
        });
    }
}

struct Unasked<'a> {
    name: &'a str,
    input: &'a Value,
    id: CallId,
}

fn asked(question: &Question, at: Timestamp) -> Decided {
    let Call { id, name, input, origin, .. } = &question.call;
    Decided {
        at,
        call: *id,
        name: name.clone(),
        category: Some(question.category),
        effect: words(name, input),
        verdict: Ruling::Open,
        outcome: None,
        by: None,
        scope: None,
        words: None,
        monitor: question.monitor.clone(),
        waited: Waited::default(),
        agent: question.path.as_slice().into(),
        line: line(*origin),
        approval: Some(question.id),
    }
}

fn line(origin: Origin) -> Option<u32> {
    match origin {
        Origin::Python { line } => line,
        Origin::Model | Origin::Person => None,
    }
}

/// What a call acts on, from its arguments: a program with its own, a path, a name.
fn words(name: &str, input: &Value) -> String {
    let list = |key: &str, between: &str| {
        let words: Vec<_> = input.get(key)?.as_array()?.iter().filter_map(Value::as_str).collect();
        (!words.is_empty()).then(|| words.join(between))
    };
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    list("argv", " ")
        .or_else(|| list("requirements", ", "))
        .or_else(|| text("path"))
        .or_else(|| text("url"))
        .or_else(|| text("filename"))
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests;
