//! Appends an event and tells who watches: nothing is shown that is not in the journal.

use std::{fmt, sync::Arc};

use super::{
    event::{Envelope, Event},
    port::{Journal, StoreError},
};

/// Gets every event of a session right after it was appended. Must not block.
pub type Watch = dyn Fn(&Arc<Envelope>) + Send + Sync;

/// The one road into a session's journal. Clones share it.
#[derive(Clone)]
pub struct Recorder {
    journal: Arc<dyn Journal>,
    watch: Arc<Watch>,
}

impl Recorder {
    /// Writes to `journal` and tells `watch`.
    pub fn new(journal: Arc<dyn Journal>, watch: Arc<Watch>) -> Self {
        Self { journal, watch }
    }

    /// Appends an event. What cannot be recorded has not happened: on an error, do not act.
    pub fn append(&self, event: Event) -> Result<Arc<Envelope>, StoreError> {
        // One journal line is appended and shown before the next one: the watchers' order is its.
        let shown = self.journal.append(event, &|envelope| (self.watch)(envelope))?;
        Ok(shown)
    }

    /// Waits until everything appended so far would survive a loss of power.
    pub async fn sync(&self) -> Result<(), StoreError> {
        self.journal.sync().await
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}
