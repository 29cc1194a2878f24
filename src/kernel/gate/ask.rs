//! A question to a person: put, waited for, and answered by whoever comes first.

use std::time::Duration;

use super::{
    Gate, Judgement, Passage, Permit,
    approval::{Answer, Asked, EDIT_REFUSED, Question, Reply, Scope, Seat, Then},
    blocked, denied, exactly,
    monitor::Doubt,
    open::OpenQuestion,
    policy::Verdict,
    refusal,
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

/// What came of a question.
pub(super) enum Put {
    Answered(Reply),
    /// Yes to other arguments, with what they do.
    Edited(Reply, Box<Preview>),
    /// The arguments that a person wrote cannot be taken, so it is asked again.
    Again,
    /// Nobody answered in the time there was.
    Expired,
}

/// A new question about a call.
pub(super) fn question(
    cx: &Context,
    call: &Call,
    category: Category,
    preview: &Preview,
    monitor: Option<Doubt>,
) -> Question {
    Question {
        id: ApprovalId::fresh(),
        session: cx.spec.id,
        path: cx.spec.path.clone(),
        call: call.clone(),
        category,
        preview: preview.clone(),
        script: call.parent,
        monitor,
    }
}

impl Gate {
    /// What a standing yes to that question would be about; `least` is what a setting says of it.
    pub(super) fn asked(&self, case: &Case, question: &Question, least: Verdict) -> Asked {
        let only_once = match (least, &question.monitor) {
            (Verdict::Ask, _) => Some("Every run asks, by your settings: say yes once."),
            (_, Some(_)) => Some("The monitor asks, and no rule speaks for it: say yes once."),
            (Verdict::Allow | Verdict::Block, None) => None,
        };
        let base = subject::text(self.law.base());
        let exact = exactly(question, &base, Lasting::Session);
        Asked { law: self.law.clone(), case: case.clone(), only_once, exact }
    }

    /// Puts the question and waits, all clocks of the asker stopped.
    pub(super) async fn ask(
        &self,
        cx: &Context,
        capability: &Capability,
        mut seat: Seat,
        question: Question,
        judge: impl Fn() -> Judgement,
    ) -> Result<Put, CallError> {
        let (mut rights, mut rules) = (self.rights.clone(), self.law.watch());
        let mut open = OpenQuestion::new(cx, question.id);
        let call = question.call.id;
        cx.recorder.append(Event::ApprovalRequested { question }).map_err(unrecorded)?;
        let most = cx.spec.limits.approval_ms.map(Duration::from_millis);
        let mut expiry = std::pin::pin!(past(most));
        let mut late = false;
        let reply = loop {
            tokio::select! {
                biased;
                reply = seat.reply() => break reply,
                () = cx.cancel.cancelled() => return Err(interrupted(false)),
                // A mode or a rule that permits or forbids the call answers its question.
                () = rights.changed() => {}
                () = rules.changed() => {}
                () = &mut expiry, if !late => late = true,
            }
            if late && seat.give_up() {
                open.withdraw(&unanswered(most.unwrap_or_default()));
                return Ok(Put::Expired);
            }
            let Judgement { verdict, by } = judge();
            let answer = match verdict {
                Verdict::Ask => continue,
                Verdict::Allow => Answer::Allow { scope: Scope::Once },
                Verdict::Block => Answer::Deny { because: None, then: Then::GoOn },
            };
            if seat.give_up() {
                break Reply { answer, by };
            }
        };
        let edited = match &reply.answer {
            Answer::AllowEdited { input } => {
                match self.edited(cx.of_call(call), capability, input).await {
                    Ok(preview) => Some(preview),
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
            Some(preview) => Put::Edited(reply, Box::new(preview)),
            None => Put::Answered(reply),
        })
    }

    pub(super) fn answered(&self, cx: &Context, permit: Permit, reply: Reply) -> Passage {
        match (reply.answer, reply.by) {
            (Answer::Allow { .. } | Answer::AllowEdited { .. }, by) => {
                Passage::Open(permit, Decision::allowed(by))
            }
            (Answer::Deny { .. }, Decider::Mode { mode }) => blocked(mode),
            (Answer::Deny { .. }, Decider::Rule { rule }) => denied(*rule),
            (Answer::Deny { because, then }, by) => {
                let error = refusal::said_no(because);
                if then == Then::StopTurn {
                    cx.cancel.cancel();
                }
                Passage::Shut(error, Some(Decision::denied(by)))
            }
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
