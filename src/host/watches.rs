//! Sessions that another process writes, or nobody: told of as their journals grow, and taken over
//! once they are free. Nothing is written to them before that.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use super::{Host, HostError, hub::Hub};
use crate::kernel::{
    event::{Envelope, Event},
    id::SessionId,
    port::{NotResumed, Store, StoreError, When},
};

/// How often journals are looked at: a person does not see the difference to at once, and a look is
/// a few calls of the system.
const LOOK: Duration = Duration::from_millis(150);

/// The sessions that are watched.
#[derive(Default)]
pub(super) struct Watches(Mutex<HashMap<SessionId, Watch>>);

#[derive(Clone)]
struct Watch {
    tail: Arc<Mutex<Tail>>,
    stop: CancellationToken,
}

impl Watches {
    /// Ends the watch over a session, and the wait for it.
    pub(super) fn stop(&self, session: SessionId) {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        if let Some(watch) = watch {
            watch.stop.cancel();
        }
    }

    /// Ends them all.
    pub(super) fn end(&self) {
        let mut watches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watches.drain().for_each(|(_, watch)| watch.stop.cancel());
    }
}

/// How far a session and the agents below it were told of.
struct Tail {
    store: Arc<dyn Store>,
    hub: Arc<Hub>,
    root: SessionId,
    told: BTreeMap<SessionId, Told>,
    /// It runs here now, and tells of itself.
    over: bool,
}

/// How far one journal was told of.
#[derive(Default)]
struct Told {
    /// The place in its file.
    place: u64,
    /// The number of the next event: one that was written twice is told once.
    next: u64,
}

impl Tail {
    fn new(store: Arc<dyn Store>, hub: Arc<Hub>, root: SessionId) -> Self {
        let told = BTreeMap::from([(root, Told::default())]);
        Self { store, hub, root, told, over: false }
    }

    /// Tells of what came since, in all of them, oldest first. An error is about the session itself; an
    /// agent that cannot be read is left out.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        let mut events: Vec<(jiff::Timestamp, Arc<Envelope>)> = Vec::new();
        // The session itself comes first: where it cannot be read, nothing was taken in.
        let agents = self.told.keys().copied().filter(|id| *id != self.root);
        let mut wanted: Vec<_> = agents.chain([self.root]).collect();
        while let Some(id) = wanted.pop().filter(|_| !self.over) {
            let told = self.told.entry(id).or_default();
            let since = match self.store.since(id, told.place) {
                Ok(since) => since,
                Err(error) if id == self.root => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, "an agent cannot be watched");
                    continue;
                }
            };
            told.place = since.next;
            // A clock that was set back must not turn a journal around.
            let mut latest = jiff::Timestamp::MIN;
            for envelope in since.events {
                if envelope.seq < told.next {
                    continue;
                }
                told.next = envelope.seq + 1;
                latest = latest.max(envelope.at);
                if let Event::ChildStarted { child, .. } = &envelope.event {
                    wanted.push(*child);
                }
                events.push((latest, envelope));
            }
            if !since.all {
                wanted.push(id);
            }
        }
        events.sort_by_key(|(at, _)| *at);
        for (_, envelope) in events {
            self.hub.publish(&envelope);
        }
        Ok(())
    }
}

fn caught_up(tail: &Mutex<Tail>) -> Result<(), StoreError> {
    tail.lock().unwrap_or_else(PoisonError::into_inner).catch_up()
}

impl Host {
    /// Tells of a session that does not run here, until it is told to stop.
    pub(super) fn watch(&self, session: SessionId) {
        if self.0.get(session).is_some() {
            return;
        }
        let Some(watch) = self.begin_watch(session) else { return };
        self.0.tasks.spawn(async move {
            loop {
                let tail = watch.tail.clone();
                let looked = tokio::task::spawn_blocking(move || caught_up(&tail)).await;
                if let Ok(Err(error)) = looked {
                    tracing::warn!(%error, %session, "it cannot be watched");
                    break;
                }
                tokio::select! {
                    () = watch.stop.cancelled() => break,
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
        });
    }

    /// A new watch; none where there is one.
    fn begin_watch(&self, session: SessionId) -> Option<Watch> {
        let mut watches = self.0.watches.0.lock().unwrap_or_else(PoisonError::into_inner);
        if watches.contains_key(&session) {
            return None;
        }
        let tail = Tail::new(self.0.parts.store.clone(), self.0.hub.clone(), session);
        let watch = Watch { tail: Arc::new(Mutex::new(tail)), stop: CancellationToken::new() };
        watches.insert(session, watch.clone());
        Some(watch)
    }

    /// Carries a session on here, now or as soon as it is let go.
    pub(super) async fn take_over(
        &self,
        session: SessionId,
        when: When,
    ) -> Result<Option<String>, NotResumed> {
        let watch = self.begin_watch(session).or_else(|| {
            let watches = self.0.watches.0.lock().unwrap_or_else(PoisonError::into_inner);
            watches.get(&session).cloned()
        });
        let Some(watch) = watch else { return Err(NotResumed::GivenUp) };
        loop {
            let (host, tail) = (self.clone(), watch.tail.clone());
            let taken = tokio::task::spawn_blocking(move || host.take(session, &tail)).await;
            let taken = taken.map_err(|error| NotResumed::Failed(error.to_string()))?;
            match taken {
                Ok(notice) => {
                    self.0.watches.stop(session);
                    return Ok(notice);
                }
                Err(HostError::Store(StoreError::Held { .. })) if when == When::LetGo => {}
                Err(error) => return Err(NotResumed::Failed(error.to_string())),
            }
            tokio::select! {
                () = watch.stop.cancelled() => return Err(NotResumed::GivenUp),
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Opens a session, tells of all of it that was not told, and carries it on.
    fn take(&self, session: SessionId, tail: &Mutex<Tail>) -> Result<Option<String>, HostError> {
        if self.0.get(session).is_some() {
            return Ok(None);
        }
        let opened = self.0.parts.store.open(session)?;
        // From here on nobody else writes it, or the agents below it.
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.catch_up()?;
        tail.over = true;
        let gone_on = self.go_on(session, opened);
        tail.over = gone_on.is_ok();
        gone_on
    }
}
