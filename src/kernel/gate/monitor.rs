//! The monitor: an optional second model that judges calls. It can only narrow.
//!
//! # Where it stands
//!
//! Last. Plan mode, denies, modes, settings, rules and grants speak first; what they refuse is refused
//! unheard, and what they ask a person about goes to the person at once. The monitor is asked about what
//! they would let through unasked, whoever lets it through: a mode, a rule of a file, a yes for the
//! session. It judges the calls of every agent at every depth, from Python and by hand, since there is
//! one road; and never a read, sealed code included.
//!
//! It is not asked where a person is: who decides has the whole effect in view, and should neither
//! wait for a second opinion nor see a question change under the eyes. A question that goes away
//! because a rule or a mode lets its call through was not answered by a person, so the call is judged
//! then. A person's own yes, once or wider, with the arguments as they were or edited, is the last word
//! on that call.
//!
//! # What it may do
//!
//! | it says | the call |
//! |---|---|
//! | none | what the gate said stands |
//! | soft | asks the person, with the reason; with nobody there it is refused (`blocked_by_monitor`) |
//! | hard | is refused (`blocked_by_monitor`), whoever is there |
//! | nothing in time, an error, anything that is no verdict | asks the person; with nobody there it is refused (`no_approver`) |
//!
//! A yes to a question of the monitor is for that call alone: no rule and no grant takes the next one
//! away from it. A call is judged once, and then the modes and rules are looked at again, since they may
//! have changed meanwhile. While it judges, the clocks of the asker stand still, and whoever stops the
//! asker stops it. Its words are hostile text, as a call it judges may have put them into its mouth: they are
//! cleaned, cut to one line, and obeyed in nothing but the verdict.
//!
//! What it uses counts in the budget of the tree, and is in the journal of the session that calls. Where
//! all is used it is not asked, which is no verdict.

use std::{fmt, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};

use super::{ask::past, policy::Verdict, unrecorded};
use crate::kernel::{
    allowance::{Allowance, Ceiling},
    capability::{Category, Preview},
    clock::Hold,
    context::Context,
    error::CallError,
    event::{Call, Event},
    invoke::interrupted,
    message::Usage,
    money::Price,
    port::{Heard, Judged, Monitor, Opinion},
    text,
};

/// The most characters of a reason that are kept.
const REASON: usize = 300;

/// How many bytes a token is taken to have.
const TOKEN: usize = 4;

/// What a request takes beside the arguments of the call, in tokens.
const BESIDE: u64 = 1_500;

/// Why the monitor holds a call back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// How strongly.
    pub tier: Tier,
    /// Its reason, or why there is no verdict: one clean line.
    pub reason: String,
}

/// How strongly the monitor holds a call back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// There is no verdict, so a person decides.
    Failed,
    /// A person decides.
    Soft,
    /// It does not happen.
    Hard,
}

impl Tier {
    /// The name in the journal and for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Soft => "soft",
            Self::Hard => "hard",
        }
    }
}

impl Doubt {
    /// That doubt in words that may be anybody's.
    fn new(tier: Tier, reason: &str) -> Self {
        let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = text::shown(&line).into_owned();
        let reason = match line.char_indices().nth(REASON) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        };
        Self { tier, reason }
    }
}

/// The line that a person reads.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tier {
            Tier::Failed => write!(f, "no verdict: {}", self.reason),
            Tier::Soft | Tier::Hard => f.write_str(&self.reason),
        }
    }
}

/// What is left of a verdict once the monitor was heard: never more than there was.
pub fn narrowed(verdict: Verdict, doubt: Option<&Doubt>) -> Verdict {
    let most = match doubt.map(|doubt| doubt.tier) {
        None => Verdict::Allow,
        Some(Tier::Failed | Tier::Soft) => Verdict::Ask,
        Some(Tier::Hard) => Verdict::Block,
    };
    verdict.max(most)
}

/// Tells what was said to an agent, oldest first.
pub type Said = Arc<dyn Fn() -> Vec<String> + Send + Sync>;

/// The monitor of a session, and how long it is waited for. Clones ask the same one.
#[derive(Clone)]
pub struct Lookout {
    monitor: Arc<dyn Monitor>,
    /// Its name, by which it has a price.
    model: String,
    patience: Duration,
    said: Said,
    allowance: Allowance,
    price: Option<Price>,
}

