//! Keys as they come, each with the moment it was read: a loop that is late must not make two keys
//! look like one that stood alone. For the same reason all that was there at once has one moment.

use crossterm::event::{Event, EventStream, KeyEvent, KeyEventKind, MouseButton, MouseEventKind};
use futures_util::StreamExt;
use ratatui::layout::Size;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::tui::{
    guard::Burst,
    keymap::Key as Named,
    message::Input,
    state::{
        Moment,
        pointer::{Point, Pointed},
    },
};

/// Events that are told of together; more than one read of a terminal holds.
const MOST: usize = 4096;

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
    // Unbounded: the producer is a person.
    keys: mpsc::UnboundedReceiver<Vec<Key>>,
    reader: Option<JoinHandle<()>>,
    /// Where a reader tells what it read; absent where there is none.
    tell: Option<mpsc::UnboundedSender<Vec<Key>>>,
    closed: bool,
}

impl Keys {
    /// Those of the real terminal, which is raw by now. Must be called within a runtime.
    pub(super) fn of_terminal() -> Self {
        // Only while crossterm believes that it made the terminal raw itself does it tell ctrl+j from
        // enter. It is raw already, so nothing changes; and never is it asked to undo that.
        if let Err(error) = crossterm::terminal::enable_raw_mode() {
            tracing::warn!(%error, "ctrl+j cannot be told from enter");
        }
        let (tell, keys) = mpsc::unbounded_channel();
        let mut all = Self { keys, reader: None, tell: Some(tell), closed: false };
        all.resume();
        all
    }

    /// Reads no more, so that another program can; returns when that is so.
    pub(super) async fn pause(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abort();
            // It was ended; that is all it can say.
            let _ = reader.await;
        }
    }

    /// Reads again.
    pub(super) fn resume(&mut self) {
        let Some(tell) = self.tell.clone() else { return };
        self.reader = Some(tokio::spawn(async move {
            let mut events = EventStream::new().ready_chunks(MOST);
            while let Some(together) = events.next().await {
                let at = super::now();
                let heard = together.iter().all(Result::is_ok);
                let together = together.into_iter().flatten();
                let keys: Vec<_> = together.filter_map(|event| read(at, event)).collect();
                if tell.send(keys).is_err() {
                    return;
                }
                if !heard {
                    break;
                }
            }
            // Nothing comes any more.
            let _ = tell.send(vec![Key::Closed]);
        }));
    }

    /// Those a test sends.
    #[cfg(test)]
    pub(super) fn of(keys: mpsc::UnboundedReceiver<Vec<Key>>) -> Self {
        Self { keys, reader: None, tell: None, closed: false }
    }

    /// The next ones, all that were read together; after the last [`Key::Closed`], once. Losing the
    /// future loses none.
    pub(super) async fn next(&mut self) -> Vec<Key> {
        if self.closed {
            return std::future::pending().await;
        }
        let keys = self.keys.recv().await.unwrap_or_else(|| vec![Key::Closed]);
        self.closed = keys.iter().any(|key| matches!(key, Key::Closed));
        keys
    }

    /// The next ones, if they are there already.
    pub(super) fn try_next(&mut self) -> Option<Vec<Key>> {
        self.keys.try_recv().ok()
    }
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

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.abort();
        }
    }
}

fn read(at: Moment, event: Event) -> Option<Key> {
    let input = match event {
        Event::Key(key) => Input::Key(key),
        Event::Paste(text) => Input::Paste(text),
        Event::FocusGained => Input::FocusGained,
        Event::FocusLost => Input::FocusLost,
        Event::Resize(width, height) => {
            return Some(Key::Resized(at, Size { width, height }));
        }
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
