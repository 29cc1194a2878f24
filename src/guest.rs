//! The Python side: the package a script imports, generated from what its session mounts, and the
//! look at a script before it runs.

mod facade;
mod inspect;

pub use facade::Package;
pub use inspect::check;
