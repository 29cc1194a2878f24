//! The changes of a session and its agents: a fold over their journals.

use std::collections::HashMap;

use super::{CallId, End, Envelope, Event, Origin, Recorded, SessionId};
use crate::kernel::{error::ErrorCode, event::Call};

/// The changes of some sessions, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    changes: Vec<Recorded>,
    agents: HashMap<SessionId, Vec<String>>,
    /// The calls that go on.
    open: HashMap<CallId, Open>,
}

/// A call that goes on.
#[derive(Clone, Copy, Debug)]
struct Open {
    origin: Origin,
    parent: Option<CallId>,
    /// Its last change.
    change: Option<usize>,
}

impl Ledger {
    /// The fold of these events: of one journal, or of several in the order of their times.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Envelope>) -> Self {
        let mut ledger = Self::default();
        for envelope in events {
            ledger.apply(envelope);
        }
        ledger
    }

    /// Takes one more event in.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest changes no file")]
    pub fn apply(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::SessionStarted { spec } => {
                self.agents.insert(spec.id, spec.path.clone());
            }
            Event::CallStarted { call: Call { id, origin, parent, .. }, .. } => {
                let open = Open { origin: *origin, parent: *parent, change: None };
                self.open.insert(*id, open);
            }
            Event::ChangeBegun { call, change } => {
                if let Some(undone) = change.undoes {
                    self.taken_back(undone, *call);
                }
                let by_hand = Open { origin: Origin::Person, parent: None, change: None };
                let open = self.open.entry(*call).or_insert(by_hand);
                open.change = Some(self.changes.len());
                let Open { origin, parent, .. } = *open;
                self.changes.push(Recorded {
                    session: envelope.session,
                    agents: self.agents.get(&envelope.session).cloned().unwrap_or_default(),
                    call: *call,
                    origin,
                    parent,
                    at: envelope.at,
                    change: change.clone(),
                    end: End::Unknown,
                    undone: None,
                });
            }
            Event::CallFinished { call, result, .. } => {
                let open = self.open.remove(call);
                let end = match result.error_code() {
                    _ if result.ok => End::Made,
                    Some(ErrorCode::Interrupted) | None => End::Unknown,
                    Some(_) => End::Failed,
                };
                if let Some(at) = open.and_then(|open| open.change) {
                    self.ended(at, end);
                }
            }
            _ => {}
        }
    }

    /// All of them, oldest first; those that take others back among them.
    pub fn changes(&self) -> &[Recorded] {
        &self.changes
    }

    /// The change of that call.
    pub fn find(&self, call: CallId) -> Option<&Recorded> {
        self.changes.iter().find(|recorded| recorded.call == call)
    }

    fn ended(&mut self, at: usize, end: End) {
        self.changes[at].end = end;
        if let (End::Failed, Some(kept)) = (end, self.changes[at].change.undoes) {
            // It was to take that back, and did not.
            if let Some(kept) = self.changes.iter_mut().find(|recorded| recorded.call == kept) {
                kept.undone = None;
            }
        }
    }

    fn taken_back(&mut self, undone: CallId, by: CallId) {
        let Some(at) = self.changes.iter().position(|recorded| recorded.call == undone) else {
            return;
        };
        self.changes[at].undone = Some(by);
        // What an undo had taken back stands again, once the undo is taken back itself.
        if let Some(first) = self.changes[at].change.undoes
            && let Some(first) = self.changes.iter_mut().find(|recorded| recorded.call == first)
        {
            first.undone = None;
        }
    }
}

#[cfg(test)]
impl From<Vec<Recorded>> for Ledger {
    fn from(changes: Vec<Recorded>) -> Self {
        Self { changes, ..Self::default() }
    }
}

#[cfg(test)]
mod tests;
