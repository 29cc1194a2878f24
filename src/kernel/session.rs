//! The live session: a fold over its journal, and nothing else.

pub mod fold;

pub use fold::Session;
