//! The composition root: owns the sessions that run in this process and knows everyone, so that
//! nobody else has to. A screen is handed it as a [`Desk`](crate::kernel::port::Desk).

mod album;
mod beside;
mod bring_up;
mod changes;
mod coordinator;
mod copies;
mod desk;
mod ending;
mod hand;
mod hub;
mod laws;
mod leftover;
mod memory;
mod mend;
mod nursery;
mod orders;
mod rewind;
mod so_far;
mod tree;
mod watches;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{bring_up::Parent, hub::Hub, laws::Laws, mend::Past, tree::Tree, watches::Watches};
pub use self::{
    changes::{Changes, Choice, Here, Undone},
    copies::{agents_of, family, fork, import, name, rename},
    ending::Inside,
    rewind::{NoWayBack, Rewind},
};
use crate::{
    agent::{self, Handle},
    kernel::{
        clock::Board,
        context::Context,
        event::{Origin, Outcome},
        gate::{approval::Waiting, law::Rules, monitor::Lookout, policy::Runs},
        id::{CallId, SessionId},
        invoke::{CallRequest, Input, ToolResult},
        message::{Usage, Words},
        port::{Executor, Opened, Profiles, RuleBook, Store, StoreError, Untrusted},
        recorder::Recorder,
        registry::Registry,
        session::Session,
        spec::{Mode, SessionSpec},
    },
    model::{Models, ResolveError},
};

/// What a host is made of.
pub struct Parts {
    /// Keeps sessions.
    pub store: Arc<dyn Store>,
    /// All that can be done.
    pub registry: Registry,
    /// All that can answer.
    pub models: Models,
    /// Runs programs.
    pub executor: Arc<dyn Executor>,
    /// Whether a person can be asked.
    pub attendance: Attendance,
    /// When code runs unasked.
    pub runs: Runs,
    /// Who judges what would run unasked, in all sessions, if anybody does.
    pub monitor: Option<Lookout>,
    /// The rules of files, for all sessions.
    pub rules: Arc<Rules>,
    /// Where they are kept.
    pub book: Arc<dyn RuleBook>,
    /// The folder below which what is remembered of projects is kept; nothing is if there is none.
    pub memory: Option<PathBuf>,
    /// The folder below which worktrees of agents are made; none can be if there is none.
    pub worktrees: Option<PathBuf>,
    /// Where kinds of agents are described.
    pub profiles: Arc<dyn Profiles>,
}

/// Whether a person can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attendance {
    /// Somebody is at the keys.
    Attended,
    /// Nobody is: what would ask is denied.
    Alone,
}

/// Why a session could not be started or carried on. `Display` is what is wrong.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Its journal.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its model.
    #[error(transparent)]
    Model(#[from] ResolveError),
    /// Its folder.
    #[error("cannot work in {folder}: {fault}")]
    Workspace {
        /// Which folder.
        folder: PathBuf,
        /// What the system said.
        fault: String,
    },
    /// Its money is limited, and what its model costs is not known.
    #[error(
        "money is limited, and the price of {model} is not set\nset input_per_mtok and output_per_mtok in [models.{model:?}] of config.toml, or limit tokens instead"
    )]
    Unpriced {
        /// The model.
        model: String,
    },
}

/// The sessions of this process. Clones are the same host.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

struct Inner {
    parts: Parts,
    hub: Arc<Hub>,
    laws: Laws,
    waiting: Option<Arc<Waiting>>,
    board: Board,
    live: Mutex<HashMap<SessionId, Live>>,
    tree: Tree,
    watches: Watches,
    tasks: TaskTracker,
    /// Nobody is read to any more.
    closing: CancellationToken,
}

/// A session that runs here.
#[derive(Clone)]
struct Live {
    handle: Arc<Handle>,
    context: Context,
    mode: watch::Sender<Mode>,
    session: Arc<Mutex<Session>>,
    agent: agent::Live,
    hand: Arc<hand::Hand>,
    door: ending::Door,
}

impl Host {
    /// A host without sessions.
    pub fn new(parts: Parts) -> Self {
        let waiting = match parts.attendance {
            Attendance::Attended => Some(Arc::default()),
            Attendance::Alone => None,
        };
        let laws = Laws::new(parts.rules.clone(), parts.book.clone());
        Self(Arc::new(Inner {
            parts,
            laws,
            hub: Arc::default(),
            waiting,
            board: Board::default(),
            live: Mutex::default(),
            tree: Tree::new(),
            watches: Watches::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        }))
    }

