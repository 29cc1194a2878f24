//! The one gate: decides, asks, remembers. Only it can make a [`Permit`], and without one no
//! handler can be called.

pub mod approval;
mod ask;
mod edit;
pub mod grant;
pub mod law;
pub mod monitor;
mod open;
pub mod policy;
mod refusal;
mod rights;
pub mod rule;
pub mod subject;

use std::{sync::Arc, time::Duration};

use self::{
    approval::{Answer, Waiting},
    ask::{Looked, Put},
    monitor::{Doubt, Lookout, narrowed},
    policy::{Runs, Verdict, ruled},
    refusal::{blocked, denied, doubted, expired, nobody},
};
use super::{
    capability::{Capability, Category, Preview, Reach},
    context::Context,
    error::CallError,
    event::{Call, Decider, Decision},
    id::CallId,
    spec::Mode,
};

// What a screen or a command line needs of rules, in one place.
pub use self::{
    grant::Grants,
    law::{Cited, Law, Layer, Placed, Rules},
    refusal::DeniedPlaces,
    rights::Rights,
    rule::{Effect, Lasting, Reading, Rule, RuleFault, Until, exactly, parse_one, propose},
    subject::{Case, Subject, Tells},
};

/// The gate's yes to one call. Cannot be copied or made elsewhere, so no handler can be reached
/// past the gate:
///
/// ```compile_fail,E0451
/// use footplate::kernel::{gate::Permit, id::CallId};
/// let permit = Permit { call: CallId::fresh(), preview: None };
/// ```
///
/// Nor can it be copied, so that one yes is one call:
///
/// ```compile_fail,E0277
/// use footplate::kernel::gate::Permit;
/// fn copy(permit: &Permit) -> Permit {
///     Permit::clone(permit)
/// }
/// ```
///
/// nor spent twice, since whoever does what it permits takes it:
///
/// ```compile_fail,E0382
/// use footplate::kernel::gate::Permit;
/// fn twice(permit: Permit, act: impl Fn(Permit)) {
///     act(permit);
///     act(permit);
/// }
/// ```
///
/// nor asked for from outside, beside the journal:
///
/// ```compile_fail,E0624
/// use footplate::kernel::{capability::Capability, context::Context, event::Call};
/// async fn ask(cx: &Context, capability: &Capability, call: &mut Call) {
///     drop(cx.gate.pass(cx, capability, call, unreachable!()).await);
/// }
/// ```
///
/// And a capability cannot be run, with one or without, since that is the kernel's alone:
///
/// ```compile_fail,E0624
/// use footplate::kernel::{capability::Capability, context::Context, gate::Permit};
/// fn run(capability: &Capability, permit: Permit, cx: Context) {
///     drop(capability.run(permit, cx, serde_json::json!({})));
/// }
/// ```
///
/// ```compile_fail,E0616
/// use footplate::kernel::capability::Capability;
/// fn handler(capability: &Capability) {
///     drop(capability.handler.clone());
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
    /// Who is asked about what would run unasked, if anybody is.
    lookout: Option<Lookout>,
}

/// Whether a call may have taken effect before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// No.
    Never,
    /// An earlier run of the same script began it: a person decides, whatever else would.
    Perhaps,
}

impl Done {
    fn told(self, mut preview: Preview) -> Preview {
        if self == Self::Perhaps {
            let line = "begun by an earlier run, which may have done it: look before you say yes";
            preview.wider.insert(0, line.to_owned());
        }
        preview
    }
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
        Self { rights, law: Law::default(), waiting, runs: Runs::default(), lookout: None }
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

    /// The same, with a monitor to judge what would run unasked.
    #[must_use]
    pub fn with_lookout(self, lookout: Option<Lookout>) -> Self {
        Self { lookout, ..self }
    }

    /// What rules bind the session, for a child's to be the same.
    pub fn law(&self) -> &Law {
        &self.law
    }

