//! Questions in the order in which they came, each found by its name however many there are.

use std::collections::BTreeMap;

use super::Waiting;
use crate::kernel::id::{ApprovalId, CallId};

#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    came: BTreeMap<u64, Waiting>,
    places: BTreeMap<ApprovalId, u64>,
    next: u64,
    /// How many of each script there are.
    scripts: BTreeMap<CallId, usize>,
}

impl Arrivals {
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.places.insert(waiting.question.id, self.next);
        if let Some(script) = waiting.question.script {
            *self.scripts.entry(script).or_default() += 1;
        }
        self.came.insert(self.next, waiting);
        self.next += 1;
    }

    pub(super) fn get(&self, id: ApprovalId) -> Option<&Waiting> {
        self.came.get(self.places.get(&id)?)
    }

    pub(super) fn get_mut(&mut self, id: ApprovalId) -> Option<&mut Waiting> {
        self.came.get_mut(self.places.get(&id)?)
    }

    pub(super) fn remove(&mut self, id: ApprovalId) -> Option<Waiting> {
        let waiting = self.came.remove(&self.places.remove(&id)?)?;
        if let Some(script) = waiting.question.script
            && let Some(count) = self.scripts.get_mut(&script)
        {
            *count -= 1;
            if *count == 0 {
                self.scripts.remove(&script);
            }
        }
        Some(waiting)
    }

    /// How many of a script there are.
    pub(super) fn of(&self, script: CallId) -> usize {
        self.scripts.get(&script).copied().unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.came.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        let all = self.came.values();
        #[cfg(test)]
        let all = all.inspect(|_| crate::tui::tally::waiting());
        all
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Waiting> {
        let all = self.came.values_mut();
        #[cfg(test)]
        let all = all.inspect(|_| crate::tui::tally::waiting());
        all
    }
}
