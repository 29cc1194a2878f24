//! From a description and a journal to a session that runs: the context is built, names become
//! tools, and the loop starts.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use tokio::sync::watch;

use super::{HostError, Inner, Live, nursery::Nursery, recorder};
use crate::{
    agent,
    executor::Workspace,
    kernel::{
        clock::Budget,
        context::Context,
        gate::{Gate, Rights, approval::Waiting},
        port::Journal,
        session::Session,
        spec::Mode,
    },
};

/// What a session inherits: rights that narrow its own, where it asks, which clocks stand still.
pub(super) struct Parent {
    pub(super) rights: Option<Rights>,
    pub(super) waiting: Option<Arc<Waiting>>,
    pub(super) clocks: Vec<Budget>,
}

impl Parent {
    /// A root session asks where the host asks.
    pub(super) fn nobody(waiting: Option<Arc<Waiting>>) -> Self {
        Self { rights: None, waiting, clocks: Vec::new() }
    }

    fn rights(&self, mode: watch::Receiver<Mode>) -> Rights {
        match &self.rights {
            Some(rights) => rights.narrowed(mode),
            None => Rights::of(mode),
        }
    }
}

impl Inner {
    /// Builds what the session's names stand for and starts its loop, idle.
    pub(super) fn bring_up(
        self: &Arc<Self>,
        session: Session,
        journal: Arc<dyn Journal>,
        parent: Parent,
    ) -> Result<Live, HostError> {
        let spec = Arc::new(session.spec.clone());
        let env = Workspace::new(&spec.workspace).map_err(|fault| HostError::Workspace {
            folder: spec.workspace.clone(),
            fault: fault.to_string(),
        })?;
        let model = self.parts.models.resolve(&spec.model)?;
        let registry = &self.parts.registry;
        let skipped = |name: &str| tracing::warn!(name, "unknown name in a session's description");
        let (mode, modes) = watch::channel(session.mode);
        let session = Arc::new(Mutex::new(session));
        let store = self.parts.store.clone();
        let id = spec.id;
        let context = Context {
            gate: Gate::new(parent.rights(modes), parent.waiting),
            spools: Some(Arc::new(move |call| store.spool(id, call))),
            board: self.board.clone(),
            executor: Some(self.parts.executor.clone()),
            factory: (spec.limits.depth > 0)
                .then(|| Arc::new(Nursery::new(self, id)) as Arc<dyn crate::kernel::port::Factory>),
            clocks: parent.clocks,
            ..Context::bare(
                spec.clone(),
                recorder(journal, &session, &self.hub),
                Arc::new(env),
                Arc::new(registry.mount(&spec.modules, skipped)),
            )
        };
        let tools = registry.build(&spec.tools, context.clone(), skipped);
        let agent = agent::Live {
            tools,
            mounts: context.mounts.clone(),
            recorder: context.recorder.clone(),
            model,
            session: session.clone(),
            project: project(&spec.workspace),
        };
        let handle = Arc::new(agent::spawn(agent.clone()));
        Ok(Live { handle, context, mode, session, agent })
    }
}

/// What the project says to agents. A file that is no text or too long is not obeyed.
fn project(workspace: &Path) -> Option<String> {
    const LONGEST: u64 = 64 << 10;
    let path = workspace.join("AGENTS.md");
    let small = path.metadata().ok().filter(|file| file.is_file() && file.len() <= LONGEST);
    small.and_then(|_| std::fs::read_to_string(path).ok())
}
