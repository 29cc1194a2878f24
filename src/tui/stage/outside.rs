//! Pages of transcripts outside, without a disk.

use std::collections::BTreeMap;

use super::Stage;
use crate::{
    kernel::id::SessionId,
    tui::{
        cell::Cell,
        effect::Effect,
        message::{Came, Message},
        state::transcript::cells::PAGE,
    },
};

/// What lies there, as it is written.
#[derive(Debug, Default)]
pub(in crate::tui) struct Outside {
    pub(in crate::tui) pages: BTreeMap<(SessionId, usize), String>,
    /// How many pages were written, and how many were read back.
    pub(in crate::tui) written: usize,
    pub(in crate::tui) read: usize,
    /// Whether what is asked of it is answered later, by the story.
    pub(in crate::tui) waits: bool,
}

impl Outside {
    fn cells(&self, session: SessionId, page: usize) -> Result<Vec<Cell>, String> {
        let text = self.pages.get(&(session, page)).ok_or("it is not there")?;
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    pub(super) fn put(&mut self, session: SessionId, page: usize, cells: &[Cell]) {
        self.written += 1;
        self.pages.insert((session, page), serde_json::to_string(cells).unwrap());
    }

    /// What such an effect comes to.
    pub(super) fn came(&mut self, effect: Effect) -> Option<Came> {
        if let Effect::BringBack(session, page) = effect {
            self.read += 1;
            return Some(Came::Back(session, page, self.cells(session, page)));
        }
        let Effect::FindOutside(session, word, pages) = effect else { return None };
        let mut found = Vec::new();
        for page in pages {
            let cells = self.cells(session, page).unwrap();
            let holding = (page * PAGE..).zip(&cells).filter(|(_, cell)| cell.body.holds(&word));
            found.extend(holding.map(|(at, _)| at));
        }
        Some(Came::FoundOutside(session, word, found))
    }
}

impl Stage {
    /// What waited outside is answered.
    pub(in crate::tui) fn outside_answers(&mut self) {
        self.desk.outside.waits = false;
        for effect in std::mem::take(&mut self.effects) {
            if let Some(came) = self.desk.outside.came(effect) {
                self.send(Message::Came(came));
            }
        }
    }
}
