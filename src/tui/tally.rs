//! How much was laid out, for tests that hold a cost without a clock. It is counted for each thread
//! by itself.

use std::cell::Cell;

thread_local! {
    static COUNTED: Cell<Tally> = const { Cell::new(Tally { rows: 0, bytes: 0 }) };
}

/// Rows that were laid out, and bytes of text that were looked through for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

pub(super) fn row() {
    COUNTED.with(|counted| {
        let Tally { rows, bytes } = counted.get();
        counted.set(Tally { rows: rows + 1, bytes });
    });
}

pub(super) fn text(more: usize) {
    COUNTED.with(|counted| {
        let Tally { rows, bytes } = counted.get();
        counted.set(Tally { rows, bytes: bytes + more });
    });
}

/// What this costs.
pub(super) fn of(work: impl FnOnce()) -> Tally {
    let before = COUNTED.with(Cell::get);
    work();
    let after = COUNTED.with(Cell::get);
    Tally { rows: after.rows - before.rows, bytes: after.bytes - before.bytes }
}
