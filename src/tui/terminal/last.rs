//! The way out where nothing of this program can run any more: it aborts, for want of memory or in an
//! overflow of its stack, or a signal ends it that nobody waits for.
#![expect(unsafe_code, reason = "a handler of signals; what it may do is said there")]

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdout;
use rustix::termios::{Action, OptionalActions, Termios, tcflow, tcgetattr, tcsetattr};
use signal_hook::{
    consts::{SIGABRT, SIGALRM, SIGQUIT, SIGSYS, SIGUSR1, SIGUSR2, SIGXCPU},
    low_level::{emulate_default_handler, register},
};

use super::Wanted;
use super::restore::{FIRST, Mode};

/// What ends a program that does not wait for it, and can be acted on. A fault of the memory cannot.
const DEADLY: [i32; 7] = [SIGABRT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGSYS];

/// The words of the system stand on the screen that is left.
const WORDS: &str = "footplate was ended: for want of memory, by a fault of its own, or by a signal.\r\n\
                     What was done until now is kept. Carry on: footplate --continue\r\n";

/// How long a terminal that takes nothing may hold up the end of the program.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// All that gives the terminal behind standard output back, made ready while there is memory.
pub struct Last {
    before: Termios,
    bytes: Vec<u8>,
}

impl Last {
    /// With the line settings as they are now, so before the terminal is taken over.
    pub fn of(surface: Wanted) -> io::Result<Self> {
        // Those that may be on. To switch off what is not on does nothing.
        let mut modes = vec![Mode::TITLE];
        match surface {
            Wanted::Whole => modes.push(Mode::WHOLE),
            Wanted::Rows { .. } => modes.push(Mode::undone_by("\r\n")),
        }
        modes.extend(Mode::ALWAYS);
        modes.extend([Mode::MOUSE, Mode::KEYBOARD, Mode::PROGRESS]);
        let offs: String = modes.iter().rev().map(|mode| mode.off.as_ref()).collect();
        let bytes = format!("{FIRST}{offs}{WORDS}").into_bytes();
        Ok(Self { before: tcgetattr(stdout())?, bytes })
    }

    /// From now on such an end gives the terminal back while it is `ours`.
    pub(super) fn prepare(self, ours: Arc<AtomicBool>) -> io::Result<()> {
        let last = Arc::new((self, ours));
        for signal in DEADLY {
            let last = Arc::clone(&last);
            let act = move || {
                let (last, ours) = &*last;
                if ours.swap(false, Ordering::SeqCst) {
                    last.undo();
                }
                // Ends the program as this signal does.
                let _ = emulate_default_handler(signal);
            };
            // SAFETY: it takes no lock and no memory, gives none back, and cannot panic; it reads
            // what was made ready and calls the system.
            unsafe { register(signal, act) }?;
        }
        Ok(())
    }

    /// Nothing here can be told to anybody.
    fn undo(&self) {
        let _ = tcflow(stdout(), Action::OOn);
        let mut left = self.bytes.as_slice();
        while !left.is_empty() {
            let mut ready = [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)];
            if !matches!(poll(&mut ready, Some(&PATIENCE)), Ok(1..)) {
                break;
            }
            match rustix::io::write(stdout(), left) {
                Ok(written @ 1..) => left = left.get(written..).unwrap_or_default(),
                Ok(0) | Err(_) => break,
            }
        }
        let _ = tcsetattr(stdout(), OptionalActions::Now, &self.before);
    }
}
