//! The last calls of a session and its agents that a rule could say something of: for what a rule that
//! is being written would have matched.

use std::{
    collections::{HashSet, VecDeque},
    path::Path,
};

use jiff::Timestamp;
use serde_json::Value;

use crate::{
    kernel::{
        event::{Call, Decider, Envelope, Event, Origin},
        gate::{
            approval::Answer,
            subject::{Case, Subject},
        },
        id::{ApprovalId, CallId},
    },
    tui::paper,
};

/// More calls than these are not looked at.
pub const MOST: usize = 1_000;

/// The longest argument that is kept of a call, in bytes, where it does not say what the call acts on.
const ARGUMENT: usize = 512;

/// A call of before.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    pub at: Timestamp,
    pub approval: Option<ApprovalId>,
    pub words: String,
    pub case: Case,
    /// The person said no to it.
    pub refused: bool,
    /// The rule would have matched it.
    pub matched: bool,
}

/// The last of them, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    all: VecDeque<Past>,
    /// Those that were asked for and did not begin yet.
    asked: HashSet<CallId>,
}

/// Who makes a call, and in which workspace its root session works.
#[derive(Clone, Copy, Debug)]
pub struct Maker<'a> {
    pub agent: &'a [String],
    pub base: &'a Path,
}

impl Calls {
    pub fn all(&self) -> &VecDeque<Past> {
        &self.all
    }

    /// Takes an event in that says something of decisions.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is no call")]
    pub fn apply(&mut self, envelope: &Envelope, maker: Maker<'_>) {
        match &envelope.event {
            Event::ApprovalRequested { question } => {
                let subject = &question.preview.subject;
                self.asked.insert(question.call.id);
                let words = match subject.is_other() {
                    true => question.preview.object.clone(),
                    false => words(subject, &question.call, maker.base),
                };
                let maker = Maker { agent: &question.path, ..maker };
                self.push(envelope.at, Some(question.id), words, (&question.call, subject), maker);
            }
            Event::ApprovalAnswered {
                approval,
                answer: Answer::Deny { .. },
                by: Decider::Person,
                ..
            } => {
                let mut before = self.all.iter_mut().rev();
                if let Some(past) = before.find(|past| past.approval == Some(*approval)) {
                    past.refused = true;
                }
            }
            // What a person does by hand asks nobody.
            Event::CallStarted { call, subject, .. }
                if !self.asked.remove(&call.id) && call.origin != Origin::Person =>
            {
                let words = words(subject, call, maker.base);
                self.push(envelope.at, None, words, (call, subject), maker);
            }
            Event::CallFinished { call, .. } => {
                self.asked.remove(call);
            }
            _ => {}
        }
    }

    fn push(
        &mut self,
        at: Timestamp,
        approval: Option<ApprovalId>,
        words: String,
        (call, subject): (&Call, &Subject),
        maker: Maker<'_>,
    ) {
        let call = Call {
            id: call.id,
            name: call.name.clone(),
            input: light(&call.input),
            origin: call.origin,
            parent: call.parent,
        };
        let case = Case::of(&call, subject, maker.agent, maker.base);
        if self.all.len() == MOST {
            self.all.pop_front();
        }
        self.all.push_back(Past { at, approval, words, case, refused: false, matched: false });
    }
}

/// Arguments without the long ones: scripts and texts say nothing of a decision.
fn light(input: &Value) -> Value {
    let is_long = |(name, value): &(&String, &Value)| {
        let says = matches!(name.as_str(), "path" | "url" | "filename");
        !says && value.as_str().is_some_and(|text| text.len() > ARGUMENT)
    };
    match input.as_object() {
        Some(fields) => {
            let kept = fields.iter().filter(|field| !is_long(field));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        None => input.clone(),
    }
}

/// What a call acted on.
fn words(subject: &Subject, call: &Call, base: &Path) -> String {
    let name = &call.name;
    match subject {
        Subject::Other | Subject::Code { .. } => {
            let file = call.input.get("filename").and_then(Value::as_str);
            file.map_or_else(|| name.clone(), |file| format!("{name} {file}"))
        }
        Subject::Path { real, .. } => {
            let real = Path::new(real);
            let shown = real.strip_prefix(base).unwrap_or(real);
            format!("{name} {}", shown.display())
        }
        Subject::Program { argv, .. } => paper::line(argv),
        Subject::Packages { asked } => asked.join(", "),
        Subject::Host { host } => format!("{name} {host}"),
    }
}
