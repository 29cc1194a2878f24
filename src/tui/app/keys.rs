//! Keys as they come, each with the moment it was read: a loop that is late must not make two keys
//! look like one that stood alone.

use crossterm::event::{Event, EventStream, MouseEventKind};
use futures_util::StreamExt;
use ratatui::layout::Size;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::tui::{message::Input, state::Moment};

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
    keys: mpsc::UnboundedReceiver<Key>,
    reader: Option<JoinHandle<()>>,
    closed: bool,
}

impl Keys {
    /// Those of the real terminal. Must be called within a runtime.
    pub(super) fn of_terminal() -> Self {
        let (tell, keys) = mpsc::unbounded_channel();
        let reader = tokio::spawn(async move {
            let mut events = EventStream::new();
            while let Some(Ok(event)) = events.next().await {
                if let Some(key) = read(event)
                    && tell.send(key).is_err()
                {
                    return;
                }
            }
        });
        Self { keys, reader: Some(reader), closed: false }
    }

    /// Those a test sends.
    #[cfg(test)]
    pub(super) fn of(keys: mpsc::UnboundedReceiver<Key>) -> Self {
        Self { keys, reader: None, closed: false }
    }

    /// The next one; after the last one [`Key::Closed`], once. Losing the future loses none.
    pub(super) async fn next(&mut self) -> Key {
        if self.closed {
            return std::future::pending().await;
        }
        match self.keys.recv().await {
            Some(key) => key,
            None => {
                self.closed = true;
                Key::Closed
            }
        }
    }

    /// The next one, if it is there already.
    pub(super) fn try_next(&mut self) -> Option<Key> {
        self.keys.try_recv().ok()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.abort();
        }
    }
}

fn read(event: Event) -> Option<Key> {
    let at = super::now();
    let input = match event {
        Event::Key(key) => Input::Key(key),
        Event::Paste(text) => Input::Paste(text),
        Event::FocusGained => Input::FocusGained,
        Event::FocusLost => Input::FocusLost,
        Event::Resize(width, height) => {
            return Some(Key::Resized(at, Size { width, height }));
        }
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollDown => Input::Wheel { down: true },
            MouseEventKind::ScrollUp => Input::Wheel { down: false },
            MouseEventKind::Down(_) => Input::Click,
            MouseEventKind::Up(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight => return None,
        },
    };
    Some(Key::Pressed(at, input))
}