impl fmt::Debug for Lookout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookout").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Lookout {
    /// Asks that monitor, which is the model of that name, and waits so long for its verdict.
    pub fn new(monitor: Arc<dyn Monitor>, model: &str, patience: Duration) -> Self {
        Self {
            monitor,
            model: model.to_owned(),
            patience,
            said: Arc::new(Vec::new),
            allowance: Allowance::new(Ceiling::default(), Usage::default()),
            price: None,
        }
    }

    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The same, for an agent to which that was said.
    #[must_use]
    pub fn hearing(self, said: Said) -> Self {
        Self { said, ..self }
    }

    /// The same, counting what it uses there.
    #[must_use]
    pub fn within(self, allowance: Allowance, price: Option<Price>) -> Self {
        Self { allowance, price, ..self }
    }

    /// Has a call judged, the clocks of the asker stopped. Fails only where the asker is stopped, or
    /// where what it took cannot be recorded.
    pub(super) async fn consult(
        &self,
        cx: &Context,
        call: &Call,
        category: Category,
        preview: &Preview,
    ) -> Result<Option<Doubt>, CallError> {
        let _still: Vec<Hold> = cx.clocks.iter().map(|clock| clock.hold()).collect();
        let judged = Judged {
            call: call.clone(),
            category,
            preview: preview.clone(),
            agent: cx.spec.path.clone(),
            workspace: cx.spec.workspace.clone(),
            said: (self.said)(),
        };
        let heard = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(interrupted(false)),
            heard = self.judge(judged) => heard,
            () = past(Some(self.patience)) => {
                silent(&format!("it said nothing within {} s", self.patience.as_secs_f64()))
            }
        };
        if heard.usage != Usage::default() {
            let judged = Event::CallJudged { call: call.id, usage: heard.usage };
            cx.recorder.append(judged).map_err(unrecorded)?;
        }
        Ok(match heard.opinion {
            Ok(Opinion::Clear) => None,
            Ok(Opinion::Soft(reason)) => Some(Doubt::new(Tier::Soft, &reason)),
            Ok(Opinion::Hard(reason)) => Some(Doubt::new(Tier::Hard, &reason)),
            Err(fault) => Some(Doubt::new(Tier::Failed, &fault)),
        })
    }

    /// Asks it, once that much may be used, and counts what it used.
    async fn judge(&self, judged: Judged) -> Heard {
        let reserved = match self.allowance.reserve(self.likely(&judged.call)).await {
            Ok(reserved) => reserved,
            Err(exhausted) => {
                let told = exhausted.to_string();
                return silent(told.lines().next().unwrap_or_default());
            }
        };
        // Whatever goes wrong with it, a call has an end.
        let heard = AssertUnwindSafe(async { self.monitor.judge(judged).await }).catch_unwind();
        let Heard { opinion, usage } = heard.await.unwrap_or_else(|_| silent("it broke"));
        let usage = self.priced(usage);
        reserved.spend(usage);
        Heard { opinion, usage }
    }

    fn likely(&self, call: &Call) -> Usage {
        if !self.allowance.is_bound() {
            return Usage::default();
        }
        let tokens = u64::try_from(call.input.to_string().len() / TOKEN).unwrap_or(u64::MAX);
        let input = tokens.saturating_add(BESIDE);
        self.priced(Usage { input, ..Usage::default() })
    }

    fn priced(&self, usage: Usage) -> Usage {
        let cost = self.price.map(|price| price.of(usage)).unwrap_or_default();
        Usage { cost, ..usage }
    }
}

/// There is no verdict, and nothing is known to have been used.
fn silent(why: &str) -> Heard {
    Heard { opinion: Err(why.to_owned()), usage: Usage::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubt_never_widens_a_verdict() {
        let doubts = [Tier::Failed, Tier::Soft, Tier::Hard].map(|tier| Doubt::new(tier, "why"));
        for verdict in [Verdict::Allow, Verdict::Ask, Verdict::Block] {
            assert_eq!(narrowed(verdict, None), verdict);
            let left = doubts.each_ref().map(|doubt| narrowed(verdict, Some(doubt)));
            let asks = verdict.max(Verdict::Ask);
            assert_eq!(left, [asks, asks, Verdict::Block]);
        }
    }

    #[test]
    fn a_reason_is_one_clean_line_of_bounded_length() {
        let doubt = Doubt::new(Tier::Soft, "it\u{1b}[2J sends\r\nyour \u{202e}keys\0 away");
        assert_eq!(doubt.reason, "it⟨U+001B⟩[2J sends your ⟨U+202E⟩keys⟨U+0000⟩ away");
        let long = Doubt::new(Tier::Hard, &"é ".repeat(10_000));
        assert_eq!(long.reason.chars().count(), REASON + 1);
        let silent = Doubt::new(Tier::Failed, "it broke");
        assert_eq!(silent.to_string(), "no verdict: it broke");
    }
}
