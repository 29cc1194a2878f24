//! The one list of what has to be undone, and the ways out that undo it.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::last::Last;
use super::line::LineMode;
use super::writer::Output;

/// How long a terminal that takes nothing may hold up the end of the program, in looks that each count
/// for as long as they were to be: who was stopped meanwhile has not waited.
const PATIENCE: Duration = Duration::from_millis(100);
const LOOKS: usize = 10;

/// A mode of the terminal and what takes it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mode {
    pub(super) on: &'static str,
    pub(super) off: Cow<'static, str>,
}

impl Mode {
    /// What the screen always needs, in the order it is set.
    pub(super) const ALWAYS: [Mode; 3] = [
        Mode { on: "\x1b[?25l", off: Cow::Borrowed("\x1b[?25h") },
        Mode { on: "\x1b[?2004h", off: Cow::Borrowed("\x1b[?2004l") },
        Mode { on: "\x1b[?1004h", off: Cow::Borrowed("\x1b[?1004l") },
    ];

    /// The title goes on the terminal's own stack.
    pub(super) const TITLE: Mode = Mode { on: "\x1b[22;2t", off: Cow::Borrowed("\x1b[23;2t") };

    /// All of the window, with what was there coming back.
    pub(super) const WHOLE: Mode = Mode { on: "\x1b[?1049h", off: Cow::Borrowed("\x1b[?1049l") };

    pub(super) const MOUSE: Mode = Mode {
        on: "\x1b[?1000h\x1b[?1002h\x1b[?1006h",
        off: Cow::Borrowed("\x1b[?1006l\x1b[?1002l\x1b[?1000l"),
    };

    pub(super) const KEYBOARD: Mode = Mode { on: "\x1b[>1u", off: Cow::Borrowed("\x1b[<1u") };

    /// What was sent already, and is taken back by these bytes.
    pub(super) fn undone_by(bytes: &str) -> Self {
        Self { on: "", off: Cow::Owned(bytes.to_owned()) }
    }

    pub(super) const PROGRESS: Mode = Mode { on: "", off: Cow::Borrowed("\x1b]9;4;0\x07") };
}

/// Before anything is undone: a half-written sequence is cancelled, an update that began is shown,
/// and colours end.
pub(super) const FIRST: &str = "\x18\x1b[?2026l\x1b[0m";

/// Gives the terminal back, from whichever way out comes first.
#[derive(Clone)]
pub struct Restore {
    shared: Arc<Mutex<Shared>>,
    output: Arc<Output>,
    /// Whether the terminal is ours.
    taken: Arc<AtomicBool>,
}

struct Shared {
    line: Box<dyn LineMode>,
}

impl Restore {
    pub(super) fn new(output: Arc<Output>, line: Box<dyn LineMode>) -> Self {
        Self { shared: Arc::new(Mutex::new(Shared { line })), output, taken: Arc::default() }
    }

    /// The terminal is ours from now on; its modes follow.
    pub(super) fn take(&self) -> io::Result<()> {
        let mut shared = self.lock();
        self.taken.store(true, Ordering::SeqCst);
        self.output.open();
        shared.line.raw()
    }

    /// Undoes everything set so far, last first; a second call finds nothing to do. Returns within
    /// a second, even where the terminal takes nothing any more.
    pub fn undo(&self) -> io::Result<()> {
        self.undo_what_is_set().1
    }

    /// Whether the screen was ours until now, and how giving it back went.
    fn undo_what_is_set(&self) -> (bool, io::Result<()>) {
        let mut shared = self.lock();
        if !self.taken.swap(false, Ordering::SeqCst) {
            return (false, Ok(()));
        }
        // Frames that were not written yet would land on the screen of before.
        self.output.close();
        shared.line.resume_output();
        let written = self.write();
        // Last, so that the terminal's answers to the above are not echoed.
        (true, written.and(shared.line.cooked()))
    }

    fn write(&self) -> io::Result<()> {
        let output = Arc::clone(&self.output);
        let (tell, told) = channel();
        let work = move || {
            let mut sink = output.lock();
            let modes = std::mem::take(&mut sink.undo);
            let mut text = String::new();
            if !modes.is_empty() {
                text.push_str(FIRST);
                text.extend(modes.iter().rev().map(|mode| mode.off.as_ref()));
            }
            let mut text = text.into_bytes();
            text.append(&mut sink.parting);
            let result = sink.to.write_all(&text).and_then(|()| sink.to.flush());
            // Nobody waits for it after the second.
            let _ = tell.send(result);
        };
        // On a thread of its own, for a write to a stopped terminal has no end.
        thread::Builder::new().name("restore".to_owned()).spawn(work)?;
        let told = (0..LOOKS).find_map(|_| told.recv_timeout(PATIENCE).ok());
        told.unwrap_or_else(|| Err(io::Error::other("the terminal takes no more output")))
    }

    /// From now on a panic on any thread gives the terminal back, tells its message on the screen
    /// of before, and ends the program with status 101: a screen that lost a part of itself must
    /// not go on taking answers. Without a screen, panics stay what they were.
    pub fn on_panic(&self) {
        let restore = self.clone();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let (had_screen, _) = restore.undo_what_is_set();
            before(panic);
            if had_screen {
                std::process::exit(101);
            }
        }));
    }

    /// From now on an end that nothing of this program can act on gives the terminal back as well,
    /// with a word of what is kept.
    pub fn on_abort(&self, last: Last) -> io::Result<()> {
        last.prepare(Arc::clone(&self.taken))
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
