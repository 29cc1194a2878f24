//! The drafts of sessions that are not in view, and when the one in view is to be kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::time::Instant;

use super::draft::Draft;
use crate::kernel::id::SessionId;

/// A draft is kept this long after it was last written at.
const SETTLES: Duration = Duration::from_secs(1);

/// One for each session that was in view.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    /// The session whose draft the composer has.
    pub of: Option<SessionId>,
    others: BTreeMap<SessionId, Draft>,
    /// Sessions whose kept draft was asked for.
    asked: BTreeSet<SessionId>,
    /// What the draft was when it was last looked at.
    seen: (String, usize),
    /// When it is to be kept, if it changed since it was.
    due: Option<Instant>,
}

impl Drafts {
    /// Puts a draft away.
    pub fn put(&mut self, session: SessionId, draft: Draft) {
        self.others.insert(session, draft);
    }

    /// Takes the draft of a session that is in view now.
    pub fn take(&mut self, session: SessionId) -> Draft {
        self.others.remove(&session).unwrap_or_default()
    }

    /// Whether this is the first time that a session is in view.
    pub fn is_new(&mut self, session: SessionId) -> bool {
        self.asked.insert(session)
    }

    /// Looks at the draft in view; it is to be kept if it changed.
    pub fn look(&mut self, draft: &Draft, now: Instant) {
        let (raw, pastes) = draft.mark();
        if (self.seen.0.as_str(), self.seen.1) != (raw, pastes) {
            self.seen = (raw.to_owned(), pastes);
            self.due = Some(now + SETTLES);
        }
    }

    /// This draft is what is kept, so nothing has changed.
    pub fn is_kept(&mut self, draft: &Draft) {
        let (raw, pastes) = draft.mark();
        (self.seen, self.due) = ((raw.to_owned(), pastes), None);
    }

    /// Whether the draft in view has changed and has not been kept.
    pub fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// Whether it has changed since it was kept.
    pub fn has_changed(&self) -> bool {
        self.due.is_some()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.of.and(self.due)
    }
}
