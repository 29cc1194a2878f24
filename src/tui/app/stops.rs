//! Signals, and the way back from a stop.

use std::io;

use ratatui::layout::Size;

use super::{App, Key, now};
use crate::tui::{
    frame::Pace,
    message::{Came, Input, Message},
    terminal::Signal,
};

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

    pub(super) fn suspend(&mut self) {
        if let Err(error) = self.terminal.suspend() {
            self.apply(Message::Came(Came::NotSuspended(format!("Not suspended: {error}."))));
        }
        self.back();
    }

    /// Here again after a stop: the window may have another size, and keys from before are old.
    pub(super) fn back(&mut self) {
        self.drawn = None;
        if let Ok((width, height)) = crossterm::terminal::size()
            && let Err(error) = self.terminal.resize(Size { width, height })
        {
            tracing::warn!(%error, "the terminal could not be laid out again");
        }
        self.turn(Message::Input(now(), Input::FocusGained), Pace::Key);
    }
}
