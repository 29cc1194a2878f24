//! Lines as they are typed, read by a thread of its own: which of them came at once, and what was typed
//! before something was said.
//!
//! A terminal keeps the line that is being typed until its end, and gives it away only whole. So that a
//! word that was begun before a question is no answer to it, the terminal is made to give away for a
//! moment what it has of a line, whenever something was said that can be answered.

use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd as _, OwnedFd},
    sync::mpsc as blocking,
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetpgrp, tcsetattr},
};
use tokio::sync::{mpsc, oneshot};

use crate::{
    kernel::text,
    tui::{
        app::now,
        lines::{Burst, Source},
        state::Moment,
    },
};

/// Lines that come this soon one behind the other came at once.
const ALONE: Duration = Duration::from_millis(50);

/// So much is read before it is taken.
const AHEAD: usize = 64;

/// A burst ends with so many lines, and a line with so many bytes.
const LINES: usize = 1000;
const LONGEST: usize = 1 << 20;

/// The key that ends the input, as a terminal passes it on in the moment in which it gives away what it
/// has of a line: at any other time it acts on it by itself.
const END: u8 = 4;

/// What was read.
#[derive(Debug)]
pub(super) enum Read {
    Burst(Moment, Burst),
    /// Asked for with that mark: all that came before was told; the rest is a line without an end.
    Reached(Moment, u64, String),
    Ended(Moment),
}

enum Ask {
    Reached(u64),
    /// Read no more, and say so, until this is gone.
    Pause(oneshot::Sender<()>, blocking::Receiver<()>),
}

/// The thread, as others see it. It ends with the process.
pub(super) struct Reader {
    read: mpsc::Receiver<Read>,
    /// What came while it was waited for something else.
    came: VecDeque<Read>,
    ask: blocking::Sender<Ask>,
    /// A byte here wakes the thread.
    wake: OwnedFd,
    paused: Option<blocking::Sender<()>>,
}

impl Reader {
    pub(super) fn start(source: Source) -> io::Result<Self> {
        let (woken, wake) = rustix::pipe::pipe()?;
        let (tell, read) = mpsc::channel(AHEAD);
        let (ask, asked) = blocking::channel();
        thread::spawn(move || {
            let mut thread = Thread {
                source,
                tell,
                asked,
                woken,
                bytes: Vec::new(),
                burst: Vec::new(),
                began: None,
                over: false,
                ended: false,
            };
            while thread.turn() {}
        });
        Ok(Self { read, came: VecDeque::new(), ask, wake, paused: None })
    }

    /// The next thing that was read; nothing once nothing comes any more. Losing the future loses none.
    pub(super) async fn next(&mut self) -> Option<Read> {
        if let Some(came) = self.came.pop_front() {
            return Some(came);
        }
        self.read.recv().await
    }

    /// Has it told when all that was typed until now was.
    pub(super) fn ask(&self, mark: u64) {
        self.send(Ask::Reached(mark));
    }

    /// Waits until nothing is read any more.
    pub(super) async fn pause(&mut self) {
        let (done, mut waits) = oneshot::channel();
        let (paused, resumed) = blocking::channel();
        self.send(Ask::Pause(done, resumed));
        self.paused = Some(paused);
        loop {
            tokio::select! {
                // Fails only if the thread is gone, and then nothing is read either.
                _ = &mut waits => return,
                // The thread may wait for room.
                Some(read) = self.read.recv() => self.came.push_back(read),
            }
        }
    }

    pub(super) fn resume(&mut self) {
        self.paused = None;
    }

    fn send(&self, ask: Ask) {
        // Both fail only if the thread is gone.
        let _ = self.ask.send(ask);
        let _ = rustix::io::write(&self.wake, b"!");
    }
}

struct Thread {
    source: Source,
    tell: mpsc::Sender<Read>,
    asked: blocking::Receiver<Ask>,
    woken: OwnedFd,
    /// Of a line that has no end yet.
    bytes: Vec<u8>,
    burst: Vec<String>,
    /// When the first line of the burst came.
    began: Option<Moment>,
    /// Somebody pressed the key that ends the input.
    over: bool,
    /// Nothing comes from there any more.
    ended: bool,
}

impl Thread {
    /// Waits for one thing, and does it; whether to go on.
    fn turn(&mut self) -> bool {
        let patience = self
            .began
            .map(|began| ALONE.saturating_sub(now().at.saturating_duration_since(began.at)));
        let (input, asked) = match self.wait(patience) {
            Ok(ready) => ready,
            Err(Errno::INTR) => return true,
            Err(error) => {
                tracing::error!(%error, "the input cannot be read");
                return self.send(Read::Ended(now()));
            }
        };
        if asked {
            let mut byte = [0; 64];
            let _ = rustix::io::read(&self.woken, &mut byte);
            while let Ok(ask) = self.asked.try_recv() {
                self.answer(ask);
            }
        } else if input {
            if !self.read() {
                return false;
            }
        } else {
            self.flush();
        }
        if std::mem::take(&mut self.over) {
            self.flush();
            return self.send(Read::Ended(now()));
        }
        true
    }

