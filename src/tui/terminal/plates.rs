//! Pictures that are no text: what the terminal was sent of them, and what a frame has to send.
//!
//! A picture in the protocol of kitty is sent once, and its places are characters in cells like all
//! others. One in sixels or in the protocol of iTerm2 lies over its cells until something is written
//! there, so it is sent again whenever something was; and where it is no longer, the cells are written
//! again.

use std::{collections::BTreeSet, fmt, sync::Arc};

use ratatui::layout::{Position, Rect};

use super::restore::Mode;

/// Pictures that the terminal is left to keep although they are not in sight.
const KEPT: usize = 12;

/// A picture as bytes for the terminal. They were all made here: nothing in them is anybody's text.
#[derive(PartialEq, Eq)]
pub enum Drawing {
    /// To be sent before its first place is drawn; `id` is its name there, and `away` removes it.
    Once { id: u32, bytes: String, away: String },
    /// To be sent where it is to be seen.
    Here(String),
}

impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once { id, bytes, .. } => write!(f, "Once({id}, {} bytes)", bytes.len()),
            Self::Here(bytes) => write!(f, "Here({} bytes)", bytes.len()),
        }
    }
}

/// A picture and its place in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plate {
    pub area: Rect,
    pub picture: Arc<Drawing>,
}

/// What the terminal has.
#[derive(Default)]
pub(super) struct Plates {
    /// Those that lie over cells.
    over: Vec<Plate>,
    /// Those it keeps, the last used at the end.
    kept: Vec<(u32, Arc<Drawing>)>,
}

impl Plates {
    /// Nothing is there any more: all is drawn anew, and what it keeps is gone with `all`.
    pub(super) fn forget(&mut self, all: bool) {
        self.over.clear();
        if all {
            self.kept.clear();
        }
    }

    /// Where something lies over cells, so that what is written there has to be known.
    pub(super) fn lie_over(&self) -> bool {
        !self.over.is_empty()
    }

    /// What has to be sent before the text of a frame with these pictures, and the modes that take it
    /// back.
    pub(super) fn before(&mut self, frame: &[Plate]) -> (Vec<u8>, Vec<Mode>) {
        let (mut bytes, mut modes) = (Vec::new(), Vec::new());
        for plate in frame {
            let Drawing::Once { id, bytes: sent, away } = &*plate.picture else { continue };
            let known = self.kept.iter().position(|(known, _)| known == id);
            let old = known.map(|at| self.kept.remove(at));
            if !old.is_some_and(|(_, old)| Arc::ptr_eq(&old, &plate.picture)) {
                bytes.extend_from_slice(sent.as_bytes());
                modes.push(Mode::undone_by(away));
            }
            self.kept.push((*id, plate.picture.clone()));
        }
        let in_sight = |id: &u32| {
            let is = |plate: &Plate| matches!(&*plate.picture, Drawing::Once { id: one, .. } if one == id);
            frame.iter().any(is)
        };
        while self.kept.len() > KEPT && !in_sight(&self.kept[0].0) {
            let (_, picture) = self.kept.remove(0);
            if let Drawing::Once { away, .. } = &*picture {
                bytes.extend_from_slice(away.as_bytes());
            }
        }
        (bytes, modes)
    }

    /// The rows in which something lies that does not belong to this frame.
    pub(super) fn stale(&self, frame: &[Plate]) -> BTreeSet<u16> {
        let gone = self.over.iter().filter(|plate| !frame.contains(plate));
        gone.flat_map(|plate| plate.area.top()..plate.area.bottom()).collect()
    }

    /// What has to be sent after the text, of which these cells were written: what writes others again,
    /// and the pictures.
    pub(super) fn after(
        &mut self,
        frame: Vec<Plate>,
        (again, written): (Vec<u8>, &[Position]),
    ) -> Vec<u8> {
        let mut bytes = again;
        let over: Vec<Plate> =
            frame.into_iter().filter(|plate| matches!(&*plate.picture, Drawing::Here(_))).collect();
        for plate in &over {
            let Drawing::Here(sent) = &*plate.picture else { continue };
            let spoilt = written.iter().any(|cell| plate.area.contains(*cell));
            if spoilt || !self.over.contains(plate) {
                let (row, column) = (plate.area.y + 1, plate.area.x + 1);
                bytes.extend_from_slice(format!("\x1b[{row};{column}H").as_bytes());
                bytes.extend_from_slice(sent.as_bytes());
            }
        }
        self.over = over;
        if !bytes.is_empty() {
            // The cursor stands where the text left it.
            bytes.splice(0..0, *b"\x1b7");
            bytes.extend_from_slice(b"\x1b8");
        }
        bytes
    }
}

#[cfg(test)]
mod tests;
