//! How the reach of a yes stands in a journal. It was a bare word before there were rules.

use serde::{Deserialize, Serialize};

use super::Scope;

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Written {
    Bare(Word),
    Kept { lasts: Word, rule: String },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    Once,
    Session,
    Always,
}

impl From<Written> for Scope {
    fn from(written: Written) -> Self {
        let (word, rule) = match written {
            Written::Bare(word) => (word, String::new()),
            Written::Kept { lasts, rule } => (lasts, rule),
        };
        match word {
            Word::Once => Self::Once,
            Word::Session => Self::Session { rule },
            Word::Always => Self::Always { rule },
        }
    }
}

impl From<Scope> for Written {
    fn from(scope: Scope) -> Self {
        let (lasts, rule) = match scope {
            Scope::Once => return Self::Bare(Word::Once),
            Scope::Session { rule } => (Word::Session, rule),
            Scope::Always { rule } => (Word::Always, rule),
        };
        if rule.is_empty() { Self::Bare(lasts) } else { Self::Kept { lasts, rule } }
    }
}
