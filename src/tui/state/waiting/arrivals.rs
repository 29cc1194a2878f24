//! Questions in the order in which they came, each found by its name however many there are.

use std::collections::BTreeMap;

use super::Waiting;
use crate::kernel::id::ApprovalId;

#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    came: BTreeMap<u64, Waiting>,
    places: BTreeMap<ApprovalId, u64>,
    next: u64,
}

impl Arrivals {
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.places.insert(waiting.question.id, self.next);
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
        self.came.remove(&self.places.remove(&id)?)
    }

    pub(super) fn len(&self) -> usize {
        self.came.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.came.values()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Waiting> {
        self.came.values_mut()
    }
}
