//! What a session and all agents below it may use together: one count for the tree, asked before each
//! request to a model.
//!
//! A request that would begin when all is used is not made. So that agents side by side do not all
//! begin the last one, each sets aside beforehand what it is likely to use, no less than the largest
//! request of the tree so far. Where what is used and set aside reaches the limit, the next request
//! waits until one of those on their way has been counted. So a tree goes over its limit by less than
//! one request, as long as no request turns out larger than what was set aside for it; and always by
//! less than one request for each agent at work.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use tokio::{sync::watch, time::Instant};

use super::{message::Usage, money::Money};

/// What a tree may use; what is absent has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceiling {
    /// Tokens, read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money, for models whose prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Minutes in which it is at work, in one run of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u64>,
}

impl Ceiling {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Each of these limits, or of the others where it is absent.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            tokens: self.tokens.or(others.tokens),
            cost: self.cost.or(others.cost),
            minutes: self.minutes.or(others.minutes),
        }
    }

    /// The stricter of both, each for itself.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            tokens: least(self.tokens, other.tokens),
            cost: least(self.cost, other.cost),
            minutes: least(self.minutes, other.minutes),
        }
    }
}

/// The smaller of two limits, where absent is none.
pub fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}

/// All is used. `Display` is what is wrong and what to do, in two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// The tokens.
    #[error(
        "The limit of {limit} tokens for this session and its agents together is reached: {used} are \
         used.\nBegin again with more: --max-tokens, or [limits] tokens in config.toml."
    )]
    Tokens {
        /// The limit.
        limit: u64,
        /// What is used.
        used: u64,
    },
    /// The money.
    #[error(
        "The limit of {limit} for this session and its agents together is reached: {used} is \
         spent.\nBegin again with more: --max-cost, or [limits] cost in config.toml."
    )]
    Cost {
        /// The limit.
        limit: Money,
        /// What is spent.
        used: Money,
    },
    /// The time.
    #[error(
        "The limit of {limit} minutes of work for this session and its agents together is reached.\n\
         Carry it on for as long again: --continue, or set [limits] minutes in config.toml."
    )]
    Minutes {
        /// The limit.
        limit: u64,
    },
}

/// A share in what a tree may use. Clones are the same share.
#[derive(Clone, Debug)]
pub struct Allowance {
    counts: Arc<watch::Sender<Vec<Count>>>,
    /// Whose limits hold: the tree's first.
    path: Arc<[usize]>,
}

/// What is used below one session that has limits.
#[derive(Debug)]
struct Count {
    ceiling: Ceiling,
    used: Usage,
    /// By requests on their way.
    aside: Usage,
    /// The largest request so far.
    largest: Usage,
    /// The work that goes on, since when, and how long others took before.
    busy: u32,
    since: Instant,
    worked: Duration,
}

enum Verdict {
    May(Usage),
    Wait,
    Over(Exhausted),
}

impl Allowance {
    /// Of a tree that used so much already.
    pub fn new(ceiling: Ceiling, used: Usage) -> Self {
        let counts = Arc::new(watch::Sender::new(vec![Count::new(ceiling, used)]));
        Self { counts, path: Arc::new([0]) }
    }

    /// The share of an agent with limits of its own, for it and all below it. What it uses counts
    /// above it as well.
    #[must_use]
    pub fn below(&self, ceiling: Ceiling) -> Self {
        let mut path = self.path.to_vec();
        self.counts.send_if_modified(|counts| {
            let is_new = path.last().is_some_and(|own| counts[*own].ceiling != ceiling);
            if is_new && !ceiling.is_none() {
                path.push(counts.len());
                counts.push(Count::new(ceiling, Usage::default()));
            }
            false
        });
        Self { counts: self.counts.clone(), path: path.into() }
    }

    /// Whether anything is limited.
    pub fn is_bound(&self) -> bool {
        let counts = self.counts.borrow();
        self.path.iter().any(|at| !counts[*at].ceiling.is_none())
    }

    /// Whether money is limited.
    pub fn limits_money(&self) -> bool {
        let counts = self.counts.borrow();
        self.path.iter().any(|at| counts[*at].ceiling.cost.is_some())
    }

    /// Sets aside what a request is likely to use; waits for others on their way where it must be
    /// known first what they used. Losing the future loses nothing.
    pub async fn reserve(&self, likely: Usage) -> Result<Reserved, Exhausted> {
        let mut changes = self.counts.subscribe();
        loop {
            changes.mark_unchanged();
            match self.try_reserve(likely) {
                Verdict::May(aside) => return Ok(Reserved { share: self.clone(), aside }),
                Verdict::Over(exhausted) => return Err(exhausted),
                // The sender lives in `self`, so this cannot be an error.
                Verdict::Wait => drop(changes.changed().await),
            }
        }
    }

