//! What lies outside: files, drafts, rules, and the other sessions.

use std::collections::BTreeMap;

use super::Stage;
use crate::{
    kernel::{gate::law::Placed, id::SessionId, port::Numbered},
    tui::{
        cell::Body,
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
    /// The rules that count, and the faults of their files.
    pub(in crate::tui) rules: Vec<Placed>,
    pub(in crate::tui) faults: Vec<String>,
}

impl Desk {
    /// Files that were looked for.
    pub(super) fn finds(&self, words: String) -> Message {
        Message::Came(Came::Files(words, self.found.clone()))
    }

    /// The rules that count for a session.
    pub(super) fn rules(&self, of: SessionId) -> Message {
        Message::Came(Came::Rules(of, self.rules.clone(), self.faults.clone()))
    }

    /// The draft that was kept.
    pub(super) fn draft(&self, session: SessionId) -> Option<Message> {
        let text = self.drafts.get(&session)?.clone();
        Some(Message::Came(Came::Draft(session, text)))
    }
}

impl Stage {
    /// The list of sessions, as it is known already.
    pub(super) fn listed(&self) -> Message {
        Message::Came(Came::Listed(Ok(self.state.sessions.tree.listed.clone())))
    }

    /// What was said in a session, as its transcript tells it.
    pub(super) fn said(&self, session: SessionId) -> Message {
        let cells = self.state.sessions.get(session).map(|node| &node.transcript.cells);
        let texts = cells.into_iter().flatten().filter_map(|cell| match &cell.body {
            Body::Said { text, .. } => Some(text.clone()),
            Body::Text { .. }
            | Body::Code(_)
            | Body::Call(_)
            | Body::Thinking(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => None,
        });
        let at = self.start.wall;
        let said = texts.zip(1..).map(|(text, number)| Numbered { number, at, text }).collect();
        Message::Came(Came::Said(session, Ok(said)))
    }
}
