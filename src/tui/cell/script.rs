//! The text of a run, kept as one piece: a transcript has many of them, and shows a few lines of few.

use serde::{Deserialize, Serialize};

/// The text of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    text: Box<str>,
    count: usize,
}

impl Script {
    /// Without the empty lines at its end.
    pub fn new(source: &str) -> Self {
        let text = source.trim_end_matches('\n');
        Self { text: text.into(), count: text.split('\n').count() }
    }

    /// How many lines it has; one at least.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.split('\n')
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}
