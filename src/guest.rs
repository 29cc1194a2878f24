//! The Python side: the package a script imports, generated from what its session mounts, and the
//! look at a script before it runs: what it imports of ours, and what it says that it needs.

mod facade;
mod inspect;
mod metadata;

pub use facade::Package;
pub use inspect::check;
pub use metadata::{checked, wanted};
