//! Starts agents for one session: a child is a session like any other, narrowed.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Inner, Live, bring_up::Parent, ending::AtWork, folded};
use crate::{
    agent,
    executor::Workspace,
    kernel::{
        BoxFuture,
        error::{CallError, ErrorCode},
        event::{Event, Outcome},
        id::{CallId, SessionId},
        port::{ChildRequest, Crowded, Factory, Started, StoreError},
        profile::Profile,
        schema,
        spec::{Ground, SessionSpec},
        workflow::Workflow,
    },
};

/// The factory of one session. It does not keep the host alive.
pub(super) struct Nursery {
    host: Weak<Inner>,
    parent: SessionId,
    at_once: u32,
    /// One for each agent that may be at work.
    places: Arc<Semaphore>,
    /// Two agents that are started at the same time get different names.
    naming: Mutex<()>,
}

impl Nursery {
    pub(super) fn new(host: &Arc<Inner>, parent: &SessionSpec) -> Self {
        let at_once = parent.limits.agents_at_once;
        // More than a semaphore has is no limit.
        let places = usize::try_from(at_once).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self {
            host: Arc::downgrade(host),
            parent: parent.id,
            at_once,
            places: Arc::new(Semaphore::new(places)),
            naming: Mutex::default(),
        }
    }

    async fn place(&self, crowded: Crowded) -> Result<OwnedSemaphorePermit, CallError> {
        let places = self.places.clone();
        match crowded {
            Crowded::Wait if self.at_once > 0 => places.acquire_owned().await.map_err(|_| gone()),
            Crowded::Wait | Crowded::Refuse => places.try_acquire_owned().map_err(|_| {
                let message = format!(
                    "As many agents of this session are at work as may be at once: {}. Wait for one \
                     of them, or cancel one.",
                    self.at_once
                );
                CallError::new(ErrorCode::BudgetSpent, message)
            }),
        }
    }
}

impl Factory for Nursery {
    fn ground(&self, request: &ChildRequest) -> Result<Option<PathBuf>, CallError> {
        let host = self.host.upgrade().ok_or_else(gone)?;
        let parent = host.get(self.parent).ok_or_else(gone)?;
        host.ground(&parent, request)
    }

    fn start_child(&self, request: ChildRequest) -> BoxFuture<'_, Result<Started, CallError>> {
        Box::pin(async move {
            let place = self.place(request.crowded).await?;
            let host = self.host.upgrade().ok_or_else(gone)?;
            let parent = host.get(self.parent).ok_or_else(gone)?;
            let _one_at_a_time = self.naming.lock().unwrap_or_else(PoisonError::into_inner);
            host.start_child(&parent, request, place)
        })
    }

    fn earlier(&self, run: &str) -> Result<Workflow, CallError> {
        let host = self.host.upgrade().ok_or_else(gone)?;
        let me = host.get(self.parent).ok_or_else(gone)?;
        host.earlier(&me.context.spec, run)
    }
}

fn gone() -> CallError {
    CallError::new(ErrorCode::Interrupted, "The program is ending.")
}

fn only(capability: &str, agents: &[String]) -> CallError {
    let fault = match agents {
        [] => "this session may start no agents; do the work here".to_owned(),
        agents => format!("this session may start these alone: {}", agents.join(", ")),
    };
    schema::invalid(&format!("{capability}.agent"), &fault).with("available", agents.to_vec())
}

impl Inner {
    /// The script of a run that can be carried on. Nothing that a file brought in or another folder
    /// has is believed, and no run is carried on twice: what it had not done would be done twice.
    fn earlier(&self, me: &SessionSpec, name: &str) -> Result<Workflow, CallError> {
        let refused = |why: &str| CallError::failed(format!("Not carried on: {why}."));
        let id = self.tree.find(me.id, name).or_else(|| name.parse().ok());
        let id = id.ok_or_else(|| refused(&format!("there is no run {name:?}")))?;
        if self.get(id).is_some() {
            return Err(refused("that run is still at work; wait for it"));
        }
        let store = &self.parts.store;
        let unread = |error: StoreError| refused(&error.to_string());
        let (mut first, mut ended, mut copied) = (None, None, false);
        for envelope in store.events(id).map_err(unread)? {
            let envelope = envelope.map_err(unread)?;
            copied |= matches!(envelope.event, Event::SessionForked { .. });
            if let Event::SessionFinished { outcome } = &envelope.event {
                ended = Some(outcome.clone());
            } else if let Event::SessionResumed { .. } = envelope.event {
                ended = None;
            }
            first.get_or_insert(envelope);
        }
        let spec = first.as_deref().and_then(|first| {
            let Event::SessionStarted { spec } = &first.event else { return None };
            Some((spec, spec.workflow.as_deref()?.clone()))
        });
        let Some((spec, workflow)) = spec.filter(|_| !copied) else {
            return Err(refused("that session is no run of a workflow"));
        };
        if spec.workspace != me.workspace {
            let folder = spec.workspace.display();
            return Err(refused(&format!("that run worked in another folder, {folder}")));
        }
        match ended {
            Some(Outcome::Done) => {
                return Err(refused("that run came to its end; run the workflow anew"));
            }
            Some(Outcome::Stopped | Outcome::Failed { .. } | Outcome::Limit { .. }) => {}
            // Another process may be at it, which is told by its lock.
            None => drop(store.open(id, &mut |_| {}).map_err(unread)?),
        }
        let carries_on = |spec: &SessionSpec| spec.workflow.as_ref()?.resumes;
        let all = store.list().map_err(unread)?;
        if let Some(later) = all.iter().find(|other| carries_on(&other.spec) == Some(id)) {
            let later = later.spec.id;
            return Err(refused(&format!("the run {later} did that already; carry that one on")));
        }
        Ok(Workflow { resumes: Some(id), ..workflow })
    }

