//! Signals, and the way back from a stop.

use std::{io, time::Duration};

use ratatui::layout::Size;
use tokio::time::Instant;

use super::{App, Key, now};
use crate::{
    config::Surface,
    kernel::patience::within,
    tui::{
        frame::Pace,
        message::{Came, Input, Message},
        terminal::Signal,
    },
};

/// How long the terminal may take for the last frame.
const PATIENCE: Duration = Duration::from_millis(500);

impl App {
    pub(super) fn signalled(&mut self, signal: Signal) -> io::Result<()> {
        match signal {
            Signal::Interrupt | Signal::Terminate | Signal::Hangup => {
                self.signal = Some(signal);
                self.turn(Message::Signalled, Pace::Key);
            }
            Signal::Suspend => self.suspend(),
            Signal::Continue => {
                self.terminal.continued()?;
                self.back();
            }
            Signal::Resized => {
                let (width, height) = crossterm::terminal::size()?;
                self.one_key(Key::Resized(now(), Size { width, height }))?;
            }
        }
        Ok(())
    }

    /// What is left to be said goes into the terminal's scrollback, where that is where things go.
    /// A terminal that takes nothing is not waited for long.
    pub(super) async fn last_words(&mut self) {
        if self.state.panes.surface == Surface::Whole {
            return;
        }
        self.reached();
        self.frames.request(Pace::Key, Instant::now());
        let ready = within(PATIENCE, self.terminal.wait_ready()).await;
        if ready.is_some() && self.draw().is_ok() {
            // Given back before it is written, it would not be.
            let _ = within(PATIENCE, self.terminal.wait_ready()).await;
        }
    }

    pub(super) fn suspend(&mut self) {
        if let Err(error) = self.terminal.suspend() {
            self.apply(Message::Came(Came::NotSuspended(format!("Not suspended: {error}."))));
        }
        self.back();
    }

    /// Here again after a stop: the window may have another size, and keys from before are old.
    pub(super) fn back(&mut self) {
        self.drawn = None;
        if let Ok((width, height)) = crossterm::terminal::size() {
            self.terminal.resize(Size { width, height });
        }
        self.turn(Message::Input(now(), Input::FocusGained), Pace::Key);
    }
}
