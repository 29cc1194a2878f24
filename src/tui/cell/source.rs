//! What a piece is made of, as text: for those who look for a word in it, or take it elsewhere.

use super::{Body, Progress};
use crate::{kernel::capability::Category, tui::theme::Mark};

impl Body {
    /// Whether a word stands in it, also in what is folded. Without a capital in the word, capitals
    /// make no difference.
    pub fn holds(&self, word: &str) -> bool {
        let exact = word.chars().any(char::is_uppercase);
        let found = |text: &str| {
            if exact { text.contains(word) } else { text.to_lowercase().contains(word) }
        };
        match self {
            Self::Said { text, .. } | Self::Text { text, .. } | Self::Notice { text, .. } => {
                found(text)
            }
            Self::Thinking(thinking) => found(&thinking.text),
            Self::Code(code) => {
                found(&code.filename)
                    || code.script.lines().any(found)
                    || code.output.iter().any(|line| found(line))
                    || code
                        .effects
                        .iter()
                        .any(|nested| found(&nested.called.name) || found(&nested.called.object))
            }
            Self::Call(called) => found(&called.name) || found(&called.object),
            Self::Agent { name, task, .. } => found(name) || found(task),
        }
    }

    /// What copying it gives.
    pub fn copied(&self) -> String {
        match self {
            Self::Said { text, .. } | Self::Text { text, .. } | Self::Notice { text, .. } => {
                text.clone()
            }
            Self::Thinking(thinking) => thinking.text.clone(),
            Self::Code(code) => format!("{}\n", code.script.text()),
            Self::Call(called) => format!("{} {}", called.name, called.object),
            Self::Agent { task, .. } => task.clone(),
        }
    }

    /// Whether something went wrong in it, or may have.
    pub fn is_error(&self) -> bool {
        let wrong = |progress: &Progress| {
            matches!(progress, Progress::Failed(_) | Progress::Limit(_) | Progress::Unknown(_))
        };
        match self {
            Self::Code(code) => {
                wrong(&code.progress)
                    || code.effects.iter().any(|nested| wrong(&nested.called.progress))
            }
            Self::Call(called) => wrong(&called.progress),
            Self::Notice { mark, .. } => matches!(mark, Mark::Failed | Mark::Limit),
            Self::Said { .. } | Self::Text { .. } | Self::Thinking(_) | Self::Agent { .. } => false,
        }
    }

    /// Whether something was written by it.
    pub fn is_change(&self) -> bool {
        let wrote = |category: Category, progress: &Progress| {
            category == Category::Write && *progress == Progress::Done
        };
        match self {
            Self::Code(code) => code
                .effects
                .iter()
                .any(|nested| wrote(nested.called.category, &nested.called.progress)),
            Self::Call(called) => wrote(called.category, &called.progress),
            Self::Said { .. }
            | Self::Text { .. }
            | Self::Thinking(_)
            | Self::Agent { .. }
            | Self::Notice { .. } => false,
        }
    }
}
