//! What the mouse does and what it holds.

use std::time::Duration;

use ratatui::layout::Rect;
use tokio::time::Instant;

use crate::{kernel::id::ApprovalId, tui::layout::Edge};

/// A second press at the same place within this time opens what is there.
const DOUBLE: Duration = Duration::from_millis(400);

/// A press this soon after the window came to the front only brought it there.
const FRONT: Duration = Duration::from_millis(300);

/// What the mouse did in a cell, which may lie outside of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointed {
    pub what: Point,
    pub x: u16,
    pub y: u16,
}

/// What it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Press,
    Drag,
    Release,
    WheelUp,
    WheelDown,
    /// Another button, which does nothing but show that someone is there.
    Other,
}

/// What was pressed and is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A rule or a line that is moved.
    Edge(Edge),
    /// An answer to that question, which counts if it is released there too.
    Answer(ApprovalId, char, Rect),
    /// Text of one pane.
    Text(Selection),
}

/// Text of one pane, from where it was pressed to where the mouse is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    pub pane: Rect,
    pub from: (u16, u16),
    pub to: (u16, u16),
    /// It was moved, so that it is more than a click.
    pub moved: bool,
}

impl Selection {
    /// The cells of each row that are selected: first and last.
    pub fn rows(&self) -> impl Iterator<Item = (u16, u16, u16)> {
        let order = |(x, y): (u16, u16)| (y, x);
        let (first, last) = match order(self.from) <= order(self.to) {
            true => (self.from, self.to),
            false => (self.to, self.from),
        };
        let (left, right) = (self.pane.left(), self.pane.right().saturating_sub(1));
        (first.1..=last.1).map(move |y| {
            let from = if y == first.1 { first.0 } else { left };
            let to = if y == last.1 { last.0 } else { right };
            (y, from, to)
        })
    }

    /// The cell of the pane that is nearest.
    pub fn nearest(&self, x: u16, y: u16) -> (u16, u16) {
        let last = |end: u16| end.saturating_sub(1);
        (
            x.clamp(self.pane.left(), last(self.pane.right()).max(self.pane.left())),
            y.clamp(self.pane.top(), last(self.pane.bottom()).max(self.pane.top())),
        )
    }
}

/// The mouse.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    pub held: Option<Held>,
    /// What is selected is copied as soon as it was drawn.
    pub copies: bool,
    /// Where and when it was pressed last.
    last: Option<(Instant, (u16, u16))>,
    fronted: Option<Instant>,
}

impl Pointer {
    /// The window came to the front.
    pub fn fronted(&mut self, now: Instant) {
        self.fronted = Some(now);
    }

    /// Whether a press now only brought the window to the front.
    pub fn only_fronts(&self, now: Instant) -> bool {
        self.fronted.is_some_and(|at| now < at + FRONT)
    }

    /// A press; whether it is the second one there.
    pub fn pressed(&mut self, at: (u16, u16), now: Instant) -> bool {
        let second = self.last.take_if(|(then, place)| *place == at && now < *then + DOUBLE);
        if second.is_none() {
            self.last = Some((now, at));
        }
        second.is_some()
    }
}
