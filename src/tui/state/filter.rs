//! What an open list is narrowed by.

use super::draft::Draft;
use crate::kernel::gate::law::Cited;

/// Words, or one rule. There is one list at a time.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only what has each of these is shown.
    pub words: Draft,
    /// They are being typed.
    pub typing: bool,
    /// Only what this rule decided is shown.
    pub rule: Option<Cited>,
}

impl Filter {
    /// Whether anything may be hidden by it.
    pub fn is_on(&self) -> bool {
        self.typing || self.rule.is_some() || !self.words.is_empty()
    }

    /// Whether something with this text is shown. Capitals make no difference.
    pub fn passes(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let words = self.words.text().to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    }
}