    /// Everything that can be done.
    pub fn registry(&self) -> &Registry {
        &self.0.parts.registry
    }

    /// Everything that can answer.
    pub fn models(&self) -> &Models {
        &self.0.parts.models
    }

    /// The rules of a project that a person is to be asked about before they allow anything. Blocks for
    /// small files.
    pub fn untrusted(&self, project: &std::path::Path) -> Option<Untrusted> {
        self.0.laws.untrusted(project)
    }

    /// The description of a session that runs here, in the mode it is in.
    pub fn spec(&self, session: SessionId) -> Option<SessionSpec> {
        let live = self.0.get(session)?;
        Some(SessionSpec { mode: *live.mode.borrow(), ..(*live.context.spec).clone() })
    }

    /// The sessions that run here and were started by no agent, oldest first.
    pub fn roots(&self) -> Vec<SessionSpec> {
        let live = self.0.live();
        let specs = live.values().map(|live| (*live.context.spec).clone());
        let mut roots: Vec<_> = specs.filter(|spec| spec.parent.is_none()).collect();
        roots.sort_by_key(|spec| spec.id);
        roots
    }

    /// Starts a session, in the real place of its workspace. Nothing is said to it yet.
    pub fn start(&self, mut spec: SessionSpec) -> Result<SessionId, HostError> {
        let id = spec.id;
        spec.workspace = spec.workspace.canonicalize().map_err(|fault| HostError::Workspace {
            folder: spec.workspace.clone(),
            fault: fault.to_string(),
        })?;
        let used = Usage::default();
        let parent = Parent::nobody(self.0.waiting.clone(), spec.limits.ceiling, used);
        self.0.begin(spec, parent)?;
        Ok(id)
    }

    /// Carries a session on: mends what a crash left open, in it and in the agents below it, and
    /// says what was mended.
    pub fn resume(&self, id: SessionId) -> Result<Option<String>, HostError> {
        let mut past = Past::default();
        let opened = self.0.parts.store.open(id, &mut |envelope| past.take(envelope))?;
        self.go_on(id, opened, past)
    }

    /// Carries on a session that was opened, from what its journal held.
    fn go_on(
        &self,
        id: SessionId,
        opened: Opened,
        mut past: Past,
    ) -> Result<Option<String>, HostError> {
        let Some(session) = past.session(&*self.0.parts.store)? else {
            let fault = "it does not begin with the session's description".to_owned();
            return Err(StoreError::Damaged { session: id, fault }.into());
        };
        let agents = std::mem::take(&mut past.agents);
        let mut used = session.usage;
        used += mend::used(&*self.0.parts.store, &agents);
        let parent = Parent::nobody(self.0.waiting.clone(), session.spec.limits.ceiling, used);
        let live = self.0.bring_up(session, opened.journal, parent)?;
        live.context.notes.known.remember(past.seen());
        let lost = self.0.mourn(&live, std::mem::take(&mut past.untold))?;
        let left = self.0.leftover(&past.worktrees)?;
        let less = self.0.less(&live.context.spec);
        let notice: Vec<_> =
            opened.notice.into_iter().chain(lost).chain(left).chain(less).collect();
        let notice = (!notice.is_empty()).then(|| notice.join(" "));
        self.0.mend(&live.context.recorder, &live.session, notice.clone())?;
        self.0.tree.add(live.context.spec.clone(), None);
        self.0.live().insert(id, live.clone());
        tracing::info!(session = %id, notice, "a session goes on");
        let sent = agents.into_iter().flat_map(|agent| self.0.mend_agent(agent)).collect();
        self.0.deliver(&live.context.recorder, (id, &past), sent)?;
        Ok(notice)
    }

    /// Says something to a session. Nothing happens if it does not run here.
    pub fn send(&self, session: SessionId, words: impl Into<Words>) {
        if let Some(live) = self.0.get(session)
            && live.handle.send(words).is_err()
        {
            tracing::warn!(%session, "said to a session that has ended");
        }
    }

