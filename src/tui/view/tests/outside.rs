//! What becomes of cells that were kept outside of memory.

use std::collections::BTreeSet;

use super::all::ALL;
use crate::tui::cell::Cell;

#[test]
fn a_cell_of_any_kind_is_the_same_when_it_was_written_and_read_back() {
    let mut kinds = BTreeSet::new();
    for (name, build) in ALL {
        let stage = build(120, 40);
        for (_, node) in stage.state.sessions.iter() {
            for (at, cell) in node.transcript.cells.here() {
                let mut cell = cell.clone();
                cell.far();
                cell.touch();
                let written = serde_json::to_string(&cell).unwrap();
                let read: Cell = serde_json::from_str(&written).unwrap();
                assert_eq!(read, cell, "{name}, cell {at}");
                kinds.insert(format!("{:?}", cell.body.kind()));
            }
        }
    }
    let all = ["Agent", "Call", "Code", "Notice", "Said", "Text", "Thinking"];
    assert_eq!(kinds, all.map(str::to_owned).into());
}