    /// The profile by which a session wants to start an agent.
    fn profile(
        &self,
        above: &SessionSpec,
        capability: &str,
        name: &str,
    ) -> Result<Profile, CallError> {
        if let Some(agents) =
            above.agents.as_ref().filter(|agents| !agents.iter().any(|it| it == name))
        {
            return Err(only(capability, agents));
        }
        let found = self.parts.profiles.find(&above.workspace, name);
        found.map_err(|fault| schema::invalid(&format!("{capability}.agent"), &fault))
    }

    /// The profile of a child, where it may be started at all.
    fn kind(&self, parent: &Live, request: &ChildRequest) -> Result<Option<Profile>, CallError> {
        let above = &parent.context;
        if self.tree.is_stopped(above.spec.id) {
            let message = "This agent was stopped; it starts no others.";
            return Err(CallError::new(ErrorCode::Interrupted, message));
        }
        let profile = match request.profile.as_deref() {
            Some(name) => Some(self.profile(&above.spec, request.capability, name)?),
            None => None,
        };
        if let (Some(agents), None) = (&above.spec.agents, &profile) {
            return Err(only(request.capability, agents));
        }
        Ok(profile)
    }

    /// The place for the worktree of a child, if it wants one.
    fn ground(&self, parent: &Live, request: &ChildRequest) -> Result<Option<PathBuf>, CallError> {
        let profile = self.kind(parent, request)?;
        if agent::ground(request, profile.as_ref())? == Ground::Shared {
            return Ok(None);
        }
        let (spec, mode) = (&parent.context.spec, *parent.mode.borrow());
        // Its faults are told before anybody is asked.
        agent::child_spec(spec, mode, request, profile.as_ref(), |_| false)?;
        let folder = self.parts.worktrees.as_ref().ok_or_else(|| {
            CallError::failed("No worktree can be made here. Start the agent without one.")
        })?;
        let name = spec.workspace.file_name().unwrap_or_default().to_string_lossy();
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let name: String = name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
        let name = name.trim_start_matches('-');
        let name = if name.is_empty() { "worktree" } else { name };
        Ok(Some(folder.join(CallId::fresh().to_string()).join(name)))
    }

    /// Where a child works. A worktree is taken only where this program makes them.
    fn place(&self, above: &SessionSpec, spec: &SessionSpec) -> Result<PathBuf, CallError> {
        let unusable = |error: std::io::Error| {
            CallError::failed(format!("The workspace cannot be opened any more: {error}."))
        };
        let Some(_) = &spec.worktree else {
            let workspace = Workspace::new(&above.workspace).map_err(unusable)?;
            return workspace.viewed(spec.view).folder(&spec.workspace);
        };
        let ours = self.parts.worktrees.as_ref().and_then(|folder| folder.canonicalize().ok());
        let real = spec.workspace.canonicalize().map_err(unusable)?;
        let home = real.parent().and_then(Path::parent);
        if real != spec.workspace || home.is_none() || home != ours.as_deref() {
            return Err(CallError::failed("That is no worktree that was made for an agent."));
        }
        Ok(real)
    }

    fn start_child(
        self: &Arc<Self>,
        parent: &Live,
        request: ChildRequest,
        place: OwnedSemaphorePermit,
    ) -> Result<Started, CallError> {
        let above = &parent.context;
        let mode = *parent.mode.borrow();
        let siblings = folded(&parent.session, |session| session.children.clone());
        let profile = self.kind(parent, &request)?;
        let ground = agent::ground(&request, profile.as_ref())?;
        if (ground == Ground::Worktree) != request.tree.is_some() {
            let fault = "The profile of this agent has just changed. Start it again.";
            return Err(CallError::failed(fault));
        }
        let mut spec = agent::child_spec(&above.spec, mode, &request, profile.as_ref(), |name| {
            siblings.iter().any(|taken| taken == name)
        })?;
        spec.workspace = self.place(&above.spec, &spec)?;
        let law = above.gate.law();
        let law = match &spec.worktree {
            Some(worktree) => law.in_worktree(&spec.workspace, &worktree.of),
            None => law.clone(),
        };
        let inherited = Parent {
            rights: Some(above.gate.rights().clone()),
            waiting: above.gate.waiting().cloned(),
            law: Some(law),
            allowance: parent.agent.allowance.clone(),
        };
        let started = Started { session: spec.id, name: spec.agent().to_owned() };
        let failed = |error: &dyn std::error::Error| CallError::failed(error.to_string());
        let event = Event::ChildStarted {
            call: request.call,
            child: started.session,
            agent: started.name.clone(),
            task: request.task.clone(),
        };
        above.recorder.append(event).map_err(|error| failed(&error))?;
        let live = self.begin(spec, inherited).map_err(|error| failed(&error))?;
        let at_work = AtWork::new(self, &live, place);
        live.handle.send(request.task).map_err(|error| failed(&error))?;
        if self.tree.is_stopped(started.session) {
            // The branch that it is on was stopped meanwhile.
            live.dismiss();
        }
        self.tasks.spawn(at_work.watch());
        Ok(started)
    }
}
