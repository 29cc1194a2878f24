//! Footplate.

pub mod agent;
pub mod cli;
pub mod config;
pub mod executor;
pub mod guest;
pub mod host;
pub mod kernel;
pub mod model;
pub mod modules;
pub mod store;
pub mod telemetry;
pub mod tui;