    fn try_reserve(&self, likely: Usage) -> Verdict {
        let mut verdict = Verdict::Wait;
        self.counts.send_if_modified(|counts| {
            verdict = may(counts, &self.path, likely);
            if let Verdict::May(aside) = verdict {
                for at in &*self.path {
                    counts[*at].aside += aside;
                }
            }
            false
        });
        verdict
    }

    /// Counts time as work for as long as the guard lives; work side by side counts once.
    pub fn work(&self) -> AtWork {
        self.counts.send_if_modified(|counts| {
            let now = Instant::now();
            for at in &*self.path {
                let count = &mut counts[*at];
                if count.busy == 0 {
                    count.since = now;
                }
                count.busy += 1;
            }
            false
        });
        AtWork(self.clone())
    }

    /// What the whole tree used so far.
    pub fn used(&self) -> Usage {
        self.counts.borrow()[self.path[0]].used
    }
}

fn may(counts: &[Count], path: &[usize], likely: Usage) -> Verdict {
    let largest = counts[path[0]].largest;
    let aside = Usage {
        input: likely.input.max(largest.input),
        output: likely.output.max(largest.output),
        cost: likely.cost.max(largest.cost),
    };
    let mut must_wait = false;
    for count in path.iter().map(|at| &counts[*at]) {
        if let Some(exhausted) = count.exhausted() {
            return Verdict::Over(exhausted);
        }
        must_wait |= count.is_spoken_for();
    }
    if must_wait { Verdict::Wait } else { Verdict::May(aside) }
}

impl Count {
    fn new(ceiling: Ceiling, used: Usage) -> Self {
        Self {
            ceiling,
            used,
            aside: Usage::default(),
            largest: Usage::default(),
            busy: 0,
            since: Instant::now(),
            worked: Duration::ZERO,
        }
    }

    fn exhausted(&self) -> Option<Exhausted> {
        let Ceiling { tokens, cost, minutes } = self.ceiling;
        let used = self.used.tokens();
        if let Some(limit) = tokens.filter(|limit| used >= *limit) {
            return Some(Exhausted::Tokens { limit, used });
        }
        let used = self.used.cost;
        if let Some(limit) = cost.filter(|limit| used >= *limit) {
            return Some(Exhausted::Cost { limit, used });
        }
        let since = if self.busy > 0 { self.since.elapsed() } else { Duration::ZERO };
        let worked = (self.worked + since).as_secs();
        let is_over = |limit: &u64| worked >= limit.saturating_mul(60);
        minutes.filter(is_over).map(|limit| Exhausted::Minutes { limit })
    }

    /// Whether all that is left was set aside.
    fn is_spoken_for(&self) -> bool {
        let mut sum = self.used;
        sum += self.aside;
        self.ceiling.tokens.is_some_and(|limit| sum.tokens() >= limit)
            || self.ceiling.cost.is_some_and(|limit| sum.cost >= limit)
    }
}

/// What was set aside for one request; free again when dropped.
#[derive(Debug)]
#[must_use]
pub struct Reserved {
    share: Allowance,
    aside: Usage,
}

impl Reserved {
    /// Counts what the request really used.
    pub fn spend(self, used: Usage) {
        self.share.counts.send_modify(|counts| {
            for at in &*self.share.path {
                let count = &mut counts[*at];
                count.used += used;
                count.largest.input = count.largest.input.max(used.input);
                count.largest.output = count.largest.output.max(used.output);
                count.largest.cost = count.largest.cost.max(used.cost);
            }
        });
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.share.counts.send_modify(|counts| {
            for at in &*self.share.path {
                let aside = &mut counts[*at].aside;
                aside.input = aside.input.saturating_sub(self.aside.input);
                aside.output = aside.output.saturating_sub(self.aside.output);
                aside.cost = aside.cost.minus(self.aside.cost);
            }
        });
    }
}

/// Work goes on for as long as this lives.
#[derive(Debug)]
#[must_use]
pub struct AtWork(Allowance);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.counts.send_if_modified(|counts| {
            for at in &*self.0.path {
                let count = &mut counts[*at];
                count.busy -= 1;
                if count.busy == 0 {
                    count.worked += count.since.elapsed();
                }
            }
            false
        });
    }
}

#[cfg(test)]
mod tests;
