//! What was touched, for tests that hold a cost without a clock. It is counted for each thread by
//! itself.

use std::cell::Cell;

thread_local! {
    static COUNTED: Cell<Tally> = const { Cell::new(Tally { rows: 0, bytes: 0, waiting: 0 }) };
}

/// Rows that were laid out, bytes of text that were looked through for it, and questions that were
/// gone through one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) rows: usize,
    pub(super) bytes: usize,
    pub(super) waiting: usize,
}

pub(super) fn row() {
    count(|counted| counted.rows += 1);
}

pub(super) fn text(more: usize) {
    count(|counted| counted.bytes += more);
}

pub(super) fn waiting() {
    count(|counted| counted.waiting += 1);
}

fn count(one: impl FnOnce(&mut Tally)) {
    COUNTED.with(|cell| {
        let mut counted = cell.get();
        one(&mut counted);
        cell.set(counted);
    });
}

/// What this costs.
pub(super) fn of(work: impl FnOnce()) -> Tally {
    let before = COUNTED.with(Cell::get);
    work();
    let after = COUNTED.with(Cell::get);
    Tally {
        rows: after.rows - before.rows,
        bytes: after.bytes - before.bytes,
        waiting: after.waiting - before.waiting,
    }
}
