//! What makes a model an agent: the loop of turns, what it is told, and who may start another.
//! Everything it does goes through the kernel's tools; everything it says is recorded first.

mod compact;
mod context;
mod gallery;
mod handle;
mod measure;
mod project;
mod spend;
mod subagent;
mod turn;

pub use context::{Part, Report, report};
pub use gallery::Gallery;
pub use handle::{Ended, Handle, spawn};
pub use project::Project;
pub use subagent::{child_spec, ground, plain};
use turn::Cause;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::kernel::{
    allowance::Allowance,
    money::Price,
    port::Model,
    recorder::Recorder,
    registry::{Mounts, Tools},
    session::Session,
};

/// A session that can go on: what it is, what it may do, who answers.
#[derive(Clone)]
pub struct Live {
    /// What its model may call.
    pub tools: Tools,
    /// What its Python may import.
    pub mounts: Arc<Mounts>,
    /// Its journal.
    pub recorder: Recorder,
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// What that model takes, where it is known.
    pub price: Option<Price>,
    /// What it may use, together with others.
    pub allowance: Allowance,
    /// The fold of its journal. Whoever watches the recorder keeps it up to date: an event is in
    /// it before its append returns.
    pub session: Arc<Mutex<Session>>,
    /// The pictures of its conversation.
    pub gallery: Gallery,
    /// What the project says to agents.
    pub project: Arc<Project>,
}

impl Live {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod testing;
