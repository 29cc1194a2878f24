//! Tells everyone who watches what happened, in the order of each journal.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::kernel::{event::Envelope, port::Read};

/// Events of sessions that run elsewhere, read before somebody takes them.
const AHEAD: usize = 256;

/// The watchers of all sessions that run here.
#[derive(Debug, Default)]
pub(super) struct Hub(Mutex<Vec<Watcher>>);

#[derive(Clone, Debug)]
struct Watcher {
    live: mpsc::UnboundedSender<Arc<Envelope>>,
    read: mpsc::Sender<Read>,
}

/// What a watcher takes from.
pub(super) struct Ears {
    /// What is published.
    pub(super) live: mpsc::UnboundedReceiver<Arc<Envelope>>,
    /// What is told of sessions that run elsewhere.
    pub(super) read: mpsc::Receiver<Read>,
}

impl Hub {
    /// Hands an event to every watcher; those that are gone are forgotten. Does not block: a
    /// watcher is a screen, which takes all that waits before it draws.
    pub(super) fn publish(&self, envelope: &Arc<Envelope>) {
        let mut watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| watcher.live.send(envelope.clone()).is_ok());
    }

    /// Tells every watcher of an event that was read, as fast as they take it. Waits for the slowest.
    pub(super) async fn tell(&self, read: &Read) {
        let watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for watcher in watchers {
            // Fails only when the watcher is gone.
            let _ = watcher.read.send(read.clone()).await;
        }
    }

    /// A new watcher, of all that is published from now on.
    pub(super) fn subscribe(&self) -> Ears {
        let (live, live_ear) = mpsc::unbounded_channel();
        let (read, read_ear) = mpsc::channel(AHEAD);
        let watcher = Watcher { live, read };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(watcher);
        Ears { live: live_ear, read: read_ear }
    }
}
