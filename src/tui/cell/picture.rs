//! The pictures of a cell: a line that names each, and below it as many rows as it takes, which are
//! empty until it is drawn over them.

use ratatui::text::{Line, Span};

use super::{
    Cell,
    rows::{self, Scene},
};
use crate::{
    kernel::picture::Picture,
    tui::{picture::Shape, theme::Role},
};

/// The cells left of a picture.
pub const MARGIN: u16 = 3;

/// A picture and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place<'a> {
    pub picture: &'a Picture,
    /// Its first row of those of its cell, below the line that names it.
    pub row: usize,
    pub shape: Shape,
}

/// The cells it takes, where it is drawn at all.
pub fn shape(picture: &Picture, scene: &Scene<'_>) -> Option<Shape> {
    scene.look.pictures.among(picture, scene.width.saturating_sub(usize::from(MARGIN) + 1))
}

pub(super) fn rows(cell: &Cell, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for picture in &cell.pictures {
        let mut spans = vec![Span::raw(" ".repeat(usize::from(MARGIN)))];
        let shape = shape(picture, scene);
        let text = match shape {
            Some(_) => picture.to_string(),
            None => format!("[picture {picture}]"),
        };
        spans.extend(scene.spans(&text, Role::Quiet));
        out.push(rows::fit(spans, scene.width));
        let empty = shape.map_or(0, |shape| usize::from(shape.rows));
        out.extend(std::iter::repeat_n(Line::default(), empty));
    }
    out
}

/// Where the pictures of a cell with so many rows stand.
pub fn places<'a>(cell: &'a Cell, scene: &Scene<'_>, rows: usize) -> Vec<Place<'a>> {
    let mut end = rows;
    let mut places = Vec::new();
    for picture in cell.pictures.iter().rev() {
        let shape = shape(picture, scene);
        end = end.saturating_sub(shape.map_or(0, |shape| usize::from(shape.rows)));
        places.extend(shape.map(|shape| Place { picture, row: end, shape }));
        end = end.saturating_sub(1);
    }
    places
}
