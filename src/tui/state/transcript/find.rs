//! A word that is looked for in a transcript.

use super::Scroll;
use crate::tui::{cell::Cell, state::draft::Draft};

/// What is looked for, and the parts in which it stands.
#[derive(Clone, Debug)]
pub struct Find {
    pub word: Draft,
    /// Where the view stood when this began, and the cell at its top.
    pub began: (Scroll, usize),
    /// Which of the parts is looked at.
    pub at: usize,
    /// The cells that hold the word, from the first on.
    pub hits: Vec<usize>,
}

impl Find {
    /// Nothing yet, from this view on.
    pub fn from(began: (Scroll, usize)) -> Self {
        Self { word: Draft::default(), began, at: 0, hits: Vec::new() }
    }

    /// Looks again, since the word or the cells are others now. What is looked at stays, or is the
    /// next one from this cell on.
    pub fn again(&mut self, cells: &[Cell], from: usize) {
        let word = self.word.text();
        self.hits.clear();
        if !word.is_empty() {
            let holding = cells.iter().enumerate().filter(|(_, cell)| cell.body.holds(&word));
            self.hits.extend(holding.map(|(at, _)| at));
        }
        let next = self.hits.partition_point(|hit| *hit < from);
        self.at = if next < self.hits.len() { next } else { 0 };
    }

    /// The cell that is looked at.
    pub fn cell(&self) -> Option<usize> {
        self.hits.get(self.at).copied()
    }
}
