//! The writer of a journal: one whole line a write, or none.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{Clock, medium::Medium, reader};
use crate::kernel::{
    BoxFuture,
    event::{Envelope, Event, VERSION},
    id::SessionId,
    port::{Journal, StoreError},
};

/// A line buffer larger than this is given back after its line.
const LINE_KEPT: usize = 1 << 20;

/// Appends to the journal of one session for as long as it lives.
pub(super) struct Writer {
    session: SessionId,
    path: PathBuf,
    medium: Arc<dyn Medium>,
    clock: Clock,
    writing: Mutex<Writing>,
    /// Length of the whole lines, for those who sync.
    written: Arc<AtomicU64>,
    synced: Arc<Mutex<Synced>>,
    /// What keeps other writers away.
    _lock: Box<dyn Send + Sync>,
}

struct Writing {
    /// The number of the next event.
    next: u64,
    /// Length of the whole lines.
    len: u64,
    /// Whether there may be a part of a line after them.
    torn: bool,
    line: Vec<u8>,
}

/// How far a journal is on the disk.
#[derive(Default)]
struct Synced {
    upto: u64,
    /// After a failure the system may have dropped what it could not write and say yes the next
    /// time, so the first no stands.
    failed: Option<io::ErrorKind>,
}

/// Where a writer starts.
pub(super) struct Start {
    /// The session.
    pub(super) session: SessionId,
    /// How to name the journal in errors.
    pub(super) path: PathBuf,
    /// The number of the next event.
    pub(super) next: u64,
    /// Length of the whole lines there are; what follows is cut before the first append.
    pub(super) len: u64,
}

impl Writer {
    /// Carries a journal on; `lock` is kept until the writer is dropped.
    pub(super) fn new(
        start: Start,
        medium: Arc<dyn Medium>,
        clock: Clock,
        lock: Box<dyn Send + Sync>,
    ) -> Self {
        let Start { session, path, next, len } = start;
        Self {
            session,
            path,
            medium,
            clock,
            writing: Mutex::new(Writing { next, len, torn: false, line: Vec::new() }),
            written: Arc::new(AtomicU64::new(len)),
            synced: Arc::default(),
            _lock: lock,
        }
    }

    /// Writes the line, or leaves the journal as it was.
    fn write(&self, writing: &mut Writing) -> Result<(), StoreError> {
        if writing.torn {
            self.medium.truncate(writing.len).map_err(|source| self.fault("mend", source))?;
            writing.torn = false;
        }
        let outcome = match self.medium.append(&writing.line) {
            Ok(count) if count == writing.line.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::StorageFull.into()),
            Err(error) => Err(error),
        };
        outcome.map_err(|source| {
            // If even this fails, it is tried again before the next line.
            writing.torn = self.medium.truncate(writing.len).is_err();
            self.fault("write", source)
        })
    }

    fn fault(&self, doing: &'static str, source: io::Error) -> StoreError {
        StoreError::Io { doing, path: self.path.clone(), source }
    }
}

impl Journal for Writer {
    fn append(
        &self,
        event: Event,
        shown: &dyn Fn(&Arc<Envelope>),
    ) -> Result<Arc<Envelope>, StoreError> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let at = (self.clock)();
        let envelope = Envelope { v: VERSION, seq: writing.next, at, session: self.session, event };
        writing.line.clear();
        writing.line.shrink_to(LINE_KEPT);
        serde_json::to_writer(&mut writing.line, &envelope)
            .map_err(io::Error::from)
            .and_then(|()| reader::readable(&writing.line))
            .map_err(|source| self.fault("write", source))?;
        writing.line.push(b'\n');
        self.write(&mut writing)?;
        writing.len += writing.line.len() as u64;
        writing.next += 1;
        self.written.store(writing.len, Ordering::Release);
        let envelope = Arc::new(envelope);
        // Still under the lock: those who watch see the order of the journal.
        shown(&envelope);
        Ok(envelope)
    }

    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        let wanted = self.written.load(Ordering::Acquire);
        let (medium, written) = (self.medium.clone(), self.written.clone());
        let synced = self.synced.clone();
        Box::pin(async move {
            let on_disk = move || {
                // Those who come while one writes wait here, and mostly find it done for them.
                let mut synced = synced.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(kind) = synced.failed {
                    return Err(kind.into());
                }
                if synced.upto >= wanted {
                    return Ok(());
                }
                let upto = written.load(Ordering::Acquire);
                medium.sync().inspect_err(|error| synced.failed = Some(error.kind()))?;
                synced.upto = upto;
                Ok(())
            };
            let outcome = tokio::task::spawn_blocking(on_disk).await.map_err(io::Error::other);
            outcome.flatten().map_err(|source| self.fault("sync", source))
        })
    }
}

#[cfg(test)]
mod tests;
