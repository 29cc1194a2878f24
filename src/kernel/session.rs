//! The live session: a fold over its journal, and nothing else. What was decided in it, and which of
//! its standing yeses are still live, are folds as well.

pub mod decisions;
pub mod fold;
pub mod standing;

pub use fold::Session;