    /// Whether there is something to read, and whether something was asked.
    fn wait(&self, patience: Option<Duration>) -> Result<(bool, bool), Errno> {
        let stdin = io::stdin();
        let wanted = PollFlags::IN;
        let input = if self.ended { PollFlags::empty() } else { wanted };
        let mut ready =
            [PollFd::new(&self.woken, wanted), PollFd::from_borrowed_fd(stdin.as_fd(), input)];
        let count = if self.ended { 1 } else { 2 };
        let limit =
            patience.map(|limit| Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() });
        poll(&mut ready[..count], limit.as_ref())?;
        let is = |at: usize| at < count && !ready[at].revents().is_empty();
        Ok((is(1), is(0)))
    }

    /// Reads what is there; whether to go on.
    fn read(&mut self) -> bool {
        let mut chunk = vec![0; 64 << 10];
        match rustix::io::read(io::stdin(), &mut chunk) {
            Ok(0) => {
                self.end_line();
                self.flush();
                self.ended = self.source == Source::Pipe;
                self.send(Read::Ended(now()))
            }
            Ok(count) => {
                self.take(&chunk[..count]);
                true
            }
            Err(Errno::INTR) => true,
            Err(error) => {
                // Of a terminal that is gone, for example.
                tracing::info!(%error, "the input has ended");
                self.ended = true;
                self.send(Read::Ended(now()))
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => self.line(),
                // Behind a part of a line it only gives that away.
                &END if self.source == Source::Terminal => self.over |= self.bytes.is_empty(),
                byte => self.bytes.push(*byte),
            }
            if self.bytes.len() >= LONGEST {
                self.line();
            }
        }
    }

    /// A line has its end.
    fn line(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.burst.push(text::clean(bytes.strip_suffix(b"\r").unwrap_or(&bytes)));
        self.began.get_or_insert_with(now);
        if self.burst.len() >= LINES {
            self.flush();
        }
    }

    fn end_line(&mut self) {
        if !self.bytes.is_empty() {
            self.line();
        }
    }

    /// Tells of the burst, as one that is over.
    fn flush(&mut self) {
        let Some(began) = self.began.take() else { return };
        // What a paste ends with, without a line end, the terminal has kept.
        self.begun();
        let lines = std::mem::take(&mut self.burst);
        let burst = Burst { lines, goes_on: !self.bytes.is_empty() };
        self.send(Read::Burst(began, burst));
    }

    fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Reached(mark) => {
                self.drain();
                self.flush();
                let begun = text::clean(&std::mem::take(&mut self.bytes));
                self.send(Read::Reached(now(), mark, begun));
            }
            Ask::Pause(done, resumed) => {
                let _ = done.send(());
                // Comes to its end when the other side is dropped.
                let _ = resumed.recv();
            }
        }
    }

    /// Reads all that is there now, without waiting.
    fn drain(&mut self) {
        while !self.ended && matches!(self.wait(Some(Duration::ZERO)), Ok((true, _))) {
            if !self.read() {
                return;
            }
        }
        self.begun();
    }

    /// Takes over what the terminal has of a line that is being typed.
    fn begun(&mut self) {
        let stdin = io::stdin();
        let ours = || tcgetpgrp(&stdin).is_ok_and(|group| group == rustix::process::getpgrp());
        // Whoever is in the background is stopped for changing it.
        if self.source != Source::Terminal || self.ended || !ours() {
            return;
        }
        let Ok(before) = tcgetattr(&stdin) else { return };
        if !before.local_modes.contains(LocalModes::ICANON) {
            return;
        }
        let mut open = before.clone();
        open.local_modes.remove(LocalModes::ICANON);
        open.special_codes[SpecialCodeIndex::VMIN] = 0;
        open.special_codes[SpecialCodeIndex::VTIME] = 0;
        if tcsetattr(&stdin, OptionalActions::Now, &open).is_err() {
            return;
        }
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = rustix::io::read(&stdin, &mut chunk) {
            self.take(&chunk[..count]);
        }
        if let Err(error) = tcsetattr(&stdin, OptionalActions::Now, &before) {
            tracing::error!(%error, "the terminal could not be set back");
        }
    }

    fn send(&self, read: Read) -> bool {
        self.tell.blocking_send(read).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_ends_the_input_does_so_also_where_a_terminal_passes_it_on() {
        for (source, typed, over, begun) in [
            (Source::Terminal, &b"\x04"[..], true, &b""[..]),
            (Source::Terminal, b"yes\n\x04", true, b""),
            (Source::Terminal, b"ye\x04s", false, b"yes"),
            (Source::Pipe, b"\x04", false, b"\x04"),
        ] {
            let (tell, _told) = mpsc::channel(AHEAD);
            let (_ask, asked) = blocking::channel();
            let (woken, _wake) = rustix::pipe::pipe().unwrap();
            let (bytes, burst) = (Vec::new(), Vec::new());
            let (began, over_yet, ended) = (None, false, false);
            let mut thread =
                Thread { source, tell, asked, woken, bytes, burst, began, over: over_yet, ended };
            thread.take(typed);
            assert_eq!((thread.over, &*thread.bytes), (over, begun), "{typed:?}");
        }
    }
}
