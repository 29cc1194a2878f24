//! What stands on a terminal: the bytes of a program, as a terminal would show them. They go to the
//! spool of the call as well.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{mpsc, watch},
    time::{Instant, timeout, timeout_at},
};

use crate::kernel::{
    BoxFuture,
    error::CallError,
    port::{Piece, Shown, Spool, SpoolEnd, StoreError, Stream, Terminal},
    text,
};

/// A terminal of that many lines and columns.
pub(super) struct Glass {
    spool: Arc<dyn Spool>,
    parser: Mutex<vt100::Parser>,
    changed: watch::Sender<()>,
    keys: mpsc::Sender<Vec<u8>>,
}

impl Glass {
    /// Nothing on it yet. What is typed goes to `keys`.
    pub(super) fn new(
        (rows, cols): (u16, u16),
        spool: Arc<dyn Spool>,
        keys: mpsc::Sender<Vec<u8>>,
    ) -> Self {
        let parser = Mutex::new(vt100::Parser::new(rows, cols, 0));
        Self { spool, parser, changed: watch::Sender::new(()), keys }
    }

    fn parser(&self) -> MutexGuard<'_, vt100::Parser> {
        self.parser.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Terminal for Glass {
    fn shown(&self) -> Shown {
        let parser = self.parser();
        let screen = parser.screen();
        let mut lines: Vec<_> = screen
            .rows(0, screen.size().1)
            .map(|row| text::clean(row.trim_end().as_bytes()))
            .collect();
        let last = lines.iter().rposition(|line| !line.is_empty());
        lines.truncate(last.map_or(0, |last| last + 1));
        let (cursor, application_keys) = (screen.cursor_position(), screen.application_cursor());
        Shown { lines, cursor, application_keys }
    }

    fn settled(&self, quiet: Duration, most: Duration) -> BoxFuture<'_, ()> {
        let mut changed = self.changed.subscribe();
        Box::pin(async move {
            let deadline = Instant::now() + most;
            // Real timers: it is the caller's patience.
            let settling = async { while timeout(quiet, changed.changed()).await.is_ok() {} };
            let _ = timeout_at(deadline, settling).await;
        })
    }

    fn type_in(&self, bytes: Vec<u8>) -> Result<(), CallError> {
        self.keys.try_send(bytes).map_err(|_| {
            CallError::failed(
                "Not typed: the program does not read what was typed before, or it is over. Look at \
                 terminal.read.",
            )
        })
    }
}

impl Spool for Glass {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        self.spool.write(stream, bytes);
        self.parser().process(bytes);
        self.changed.send_replace(());
    }

    fn counts(&self) -> (u64, u64) {
        self.spool.counts()
    }

    fn since(&self, mark: u64, most: usize) -> Result<Piece, StoreError> {
        self.spool.since(mark, most)
    }

    fn aside(&self) -> PathBuf {
        self.spool.aside()
    }

    fn finish(&self) -> SpoolEnd {
        self.spool.finish()
    }
}

#[cfg(test)]
mod tests;
