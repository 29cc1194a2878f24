//! What a person made larger or smaller, for each class of sizes, from one time to the next.

use ratatui::layout::Size;
use serde::{Deserialize, Serialize};

use super::Room;

/// The main column is never narrower than this by anything that is dragged.
const MAIN: u16 = 50;

/// A rule or a line that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Between the left column and the transcript.
    Left,
    /// Between the transcript and the right column.
    Right,
    /// Above the outputs that stand below the transcript.
    Below,
    /// Between the sessions and what waits.
    Upper,
    /// Between the outputs of the right column and its lists.
    Outputs,
}

/// The sizes within one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sizes {
    /// Cells of the left and of the right column.
    pub left: u16,
    pub right: u16,
    /// Rows of an output below the transcript, its rule included.
    pub below: u16,
    /// Rows of the sessions, of a thousand of their column.
    pub upper: u16,
    /// Rows of the outputs, of a thousand of theirs; 0 leaves the lists what they need.
    pub outputs: u16,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { left: 28, right: 63, below: 9, upper: 564, outputs: 0 }
    }
}

impl Sizes {
    /// So many of a thousand, in rows.
    pub fn share(&self, of_thousand: u16, rows: u16) -> u16 {
        let share = (u32::from(rows) * u32::from(of_thousand) + 500) / 1000;
        u16::try_from(share).unwrap_or(rows).min(rows)
    }

    /// The same, as far as there is room for it.
    pub fn within(mut self, room: Room, size: Size) -> Self {
        let beside = size.width.saturating_sub(MAIN + 2);
        let right = if room == Room::Full { 24 } else { 0 };
        self.left = self.left.clamp(16, beside.saturating_sub(right).max(16));
        self.right = self.right.clamp(24, beside.saturating_sub(self.left).max(24));
        self.below = self.below.clamp(3, (size.height / 2).max(3));
        self.upper = self.upper.clamp(150, 850);
        if self.outputs > 0 {
            self.outputs = self.outputs.clamp(250, 850);
        }
        self
    }
}

/// The sizes of every class that has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    pub wide: Sizes,
    pub full: Sizes,
}

impl Default for Remembered {
    fn default() -> Self {
        let wide = Sizes::default();
        Self { wide, full: Sizes { left: 38, upper: 695, ..wide } }
    }
}

impl Remembered {
    /// What was written by [`Remembered::text`]; the usual sizes where it was not.
    pub fn read(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
    }

    /// For a file.
    pub fn text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    pub fn of(&self, room: Room) -> &Sizes {
        match room {
            Room::Full => &self.full,
            Room::Tiny | Room::Narrow | Room::Plain | Room::Wide => &self.wide,
        }
    }

    /// Moves an edge to a cell, as far as it goes; the composer begins at row `floor`. Whether anything
    /// is different now.
    pub fn drag(&mut self, edge: Edge, size: Size, floor: u16, (x, y): (u16, u16)) -> bool {
        let room = Room::of(size.width, size.height);
        let rows = size.height.saturating_sub(1).max(1);
        let thousand = |rows_above: u16| {
            let share = u32::from(rows_above.min(rows)) * 1000 / u32::from(rows);
            u16::try_from(share).unwrap_or(1000)
        };
        let mut sizes = *self.of(room);
        match edge {
            Edge::Left => sizes.left = x,
            Edge::Right => sizes.right = size.width.saturating_sub(x.saturating_add(1)),
            Edge::Below => sizes.below = floor.saturating_sub(y),
            Edge::Upper => sizes.upper = thousand(y),
            Edge::Outputs => sizes.outputs = thousand(y).max(1),
        }
        self.put(room, size, sizes)
    }

    /// Replaces the sizes of a class. Whether anything is different now.
    pub fn put(&mut self, room: Room, size: Size, sizes: Sizes) -> bool {
        let sizes = sizes.within(room, size);
        let kept = match room {
            Room::Full => &mut self.full,
            Room::Wide => &mut self.wide,
            Room::Tiny | Room::Narrow | Room::Plain => return false,
        };
        let changed = *kept != sizes;
        *kept = sizes;
        changed
    }
}