    /// What is kept from that call of a session whatever it asks for, if anything is: for those that
    /// find many files, and tell so much of each.
    pub fn denied_places(&self, cx: &Context, call: &str, tells: Tells) -> Option<DeniedPlaces> {
        self.law.denies().then(|| DeniedPlaces {
            law: self.law.clone(),
            call: call.to_owned(),
            tells,
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
        done: Done,
    ) -> Passage {
        let category = capability.category_of(cx, &call.input);
        let least = match done {
            Done::Never => self.runs.least(capability.category()),
            Done::Perhaps => Verdict::Ask,
        };
        let is_read = category == Category::Read && least == Verdict::Allow;
        // Plan mode refuses before anything is looked at.
        if let (Verdict::Block, mode) = self.rights.verdict(category, Reach::Workspace)
            && !is_read
        {
            return blocked(mode);
        }
        // What is denied is not looked at either: its preview could tell what is in it.
        if self.law.denies()
            && let Some(rule) =
                self.law.denied(&self.case(cx, call, capability.subject(cx, &call.input)))
        {
            return denied(rule);
        }
        if is_read {
            let (_, mode) = self.rights.verdict(category, Reach::Outside);
            let permit = Permit { call: call.id, preview: None };
            return Passage::Open(permit, Decision::allowed(Decider::Mode { mode }));
        }
        let changes = self.changes();
        let preview = match capability.preview(cx.of_call(call.id), call.input.clone()).await {
            Ok(preview) => done.told(preview),
            Err(error) => return Passage::Shut(error, None),
        };
        let lookout = self.lookout.as_ref().filter(|_| category != Category::Read);
        let case = self.case(cx, call, preview.subject.clone());
        let mut looked = Looked { case, category, preview, changes };
        // What the monitor said, once it was asked.
        let mut heard: Option<Option<Doubt>> = None;
        loop {
            let judgement = self.judge_looked(&looked, least);
            if let (Verdict::Allow, Some(lookout), None) = (judgement.verdict, lookout, &heard) {
                match lookout.consult(cx, call, looked.category, &looked.preview).await {
                    Ok(doubt) => heard = Some(doubt),
                    Err(error) => return Passage::Shut(error, None),
                }
                // Modes and rules may have changed meanwhile.
                continue;
            }
            let doubt = heard.clone().flatten();
            match (narrowed(judgement.verdict, doubt.as_ref()), doubt.clone()) {
                (Verdict::Allow, _) => return looked.open(call, judgement.by),
                (Verdict::Block, Some(doubt)) if judgement.verdict != Verdict::Block => {
                    return doubted(capability, doubt);
                }
                (Verdict::Block, _) => return judgement.refusal(),
                (Verdict::Ask, _) => {}
            }
            let Some(waiting) = &self.waiting else {
                return match doubt {
                    Some(doubt) => doubted(capability, doubt),
                    None => nobody(capability),
                };
            };
            let question = ask::question(cx, call, &looked, doubt.clone());
            let asked = self.asked(&looked.case, &question, least);
            let seat = waiting.take_seat(question.id, asked);
            let judge = || {
                let Judgement { verdict, by } = self.judge_looked(&looked, least);
                Judgement { verdict: narrowed(verdict, doubt.as_ref()), by }
            };
            let changes = self.changes();
            let seat = (seat, looked.changes);
            let reply = match self.ask(cx, capability, seat, question, judge).await {
                Ok(Put::Answered(reply)) => reply,
                Ok(Put::Edited(reply, input, preview)) => {
                    call.input = input;
                    let case = self.case(cx, call, preview.subject.clone());
                    let category = capability.category_of(cx, &call.input);
                    looked = Looked { case, category, preview: *preview, changes };
                    reply
                }
                Ok(Put::Changed(Ok(preview))) => {
                    let case = self.case(cx, call, preview.subject.clone());
                    let category = capability.category_of(cx, &call.input);
                    looked = Looked { case, category, preview: *preview, changes };
                    // The monitor judged something else.
                    heard = None;
                    continue;
                }
                Ok(Put::Changed(Err(error))) => return Passage::Shut(error, None),
                // It comes back, under a name of its own.
                Ok(Put::Again) => continue,
                Ok(Put::Expired) => return expired(capability),
                Err(error) => return Passage::Shut(error, None),
            };
            if let Answer::Deny { because, then } = reply.answer {
                return ask::said_no(cx, because, then, reply.by);
            }
            // A yes holds only while nothing forbids it. One by a mode or a rule is no person's: what
            // they say by now counts, and whatever else is to be heard.
            let now = self.judge_looked(&looked, least);
            match (reply.by, now.verdict) {
                (_, Verdict::Block) => return now.refusal(),
                (Decider::Person, Verdict::Allow | Verdict::Ask) => {
                    return looked.open(call, Decider::Person);
                }
                (_, Verdict::Allow | Verdict::Ask) => {}
            }
        }
    }

    /// Tells whoever waits to change the same file that a call may have changed it.
    pub(super) fn changed(&self, subject: &Subject) {
        if let Some(waiting) = &self.waiting {
            waiting.changed(subject);
        }
    }

    fn changes(&self) -> u64 {
        self.waiting.as_ref().map_or(0, |waiting| waiting.changes())
    }

    fn judge_looked(&self, looked: &Looked, least: Verdict) -> Judgement {
        self.judge(&looked.case, (looked.category, looked.preview.reach, least))
    }

    /// A call as rules see it.
    fn case(&self, cx: &Context, call: &Call, subject: Subject) -> Case {
        self.law.case(&call.name, call.input.clone(), subject, &cx.spec.path)
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
            Decider::Grant
            | Decider::Person
            | Decider::Nobody
            | Decider::Expiry
            | Decider::Record { .. }
            | Decider::Monitor(_) => blocked(Mode::Plan),
        }
    }
}

/// What cannot be recorded is not approved.
pub fn unrecorded(error: super::port::StoreError) -> CallError {
    CallError::failed(format!("Not done, since it could not be recorded: {error}"))
}

/// Whole milliseconds, as the journal has them.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
