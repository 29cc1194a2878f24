//! Changes of files for stories.

use jiff::ToSpan as _;

use super::Stage;
use crate::kernel::{
    change::{Before, Change, End, Planned, Recorded, Undo, Why},
    event::Origin,
    port::{Kept, Mark},
};

impl Stage {
    /// A file that was changed, one that was made, and one that another program changed since.
    pub(in crate::tui) fn written(&self) -> Vec<Planned> {
        let at = |minutes: i64| self.now().wall - minutes.minutes();
        let file = |bytes: usize| Before::File {
            mark: Mark::of(&vec![b'a'; bytes]),
            mode: 0o644,
            kept: Kept::Whole,
        };
        let one = |call: u128, shown: &str, before, (more, fewer), undo| Planned {
            recorded: Recorded {
                session: 1.into(),
                agents: vec!["fix-parser".into()],
                call: call.into(),
                origin: Origin::Python { line: Some(12) },
                parent: Some(10.into()),
                at: at(3),
                change: Change {
                    path: format!("/home/me/tally/{shown}").into(),
                    shown: shown.into(),
                    before,
                    after: Some(Mark::of(b"new")),
                    more,
                    fewer,
                    undoes: None,
                },
                end: End::Made,
                undone: None,
            },
            undo,
        };
        let changed = Undo::LeaveAlone(Why::Changed { at: Some(at(1)) });
        vec![
            one(31, "src/lex.rs", file(4102), (4, 2), Undo::Restore { bytes: 4102 }),
            one(32, "src/lex/tab.rs", Before::Nothing, (25, 0), Undo::Remove),
            one(33, "docs/tabs.md", file(900), (2, 2), changed),
        ]
    }
}
