//! What stays of a piece that is kept outside: enough to move past it, and to know whether to go there.

use super::{Body, Cell, Code, Fold};
use crate::tui::clean;

/// What kind of piece it is, without what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Said,
    Text,
    /// Text that goes on with the code block of the text before it.
    GoesOn,
    Thinking,
    Code,
    Call,
    Agent,
    Notice,
}

/// A piece that is kept outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    pub kind: Kind,
    /// Whether enter does something with it.
    pub opens: bool,
    pub is_error: bool,
    pub is_change: bool,
    /// Its rows as they were last, or about as many where it was never laid out.
    pub rows: u32,
}

impl Body {
    pub fn kind(&self) -> Kind {
        match self {
            Self::Said { .. } => Kind::Said,
            Self::Text { inside: None, .. } => Kind::Text,
            Self::Text { inside: Some(_), .. } => Kind::GoesOn,
            Self::Thinking(_) => Kind::Thinking,
            Self::Code(_) => Kind::Code,
            Self::Call(_) => Kind::Call,
            Self::Agent { .. } => Kind::Agent,
            Self::Notice { .. } => Kind::Notice,
        }
    }
}

impl Cell {
    /// What stays of it, for a transcript of that width.
    pub fn outline(&self, width: usize) -> Outline {
        let known = self.cache.borrow().as_ref().map(|cached| cached.height);
        let rows = known.unwrap_or_else(|| about(&self.body, width) + self.pictures.len());
        Outline {
            kind: self.body.kind(),
            opens: self.opens(),
            is_error: self.body.is_error(),
            is_change: self.body.is_change(),
            rows: u32::try_from(rows).unwrap_or(u32::MAX),
        }
    }
}

/// About as many rows as it has, found without laying it out.
fn about(body: &Body, width: usize) -> usize {
    let wrapped = |text: &str| {
        let rows = |line: &str| clean::width(line).div_ceil(width.max(1)).max(1);
        text.trim_end().split('\n').map(rows).sum::<usize>()
    };
    match body {
        Body::Said { fold: Fold::Part | Fold::Shut, text } => wrapped(text).min(9),
        Body::Said { text, .. } | Body::Text { text, .. } | Body::Notice { text, .. } => {
            wrapped(text)
        }
        Body::Thinking(thinking) if thinking.fold == Fold::Shut => 1,
        Body::Thinking(thinking) => 1 + wrapped(&thinking.text),
        Body::Code(code) => 1 + unfolded(code),
        Body::Call(_) | Body::Agent { .. } => 1,
    }
}

fn unfolded(code: &Code) -> usize {
    match code.fold {
        Fold::Shut => 0,
        Fold::Part => code.script.count().min(6) + code.effects.len() + code.output.len().min(3),
        Fold::Full => code.script.count() + code.effects.len() + code.output.len(),
    }
}
