//! What has happened so far in sessions and the agents below them, from journals that are read side
//! by side: an event of each is held, however long they are.

use std::{cmp::Reverse, sync::Arc};

use jiff::Timestamp;
use tokio::{runtime::Handle, sync::mpsc::channel};

use super::{Host, hub::Ears};
use crate::kernel::{
    event::{Envelope, Event},
    id::SessionId,
    port::{Events, StoreError, Watch},
};

/// Events that are read back before somebody takes them.
const AHEAD: usize = 256;

impl Host {
    /// Every event from now on, after those so far of the sessions that run here, whose journals are
    /// read as fast as they are taken.
    pub fn events(&self) -> Watch {
        // First, so that nothing comes between.
        let Ears { live, read } = self.0.hub.subscribe();
        let roots: Vec<_> = self.0.live().keys().copied().collect();
        if roots.is_empty() {
            return Watch::from(live).and_read(read);
        }
        let (sender, past) = channel(AHEAD);
        let (store, closing) = (self.0.parts.store.clone(), self.0.closing.clone());
        self.0.tasks.spawn_blocking(move || {
            let runtime = Handle::current();
            for envelope in so_far(|id| store.events(id), &roots) {
                let taken = runtime.block_on(async {
                    tokio::select! {
                        () = closing.cancelled() => false,
                        sent = sender.send(envelope) => sent.is_ok(),
                    }
                });
                if !taken {
                    break;
                }
            }
        });
        Watch::new(past, live).and_read(read)
    }
}

/// The events so far of these sessions and of all agents below them, oldest first, read as they are
/// asked for. A journal that cannot be read is left out, and so are the agents in a part of one that
/// was copied: they belong to the session it was copied from.
pub(super) fn so_far<F>(open: F, roots: &[SessionId]) -> SoFar<F>
where
    F: FnMut(SessionId) -> Result<Box<dyn Events>, StoreError>,
{
    let mut so_far = SoFar { open, journals: Vec::new(), seen: Vec::new() };
    for root in roots {
        so_far.add(*root, None);
    }
    so_far
}

pub(super) struct SoFar<F> {
    open: F,
    journals: Vec<Journal>,
    seen: Vec<SessionId>,
}

/// A journal at its next event.
struct Journal {
    events: Box<dyn Events>,
    /// A clock that was set back must not turn a journal around: the latest time so far.
    at: Timestamp,
    next: Arc<Envelope>,
}

impl<F> SoFar<F>
where
    F: FnMut(SessionId) -> Result<Box<dyn Events>, StoreError>,
{
    /// Reads that one as well; an agent only if `above` started it.
    fn add(&mut self, session: SessionId, above: Option<SessionId>) {
        if self.seen.contains(&session) {
            return;
        }
        let events = match (self.open)(session) {
            Ok(events) => events,
            Err(error) => return left_out(&error),
        };
        let Some((events, first)) = next_of(events) else { return };
        let is_its = |above: SessionId| matches!(&first.event, Event::SessionStarted { spec } if spec.parent == Some(above));
        if !above.is_none_or(is_its) {
            return;
        }
        self.seen.push(session);
        self.journals.push(Journal { events, at: first.at, next: first });
    }
}

fn left_out(error: &StoreError) {
    tracing::warn!(%error, "a session could not be read back");
}

/// The next event of a journal, which is at its end where it cannot be read any further.
fn next_of(mut events: Box<dyn Events>) -> Option<(Box<dyn Events>, Arc<Envelope>)> {
    let next = events.next()?.inspect_err(left_out).ok()?;
    Some((events, next))
}

impl<F> Iterator for SoFar<F>
where
    F: FnMut(SessionId) -> Result<Box<dyn Events>, StoreError>,
{
    type Item = Arc<Envelope>;

    fn next(&mut self) -> Option<Self::Item> {
        // Of two at one time, the one of the agent: it is there before it is told of.
        let oldest = |(at, journal): &(usize, &Journal)| (journal.at, Reverse(*at));
        let (at, _) = self.journals.iter().enumerate().min_by_key(oldest)?;
        let Journal { events, at: latest, next } = self.journals.remove(at);
        if let Some((events, following)) = next_of(events) {
            let at_time = latest.max(following.at);
            self.journals.insert(at, Journal { events, at: at_time, next: following.clone() });
            if let Event::ChildStarted { child, .. } = following.event {
                self.add(child, Some(following.session));
            }
        }
        Some(next)
    }
}
