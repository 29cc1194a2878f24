//! The line settings of the terminal, and the terminal as a place to write to.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

use rustix::termios::{Action, OptionalActions, Termios, tcflow, tcgetattr, tcsetattr};

/// What keys do before a program sees them.
pub trait LineMode: Send {
    /// Every key comes to us, at once and unseen.
    fn raw(&mut self) -> io::Result<()>;

    /// As it was before [`Self::raw`]. Does not wait for what is still to be written.
    fn cooked(&mut self) -> io::Result<()>;

    /// Lets output flow again that someone has stopped, or what is written now would wait.
    fn resume_output(&mut self) {}
}

/// The real terminal.
#[derive(Debug)]
pub struct Tty {
    file: File,
    before: Option<Termios>,
}

impl Tty {
    /// The terminal behind standard output, or why there is none.
    pub fn stdout() -> io::Result<Self> {
        Self::new(File::from(io::stdout().as_fd().try_clone_to_owned()?))
    }

    /// This file, if it is a terminal.
    pub fn new(file: File) -> io::Result<Self> {
        if !rustix::termios::isatty(&file) {
            return Err(io::Error::other("standard output is not a terminal"));
        }
        Ok(Self { file, before: None })
    }

    /// A second handle on the same terminal.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { file: self.file.try_clone()?, before: None })
    }
}

impl LineMode for Tty {
    fn raw(&mut self) -> io::Result<()> {
        let before = tcgetattr(&self.file)?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&self.file, OptionalActions::Now, &raw)?;
        self.before.get_or_insert(before);
        Ok(())
    }

    fn cooked(&mut self) -> io::Result<()> {
        match self.before.take() {
            Some(before) => Ok(tcsetattr(&self.file, OptionalActions::Now, &before)?),
            None => Ok(()),
        }
    }

    fn resume_output(&mut self) {
        // Fails on a terminal that has hung up, where nothing waits.
        let _ = tcflow(&self.file, Action::OOn);
    }
}

impl Write for Tty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
