//! A word that is looked for in a transcript.

use super::{
    Scroll,
    cells::{Cells, Slot},
};
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
    outside: Option<Outside>,
}

/// What is known of the cells that are not here.
#[derive(Clone, Debug)]
struct Outside {
    word: String,
    hits: Vec<usize>,
    /// Whether all of them were looked through.
    whole: bool,
}

impl Find {
    /// Nothing yet, from this view on.
    pub fn from(began: (Scroll, usize)) -> Self {
        Self { word: Draft::default(), began, at: 0, hits: Vec::new(), outside: None }
    }

    /// Looks again, since the word or the cells are others now. What is looked at stays, or is the
    /// next one from this cell on.
    pub fn again(&mut self, cells: &Cells, from: usize) {
        let word = self.word.text();
        self.hits.clear();
        if !word.is_empty() {
            let holding = cells.here().filter(|(_, cell)| cell.body.holds(&word));
            self.hits.extend(holding.map(|(at, _)| at));
            let outside = self.outside.iter().filter(|outside| outside.word == word);
            let is_away = |at: &usize| matches!(cells.slot(*at), Some(Slot::Away(..)));
            self.hits.extend(outside.flat_map(|outside| &outside.hits).copied().filter(is_away));
            self.hits.sort_unstable();
            self.hits.dedup();
        }
        let next = self.hits.partition_point(|hit| *hit < from);
        self.at = if next < self.hits.len() { next } else { 0 };
    }

    /// The word, and the pages in which it is to be looked for outside, if it was not yet.
    pub fn asks(&mut self, cells: &Cells) -> Option<(String, Vec<usize>)> {
        let word = self.word.text();
        if word.is_empty() || self.outside.as_ref().is_some_and(|outside| outside.word == word) {
            return None;
        }
        let pages: Vec<_> = cells.away().collect();
        let whole = pages.is_empty();
        self.outside = Some(Outside { word: word.clone(), hits: Vec::new(), whole });
        (!whole).then_some((word, pages))
    }

    /// These cells outside hold that word. Whether it is still looked for.
    pub fn came(&mut self, word: &str, hits: Vec<usize>) -> bool {
        let outside = self.outside.as_mut().filter(|outside| outside.word == word);
        let Some(outside) = outside else { return false };
        outside.hits.extend(hits);
        outside.whole = true;
        true
    }

    /// These cells go outside.
    pub fn left(&mut self, first: usize, cells: &[Cell]) {
        if let Some(outside) = &mut self.outside {
            let holding = (first..).zip(cells).filter(|(_, cell)| cell.body.holds(&outside.word));
            outside.hits.extend(holding.map(|(at, _)| at));
        }
    }

    /// How many cells hold the word, once that is known.
    pub fn count(&self) -> Option<usize> {
        let looking = self.outside.as_ref().is_some_and(|outside| !outside.whole);
        (!looking).then_some(self.hits.len())
    }

    /// The cell that is looked at.
    pub fn cell(&self) -> Option<usize> {
        self.hits.get(self.at).copied()
    }
}
