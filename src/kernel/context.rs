//! What the capabilities of a session may use. What is not there cannot be misused.

use std::{fmt, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{
    clock::Budget,
    gate::Gate,
    id::CallId,
    known::Known,
    port::{Coordinator, Env, Executor, Factory, Kept, Pictures, Spool, StoreError},
    programs::Running,
    recorder::Recorder,
    registry::Mounts,
    spec::SessionSpec,
    todo::Todo,
};

/// Makes the spool for the output of one call of the session: [`super::port::Store::spool`] without
/// the rest of the store.
pub type Spools = Arc<dyn Fn(CallId) -> Result<Arc<dyn Spool>, StoreError> + Send + Sync>;

/// Keeps the bytes that one call of the session is about to replace: [`super::port::Store::keep`]
/// without the rest of the store.
pub type Keep = Arc<dyn Fn(CallId, &[u8]) -> Result<Kept, StoreError> + Send + Sync>;

/// Where a session keeps what is more than an event.
#[derive(Clone, Default)]
pub struct Keeps {
    /// What a call replaces, so that it can be undone.
    pub replaced: Option<Keep>,
    /// Pictures.
    pub pictures: Option<Arc<dyn Pictures>>,
}

/// What a session keeps in mind.
#[derive(Clone, Default)]
pub struct Notes {
    /// What it means to do.
    pub todo: Todo,
    /// What is remembered of the project from one session to the next: a folder of its own, where
    /// there is one. It need not be there yet.
    pub memory: Option<Arc<dyn Env>>,
    /// How files were when it saw them.
    pub known: Known,
}

/// What a session's capabilities may use. Clones share everything.
#[derive(Clone)]
pub struct Context {
    /// Who the session is.
    pub spec: Arc<SessionSpec>,
    /// The one road into the journal.
    pub recorder: Recorder,
    /// Who decides.
    pub gate: Gate,
    /// The workspace as this session sees it.
    pub env: Arc<dyn Env>,
    /// Where the output of a call is kept, where programs may run.
    pub spools: Option<Spools>,
    /// Where bytes are kept that are no output.
    pub keep: Keeps,
    /// What runs now: clocks, and what goes on beside the calls.
    pub running: Running,
    /// What runs programs, where the session may.
    pub executor: Option<Arc<dyn Executor>>,
    /// What starts agents, where the session may.
    pub factory: Option<Arc<dyn Factory>>,
    /// What carries signals to other agents, where there is more than this session.
    pub coordinator: Option<Arc<dyn Coordinator>>,
    /// What it keeps in mind.
    pub notes: Notes,
    /// What the session's Python may import.
    pub mounts: Arc<Mounts>,
    /// Cancelled when somebody stops what the session is doing.
    pub cancel: CancellationToken,
    /// The call this context belongs to, once there is one.
    pub call: Option<CallId>,
    /// The sandbox clocks that stand still while this call asks: its execution's and those above.
    pub clocks: Vec<Budget>,
}

impl Context {
    /// A context with nothing optional in it, and a gate that blocks all but reads: what a session
    /// starts from before it is given more.
    pub fn bare(
        spec: Arc<SessionSpec>,
        recorder: Recorder,
        env: Arc<dyn Env>,
        mounts: Arc<Mounts>,
    ) -> Self {
        Self {
            spec,
            recorder,
            gate: Gate::shut(),
            env,
            spools: None,
            keep: Keeps::default(),
            running: Running::default(),
            executor: None,
            factory: None,
            coordinator: None,
            notes: Notes::default(),
            mounts,
            cancel: CancellationToken::new(),
            call: None,
            clocks: Vec::new(),
        }
    }

    /// The context of one call made in this one.
    #[must_use]
    pub fn of_call(&self, call: CallId) -> Self {
        Self { call: Some(call), ..self.clone() }
    }

    /// The context of what runs on that clock.
    #[must_use]
    pub fn on_clock(&self, clock: Budget) -> Self {
        let mut inner = self.clone();
        inner.clocks.push(clock);
        inner
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("session", &self.spec.id)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}
