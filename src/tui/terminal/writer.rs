//! The thread that writes to the terminal, and what it has taken on.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::Notify;

use super::restore::Mode;

/// Written in pieces, so that giving the terminal back waits for one piece and not for a frame.
const PIECE: usize = 4096;

/// The terminal's end of things, shared by the writer and by whoever gives the terminal back.
pub(super) struct Output {
    sink: Mutex<Sink>,
    /// Counts how often the terminal was taken and given back; odd while it is ours. What was
    /// queued in one such time is not written in another.
    epoch: AtomicUsize,
    waiting: AtomicUsize,
    broken: Mutex<Option<io::ErrorKind>>,
    written: Notify,
}

/// Where the bytes go, and what was switched on there.
pub(super) struct Sink {
    pub(super) to: Box<dyn Write + Send>,
    pub(super) undo: Vec<Mode>,
    /// What is written last of all, once those are undone.
    pub(super) parting: Vec<u8>,
}

/// Bytes to write, and the modes they switch on and off.
#[derive(Default)]
pub(super) struct Sent {
    pub(super) bytes: Vec<u8>,
    pub(super) on: Vec<Mode>,
    pub(super) off: Vec<Mode>,
    /// What is to be written at the end from then on, if that is something else.
    pub(super) parting: Option<Vec<u8>>,
}

struct Job {
    sent: Sent,
    epoch: usize,
}

impl Output {
    pub(super) fn lock(&self) -> MutexGuard<'_, Sink> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on what is queued is written.
    pub(super) fn open(&self) {
        if !self.is_open() {
            self.epoch.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Whatever is still to be written no longer is.
    pub(super) fn close(&self) {
        if self.is_open() {
            self.epoch.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn is_open(&self) -> bool {
        !self.epoch.load(Ordering::SeqCst).is_multiple_of(2)
    }

    fn write(&self, job: &Job) -> io::Result<()> {
        // Looked at under the lock: after the terminal was given back not a byte follows.
        let over = || self.epoch.load(Ordering::SeqCst) != job.epoch || !self.is_open();
        let mut sink = self.lock();
        if over() {
            return Ok(());
        }
        // Listed before they are written: half a write is undone as well.
        for mode in &job.sent.on {
            if !sink.undo.contains(mode) {
                sink.undo.push(mode.clone());
            }
        }
        for piece in job.sent.bytes.chunks(PIECE) {
            sink.to.write_all(piece)?;
            drop(sink);
            sink = self.lock();
            if over() {
                return Ok(());
            }
        }
        sink.undo.retain(|mode| !job.sent.off.contains(mode));
        if let Some(parting) = &job.sent.parting {
            sink.parting.clone_from(parting);
        }
        sink.to.flush()
    }
}

/// Hands bytes to the writing thread, which ends with it.
pub(super) struct Writer {
    output: Arc<Output>,
    queue: Sender<Job>,
}

impl Writer {
    pub(super) fn start(sink: Box<dyn Write + Send>) -> io::Result<Self> {
        let output = Arc::new(Output {
            sink: Mutex::new(Sink { to: sink, undo: Vec::new(), parting: Vec::new() }),
            epoch: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            broken: Mutex::new(None),
            written: Notify::new(),
        });
        let (queue, queued) = channel::<Job>();
        let shared = Arc::clone(&output);
        thread::Builder::new().name("terminal".to_owned()).spawn(move || {
            for job in queued {
                if let Err(error) = shared.write(&job) {
                    let mut broken = shared.broken.lock().unwrap_or_else(PoisonError::into_inner);
                    *broken = Some(error.kind());
                }
                shared.waiting.fetch_sub(1, Ordering::SeqCst);
                shared.written.notify_waiters();
            }
        })?;
        Ok(Self { output, queue })
    }

    pub(super) fn output(&self) -> Arc<Output> {
        Arc::clone(&self.output)
    }

    /// Takes these bytes on. Bounded by its callers, who send only when all before is written,
    /// but for the few bytes that set the modes.
    pub(super) fn send(&self, sent: Sent) {
        if sent.bytes.is_empty() {
            return;
        }
        let epoch = self.output.epoch.load(Ordering::SeqCst);
        self.output.waiting.fetch_add(1, Ordering::SeqCst);
        if self.queue.send(Job { sent, epoch }).is_err() {
            self.output.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    pub(super) fn ready(&self) -> bool {
        self.output.waiting.load(Ordering::SeqCst) == 0
    }

    pub(super) async fn wait_ready(&self) {
        loop {
            let written = self.output.written.notified();
            tokio::pin!(written);
            // Listens before it looks, or the last write could end in between.
            written.as_mut().enable();
            if self.ready() {
                return;
            }
            written.await;
        }
    }

    /// The error that ended the writing, if one did.
    pub(super) fn check(&self) -> io::Result<()> {
        match *self.output.broken.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(kind) => Err(io::Error::new(kind, "the terminal is gone")),
            None => Ok(()),
        }
    }
}
