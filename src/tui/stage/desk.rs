//! What lies outside for somebody who writes.

use std::collections::BTreeMap;

use crate::{
    kernel::id::SessionId,
    tui::{
        files::Found,
        message::{Came, Message},
    },
};

#[derive(Default)]
pub(in crate::tui) struct Desk {
    /// The files that fit any words.
    pub(in crate::tui) found: Found,
    /// The drafts that are kept.
    pub(in crate::tui) drafts: BTreeMap<SessionId, String>,
}

impl Desk {
    /// Files that were looked for.
    pub(super) fn finds(&self, words: String) -> Message {
        Message::Came(Came::Files(words, self.found.clone()))
    }

    /// The draft that was kept.
    pub(super) fn draft(&self, session: SessionId) -> Option<Message> {
        let text = self.drafts.get(&session)?.clone();
        Some(Message::Came(Came::Draft(session, text)))
    }
}
