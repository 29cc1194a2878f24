//! Runs programs, and Python through `uv`, for the rest of the program; and looks after the
//! workspace they run in.

mod bridge;
mod frame;
pub mod local;
pub mod seal;

pub use local::{Local, Settings, patience::Patience, workspace::Workspace};
