//! What models cost, in dollars, as their makers price them. Counted in whole billionths, so that sums
//! are exact.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::message::Usage;

/// Billionths of a dollar.
const PARTS: f64 = 1e9;

/// So many of them are a cent.
const CENT: u64 = 10_000_000;

/// An amount of money.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(into = "f64", try_from = "f64")]
pub struct Money(u64);

/// What a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// For a million tokens read.
    pub input: Money,
    /// For a million tokens written.
    pub output: Money,
}

/// What models take, by `PROVIDER/MODEL`.
pub type Prices = BTreeMap<String, Price>;

impl Money {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// Whether it is nothing.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left of it, if so much is taken away.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Price {
    /// That of what costs nothing.
    pub const NOTHING: Self = Self { input: Money::NONE, output: Money::NONE };

    /// What a request costs that used so much.
    pub fn of(&self, usage: Usage) -> Money {
        let cost = |tokens: u64, price: Money| u128::from(tokens) * u128::from(price.0);
        let sum = cost(usage.input, self.input) + cost(usage.output, self.output);
        // Never less than it was, so that many small requests are not free.
        Money(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

impl From<Money> for f64 {
    #[expect(clippy::cast_precision_loss, reason = "exact up to nine million")]
    fn from(money: Money) -> Self {
        money.0 as Self / PARTS
    }
}

impl TryFrom<f64> for Money {
    type Error = &'static str;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is out of bounds was refused"
    )]
    fn try_from(amount: f64) -> Result<Self, Self::Error> {
        if (0.0..1e9).contains(&amount) {
            Ok(Self((amount * PARTS).round() as u64))
        } else {
            Err("an amount of money is from 0 up to a thousand million")
        }
    }
}

impl std::fmt::Display for Money {
    /// Always to the cent; what is less than one is said to be that, and never to be nothing.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            1..CENT => f.write_str("<$0.01"),
            _ => write!(f, "${:.2}", f64::from(*self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(amount: f64) -> Money {
        Money::try_from(amount).unwrap()
    }

    #[test]
    fn a_request_costs_what_its_tokens_cost() {
        let price = Price { input: money(3.0), output: money(15.0) };
        for (input, output, cost) in
            [(0, 0, 0.0), (1_000_000, 0, 3.0), (0, 1_000_000, 15.0), (10, 5, 0.000_105)]
        {
            let usage = Usage { input, output, ..Usage::default() };
            assert_eq!(price.of(usage), money(cost), "{input} {output}");
        }
        let least = Price { input: money(0.000_001), output: money(0.0) };
        assert!(!least.of(Usage { input: 1, ..Usage::default() }).is_none());
    }

    #[test]
    fn what_is_written_down_is_read_back() {
        for amount in [0.0, 0.000_000_001, 0.1, 12.345_678_9, 9_000_000.0] {
            let text = serde_json::to_string(&money(amount)).unwrap();
            assert_eq!(serde_json::from_str::<Money>(&text).unwrap(), money(amount), "{text}");
        }
        for wrong in ["-1", "1e9", "\"3\"", "null"] {
            assert!(serde_json::from_str::<Money>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_amount_is_shown_in_one_form() {
        for (amount, expected) in [
            (0.0, "$0.00"),
            (0.001_2, "<$0.01"),
            (0.01, "$0.01"),
            (0.424_9, "$0.42"),
            (1.5, "$1.50"),
            (1234.0, "$1234.00"),
        ] {
            assert_eq!(money(amount).to_string(), expected);
        }
    }
}
