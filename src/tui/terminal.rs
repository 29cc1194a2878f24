//! The terminal as this program finds it, uses it, and gives it back.
//!
//! All writing is done by one thread, so a stopped terminal stops the drawing and nothing else.
//! Every way out undoes the same list, once.

mod backend;
mod line;
mod restore;
mod signal;
mod writer;

use std::io::{self, Write};

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Size};

pub use line::{LineMode, Tty};
pub use restore::Restore;
pub use signal::{Signal, Signals};

use backend::Sized;
use restore::Mode;
use writer::{Sent, Writer};

/// Longest text sent to the clipboard; terminals drop longer ones without a word.
const COPY_LIMIT: usize = 100_000;

/// Longest title; more is seen nowhere.
const TITLE_LIMIT: usize = 120;

/// What to ask of the terminal beyond what the screen always needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wishes {
    pub mouse: bool,
    /// The keyboard protocol that tells shift+enter from enter.
    pub keyboard: bool,
}

/// What the terminal's own progress mark shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Progress {
    #[default]
    None,
    Busy,
    /// Something waits for the person.
    Paused,
}

/// The screen while it is ours. Dropping it gives the terminal back.
pub struct Terminal {
    screen: ratatui::Terminal<Sized<CrosstermBackend<Page>>>,
    page: Page,
    /// Title, bell and the like that wait for the writer.
    pending: Sent,
    writer: Writer,
    restore: Restore,
    wishes: Wishes,
    title: String,
    progress: Progress,
    /// Our own suspend already came back; the signal that says so is still on its way.
    came_back: bool,
}

impl Terminal {
    /// Takes the terminal over. On an error everything done so far is undone.
    pub fn enter(
        output: impl Write + Send + 'static,
        line: impl LineMode + 'static,
        size: Size,
        wishes: Wishes,
    ) -> io::Result<Self> {
        let writer = Writer::start(Box::new(output))?;
        let restore = Restore::new(writer.output(), Box::new(line));
        let page = Page::default();
        let backend = Sized::new(CrosstermBackend::new(page.clone()), size);
        let mut terminal = Self {
            screen: ratatui::Terminal::new(backend)?,
            page,
            pending: Sent::default(),
            writer,
            restore,
            wishes,
            title: String::new(),
            progress: Progress::None,
            came_back: false,
        };
        // From here on `Drop` undoes what was done.
        terminal.set_modes()?;
        Ok(terminal)
    }

    /// What undoes it all, for the panic hook.
    pub fn restore(&self) -> Restore {
        self.restore.clone()
    }

    /// Whether the last frame has reached the terminal, so that another one may be drawn.
    pub fn ready(&self) -> bool {
        self.writer.ready()
    }

    /// Returns when the terminal is ready. Losing the future loses nothing.
    pub async fn wait_ready(&self) {
        self.writer.wait_ready().await;
    }

