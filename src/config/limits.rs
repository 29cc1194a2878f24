//! `[limits]`, in the person's settings and in profiles of agents.

use std::num::{NonZeroU32, NonZeroU64};

use serde::Deserialize;

use crate::kernel::{allowance::Ceiling, money::Money, spec::Limits};

/// What such a table sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitSettings {
    tokens: Option<NonZeroU64>,
    cost: Option<Money>,
    minutes: Option<NonZeroU64>,
    turns: Option<NonZeroU32>,
    agents_at_once: Option<u32>,
    depth: Option<u32>,
}

impl LimitSettings {
    /// Those limits, with what is set here in their place.
    pub(super) fn over(self, limits: Limits) -> Limits {
        Limits {
            turns: self.turns.map_or(limits.turns, NonZeroU32::get),
            depth: self.depth.unwrap_or(limits.depth),
            agents_at_once: self.agents_at_once.unwrap_or(limits.agents_at_once),
            ceiling: self.ceiling().or(limits.ceiling),
            ..limits
        }
    }

    fn ceiling(self) -> Ceiling {
        Ceiling {
            tokens: self.tokens.map(NonZeroU64::get),
            cost: self.cost,
            minutes: self.minutes.map(NonZeroU64::get),
        }
    }
}
