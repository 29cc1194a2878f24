//! The one gate: decides, asks, remembers. Only it can make a [`Permit`], and without one no
//! handler can be called.

pub mod approval;
mod edit;
pub mod grant;
pub mod law;
mod open;
pub mod policy;
mod refusal;
mod rights;
pub mod rule;
pub mod subject;

use std::{sync::Arc, time::Duration};

use self::{
    approval::{Answer, Asked, EDIT_REFUSED, Question, Reply, Scope, Seat, Then, Waiting},
    open::OpenQuestion,
    policy::{Runs, Verdict, ruled},
    refusal::{blocked, denied, expired, nobody},
};
use super::{
    capability::{Capability, Category, Preview, Reach},
    clock::Budget,
    context::Context,
    error::CallError,
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
    rights::Rights,
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

/// What came of a question.
enum Put {
    Answered(Reply),
    /// Yes to other arguments, with what they do.
    Edited(Reply, Box<Preview>),
    /// The arguments that a person wrote cannot be taken, so it is asked again.
    Again,
    /// Nobody answered in the time there was.
    Expired,
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
        Self::new(Rights::none(), None)
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
    /// A person may have edited the arguments; then they are others in `call`.
    pub(super) async fn pass(
        &self,
        cx: &Context,
        capability: &Capability,
        call: &mut Call,
    ) -> Passage {
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
                let mut question = Question {
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
                loop {
                    let seat = waiting.take_seat(question.id, asked.clone());
                    match self.ask(cx, capability, seat, question.clone(), &judge).await {
                        Ok(Put::Answered(reply)) => return self.answered(cx, permit, reply),
                        Ok(Put::Edited(reply, preview)) => {
                            if let Answer::AllowEdited { input } = &reply.answer {
                                call.input = input.clone();
                            }
                            let permit = Permit { preview: Some(*preview), ..permit };
                            return self.answered(cx, permit, reply);
                        }
                        // It comes back, under a name of its own.
                        Ok(Put::Again) => question.id = ApprovalId::fresh(),
                        Ok(Put::Expired) => return expired(capability),
                        Err(error) => return Passage::Shut(error, None),
                    }
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

    /// Puts the question and waits, all clocks of the asker stopped.
    async fn ask(
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

    fn answered(&self, cx: &Context, permit: Permit, reply: Reply) -> Passage {
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
