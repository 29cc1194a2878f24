//! The terminal as this program finds it, uses it, and gives it back.
//!
//! All writing is done by one thread, so a stopped terminal stops the drawing and nothing else.
//! Every way out undoes the same list, once.

mod backend;
mod inline;
mod last;
mod line;
mod page;
mod plates;
mod restore;
mod signal;
mod wishes;
mod writer;

use std::io::{self, Write};

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

pub use last::Last;
pub use line::{LineMode, Tty};
pub use plates::{Drawing, Plate};
pub use restore::Restore;
pub use signal::{Signal, Signals};
pub use wishes::{Progress, Wanted, Wishes};

use backend::Sized;
use inline::Inline;
use page::Page;
use plates::Plates;
use restore::Mode;
use writer::{Sent, Writer};

/// Longest text sent to the clipboard; terminals drop longer ones without a word.
const COPY_LIMIT: usize = 100_000;

/// Longest title; more is seen nowhere.
const TITLE_LIMIT: usize = 120;

/// The screen while it is ours. Dropping it gives the terminal back.
pub struct Terminal {
    screen: ratatui::Terminal<Sized<CrosstermBackend<Page>>>,
    page: Page,
    window: Size,
    /// The rows that are ours, where not all of the window is for good.
    inline: Option<Inline>,
    /// All of the window is ours now.
    whole: bool,
    /// What the terminal shows is not what was drawn last.
    stale: bool,
    /// Title, bell and the like that wait for the writer.
    pending: Sent,
    plates: Plates,
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
            window: size,
            inline: match wishes.surface {
                Wanted::Whole => None,
                Wanted::Rows { reflows } => Some(Inline::new(reflows)),
            },
            whole: wishes.surface == Wanted::Whole,
            stale: true,
            pending: Sent::default(),
            plates: Plates::default(),
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
        self.draw_with(|frame| {
            view(frame);
            Vec::new()
        })
    }

    /// As [`Self::draw`], with the pictures of the frame, which the view tells.
    pub fn draw_with(
        &mut self,
        view: impl FnOnce(&mut Frame<'_>) -> Vec<Plate>,
    ) -> io::Result<bool> {
        self.writer.check()?;
        if !self.ready() {
            return Ok(false);
        }
        if !std::mem::replace(&mut self.whole, true) {
            self.switch(Mode::WHOLE, true);
            self.stale = true;
        }
        if std::mem::take(&mut self.stale) {
            self.clear(self.window)?;
        }
        self.screen.backend_mut().note_written(self.plates.lie_over());
        let mut plates = Vec::new();
        self.screen.draw(|frame| plates = view(frame))?;
        let text = self.page.take();
        let (before, modes) = self.plates.before(&plates);
        self.pending.on.extend(modes);
        self.screen.backend_mut().draw_again(self.plates.stale(&plates))?;
        let written = self.screen.backend_mut().written();
        let again = self.page.take();
        let after = self.plates.after(plates, (again, &written));
        self.put([before, text, after].concat(), None);
        Ok(true)
    }

    /// As [`Self::draw`], in so many rows at the end of the window, or more where those before it
    /// needed more; and puts what is over above them for good. Only where such rows were wished for.
    pub fn draw_rows(
        &mut self,
        above: &Buffer,
        rows: u16,
        view: impl FnOnce(&mut Frame<'_>),
    ) -> io::Result<bool> {
        self.writer.check()?;
        if !self.ready() {
            return Ok(false);
        }
        if std::mem::take(&mut self.whole) {
            self.switch(Mode::WHOLE, false);
            self.stale = true;
        }
        let window = self.window;
        let Some(inline) = &mut self.inline else { return Ok(false) };
        // So that nothing jumps, rows that are no longer needed are left to what comes above.
        let stays = inline.rows().saturating_sub(above.area.height);
        let rows = rows.max(stays).clamp(1, window.height.max(1));
        let mut page = Vec::new();
        if std::mem::take(&mut self.stale) || above.area.height > 0 || rows != inline.rows() {
            inline.resized(window.width);
            inline.begin(&mut page, above, rows)?;
            self.clear(Size { height: rows, ..window })?;
        }
        self.screen.draw(view)?;
        let drawn = self.page.take();
        let lengths = self.screen.backend().lengths();
        let Some(inline) = &mut self.inline else { return Ok(false) };
        page.extend(inline.place(&drawn));
        inline.drawn(window.width, lengths);
        let parting = inline.parting();
        self.put(page, Some(parting));
        Ok(true)
    }

    /// Hands a frame to the writer.
    fn put(&mut self, page: Vec<u8>, parting: Option<Vec<u8>>) {
        let mut sent = std::mem::take(&mut self.pending);
        if !page.is_empty() {
            sent.bytes.extend_from_slice(b"\x1b[?2026h");
            sent.bytes.extend_from_slice(&page);
            sent.bytes.extend_from_slice(b"\x1b[?2026l");
        }
        sent.parting = parting;
        self.writer.send(sent);
    }

    /// The size of the window.
    pub fn window(&self) -> Size {
        self.window
    }

    /// The window has this size now; the next frame is drawn in full, also where only the rows changed,
    /// for terminals move them about.
    pub fn resize(&mut self, size: Size) {
        self.stale |= std::mem::replace(&mut self.window, size) != size;
    }

    fn clear(&mut self, size: Size) -> io::Result<()> {
        self.plates.forget(false);
        self.screen.backend_mut().set_size(size);
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

    /// Asks something, in words of our own; what the terminal knows it answers among the keys.
    pub fn ask(&mut self, question: &[u8]) {
        self.control(question);
    }

    pub fn bell(&mut self) {
        self.control(b"\x07");
    }

    /// A notice from the terminal to someone who looks elsewhere.
    pub fn notify(&mut self, text: &str) {
        let text = super::clean::truncate(&super::clean::shown(text), TITLE_LIMIT);
        // A text that starts with digits and `;` would be read as another command.
        let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        // A notice is over as soon as it was given. What lasts, such as a mark of progress, is never
        // sent past tmux: it would stay when somebody looks at another window of it.
        let notice = match self.wishes.wrapped {
            true => format!("\x1bPtmux;\x1b\x1b]9;{text}\x07\x1b\\"),
            false => format!("\x1b]9;{text}\x07"),
        };
        self.control(notice.as_bytes());
    }

    /// Hears the mouse from now on, or leaves it to the terminal. Writes nothing if that is so.
    pub fn hear_mouse(&mut self, mouse: bool) {
        if std::mem::replace(&mut self.wishes.mouse, mouse) != mouse {
            self.switch(Mode::MOUSE, mouse);
        }
    }

    fn switch(&mut self, mode: Mode, on: bool) {
        let (into, from, bytes) = match on {
            true => (&mut self.pending.on, &mut self.pending.off, mode.on.to_owned()),
            false => (&mut self.pending.off, &mut self.pending.on, mode.off.to_string()),
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
        let mut modes = vec![Mode::TITLE];
        match &mut self.inline {
            None => modes.push(Mode::WHOLE),
            Some(inline) => {
                inline.forget();
                self.whole = false;
            }
        }
        modes.extend(Mode::ALWAYS);
        modes.extend(self.wishes.mouse.then_some(Mode::MOUSE));
        modes.extend(self.wishes.keyboard.then_some(Mode::KEYBOARD));
        let mut bytes: Vec<u8> = modes.iter().flat_map(|mode| mode.on.bytes()).collect();
        if !self.title.is_empty() {
            bytes.extend_from_slice(format!("\x1b]2;{}\x07", self.title).as_bytes());
        }
        self.pending = Sent::default();
        self.progress = Progress::None;
        self.page.take();
        self.plates.forget(true);
        self.stale = true;
        self.writer.send(Sent { bytes, on: modes, ..Sent::default() });
        Ok(())
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

#[cfg(test)]
mod tests;
