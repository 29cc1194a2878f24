//! The one gate: decides, asks, remembers. Only it can make a [`Permit`], and without one no
//! handler can be called.

pub mod approval;
pub mod grant;
pub mod law;
mod open;
pub mod policy;
mod refusal;
pub mod rule;
pub mod subject;

use std::{sync::Arc, time::Duration};

use tokio::sync::watch;

use self::{
    approval::{Answer, Asked, Question, Reply, Scope, Seat, Then, Waiting},
    open::OpenQuestion,
    policy::{Runs, Verdict, ruled, strictest},
    refusal::{blocked, denied, expired, nobody},
};
use super::{
    capability::{Capability, Category, Preview, Reach},
    clock::Budget,
    context::Context,
    error::{CallError, ErrorCode},
    event::{Call, Decider, Decision, Event},
    id::{ApprovalId, CallId},
    invoke::interrupted,
    spec::Mode,
};

// What a screen or a command line needs of rules, in one place.
pub use self::{
    grant::Grants,
    law::{Cited, Law, Layer, Placed, Rules},
    refusal::DeniedPlaces,
    rule::{Effect, Lasting, Reading, Rule, RuleFault, Until, exactly, parse_one, propose},
    subject::{Case, Subject},
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

/// Decides for one session. Clones share rules, grants and waiting table.
#[derive(Clone, Debug)]
pub struct Gate {
    rights: Rights,
    law: Law,
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
        Self { rights, law: Law::default(), waiting, runs: Runs::default() }
    }

    /// The same, with another word on when code runs unasked.
    #[must_use]
    pub fn with_runs(self, runs: Runs) -> Self {
        Self { runs, ..self }
    }

    /// The same, bound by these rules as well.
    #[must_use]
    pub fn with_law(self, law: Law) -> Self {
        Self { law, ..self }
    }

    /// What rules bind the session, for a child's to be the same.
    pub fn law(&self) -> &Law {
        &self.law
    }

    /// What is kept from that call of a session whatever it asks for, if anything is: for those that
    /// find many files.
    pub fn denied_places(&self, cx: &Context, call: &str) -> Option<DeniedPlaces> {
        self.law.denies().then(|| DeniedPlaces {
            law: self.law.clone(),
            call: call.to_owned(),
            agent: cx.spec.path.clone(),
        })
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
        let is_read = category == Category::Read && least == Verdict::Allow;
        // Plan mode refuses before anything is looked at.
        if let (Verdict::Block, mode) = self.rights.verdict(category, Reach::Workspace)
            && !is_read
        {
            return blocked(mode);
        }
        let case = |subject| self.law.case(&call.name, call.input.clone(), subject, &cx.spec.path);
        // What is denied is not looked at either: its preview could tell what is in it.
        if self.law.denies()
            && let Some(rule) = self.law.denied(&case(capability.subject(cx, &call.input)))
        {
            return denied(rule);
        }
        if is_read {
            let (_, mode) = self.rights.verdict(category, Reach::Outside);
            let permit = Permit { call: call.id, preview: None };
            return Passage::Open(permit, Decision::allowed(Decider::Mode { mode }));
        }
        let preview = match capability.preview(cx.of_call(call.id), call.input.clone()).await {
            Ok(preview) => preview,
            Err(error) => return Passage::Shut(error, None),
        };
        let permit = Permit { call: call.id, preview: Some(preview.clone()) };
        let case = case(preview.subject.clone());
        let reach = preview.reach;
        let judge = || self.judge(&case, (category, reach, least));
        let judgement = judge();
        match judgement.verdict {
            Verdict::Allow => Passage::Open(permit, Decision::allowed(judgement.by)),
            Verdict::Block => judgement.refusal(),
            Verdict::Ask => {
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
                let base = subject::text(self.law.base());
                let asked = Asked {
                    law: self.law.clone(),
                    case: case.clone(),
                    always: least == Verdict::Ask,
                    exact: exactly(&question, &base, Lasting::Session),
                };
                let seat = waiting.take_seat(question.id, asked);
                match self.ask(cx, seat, question, judge).await {
                    Ok(Some(reply)) => self.answered(cx, permit, reply),
                    Ok(None) => expired(capability),
                    Err(error) => Passage::Shut(error, None),
                }
            }
        }
    }

    /// What modes, settings and rules say together, and which of them decides.
    fn judge(
        &self,
        case: &subject::Case,
        (category, reach, least): (Category, Reach, Verdict),
    ) -> Judgement {
        let (by_mode, mode) = self.rights.verdict(category, reach);
        // A read is never asked by a rule, and needs none to be allowed.
        let rule = self.law.judge(case);
        let rule = rule.filter(|(effect, _)| category != Category::Read || *effect == Effect::Deny);
        let verdict = ruled(by_mode, least, rule.as_ref().map(|(effect, _)| *effect));
        let by = match rule {
            Some((Effect::Allow, _)) if by_mode == Verdict::Allow => Decider::Mode { mode },
            Some((_, rule)) if by_mode != Verdict::Block => Decider::Rule { rule: Box::new(rule) },
            Some(_) | None => Decider::Mode { mode },
        };
        Judgement { verdict, by }
    }

    /// Puts the question and waits, all clocks of the asker stopped. No reply is one that did not
    /// come in the time there was for it.
    async fn ask(
        &self,
        cx: &Context,
        mut seat: Seat,
        question: Question,
        judge: impl Fn() -> Judgement,
    ) -> Result<Option<Reply>, CallError> {
        let (mut rights, mut rules) = (self.rights.clone(), self.law.watch());
        let mut open = OpenQuestion::new(cx, question.id);
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
                return Ok(None);
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
        open.answered(&reply)?;
        cx.recorder.sync().await.map_err(unrecorded)?;
        Ok(Some(reply))
    }

    fn answered(&self, cx: &Context, permit: Permit, reply: Reply) -> Passage {
        match (reply.answer, reply.by) {
            (Answer::Allow { .. }, by) => Passage::Open(permit, Decision::allowed(by)),
            (Answer::Deny { .. }, Decider::Mode { mode }) => blocked(mode),
            (Answer::Deny { .. }, Decider::Rule { rule }) => denied(*rule),
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

/// What was made of a call, and in whose name.
struct Judgement {
    verdict: Verdict,
    by: Decider,
}

impl Judgement {
    fn refusal(self) -> Passage {
        match self.by {
            Decider::Rule { rule } => denied(*rule),
            Decider::Mode { mode } => blocked(mode),
            // Nobody else judges before a question.
            Decider::Grant | Decider::Person | Decider::Nobody | Decider::Expiry => {
                blocked(Mode::Plan)
            }
        }
    }
}

/// What cannot be recorded is not approved.
pub fn unrecorded(error: super::port::StoreError) -> CallError {
    CallError::failed(format!("Not done, since it could not be recorded: {error}"))
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