    /// Draws a frame and hands it to the writer, in one synchronized update. Draws nothing and
    /// says so while the terminal is not ready; fails when it is gone.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<bool> {
        self.writer.check()?;
        if !self.ready() {
            return Ok(false);
        }
        self.screen.draw(view)?;
        let page = self.page.take();
        let mut sent = std::mem::take(&mut self.pending);
        if !page.is_empty() {
            sent.bytes.extend_from_slice(b"\x1b[?2026h");
            sent.bytes.extend_from_slice(&page);
            sent.bytes.extend_from_slice(b"\x1b[?2026l");
        }
        self.writer.send(sent);
        Ok(true)
    }

    /// The window has this size now; the next frame is drawn in full.
    pub fn resize(&mut self, size: Size) -> io::Result<()> {
        if self.screen.backend().shape() != size {
            self.screen.backend_mut().set_size(size);
            // Also where only the rows changed, for terminals move them about.
            self.repaint()?;
        }
        Ok(())
    }

    /// The next frame is drawn in full, whatever the terminal shows now.
    pub fn repaint(&mut self) -> io::Result<()> {
        let size = self.screen.backend().shape();
        self.screen.resize((Position::ORIGIN, size).into())
    }

    /// Names the window; the old name comes back on leaving. Writes nothing if it is the same.
    pub fn set_title(&mut self, title: &str) {
        let title = super::clean::truncate(&super::clean::shown(title), TITLE_LIMIT);
        if self.title != title {
            self.control(format!("\x1b]2;{title}\x07").as_bytes());
            self.title = title;
        }
    }

    /// Asks for the colour of the ground; a terminal that knows the question answers among the keys.
    pub fn ask_ground(&mut self) {
        self.control(b"\x1b]11;?\x07");
    }

    pub fn bell(&mut self) {
        self.control(b"\x07");
    }

    /// A notice from the terminal to someone who looks elsewhere.
    pub fn notify(&mut self, text: &str) {
        let text = super::clean::truncate(&super::clean::shown(text), TITLE_LIMIT);
        // A text that starts with digits and `;` would be read as another command.
        let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        self.control(format!("\x1b]9;{text}\x07").as_bytes());
    }

    /// Hears the mouse from now on, or leaves it to the terminal. Writes nothing if that is so.
    pub fn hear_mouse(&mut self, mouse: bool) {
        if std::mem::replace(&mut self.wishes.mouse, mouse) != mouse {
            self.switch(Mode::MOUSE, mouse);
        }
    }

    fn switch(&mut self, mode: Mode, on: bool) {
        let (into, from, bytes) = match on {
            true => (&mut self.pending.on, &mut self.pending.off, mode.on),
            false => (&mut self.pending.off, &mut self.pending.on, mode.off),
        };
        from.retain(|known| *known != mode);
        into.push(mode);
        self.control(bytes.as_bytes());
    }

    /// The mark on the window's tab or in the task bar. Writes nothing if it is the same.
    pub fn set_progress(&mut self, progress: Progress) {
        if self.progress == progress {
            return;
        }
        if !self.pending.on.contains(&Mode::PROGRESS) {
            self.pending.on.push(Mode::PROGRESS);
        }
        self.control(match progress {
            Progress::None => b"\x1b]9;4;0\x07",
            Progress::Busy => b"\x1b]9;4;3\x07",
            Progress::Paused => b"\x1b]9;4;4;100\x07",
        });
        self.progress = progress;
    }

    /// Puts a text on the clipboard by way of the terminal; false if it is too long for that.
    pub fn copy(&mut self, text: &str) -> bool {
        if text.len() > COPY_LIMIT {
            return false;
        }
        let mut sequence = String::new();
        let copied = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut sequence).is_ok();
        self.control(sequence.as_bytes());
        copied
    }

    /// Sends what waits from [`Self::set_title`] and its like, for a screen with nothing to draw.
    pub fn flush(&mut self) {
        if self.ready() {
            self.writer.send(std::mem::take(&mut self.pending));
        }
    }

    /// Gives the terminal back. What comes after this is printed on the screen of before.
    pub fn leave(&mut self) -> io::Result<()> {
        self.restore.undo()
    }

    /// Gives the terminal back, stops this job until the shell continues it, and takes the
    /// terminal over again. Refused where no shell is there to continue it.
    pub fn suspend(&mut self) -> io::Result<()> {
        has_shell()?;
        self.leave()?;
        let stopped = self.stop();
        self.set_modes()?;
        stopped
    }

    /// Stops this job until the shell continues it, the terminal as it is.
    pub fn stop(&mut self) -> io::Result<()> {
        use rustix::process;
        has_shell()?;
        let stopped = process::kill_current_process_group(process::Signal::STOP);
        self.came_back = true;
        stopped.map_err(Into::into)
    }

    /// Takes the terminal over again, after another program had it.
    pub fn take_again(&mut self) -> io::Result<()> {
        self.came_back = false;
        self.set_modes()
    }

    /// Someone else stopped and continued this process: the shell has changed the modes since.
    pub fn continued(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.came_back) {
            return Ok(());
        }
        self.leave()?;
        self.set_modes()
    }

    fn set_modes(&mut self) -> io::Result<()> {
        self.restore.take()?;
        let mut modes = Mode::ALWAYS.to_vec();
        modes.extend(self.wishes.mouse.then_some(Mode::MOUSE));
        modes.extend(self.wishes.keyboard.then_some(Mode::KEYBOARD));
        let mut bytes: Vec<u8> = modes.iter().flat_map(|mode| mode.on.bytes()).collect();
        if !self.title.is_empty() {
            bytes.extend_from_slice(format!("\x1b]2;{}\x07", self.title).as_bytes());
        }
        self.pending = Sent::default();
        self.progress = Progress::None;
        self.page.take();
        self.writer.send(Sent { bytes, on: modes, off: Vec::new() });
        self.repaint()
    }

    fn control(&mut self, bytes: &[u8]) {
        // A terminal that takes nothing must not fill the memory.
        if self.pending.bytes.len() < 4 * COPY_LIMIT {
            self.pending.bytes.extend_from_slice(bytes);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = self.restore.undo();
    }
}

/// A group with the session's leader in it has no shell above it.
fn has_shell() -> io::Result<()> {
    use rustix::process;
    let leader = process::getsid(None)?;
    if process::getpgid(Some(leader))? == process::getpgrp() {
        return Err(io::Error::other("no shell to come back from"));
    }
    Ok(())
}

/// Collects one frame's bytes.
#[derive(Debug, Clone, Default)]
struct Page(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Page {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
