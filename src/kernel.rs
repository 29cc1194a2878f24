//! What the program is about: capabilities, the gate, the clock, events and the session they add
//! up to. It touches no file, socket, process or screen; what it needs of those it names as a
//! trait in [`port`], and somebody else implements it.

pub mod allowance;
pub mod capability;
pub mod change;
pub mod clock;
pub mod command;
pub mod context;
pub mod error;
pub mod event;
pub mod gate;
pub mod id;
pub mod invoke;
pub mod json;
pub mod known;
pub mod message;
pub mod money;
pub mod obeyed;
pub mod patience;
pub mod picture;
pub mod port;
pub mod profile;
pub mod programs;
pub mod provider;
pub mod recorder;
pub mod registry;
pub mod schema;
pub mod session;
pub mod setting;
pub mod signal;
pub mod spec;
pub mod text;
pub mod todo;
pub mod workflow;

/// A boxed future that can be sent to another thread: what ports return.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
