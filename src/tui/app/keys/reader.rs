//! The thread that reads the terminal. It reads only what is there, all of it at once, and never waits
//! within something that has begun: whatever a terminal sends, others can have the keys at any time.

use std::{
    io,
    os::fd::{AsFd as _, OwnedFd},
    sync::mpsc as blocking,
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::sync::{mpsc, oneshot};

use super::{Key, decode::Decoder, read};
use crate::tui::app::now;

/// Bytes that are told of together at the most.
const AT_ONCE: usize = 16 << 10;

/// So much is read before it is taken.
const AHEAD: usize = 16;

/// Read no more, and say so, until this is gone.
struct Pause(oneshot::Sender<()>, blocking::Receiver<()>);

/// The thread, as others see it. Dropping this ends it.
pub(super) struct Reader {
    ask: blocking::Sender<Pause>,
    /// Hung up, it wakes the thread.
    wake: OwnedFd,
    paused: Option<blocking::Sender<()>>,
}

impl Reader {
    /// Reads that terminal, which is raw by now; what it reads comes there.
    pub(super) fn start(tty: OwnedFd) -> io::Result<(Self, mpsc::Receiver<Vec<Key>>)> {
        let (woken, wake) = rustix::pipe::pipe()?;
        let (tell, keys) = mpsc::channel(AHEAD);
        let (ask, asked) = blocking::channel();
        let mut thread = Thread { tty, tell, asked, woken, decoder: Decoder::default() };
        thread::Builder::new().name("keys".to_owned()).spawn(move || while thread.turn() {})?;
        Ok((Self { ask, wake, paused: None }, keys))
    }

    /// Has it read no more; the receiver hears when that is so.
    pub(super) fn pause(&mut self) -> oneshot::Receiver<()> {
        let (done, waits) = oneshot::channel();
        let (paused, resumed) = blocking::channel();
        // Both fail only if the thread is gone, and then nothing is read either.
        let _ = self.ask.send(Pause(done, resumed));
        let _ = rustix::io::write(&self.wake, b"!");
        self.paused = Some(paused);
        waits
    }

    pub(super) fn resume(&mut self) {
        self.paused = None;
    }
}

struct Thread {
    tty: OwnedFd,
    tell: mpsc::Sender<Vec<Key>>,
    asked: blocking::Receiver<Pause>,
    woken: OwnedFd,
    decoder: Decoder,
}

impl Thread {
    /// Waits for one thing, and does it; whether to go on.
    fn turn(&mut self) -> bool {
        match self.wait(self.decoder.patience()) {
            Ok((_, true)) => self.asked(),
            Ok((true, false)) => self.read(),
            Ok((false, false)) => {
                let rested = self.decoder.rested();
                self.tell(rested)
            }
            Err(Errno::INTR) => true,
            Err(error) => self.over(error),
        }
    }

    /// Whether there is something to read, and whether something was asked.
    fn wait(&self, patience: Option<Duration>) -> Result<(bool, bool), Errno> {
        let mut ready =
            [&self.tty, &self.woken].map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN));
        let limit = patience.map(|limit| Timespec {
            tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: limit.subsec_nanos().into(),
        });
        poll(&mut ready, limit.as_ref())?;
        let [tty, woken] = ready.map(|fd| !fd.revents().is_empty());
        Ok((tty, woken))
    }

    /// Whether to go on.
    fn asked(&mut self) -> bool {
        let mut byte = [0; 64];
        // Nothing to read: whoever asks is gone.
        if !matches!(rustix::io::read(&self.woken, &mut byte), Ok(1..) | Err(Errno::INTR)) {
            return false;
        }
        while let Ok(Pause(done, resumed)) = self.asked.try_recv() {
            let _ = done.send(());
            // Comes to its end when the other side is dropped.
            let _ = resumed.recv();
        }
        true
    }

    /// Reads all that is there; whether to go on.
    fn read(&mut self) -> bool {
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        let ended = loop {
            match rustix::io::read(&self.tty, &mut chunk) {
                Ok(0) => break Some(Errno::PIPE),
                Ok(count) => bytes.extend_from_slice(&chunk[..count]),
                Err(Errno::INTR) => {}
                Err(error) => break Some(error),
            }
            let more = self.wait(Some(Duration::ZERO));
            if bytes.len() >= AT_ONCE || !matches!(more, Ok((true, false))) {
                break None;
            }
        };
        let events = self.decoder.take(&bytes);
        match (self.tell(events), ended) {
            (true, None) => true,
            (true, Some(error)) => self.over(error),
            (false, _) => false,
        }
    }

    fn tell(&self, events: Vec<crossterm::event::Event>) -> bool {
        let at = now();
        let keys: Vec<_> = events.into_iter().filter_map(|event| read(at, event)).collect();
        keys.is_empty() || self.tell.blocking_send(keys).is_ok()
    }

    /// Nothing comes any more.
    fn over(&self, error: Errno) -> bool {
        tracing::info!(%error, "the terminal is gone");
        // Whoever is not there any more does not miss it.
        let _ = self.tell.blocking_send(vec![Key::Closed]);
        false
    }
}

#[cfg(test)]
mod tests;
