//! Keys as they come, each with the moment it was read: a loop that is late must not make two keys
//! look like one that stood alone. For the same reason all that was there at once has one moment.

mod decode;
mod reader;

use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd as _, OwnedFd},
};

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEventKind};
use ratatui::layout::Size;
use tokio::sync::mpsc;

use self::reader::Reader;
use crate::tui::{
    guard::Burst,
    keymap::Key as Named,
    message::Input,
    state::{
        Moment,
        pointer::{Point, Pointed},
    },
};

/// One thing the terminal sent.
#[derive(Clone, Debug)]
pub(super) enum Key {
    Pressed(Moment, Input),
    Resized(Moment, Size),
    /// Nothing comes any more.
    Closed,
}

/// The stream of them. Dropping it ends the reading.
pub(super) struct Keys {
    keys: mpsc::Receiver<Vec<Key>>,
    /// What came while it was waited for something else.
    came: VecDeque<Vec<Key>>,
    /// Absent where a test sends them.
    reader: Option<Reader>,
    closed: bool,
}

impl Keys {
    /// Those of the real terminal, which is raw by now.
    pub(super) fn of_terminal() -> io::Result<Self> {
        let (reader, keys) = Reader::start(terminal()?)?;
        Ok(Self { reader: Some(reader), ..Self::of(keys) })
    }

    /// Reads no more, so that another program can; returns when that is so.
    pub(super) async fn pause(&mut self) {
        let Some(reader) = &mut self.reader else { return };
        let mut waits = reader.pause();
        loop {
            tokio::select! {
                // Fails only if the thread is gone, and then nothing is read either.
                _ = &mut waits => return,
                // The thread may wait for room.
                Some(keys) = self.keys.recv() => self.came.push_back(keys),
            }
        }
    }

    /// Reads again.
    pub(super) fn resume(&mut self) {
        if let Some(reader) = &mut self.reader {
            reader.resume();
        }
    }

    /// Those that come there.
    pub(super) fn of(keys: mpsc::Receiver<Vec<Key>>) -> Self {
        Self { keys, came: VecDeque::new(), reader: None, closed: false }
    }

    /// The next ones, all that were read together; after the last [`Key::Closed`], once. Losing the
    /// future loses none.
    pub(super) async fn next(&mut self) -> Vec<Key> {
        if let Some(keys) = self.came.pop_front() {
            return keys;
        }
        if self.closed {
            return std::future::pending().await;
        }
        let keys = self.keys.recv().await.unwrap_or_else(|| vec![Key::Closed]);
        self.closed = keys.iter().any(|key| matches!(key, Key::Closed));
        keys
    }

    /// The next ones, if they are there already.
    pub(super) fn try_next(&mut self) -> Option<Vec<Key>> {
        self.came.pop_front().or_else(|| self.keys.try_recv().ok())
    }
}

/// Where keys come from: standard input, or the terminal itself where that is something else.
fn terminal() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if rustix::termios::isatty(&stdin) {
        return stdin.as_fd().try_clone_to_owned();
    }
    std::fs::File::open("/dev/tty").map(Into::into)
}

/// Keys as they were read together; those among them that are a paste as one.
pub(super) fn gathered(keys: Vec<Key>) -> Vec<Key> {
    let mut all = Vec::with_capacity(keys.len());
    let mut run: Vec<(Moment, KeyEvent)> = Vec::new();
    for key in keys {
        match key {
            Key::Pressed(at, Input::Key(event))
                if event.kind == KeyEventKind::Press
                    && Named::of(&event).writes().is_some()
                    && run.last().is_none_or(|(before, _)| *before == at) =>
            {
                run.push((at, event));
            }
            other @ (Key::Pressed(..) | Key::Resized(..) | Key::Closed) => {
                close(&mut run, &mut all);
                all.push(other);
            }
        }
    }
    close(&mut run, &mut all);
    all
}

fn close(run: &mut Vec<(Moment, KeyEvent)>, all: &mut Vec<Key>) {
    let named: Vec<_> = run.iter().map(|(_, event)| Named::of(event)).collect();
    match run.first() {
        Some((at, _)) if Burst::is_paste(&named) => {
            let events = run.iter().map(|(_, event)| *event).collect();
            all.push(Key::Pressed(*at, Input::Burst(events)));
        }
        Some(_) | None => {
            all.extend(run.iter().map(|(at, event)| Key::Pressed(*at, Input::Key(*event))));
        }
    }
    run.clear();
}

fn read(at: Moment, event: Event) -> Option<Key> {
    let input = match event {
        Event::Key(key) => Input::Key(key),
        Event::Paste(text) => Input::Paste(text),
        Event::FocusGained => Input::FocusGained,
        Event::FocusLost => Input::FocusLost,
        // A signal tells of it.
        Event::Resize(..) => return None,
        Event::Mouse(mouse) => {
            let left = |button| match button {
                MouseButton::Left => true,
                MouseButton::Right | MouseButton::Middle => false,
            };
            let what = match mouse.kind {
                MouseEventKind::ScrollDown => Point::WheelDown,
                MouseEventKind::ScrollUp => Point::WheelUp,
                MouseEventKind::Down(button) if left(button) => Point::Press,
                MouseEventKind::Down(_) => Point::Other,
                MouseEventKind::Up(button) if left(button) => Point::Release,
                MouseEventKind::Drag(button) if left(button) => Point::Drag,
                MouseEventKind::Up(_)
                | MouseEventKind::Drag(_)
                | MouseEventKind::Moved
                | MouseEventKind::ScrollLeft
                | MouseEventKind::ScrollRight => return None,
            };
            Input::Mouse(Pointed { what, x: mouse.column, y: mouse.row })
        }
    };
    Some(Key::Pressed(at, input))
}
