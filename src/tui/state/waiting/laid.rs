//! What is known of the rows of a question.

use std::sync::Arc;

use crate::tui::{
    row::{Hit, Row},
    sheet::Index,
};

/// What is laid out of a question, or known of how it would be.
#[derive(Clone, Debug, Default)]
pub struct Laid {
    pub around: Option<Around>,
    pub index: Option<Arc<Index>>,
    /// A word that was looked for in that index, and where it is.
    pub found: Option<(String, Arc<Vec<Hit>>)>,
    /// Both are made off the loop where the text is long; what is being made.
    pub making: Option<Making>,
}

/// The rows above what is asked about and below it.
#[derive(Clone, Debug)]
pub struct Around {
    /// The width and the look they are for.
    pub key: (usize, u64),
    pub rows: Arc<[Vec<Row>; 2]>,
}

/// What is made off the loop for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    Index,
    Hits,
}
