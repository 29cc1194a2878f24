//! How the panes are arranged: their sizes, and which of them is shown alone.

use std::mem::{Discriminant, discriminant};

use super::{Focus, Popup, file::Viewer, pointer::Pointer};
use crate::{config::Surface, kernel::id::SessionId, tui::layout::Remembered};

/// What the person made of the arrangement.
#[derive(Clone, Debug, Default)]
pub struct Panes {
    pub sizes: Remembered,
    pub pointer: Pointer,
    /// The line that keys act on in a list of the right column, while it has them.
    pub row: usize,
    pub viewer: Viewer,
    /// How much of the terminal is ours.
    pub surface: Surface,
    /// The session whose cells were printed last, where they go into the terminal's scrollback.
    pub printed: Option<SessionId>,
    alone: Option<Alone>,
}

/// What is shown alone, as long as it has the keys.
type Alone = (Focus, Option<Discriminant<Popup>>);

fn now(focus: Focus, popup: Option<Popup>) -> Alone {
    (focus, popup.as_ref().map(discriminant))
}

impl Panes {
    /// Shows what has the keys alone.
    pub fn zoom(&mut self, focus: Focus, popup: Option<Popup>) {
        self.alone = Some(now(focus, popup));
    }

    /// Shows everything again; whether something was alone.
    pub fn unzoom(&mut self) -> bool {
        self.alone.take().is_some()
    }

    /// Whether what has the keys is shown alone.
    pub fn zoomed(&self, focus: Focus, popup: Option<Popup>) -> bool {
        self.alone == Some(now(focus, popup))
    }

    /// Something else has the keys now.
    pub fn settle(&mut self, focus: Focus, popup: Option<Popup>) {
        if !self.zoomed(focus, popup) {
            self.alone = None;
        }
    }
}
