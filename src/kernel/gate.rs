//! The one gate: decides, asks, remembers. Only it can make a [`Permit`], and without one no
//! handler can be called.

pub mod approval;
pub mod grant;
pub mod policy;

use std::{sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};

use self::{
    approval::{Answer, Question, Reply, Scope, Seat, Then, Waiting},
    grant::{GrantKey, Grants},
    policy::{Runs, Verdict, strictest},
};
use super::{
    capability::{Capability, Category, Preview, Reach},
    clock::{Budget, Hold},
    context::Context,
    error::{CallError, ErrorCode},
    event::{Call, Decider, Decision, Event},
    id::{ApprovalId, CallId},
    invoke::interrupted,
    recorder::Recorder,
    spec::Mode,
};

/// The gate's yes to one call. Cannot be copied or made elsewhere, so no handler can be reached
/// past the gate:
///
/// ```compile_fail,E0451
/// use footplate::kernel::{gate::Permit, id::CallId};
/// let permit = Permit { call: CallId::fresh(), preview: None };
/// ```
///
/// Nor can a capability be run without one, since that is the kernel's alone:
///
/// ```compile_fail,E0624
/// use footplate::kernel::{capability::Capability, context::Context, gate::Permit};
/// fn run(capability: &Capability, permit: Permit, cx: Context) {
///     drop(capability.run(permit, cx, serde_json::json!({})));
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    call: CallId,
    preview: Option<Preview>,
}

impl Permit {
    /// The call that was let through.
    pub fn call(&self) -> CallId {
        self.call
    }

    /// The effect that was decided on, so that a handler can refuse when the world has changed
    /// since; absent for what the gate lets through unseen.
    pub fn preview(&self) -> Option<&Preview> {
        self.preview.as_ref()
    }
}

/// The modes that bind a session: its own and those of every session above it.
#[derive(Clone, Debug)]
pub struct Rights(Vec<watch::Receiver<Mode>>);

impl Rights {
    /// The rights of a root session.
    pub fn of(mode: watch::Receiver<Mode>) -> Self {
        Self(vec![mode])
    }

    /// The rights of a child: these, and its own mode.
    #[must_use]
    pub fn narrowed(&self, mode: watch::Receiver<Mode>) -> Self {
        let mut modes = self.0.clone();
        modes.push(mode);
        Self(modes)
    }

    fn verdict(&self, category: Category, reach: Reach) -> (Verdict, Mode) {
        strictest(self.0.iter().map(|mode| *mode.borrow()), category, reach)
    }

    /// Waits until one of the modes changes.
    async fn changed(&mut self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let changes = self.0.iter_mut().map(|mode| {
            Box::pin(async {
                if mode.changed().await.is_err() {
                    // The session that owned the mode is gone; what it said last still binds.
                    std::future::pending::<()>().await;
                }
            })
        });
        futures_util::future::select_all(changes).await;
    }
}

/// Decides for one session. Clones share grants and waiting table.
#[derive(Clone, Debug)]
pub struct Gate {
    rights: Rights,
    grants: Arc<Grants>,
    /// Absent where nobody is there to ask.
    waiting: Option<Arc<Waiting>>,
    runs: Runs,
}

/// What the gate made of a call.
pub(super) enum Passage {
    /// It may run.
    Open(Permit, Decision),
    /// It may not; the decision is absent when the question was not put at all.
    Shut(CallError, Option<Decision>),
}

impl Gate {
    /// A gate with these rights; `waiting` is where it asks, if anybody is there.
    pub fn new(rights: Rights, waiting: Option<Arc<Waiting>>) -> Self {
        Self { rights, grants: Arc::default(), waiting, runs: Runs::default() }
    }

    /// The same, with another word on when code runs unasked.
    #[must_use]
    pub fn with_runs(self, runs: Runs) -> Self {
        Self { runs, ..self }
    }

    /// A gate of no mode at all: it lets reads through and blocks the rest.
    pub fn shut() -> Self {
        Self::new(Rights(Vec::new()), None)
    }

    /// The rights of the session, for a child's to be made from.
    pub fn rights(&self) -> &Rights {
        &self.rights
    }

    /// The table where it asks.
    pub fn waiting(&self) -> Option<&Arc<Waiting>> {
        self.waiting.as_ref()
    }

