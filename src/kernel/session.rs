//! The live session: a fold over its journal, and nothing else. What was decided in it, and which of
//! its standing yeses are still live, are folds as well; and a copy of it is a plain function of it.

pub mod branch;
pub mod decisions;
pub mod fold;
mod said;
pub mod standing;

pub use fold::Session;
pub use said::{Said, Words};
