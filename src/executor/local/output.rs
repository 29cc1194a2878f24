//! What a run prints: every byte to its spool as it comes, a clean head and tail kept.

use std::{convert::Infallible, pin::Pin, sync::Arc, time::Duration};

use futures_util::future::FusedFuture;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    sync::Notify,
    time::{Instant, sleep_until},
};

use crate::kernel::{
    patience::within,
    port::{Notice, Spool, Stream},
    text::{Bounds, Cleaner, Kept},
};

/// What of each stream is kept for a model.
const KEPT: Bounds = Bounds { head: 16 << 10, tail: 16 << 10 };
/// As much as a pipe holds.
const READ: usize = 64 << 10;
/// The first piece is told at once, and then at most one notice in this time.
const PAUSE: Duration = Duration::from_millis(100);

/// How long others may still write once the program itself has ended.
const LAST: Duration = Duration::from_millis(200);

/// The last words of a run whose program has ended.
pub(super) async fn last(printing: Pin<&mut impl FusedFuture<Output = ()>>) {
    if !printing.is_terminated() {
        // Whoever still holds the pipe then does not hold us.
        let _ = within(LAST, printing).await;
    }
}

/// One stream of a run.
pub(super) struct Output {
    stream: Stream,
    spool: Arc<dyn Spool>,
    came: bool,
    cleaner: Cleaner,
    kept: Kept,
}

impl Output {
    pub(super) fn new(stream: Stream, spool: Arc<dyn Spool>) -> Self {
        Self { stream, spool, came: false, cleaner: Cleaner::default(), kept: Kept::new(KEPT) }
    }

    /// Takes all that comes until nobody can write any more. Losing this future loses nothing that
    /// was read.
    pub(super) async fn take(&mut self, pipe: Option<impl AsyncRead + Unpin>, news: &Notify) {
        let Some(mut pipe) = pipe else { return };
        let mut bytes = vec![0; READ];
        let mut clean = String::new();
        // A pipe that cannot be read is at its end.
        while let Ok(length @ 1..) = pipe.read(&mut bytes).await {
            let bytes = &bytes[..length];
            self.spool.write(self.stream, bytes);
            self.came = true;
            news.notify_one();
            self.cleaner.push(bytes, &mut clean);
            self.kept.push(&clean);
            clean.clear();
        }
    }

    /// Whether there was any.
    pub(super) fn came(&self) -> bool {
        self.came
    }

    /// What a model is given of it.
    pub(super) fn finish(mut self) -> String {
        let mut rest = String::new();
        self.cleaner.finish(&mut rest);
        self.kept.push(&rest);
        self.kept.render()
    }
}

/// Tells of new output, coalesced, until dropped.
pub(super) async fn tell(news: &Notify, notice: &(dyn Fn(Notice) + Send + Sync)) -> Infallible {
    loop {
        news.notified().await;
        notice(Notice::Output);
        // Not a wait for something to happen: the pause is the purpose.
        sleep_until(Instant::now() + PAUSE).await;
    }
}
