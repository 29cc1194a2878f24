//! What the gate says when it lets nothing through.

use super::{
    Passage,
    law::{Cited, Law},
    monitor::{Doubt, Tier},
    subject::{Subject, Tells, text},
};
use crate::kernel::{
    capability::Capability,
    error::{CallError, ErrorCode},
    event::{Decider, Decision},
    spec::Mode,
};

/// What rules keep from one kind of call of a session, wherever it comes by it.
#[derive(Clone, Debug)]
pub struct DeniedPlaces {
    pub(super) law: Law,
    pub(super) call: String,
    pub(super) tells: Tells,
    pub(super) agent: Vec<String>,
}

impl DeniedPlaces {
    /// Whether that real place is kept from it.
    pub fn have(&self, real: &std::path::Path) -> bool {
        let subject = Subject::Path { real: text(real), tells: self.tells };
        self.law
            .denied(&self.law.case(&self.call, serde_json::Value::Null, subject, &self.agent))
            .is_some()
    }
}

pub(super) fn denied(rule: Cited) -> Passage {
    let mut error = CallError::new(
        ErrorCode::DeniedByRule,
        format!(
            "Denied by the rule {rule}. Do not retry it; go on without it, or say what it is for."
        ),
    )
    .with("rule", rule.says.clone());
    if let Some(file) = &rule.file {
        error = error.with("file", file.clone());
    }
    if let Some(line) = rule.line {
        error = error.with("line", line);
    }
    Passage::Shut(error, Some(Decision::denied(Decider::Rule { rule: Box::new(rule) })))
}

pub(super) fn blocked(mode: Mode) -> Passage {
    let error = CallError::new(
        ErrorCode::BlockedInPlanMode,
        "Plan mode changes nothing. Go on reading and say what you would do; \
         a person can leave plan mode.",
    );
    Passage::Shut(error, Some(Decision::denied(Decider::Mode { mode })))
}

pub(super) fn expired(capability: &Capability) -> Passage {
    let error = CallError::new(
        ErrorCode::ApprovalExpired,
        format!(
            "{} must be approved, and nobody answered in time. Go on without it, or ask again later.",
            capability.name()
        ),
    );
    Passage::Shut(error, Some(Decision::denied(Decider::Expiry)))
}

/// What the monitor keeps from running; what it only wants asked, where nobody is.
pub(super) fn doubted(capability: &Capability, doubt: Doubt) -> Passage {
    let (name, reason) = (capability.name(), &doubt.reason);
    let (code, message) = match doubt.tier {
        Tier::Hard => (
            ErrorCode::BlockedByMonitor,
            format!(
                "The monitor refused {name}: {reason:?}. Do not retry it; go on without it, or say \
                 what it is for."
            ),
        ),
        Tier::Soft => (
            ErrorCode::BlockedByMonitor,
            format!(
                "The monitor wants {name} approved: {reason:?}, and nobody is there to ask. Go on \
                 without it."
            ),
        ),
        Tier::Failed => (
            ErrorCode::NoApprover,
            format!(
                "{name} must be approved, since the monitor gave no verdict: {reason:?}, and nobody is \
                 there to ask. Go on without it."
            ),
        ),
    };
    let error = CallError::new(code, message)
        .with("tier", doubt.tier.name())
        .with("reason", doubt.reason.clone());
    Passage::Shut(error, Some(Decision::denied(Decider::Monitor(doubt))))
}

pub(super) fn nobody(capability: &Capability) -> Passage {
    let error = CallError::new(
        ErrorCode::NoApprover,
        format!(
            "{} must be approved, and nobody is there to ask. Go on without it.",
            capability.name()
        ),
    );
    Passage::Shut(error, Some(Decision::denied(Decider::Nobody)))
}

/// A person's no, with their words.
pub(super) fn said_no(because: Option<String>) -> CallError {
    let said = match &because {
        Some(words) => format!("The person said no: {words}"),
        None => "The person said no. Do not retry it as it is; go on without it, or ask what they \
                 want instead."
            .to_owned(),
    };
    let error = CallError::new(ErrorCode::PermissionDenied, said);
    match because {
        Some(words) => error.with("feedback", words),
        None => error,
    }
}
