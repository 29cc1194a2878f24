//! Sessions that another process writes, or nobody: told of as their journals grow, and taken over
//! once they are free. Nothing is written to them before that.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    runtime::Handle,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{Host, HostError, mend::Past};
use crate::kernel::{
    event::{Envelope, Event},
    id::SessionId,
    port::{NotResumed, Read, Store, StoreError, When},
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
    /// Nobody wants what was read any more.
    left: CancellationToken,
}

impl Watches {
    /// Ends the watch over a session, and the wait for it: nothing that was read of it comes to anybody
    /// from here on.
    pub(super) fn leave(&self, session: SessionId) {
        if let Some(watch) = self.remove(session) {
            watch.left.cancel();
            watch.stop.cancel();
        }
    }

    /// Ends it where all was told, which whoever watches may still have to take.
    fn done(&self, session: SessionId) {
        if let Some(watch) = self.remove(session) {
            watch.stop.cancel();
        }
    }

    fn remove(&self, session: SessionId) -> Option<Watch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&session)
    }

    /// Ends them all.
    pub(super) fn end(&self) {
        let mut watches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watches.drain().for_each(|(_, watch)| watch.stop.cancel());
    }
}

/// How far a session and the agents below it were told of.
struct Tail {
    host: Host,
    stop: CancellationToken,
    left: CancellationToken,
    /// The session itself comes first, agents in the order in which they were found.
    told: Vec<Told>,
    /// It runs here now, and tells of itself.
    over: bool,
}

/// How far one journal was told of. A part of it is held.
struct Told {
    session: SessionId,
    above: Option<SessionId>,
    /// The place in its file.
    place: u64,
    /// The number of the next event: one that was written twice is told once.
    next: u64,
    /// A clock that was set back must not turn a journal around: the latest time so far.
    latest: Timestamp,
    /// Read, and not told of.
    ahead: VecDeque<Arc<Envelope>>,
    /// Nothing more is there now.
    all: bool,
}

impl Told {
    fn new(session: SessionId, above: Option<SessionId>) -> Self {
        let (latest, ahead) = (Timestamp::MIN, VecDeque::new());
        Self { session, above, place: 0, next: 0, latest, ahead, all: false }
    }

    /// Reads on, and gives the agents that this tells of.
    fn read_on(&mut self, store: &dyn Store) -> Result<Vec<SessionId>, StoreError> {
        let mut agents = Vec::new();
        while self.ahead.is_empty() && !self.all {
            let since = store.since(self.session, self.place)?;
            (self.place, self.all) = (since.next, since.all);
            for envelope in since.events {
                if envelope.seq < self.next {
                    continue;
                }
                self.next = envelope.seq + 1;
                if let Event::ChildStarted { child, .. } = &envelope.event {
                    agents.push(*child);
                }
                self.ahead.push_back(envelope);
            }
        }
        Ok(agents)
    }

    /// Whether it is what another says: those in a part that was copied are not its agents.
    fn is_its(&self) -> bool {
        let (Some(above), Some(first)) = (self.above, self.ahead.front()) else { return true };
        let Event::SessionStarted { spec } = &first.event else { return true };
        spec.parent == Some(above)
    }
}

impl Tail {
    /// Tells of what came since, in all of them, oldest first. An error is about the session itself; an
    /// agent that cannot be read is left out. Blocks until all of it was taken.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        if self.over {
            return Ok(());
        }
        let inner = self.host.0.clone();
        let runtime = Handle::current();
        self.told.iter_mut().for_each(|told| told.all = false);
        loop {
            self.read_on(&*inner.parts.store)?;
            // Of two at one time, the one of the agent: it is there before it is told of.
            let oldest = self.told.iter_mut().enumerate().filter_map(|(at, told)| {
                let next = told.ahead.front()?.at;
                Some(((told.latest.max(next), Reverse(at)), told))
            });
            let Some(((latest, _), told)) = oldest.min_by_key(|(key, _)| *key) else {
                return Ok(());
            };
            told.latest = latest;
            let Some(envelope) = told.ahead.pop_front() else { return Ok(()) };
            let read = Read { envelope, left: self.left.clone() };
            let taken = runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = inner.closing.cancelled() => false,
                    () = self.stop.cancelled() => false,
                    () = inner.hub.tell(&read) => true,
                }
            });
            if !taken {
                return Ok(());
            }
        }
    }

    /// Reads on where nothing is held.
    fn read_on(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let mut at = 0;
        while let Some(told) = self.told.get_mut(at) {
            let session = told.session;
            let agents = match told.read_on(store) {
                Ok(agents) => agents,
                Err(error) if at == 0 => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, %session, "an agent cannot be watched");
                    told.all = true;
                    Vec::new()
                }
            };
            if !told.is_its() {
                self.told.remove(at);
                continue;
            }
            for agent in agents {
                if self.told.iter().all(|told| told.session != agent) {
                    self.told.push(Told::new(agent, Some(session)));
                }
            }
            at += 1;
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
                    // No event tells of what another process writes, on every file system.
                    () = sleep_until(Instant::now() + LOOK) => {}
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
        let (stop, left) = (CancellationToken::new(), CancellationToken::new());
        let told = vec![Told::new(session, None)];
        let (host, ends, leaves) = (self.clone(), stop.clone(), left.clone());
        let tail = Tail { host, stop: ends, left: leaves, told, over: false };
        let watch = Watch { tail: Arc::new(Mutex::new(tail)), stop, left };
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
                    self.0.watches.done(session);
                    return Ok(notice);
                }
                Err(HostError::Store(StoreError::Held { .. })) if when == When::LetGo => {}
                Err(error) => return Err(NotResumed::Failed(error.to_string())),
            }
            tokio::select! {
                () = watch.stop.cancelled() => return Err(NotResumed::GivenUp),
                // No event tells of what another process writes, on every file system.
                    () = sleep_until(Instant::now() + LOOK) => {}
            }
        }
    }

    /// Opens a session, tells of all of it that was not told, and carries it on.
    fn take(&self, session: SessionId, tail: &Mutex<Tail>) -> Result<Option<String>, HostError> {
        if self.0.get(session).is_some() {
            return Ok(None);
        }
        let mut past = Past::default();
        let opened = self.0.parts.store.open(session, &mut |envelope| past.take(envelope))?;
        // From here on nobody else writes it, or the agents below it.
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.catch_up()?;
        tail.over = true;
        let gone_on = self.go_on(session, opened, past);
        tail.over = gone_on.is_ok();
        gone_on
    }
}
