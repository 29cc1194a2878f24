//! What lies outside: files, drafts, rules, and the other sessions.

use std::{collections::BTreeMap, sync::Arc};

use super::Stage;
use crate::{
    kernel::{gate::law::Placed, id::SessionId, picture::PictureId, port::Numbered},
    tui::{
        cell::Body,
        files::Found,
        message::{Came, Message},
        picture::{How, Wanted, paint},
    },
};

#[derive(Default)]
pub(in crate::tui) struct Desk {
    /// The files that fit any words.
    pub(in crate::tui) found: Found,
    /// Pages of transcripts.
    pub(in crate::tui) outside: super::outside::Outside,
    /// The drafts that are kept.
    pub(in crate::tui) drafts: BTreeMap<SessionId, String>,
    /// The rules that count, and the faults of their files.
    pub(in crate::tui) rules: Vec<Placed>,
    pub(in crate::tui) faults: Vec<String>,
    /// How many calls any wider yes would have answered.
    pub(in crate::tui) considered: usize,
    /// The bytes of pictures.
    pub(in crate::tui) pictures: BTreeMap<PictureId, Vec<u8>>,
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

    /// A picture, made ready.
    pub(super) fn paints(&self, wanted: Wanted, how: How, count: u32) -> Message {
        let bytes = self.pictures.get(&wanted.picture);
        let painted = match bytes {
            Some(bytes) => paint(bytes, wanted.shape, how, count).map(Arc::new),
            None => Err("is not kept any more".to_owned()),
        };
        Message::Came(Came::Painted(wanted, how, painted))
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
        let cells = self.state.sessions.get(session).map(|node| node.transcript.cells.here());
        let texts = cells.into_iter().flatten().filter_map(|(_, cell)| match &cell.body {
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