    /// Lets a call through or not. Reads never wait. Dropping the future withdraws its question.
    pub(super) async fn pass(&self, cx: &Context, capability: &Capability, call: &Call) -> Passage {
        let category = capability.category_of(cx, &call.input);
        let least = self.runs.least(capability.category());
        if category == Category::Read && least == Verdict::Allow {
            let (_, mode) = self.rights.verdict(category, Reach::Outside);
            let permit = Permit { call: call.id, preview: None };
            return Passage::Open(permit, Decision::allowed(Decider::Mode { mode }));
        }
        // Plan mode refuses before anything is looked at.
        if let (Verdict::Block, mode) = self.rights.verdict(category, Reach::Workspace) {
            return blocked(mode);
        }
        let preview = match capability.preview(cx.of_call(call.id), call.input.clone()).await {
            Ok(preview) => preview,
            Err(error) => return Passage::Shut(error, None),
        };
        let permit = Permit { call: call.id, preview: Some(preview.clone()) };
        let reach = preview.reach;
        let verdict = || {
            let (verdict, mode) = self.rights.verdict(category, reach);
            (verdict.max(least), mode)
        };
        match verdict() {
            (Verdict::Allow, mode) => {
                Passage::Open(permit, Decision::allowed(Decider::Mode { mode }))
            }
            (Verdict::Block, mode) => blocked(mode),
            (Verdict::Ask, _) => {
                let key = GrantKey::of(&call.name, &call.input);
                if self.grants.cover(&key) {
                    return Passage::Open(permit, Decision::allowed(Decider::Grant));
                }
                let Some(waiting) = &self.waiting else { return nobody(capability) };
                let question = Question {
                    id: ApprovalId::fresh(),
                    session: cx.spec.id,
                    path: cx.spec.path.clone(),
                    call: call.clone(),
                    // A read that asks is code, and a person reads it as what it is.
                    category: if category == Category::Read {
                        capability.category()
                    } else {
                        category
                    },
                    preview,
                    script: call.parent,
                };
                let seat = waiting.take_seat(question.id, key, self.grants.clone());
                match self.ask(cx, seat, question, verdict).await {
                    Ok(Some(reply)) => self.answered(cx, permit, reply),
                    Ok(None) => expired(capability),
                    Err(error) => Passage::Shut(error, None),
                }
            }
        }
    }

    /// Puts the question and waits, all clocks of the asker stopped. No reply is one that did not
    /// come in the time there was for it.
    async fn ask(
        &self,
        cx: &Context,
        mut seat: Seat,
        question: Question,
        verdict: impl Fn() -> (Verdict, Mode),
    ) -> Result<Option<Reply>, CallError> {
        let mut rights = self.rights.clone();
        let mut open = OpenQuestion {
            recorder: cx.recorder.clone(),
            id: question.id,
            asked: Instant::now(),
            holds: cx.clocks.iter().map(|clock| clock.hold()).collect(),
            closed: false,
        };
        cx.recorder.append(Event::ApprovalRequested { question }).map_err(unrecorded)?;
        let most = cx.spec.limits.approval_ms.map(Duration::from_millis);
        let mut expiry = std::pin::pin!(past(most));
        let reply = loop {
            tokio::select! {
                biased;
                reply = seat.reply() => break reply,
                () = cx.cancel.cancelled() => return Err(interrupted(false)),
                // A mode that permits or forbids the call answers its question.
                () = rights.changed() => match verdict() {
                    (Verdict::Ask, _) => {}
                    (Verdict::Allow, mode) => break Reply {
                        answer: Answer::Allow { scope: Scope::Once },
                        by: Decider::Mode { mode },
                    },
                    (Verdict::Block, mode) => break Reply {
                        answer: Answer::Deny { because: None, then: Then::GoOn },
                        by: Decider::Mode { mode },
                    },
                },
                () = &mut expiry => match seat.leave() {
                    Some(reply) => break reply,
                    None => {
                        open.withdraw(&unanswered(most.unwrap_or_default()));
                        return Ok(None);
                    }
                },
            }
        };
        open.answered(&reply)?;
        cx.recorder.sync().await.map_err(unrecorded)?;
        Ok(Some(reply))
    }

