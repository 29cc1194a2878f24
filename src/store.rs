//! Keeps sessions: one folder each, with an append-only journal of JSON lines and the outputs of
//! its calls beside it. Only this room knows what a journal looks like on disk.
//!
//! Architecture invariants: a line is written whole or taken back; a journal has one writer, whose
//! lock dies with it; nothing that was read from a damaged journal is thrown away.

mod copy;
mod disk;
mod export;
mod index;
mod journal;
mod kept;
mod label;
mod lock;
mod medium;
mod memory;
mod pictures;
mod reader;
mod search;
mod spool;

#[cfg(test)]
mod contract;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod sample;

use std::sync::Arc;

use jiff::Timestamp;

pub use disk::DiskStore;
pub use export::{Exported, exported, exported_of};
pub use memory::MemoryStore;

/// Where the time of an event comes from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

fn wall_clock() -> Clock {
    Arc::new(Timestamp::now)
}
