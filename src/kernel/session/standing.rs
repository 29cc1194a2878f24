//! The standing yeses that are live and how often each rule has decided: counted from journals alone.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::kernel::{
    event::{Decider, Decision, Envelope, Event, Source},
    gate::{
        approval::{Answer, Scope},
        law::Cited,
    },
    id::{ApprovalId, SessionId},
};

/// A yes for a session that was not taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The question it was the answer to: by this it is taken back.
    pub grant: ApprovalId,
    /// The session that asked.
    pub session: SessionId,
    /// When it was given.
    pub given: Timestamp,
    /// The text of its rule; empty in older journals, where it was exactly that call.
    pub rule: String,
}

/// How often a rule has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// How often.
    pub hits: u64,
    /// When last.
    pub last: Timestamp,
}

/// The fold of the events of one session and the agents below it, in the order they come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    grants: Vec<Standing>,
    /// A rule of a file is the same at another line.
    used: BTreeMap<Cited, Used>,
}

impl Tally {
    /// Takes one more event in.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest says nothing of rules")]
    pub fn apply(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::ApprovalAnswered {
                approval,
                answer: Answer::Allow { scope: Scope::Session { rule } },
                by: Decider::Person,
                ..
            } => self.grants.push(Standing {
                grant: *approval,
                session: envelope.session,
                given: envelope.at,
                rule: rule.clone(),
            }),
            Event::RuleRevoked { rule } => {
                self.grants.retain(|standing| Some(standing.grant) != rule.grant);
            }
            // Grants live in memory and end with the process.
            Event::SessionResumed { .. } | Event::SessionForked { source: Source::Here, .. } => {
                self.grants.clear();
            }
            Event::SessionForked { source: Source::File, .. } => *self = Self::default(),
            Event::CallStarted {
                decision: Decision { by: Decider::Rule { rule }, .. }, ..
            }
            | Event::CallFinished {
                decision: Some(Decision { by: Decider::Rule { rule }, .. }),
                ..
            } => {
                let used = self.used.entry(anywhere(rule));
                let used = used.or_insert(Used { hits: 0, last: envelope.at });
                used.hits += 1;
                used.last = used.last.max(envelope.at);
            }
            _ => {}
        }
    }

    /// The yeses that are live, oldest first.
    pub fn grants(&self) -> &[Standing] {
        &self.grants
    }

    /// How often that rule has decided; nothing if it never has.
    pub fn used(&self, rule: &Cited) -> Option<Used> {
        self.used.get(&anywhere(rule)).copied()
    }

    /// How often that yes has decided.
    pub fn used_grant(&self, grant: ApprovalId) -> Option<Used> {
        let mut used = self.used.iter();
        used.find(|(rule, _)| rule.grant == Some(grant)).map(|(_, used)| *used)
    }
}

fn anywhere(rule: &Cited) -> Cited {
    Cited { line: None, ..rule.clone() }
}
