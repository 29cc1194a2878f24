//! When a line is an answer. Pure: every moment comes from outside.
//!
//! A word answers only what was said last, once that is known to be written out, and nothing that was
//! typed before is still to be heard of. Who answers sooner cannot have read it.

use crate::tui::{guard::QUIET, state::Moment};

/// Watches over what was said last.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    mark: u64,
    reached: Option<Moment>,
}

impl Guard {
    /// Something was said that changes what a word means.
    pub(super) fn announce(&mut self) {
        self.mark += 1;
        self.reached = None;
    }

    /// The mark of what was said last.
    pub(super) fn mark(&self) -> u64 {
        self.mark
    }

    /// What was said up to that mark can be read from now on.
    pub(super) fn reached(&mut self, mark: u64, now: Moment) {
        if mark == self.mark {
            self.reached = Some(now);
        }
    }

    /// Whether a line of that moment may be an answer to what was said last.
    pub(super) fn counts(&self, now: Moment) -> bool {
        let nothing = self.mark == 0;
        nothing || self.reached.is_some_and(|reached| reached.at + QUIET <= now.at)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_line_answers_only_what_was_there_to_be_read_for_a_while() {
        let start = Moment { at: tokio::time::Instant::now(), wall: jiff::Timestamp::UNIX_EPOCH };
        let after = |ms| Moment { at: start.at + Duration::from_millis(ms), ..start };
        let mut guard = Guard::default();
        assert!(guard.counts(start), "nothing was asked");
        guard.announce();
        assert!(!guard.counts(after(5000)), "nobody knows that it was written");
        guard.reached(guard.mark(), after(5000));
        assert_eq!([5000, 5399, 5400].map(|ms| guard.counts(after(ms))), [false, false, true]);
        guard.announce();
        guard.reached(1, after(6000));
        assert!(!guard.counts(after(9000)), "what was written was said before it");
        guard.reached(2, after(9000));
        assert!(guard.counts(after(9400)));
    }
}