    fn answered(&self, cx: &Context, permit: Permit, reply: Reply) -> Passage {
        match (reply.answer, reply.by) {
            (Answer::Allow { .. }, by) => Passage::Open(permit, Decision::allowed(by)),
            (Answer::Deny { .. }, Decider::Mode { mode }) => blocked(mode),
            (Answer::Deny { because, then }, by) => {
                let said = match &because {
                    Some(words) => format!("The person said no: {words}"),
                    None => "The person said no. Do not retry it as it is; \
                             go on without it, or ask what they want instead."
                        .to_owned(),
                };
                let mut error = CallError::new(ErrorCode::PermissionDenied, said);
                if let Some(words) = because {
                    error = error.with("feedback", words);
                }
                if then == Then::StopTurn {
                    cx.cancel.cancel();
                }
                Passage::Shut(error, Some(Decision::denied(by)))
            }
        }
    }
}

fn blocked(mode: Mode) -> Passage {
    let error = CallError::new(
        ErrorCode::BlockedInPlanMode,
        "Plan mode changes nothing. Go on reading and say what you would do; \
         a person can leave plan mode.",
    );
    Passage::Shut(error, Some(Decision::denied(Decider::Mode { mode })))
}

fn nobody(capability: &Capability) -> Passage {
    let error = CallError::new(
        ErrorCode::NoApprover,
        format!(
            "{} must be approved, and nobody is there to ask. Go on without it.",
            capability.name()
        ),
    );
    Passage::Shut(error, Some(Decision::denied(Decider::Nobody)))
}

fn expired(capability: &Capability) -> Passage {
    let error = CallError::new(
        ErrorCode::ApprovalExpired,
        format!(
            "{} must be approved, and nobody answered in time. Go on without it, or ask again later.",
            capability.name()
        ),
    );
    Passage::Shut(error, Some(Decision::denied(Decider::Expiry)))
}

/// Why an expired question is withdrawn.
fn unanswered(after: Duration) -> String {
    format!("nobody answered within {} s", after.as_secs_f64())
}

/// Waits that long, for ever if it is not said. On a clock of its own: while this process is
/// stopped nobody can answer, so no question expires by that.
async fn past(most: Option<Duration>) {
    match most {
        Some(most) => Budget::start(most).exhausted().await,
        None => std::future::pending().await,
    }
}

/// What cannot be recorded is not approved.
pub(super) fn unrecorded(error: super::port::StoreError) -> CallError {
    CallError::failed(format!("Not done, since it could not be recorded: {error}"))
}

/// A question that is visible; leaving it open, by drop, withdraws it.
struct OpenQuestion {
    recorder: Recorder,
    id: ApprovalId,
    asked: Instant,
    holds: Vec<Hold>,
    closed: bool,
}

impl OpenQuestion {
    fn waited(&self) -> (u64, u64) {
        let waited = millis(self.asked.elapsed());
        (waited, if self.holds.is_empty() { 0 } else { waited })
    }

    fn answered(&mut self, reply: &Reply) -> Result<(), CallError> {
        self.closed = true;
        let (waited_ms, excluded_ms) = self.waited();
        let event = Event::ApprovalAnswered {
            approval: self.id,
            answer: reply.answer.clone(),
            by: reply.by,
            waited_ms,
            excluded_ms,
        };
        self.recorder.append(event).map(drop).map_err(unrecorded)
    }

    fn withdraw(&mut self, reason: &str) {
        self.closed = true;
        let (waited_ms, excluded_ms) = self.waited();
        let (approval, reason) = (self.id, reason.to_owned());
        let event = Event::ApprovalWithdrawn { approval, reason, waited_ms, excluded_ms };
        if let Err(error) = self.recorder.append(event) {
            // Replay folds an unanswered question to a withdrawn one, so nothing is lost.
            tracing::warn!(%error, "a withdrawn question was not recorded");
        }
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        if !self.closed {
            self.withdraw("nobody waits for it any more");
        }
    }
}

/// Whole milliseconds, as the journal has them.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_session_that_is_gone_hides_no_change_of_another_one() {
        let (gone, of_the_gone) = watch::channel(Mode::Default);
        let (root, of_the_root) = watch::channel(Mode::Default);
        let mut rights = Rights::of(of_the_gone).narrowed(of_the_root);
        drop(gone);
        assert!(rights.changed().now_or_never().is_none());
        root.send_replace(Mode::Plan);
        assert!(rights.changed().now_or_never().is_some());
    }
}
