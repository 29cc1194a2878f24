//! Watches an agent until it is over, and tells the one above it: once, however it ended.
//!
//! An agent is over when it rests and all that it started is over: until then their ends, or a word,
//! may wake it. What a person or another agent writes in its journal meanwhile comes before its last
//! event, or elsewhere: whoever is about to write there is waited for ([`Door`]). One event that somebody
//! has written at once waits for nobody, and comes before the last one or not at all ([`Live::note`]).

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Inner, Live, folded, tree::End};
use crate::{
    kernel::{
        event::{Envelope, Event, Outcome},
        id::{SessionId, SignalId},
        port::StoreError,
        recorder::Recorder,
        signal::{Ending, Signal},
        spec::SessionSpec,
    },
    modules,
};

/// The way into the journal of a session for those who are no part of it. Clones are the same one.
#[derive(Clone)]
pub(super) struct Door {
    places: Arc<Semaphore>,
    last: Arc<Mutex<Last>>,
}

/// The last event of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    ToCome,
    Written,
}

/// As many can be inside at once.
const PLACES: u16 = u16::MAX;

/// A session that is not over for as long as this lives.
pub struct Inside {
    pub(super) live: Live,
    _place: OwnedSemaphorePermit,
}

impl Default for Door {
    fn default() -> Self {
        let places = Arc::new(Semaphore::new(PLACES.into()));
        Self { places, last: Arc::new(Mutex::new(Last::ToCome)) }
    }
}

impl Door {
    /// Shuts it once nobody is inside, if nothing is left to do there; whether that is so.
    async fn shut(&self, live: &Live) -> bool {
        // While this waits nobody comes in any more.
        let all = self.places.acquire_many(PLACES.into()).await;
        let done = live.handle.close();
        if done {
            self.places.close();
        }
        drop(all);
        done
    }
}

/// An agent at work. Dropping it, as a panic would, is an end as well.
pub(super) struct AtWork {
    host: Arc<Inner>,
    live: Live,
    over: bool,
    /// Free for another when this one is over.
    _place: OwnedSemaphorePermit,
}

impl AtWork {
    pub(super) fn new(host: &Arc<Inner>, live: &Live, place: OwnedSemaphorePermit) -> Self {
        Self { host: host.clone(), live: live.clone(), over: false, _place: place }
    }

    /// Waits until the agent is over, and ends its session.
    pub(super) async fn watch(mut self) {
        let outcome = self.host.rests(&self.live).await;
        let outcome = match self.live.handle.is_dismissed() {
            true => Outcome::Stopped,
            false => outcome.unwrap_or(Outcome::Stopped),
        };
        // Before its last word: what they do is part of it.
        self.live.close_programs().await;
        let worktree = modules::put_away(&self.live.context).await;
        self.over = true;
        self.host.conclude(&self.live, outcome, worktree);
        self.live.handle.shutdown().await;
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        if !self.over {
            let message = "A fault of this program ended it. What it recorded is kept.".to_owned();
            self.live.end_programs();
            let worktree = modules::left(&self.live.context.spec);
            self.host.conclude(&self.live, Outcome::Failed { message }, worktree);
        }
    }
}

impl Inner {
    /// A session that runs here, kept from being over; nothing where it is, or is about to be.
    pub(super) fn enter(&self, session: SessionId) -> Option<Inside> {
        let live = self.get(session)?;
        // A door that is just being shut is shut.
        let place = live.door.places.clone().try_acquire_owned().ok()?;
        Some(Inside { live, _place: place })
    }

    /// Waits until a session has nothing more to do, and lets nothing more come to it.
    async fn rests(&self, live: &Live) -> Option<Outcome> {
        loop {
            let outcome = self.quiet(live).await;
            live.hand.rests().await;
            if live.door.shut(live).await {
                return outcome;
            }
        }
    }

    /// Waits until a session rests and nothing below it is at work, and gives its last outcome.
    pub(super) async fn quiet(&self, live: &Live) -> Option<Outcome> {
        let id = live.context.spec.id;
        loop {
            live.handle.idle().await;
            self.tree.until(|tree| tree.at_work(id).is_empty()).await;
            // An agent that ended has woken it before it was over.
            if !live.handle.is_busy() {
                return live.handle.idle().await;
            }
        }
    }

    fn conclude(&self, live: &Live, outcome: Outcome, worktree: Option<String>) {
        let spec = &live.context.spec;
        let ending = folded(&live.session, |session| session.ending(outcome.clone()));
        let ending = Ending { worktree, ..ending };
        let signal = SignalId::fresh();
        if let Some(above) = spec.parent {
            let what = Signal::Ended { ending: ending.cut() };
            let sent = send(&live.context.recorder, above, signal, &what);
            // Whoever waits is told, whether that can be recorded or not.
            let received = self.get(above).map(|above| above.receive(signal, spec, what));
            log("that an agent ended was not recorded", sent.and(received.unwrap_or(Ok(()))));
        }
        let finished = {
            let mut last = live.door.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = Last::Written;
            live.context.recorder.append(Event::SessionFinished { outcome })
        };
        log("the end of an agent was not recorded", finished.map(drop));
        self.live().remove(&spec.id);
        self.tree.over(spec.id, End::new(signal, ending));
    }
}

/// Records that a session says something to another.
pub(super) fn send(
    recorder: &Recorder,
    to: SessionId,
    signal: SignalId,
    what: &Signal,
) -> Result<(), StoreError> {
    recorder.append(Event::SignalSent { signal, to, what: what.clone() }).map(drop)
}

impl Live {
    /// Stops what goes on in it, also by hand, and begins nothing more. Does not wait.
    pub(super) fn dismiss(&self) {
        self.handle.dismiss();
        self.hand.stop();
    }

    /// Records what somebody has set from outside; nothing where the session is over.
    pub(super) fn note(&self, event: Event) -> Result<Option<Arc<Envelope>>, StoreError> {
        // Held until it is written: the last event comes after it.
        let last = self.door.last.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Last::ToCome => self.context.recorder.append(event).map(Some),
            Last::Written => Ok(None),
        }
    }

    /// Records that another session said something, then makes it count.
    pub(super) fn receive(
        &self,
        signal: SignalId,
        from: &SessionSpec,
        what: Signal,
    ) -> Result<(), StoreError> {
        let (agent, from) = (from.path.clone(), from.id);
        self.context.recorder.append(Event::SignalReceived { signal, from, agent, what })?;
        if self.handle.nudge().is_err() {
            tracing::debug!(session = %self.context.spec.id, "a signal came to one that is over");
        }
        Ok(())
    }
}

fn log(what: &str, result: Result<(), StoreError>) {
    if let Err(error) = result {
        tracing::error!(%error, "{what}");
    }
}
