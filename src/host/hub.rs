//! Tells everyone who watches what happened, in the order of each journal.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::kernel::event::Envelope;

/// The watchers of all sessions that run here.
#[derive(Debug, Default)]
pub(super) struct Hub(Mutex<Vec<mpsc::UnboundedSender<Arc<Envelope>>>>);

impl Hub {
    /// Hands an event to every watcher; those that are gone are forgotten. Does not block: a
    /// watcher is a screen, which takes all that waits before it draws.
    pub(super) fn publish(&self, envelope: &Arc<Envelope>) {
        let mut watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| watcher.send(envelope.clone()).is_ok());
    }

    /// A new watcher, of all that is published from now on.
    pub(super) fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Envelope>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }
}
