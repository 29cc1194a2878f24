//! Pictures as the screen shows them. How many rows one takes is known from its size alone, so nothing
//! moves when it is ready; its pixels are read, scaled and made into what the terminal takes off the
//! loop, and only those that are in or near sight are kept.

mod means;
mod paint;

use std::{collections::BTreeMap, sync::Arc};

pub use means::{Finder, Means, Told};
pub use paint::{Painted, paint};

use super::effect::Effect;
use crate::kernel::{
    id::SessionId,
    picture::{Picture, PictureId},
};

/// The pixels of a cell where the terminal does not say.
const USUAL_CELL: (u16, u16) = (8, 16);

/// Pictures that are kept ready at a time.
const MOST: usize = 8;

/// The cells a picture takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    pub cols: u16,
    pub rows: u16,
}

/// How pictures are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    pub means: Means,
    /// The pixels of a cell, where the terminal says.
    pub cell: Option<(u16, u16)>,
    /// Whether colours are only nearly what they should be.
    pub few_colours: bool,
}

impl How {
    /// The pixels of a cell, as far as is known. Half-blocks have two, however many they are.
    pub fn pixels(self) -> (u16, u16) {
        match self.means {
            Means::Blocks | Means::Words => USUAL_CELL,
            Means::Kitty { .. } | Means::Iterm2 | Means::Sixel => self.cell.unwrap_or(USUAL_CELL),
        }
    }
}

/// A picture of a session at a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub session: SessionId,
    pub picture: PictureId,
    pub shape: Shape,
}

/// What becomes of pictures that are not in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They are let go.
    Go,
    /// They stay, as far as there is room.
    Stay,
}

/// How far one is.
#[derive(Clone, Debug)]
pub enum Ready {
    Soon,
    Painted(Arc<Painted>),
    /// Why it cannot be shown.
    Not(String),
}

/// How pictures are shown here, and those that are ready.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    how: How,
    /// The rows of the screen.
    height: u16,
    ready: BTreeMap<(PictureId, Shape), Ready>,
    /// How many were painted.
    count: u32,
}

impl Gallery {
    pub fn how(&self) -> How {
        self.how
    }

    /// They are shown in another way from now on; whether that is so.
    pub fn show(&mut self, how: How) -> bool {
        let other = self.how != how;
        if other {
            self.how = how;
            self.ready.clear();
        }
        other
    }

    /// The screen has so many rows; whether pictures have other sizes now.
    pub fn fit(&mut self, height: u16) -> bool {
        let before = self.most_rows();
        self.height = height;
        before != self.most_rows()
    }

    /// The rows that one may take among others.
    fn most_rows(&self) -> u16 {
        (self.height / 2).clamp(3, 30)
    }

    /// The cells one takes among others, in so many columns; none where it is told in words.
    pub fn among(&self, picture: &Picture, width: usize) -> Option<Shape> {
        let cols = u16::try_from(width).unwrap_or(u16::MAX);
        self.within(picture, (cols, self.most_rows()), 1.0)
    }

    /// The cells one takes that is shown alone in so many: in half-blocks as large as gives each of its
    /// pixels half a cell, else no larger than it is.
    pub fn alone(&self, picture: &Picture, (cols, rows): (u16, u16)) -> Option<Shape> {
        let largest = match self.how.means {
            Means::Blocks => f64::from(self.how.pixels().0),
            Means::Kitty { .. } | Means::Iterm2 | Means::Sixel | Means::Words => 1.0,
        };
        self.within(picture, (cols, rows), largest)
    }

    fn within(&self, picture: &Picture, (cols, rows): (u16, u16), largest: f64) -> Option<Shape> {
        if self.how.means == Means::Words || cols == 0 || rows == 0 {
            return None;
        }
        let (cell_width, cell_height) = self.how.pixels();
        let (width, height) = (f64::from(picture.width), f64::from(picture.height));
        let room =
            (f64::from(cols) * f64::from(cell_width), f64::from(rows) * f64::from(cell_height));
        let scale = (room.0 / width).min(room.1 / height).min(largest);
        let cells = |pixels: f64, cell: u16, most: u16| {
            let cells = (pixels * scale / f64::from(cell)).round();
            // Between one and a number of cells.
            cells.clamp(1.0, f64::from(most)) as u16
        };
        Some(Shape { cols: cells(width, cell_width, cols), rows: cells(height, cell_height, rows) })
    }

    /// One that is ready, or will be.
    pub fn get(&self, picture: PictureId, shape: Shape) -> Option<&Ready> {
        self.ready.get(&(picture, shape))
    }

    /// One that is painted.
    pub fn painted(&self, picture: PictureId, shape: Shape) -> Option<&Painted> {
        match self.get(picture, shape)? {
            Ready::Painted(painted) => Some(painted),
            Ready::Soon | Ready::Not(_) => None,
        }
    }

    /// These are in or near sight, the nearest first: those that are not ready are to be painted.
    pub fn want(&mut self, near: Vec<Wanted>, others: Others) -> Vec<Effect> {
        let near = &near[..near.len().min(MOST)];
        let all_stay = others == Others::Stay && self.ready.len() <= MOST;
        self.ready.retain(|(picture, shape), _| {
            let is = |wanted: &Wanted| wanted.picture == *picture && wanted.shape == *shape;
            all_stay || near.iter().any(is)
        });
        let mut effects = Vec::new();
        for wanted in near {
            let key = (wanted.picture, wanted.shape);
            if let std::collections::btree_map::Entry::Vacant(place) = self.ready.entry(key) {
                place.insert(Ready::Soon);
                self.count = self.count.wrapping_add(1);
                effects.push(Effect::Paint(wanted.clone(), self.how, self.count));
            }
        }
        effects
    }

    /// One is painted, or cannot be. Nothing comes of it where it is no longer wanted so.
    pub fn came(&mut self, wanted: &Wanted, how: How, painted: Result<Arc<Painted>, String>) {
        if how == self.how
            && let Some(ready) = self.ready.get_mut(&(wanted.picture, wanted.shape))
        {
            *ready = match painted {
                Ok(painted) => Ready::Painted(painted),
                Err(why) => Ready::Not(why),
            };
        }
    }
}

#[cfg(test)]
mod tests;
