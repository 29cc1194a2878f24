//! What is said, written by a thread of its own: a terminal that was stopped holds up nothing else.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc as blocking,
    },
    thread,
};

use tokio::sync::mpsc;

/// More bytes than this wait for no more.
const ROOM: usize = 256 << 10;

/// Whoever read it has gone.
#[derive(Debug)]
pub(super) struct Gone;

/// The thread, as others see it. It ends when this is dropped and all was written.
pub(super) struct Writer {
    text: blocking::Sender<(String, Option<u64>)>,
    wrote: mpsc::UnboundedReceiver<Result<Option<u64>, Gone>>,
    waits: Arc<AtomicUsize>,
    /// Texts that were given and not heard of since.
    open: usize,
    gone: bool,
}

impl Writer {
    pub(super) fn start() -> Self {
        let (text, texts) = blocking::channel::<(String, Option<u64>)>();
        let (tell, wrote) = mpsc::unbounded_channel();
        let waits = Arc::new(AtomicUsize::new(0));
        let waiting = waits.clone();
        thread::spawn(move || {
            for (text, mark) in texts {
                let mut out = std::io::stdout().lock();
                let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                waiting.fetch_sub(text.len(), Ordering::Relaxed);
                let told = tell.send(written.map(|()| mark).map_err(|_| Gone));
                if told.is_err() {
                    return;
                }
            }
        });
        Self { text, wrote, waits, open: 0, gone: false }
    }

    /// Has a text written; the mark is told of when it is.
    pub(super) fn write(&mut self, text: String, mark: Option<u64>) {
        self.waits.fetch_add(text.len(), Ordering::Relaxed);
        if self.text.send((text, mark)).is_ok() {
            self.open += 1;
        }
    }

    /// Whether more can be taken.
    pub(super) fn has_room(&self) -> bool {
        self.waits.load(Ordering::Relaxed) < ROOM
    }

    /// The mark of the next text that was written. Losing the future loses none.
    pub(super) async fn wrote(&mut self) -> Result<Option<u64>, Gone> {
        if self.gone {
            return std::future::pending().await;
        }
        let wrote = self.wrote.recv().await.unwrap_or(Err(Gone));
        self.open = self.open.saturating_sub(1);
        self.gone = wrote.is_err();
        wrote
    }

    /// Waits until all of it is written, for as long as somebody reads it.
    pub(super) async fn finish(&mut self) {
        while self.open > 0 && !self.gone {
            if let Err(Gone) = self.wrote().await {
                return;
            }
        }
    }
}
