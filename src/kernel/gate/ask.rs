//! A question to a person: put, waited for, and answered by whoever comes first.

use std::time::Duration;

use serde_json::Value;

use super::{
    Gate, Judgement, Passage, Permit,
    approval::{Answer, Asked, EDIT_REFUSED, Question, Reply, Scope, Seat, Then},
    exactly,
    monitor::Doubt,
    open::OpenQuestion,
    policy::Verdict,
    refusal::{self, blocked, denied},
    rule::Lasting,
    subject::{self, Case},
    unrecorded,
};
use crate::kernel::{
    capability::{Capability, Category, Preview},
    clock::Budget,
    context::Context,
    error::CallError,
    event::{Call, Decider, Decision, Event},
    id::ApprovalId,
    invoke::interrupted,
};

/// A call with what it would do, as everybody judges it who has a say.
pub(super) struct Looked {
    pub(super) case: Case,
    pub(super) category: Category,
    pub(super) preview: Preview,
}

impl Looked {
    pub(super) fn open(self, call: &Call, by: Decider) -> Passage {
        let permit = Permit { call: call.id, preview: Some(self.preview) };
        Passage::Open(permit, Decision::allowed(by))
    }
}

/// What came of a question.
pub(super) enum Put {
    Answered(Reply),
    /// Yes to these arguments, with what they do.
    Edited(Reply, Value, Box<Preview>),
    /// The arguments that a person wrote cannot be taken, so it is asked again.
    Again,
    /// Nobody answered in the time there was.
    Expired,
}

/// A new question about a call.
pub(super) fn question(
    cx: &Context,
    call: &Call,
    looked: &Looked,
    monitor: Option<Doubt>,
) -> Question {
    Question {
        id: ApprovalId::fresh(),
        session: cx.spec.id,
        path: cx.spec.path.clone(),
        call: call.clone(),
        // A read that asks is code or a program, and a person reads it as what it is.
        category: match looked.category {
            Category::Read => Category::Execute,
            other @ (Category::Write | Category::Execute | Category::External) => other,
        },
        preview: looked.preview.clone(),
        script: call.parent,
        monitor,
    }
}

impl Gate {
    /// What a standing yes to that question would be about; `least` is what a setting says of it.
    pub(super) fn asked(&self, case: &Case, question: &Question, least: Verdict) -> Asked {
        let only_once = match (least, &question.monitor) {
            (Verdict::Ask, _) => Some("This asks each time: say yes once."),
            (_, Some(_)) => Some("The monitor asks, and no rule speaks for it: say yes once."),
            (Verdict::Allow | Verdict::Block, None) => None,
        };
        let base = subject::text(self.law.base());
        let exact = exactly(question, &base, Lasting::Session);
        Asked { law: self.law.clone(), case: case.clone(), only_once, exact }
    }

    /// Puts the question and waits, all clocks of the asker stopped. What it gives is recorded.
    pub(super) async fn ask(
        &self,
        cx: &Context,
        capability: &Capability,
        seat: Seat,
        question: Question,
        judge: impl Fn() -> Judgement,
    ) -> Result<Put, CallError> {
        let (mut rights, mut rules) = (self.rights.clone(), self.law.watch());
        let mut open = OpenQuestion::new(cx, &self.law, question.id, seat);
        let call = question.call.id;
        cx.recorder.append(Event::ApprovalRequested { question }).map_err(unrecorded)?;
        let most = cx.spec.limits.approval_ms.map(Duration::from_millis);
        let mut expiry = std::pin::pin!(past(most));
        let mut late = false;
        let reply = loop {
            tokio::select! {
                biased;
                reply = open.seat.reply() => if let Some(reply) = reply { break reply },
                () = cx.cancel.cancelled() => return Err(interrupted(false)),
                // A mode or a rule that permits or forbids the call answers its question.
                () = rights.changed() => {}
                () = rules.changed() => {}
                () = &mut expiry, if !late => late = true,
            }
            if late && open.seat.give_up() {
                open.withdraw(&unanswered(most.unwrap_or_default()));
                return Ok(Put::Expired);
            }
            let Judgement { verdict, by } = judge();
            let answer = match verdict {
                Verdict::Ask => continue,
                Verdict::Allow => Answer::Allow { scope: Scope::Once },
                Verdict::Block => Answer::Deny { because: None, then: Then::GoOn },
            };
            if open.seat.give_up() {
                break Reply { answer, by, grant: None };
            }
        };
        let edited = match &reply.answer {
            Answer::AllowEdited { input } => {
                match self.edited(cx.of_call(call), capability, input).await {
                    Ok(preview) => Some((input.clone(), Box::new(preview))),
                    Err(error) => {
                        open.withdraw(&format!("{EDIT_REFUSED}{}", error.message));
                        return Ok(Put::Again);
                    }
                }
            }
            Answer::Allow { .. } | Answer::Deny { .. } => None,
        };
        open.answered(&reply)?;
        cx.recorder.sync().await.map_err(unrecorded)?;
        Ok(match edited {
            Some((input, preview)) => Put::Edited(reply, input, preview),
            None => Put::Answered(reply),
        })
    }
}

/// What becomes of a call to which the answer was no.
pub(super) fn said_no(cx: &Context, because: Option<String>, then: Then, by: Decider) -> Passage {
    match by {
        Decider::Mode { mode } => blocked(mode),
        Decider::Rule { rule } => denied(*rule),
        Decider::Grant
        | Decider::Monitor(_)
        | Decider::Person
        | Decider::Nobody
        | Decider::Record { .. }
        | Decider::Expiry => {
            if then == Then::StopTurn {
                cx.cancel.cancel();
            }
            Passage::Shut(refusal::said_no(because), Some(Decision::denied(by)))
        }
    }
}

/// Why an expired question is withdrawn.
fn unanswered(after: Duration) -> String {
    format!("nobody answered within {} s", after.as_secs_f64())
}

/// Waits that long, for ever if it is not said. On a clock of its own: while this process is
/// stopped nobody can answer, so no question expires by that.
pub(super) async fn past(most: Option<Duration>) {
    match most {
        Some(most) => Budget::start(most).exhausted().await,
        None => std::future::pending().await,
    }
}
