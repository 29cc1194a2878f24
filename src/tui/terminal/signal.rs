//! Signals as values.

use std::io;

use tokio::signal::unix::{Signal as Listener, SignalKind, signal};

/// What the system asks of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    /// The terminal is gone.
    Hangup,
    /// Stop, asked for from outside; ctrl+z comes as a key.
    Suspend,
    /// Runs again after it was stopped.
    Continue,
    /// The window has another size. The stream of keys tells of it too, but loses it where a key
    /// comes at the same moment.
    Resized,
}

impl Signal {
    /// The exit status of a program this signal ended; none for those that end nothing.
    pub fn exit_code(self) -> Option<u8> {
        match self {
            Self::Hangup => Some(129),
            Self::Interrupt => Some(130),
            Self::Terminate => Some(143),
            Self::Suspend | Self::Continue | Self::Resized => None,
        }
    }
}

/// The signals from now on; none of them ends the process any more.
#[derive(Debug)]
pub struct Signals {
    interrupt: Listener,
    terminate: Listener,
    hangup: Listener,
    suspend: Listener,
    resume: Listener,
    window: Listener,
}

impl Signals {
    /// Must be called within a runtime.
    pub fn listen() -> io::Result<Self> {
        let raw = |signal: rustix::process::Signal| SignalKind::from_raw(signal.as_raw());
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            suspend: signal(raw(rustix::process::Signal::TSTP))?,
            resume: signal(raw(rustix::process::Signal::CONT))?,
            window: signal(SignalKind::window_change())?,
        })
    }

    /// The next signal. Losing the future loses none.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            biased;
            _ = self.hangup.recv() => Signal::Hangup,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.suspend.recv() => Signal::Suspend,
            _ = self.resume.recv() => Signal::Continue,
            _ = self.window.recv() => Signal::Resized,
        }
    }
}