    /// Stops what a session's model is doing, and what runs by hand; agents below it go on.
    pub fn interrupt(&self, session: SessionId) {
        if let Some(live) = self.0.get(session) {
            live.handle.interrupt();
            live.hand.stop();
        }
    }

    /// Waits until a session has done what it was told so far, and says how that ended; absent if
    /// it was told nothing, or does not run here.
    pub async fn idle(&self, session: SessionId) -> Option<Outcome> {
        let live = self.0.get(session)?;
        live.handle.idle().await
    }

    /// Waits until a session rests and every agent below it is over, and says how it ended itself;
    /// absent as for [`Host::idle`].
    pub async fn quiet(&self, session: SessionId) -> Option<Outcome> {
        let live = self.0.get(session)?;
        self.0.quiet(&live).await
    }

    /// Makes one call in a session by hand, with those tools on offer.
    pub async fn call(&self, session: SessionId, name: &str, input: String) -> Option<ToolResult> {
        let live = self.0.get(session)?;
        let names = [name.to_owned()];
        let mut tools = self.0.parts.registry.build(&names, live.context.clone(), |_| {});
        if tools.names().is_empty() {
            // So that the error can name what there is.
            let all: Vec<_> =
                self.0.parts.registry.all().iter().map(|known| known.name().to_owned()).collect();
            tools = self.0.parts.registry.build(&all, live.context.clone(), |_| {});
        }
        let request = CallRequest {
            id: CallId::fresh(),
            name: name.to_owned(),
            input: Input::Text(input),
            origin: Origin::Person,
        };
        Some(tools.invoke(request).await)
    }

    /// What the model of a session would be given; absent if it does not run here.
    pub fn report(&self, session: SessionId) -> Option<agent::Report> {
        let live = self.0.get(session)?;
        Some(agent::report(&live.agent))
    }

    /// Ends every session and waits until nothing of them runs any more.
    pub async fn shutdown(&self) {
        self.0.watches.end();
        loop {
            let all: Vec<_> = self.0.live().drain().map(|(_, live)| live).collect();
            if all.is_empty() {
                break;
            }
            for live in &all {
                live.handle.interrupt();
                live.hand.stop();
                live.end_programs();
            }
            for live in all {
                for text in live.handle.shutdown().await {
                    tracing::warn!(bytes = text.len(), "something was said and never begun");
                }
                live.close_programs().await;
            }
            // One of them may just have been starting an agent.
        }
        self.0.closing.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }
}

impl Inner {
    /// Starts a session that is new.
    fn begin(self: &Arc<Self>, spec: SessionSpec, parent: Parent) -> Result<Live, HostError> {
        // Nothing is created for a session that cannot run.
        let id = spec.id;
        self.parts.models.resolve(&spec.model)?;
        self.price(&spec, &parent)?;
        bring_up::workspace(&spec.workspace)?;
        let journal = self.parts.store.create(spec.clone())?;
        let live = self.bring_up(Session::new(spec), journal, parent)?;
        for envelope in self.parts.store.read(id)?.events {
            self.hub.publish(&envelope);
        }
        self.tree.add(live.context.spec.clone(), None);
        self.live().insert(id, live.clone());
        tracing::info!(session = %id, agent = live.context.spec.agent(), "a session began");
        Ok(live)
    }

    fn get(&self, session: SessionId) -> Option<Live> {
        self.live().get(&session).cloned()
    }

    fn live(&self) -> MutexGuard<'_, HashMap<SessionId, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;

/// One value of a session's fold.
fn folded<T>(session: &Mutex<Session>, read: impl FnOnce(&Session) -> T) -> T {
    read(&session.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A recorder that keeps the fold up to date and tells the hub.
fn recorder(
    journal: Arc<dyn crate::kernel::port::Journal>,
    session: &Arc<Mutex<Session>>,
    hub: &Arc<Hub>,
) -> Recorder {
    let (session, hub) = (session.clone(), hub.clone());
    Recorder::new(
        journal,
        Arc::new(move |envelope| {
            let (seq, what) = (envelope.seq, envelope.event.name());
            tracing::debug!(session = %envelope.session, seq, what);
            session
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .apply(envelope.seq, &envelope.event);
            hub.publish(envelope);
        }),
    )
}
