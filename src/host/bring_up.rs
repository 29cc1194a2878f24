//! From a description and a journal to a session that runs: the context is built, names become
//! tools, and the loop starts.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use tokio::sync::watch;

use super::{
    HostError, Inner, Live, album::Album, coordinator::Post, ending::Door, folded, memory,
    nursery::Nursery, recorder,
};
use crate::{
    agent,
    executor::Workspace,
    kernel::{
        allowance::{Allowance, Ceiling},
        capability::Reach,
        context::{Context, Keeps, Notes},
        gate::{
            Gate, Rights,
            approval::Waiting,
            law::Law,
            monitor::{Lookout, Said},
        },
        known::Known,
        message::Usage,
        money::Price,
        port::{Coordinator, Env as _, Factory, Journal, Model, Pictures},
        programs::Running,
        session::Session,
        spec::{Mode, SessionSpec},
        text,
        todo::Todo,
        workflow::Record,
    },
    model::{NONE, workflow::Playing},
};

/// What a session inherits: rights that narrow its own, and where it asks. It outlives the call that
/// started it, so it has no part in that one's clock.
pub(super) struct Parent {
    pub(super) rights: Option<Rights>,
    pub(super) waiting: Option<Arc<Waiting>>,
    /// What rules and grants bind it; those of the files where it is a root session.
    pub(super) law: Option<Law>,
    /// What it uses counts here, and above.
    pub(super) allowance: Allowance,
}

impl Parent {
    /// A root session asks where the host asks.
    pub(super) fn nobody(waiting: Option<Arc<Waiting>>, ceiling: Ceiling, used: Usage) -> Self {
        let allowance = Allowance::new(ceiling, used);
        Self { rights: None, waiting, law: None, allowance }
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
        let env = workspace(&spec.workspace)?;
        let law = match &parent.law {
            Some(law) => law.clone(),
            None => {
                // One that was an agent's, and goes on by itself, is bound by the same project.
                let of = spec.worktree.as_ref().map_or(&spec.workspace, |worktree| &worktree.of);
                self.laws.enter(of);
                let law = Law::new(self.laws.rules.clone(), of);
                if spec.worktree.is_some() { law.in_worktree(&spec.workspace, of) } else { law }
            }
        };
        // What is denied outright is not offered at all.
        let offered = |name: &str| law.denied_outright(name, &spec.path).is_none();
        let secrets = self.parts.executor.secrets(env.root());
        let env = env.hiding(secrets).viewed(spec.view);
        let place = env.clone();
        let project = Arc::new(agent::Project::new(move || project(&place)));
        let model: Arc<dyn Model> = match spec.workflow.as_deref() {
            Some(workflow) => Arc::new(Playing::new(workflow, spec.limits.execution_ms)),
            None => self.parts.models.resolve(&spec.model)?,
        };
        let price = self.price(&spec, &parent)?;
        let allowance = parent.allowance.below(spec.limits.ceiling);
        let registry = &self.parts.registry;
        let skipped = |name: &str| tracing::warn!(name, "unknown name in a session's description");
        let (mode, modes) = watch::channel(session.mode);
        let todo = Todo::of(session.todo.clone());
        let memory = self.parts.memory.as_deref();
        let memory = memory.and_then(|folder| memory::of(folder, law.base()));
        let session = Arc::new(Mutex::new(session));
        let heard = session.clone();
        let said: Said = Arc::new(move || folded(&heard, Session::said));
        let lookout = self.parts.monitor.clone().map(|lookout| {
            let price = self.parts.models.price(lookout.model());
            lookout.hearing(said).within(allowance.clone(), price)
        });
        let (store, keeper) = (self.parts.store.clone(), self.parts.store.clone());
        let id = spec.id;
        let album: Arc<dyn Pictures> =
            Arc::new(Album { store: self.parts.store.clone(), session: id });
        let context = Context {
            gate: Gate::new(parent.rights(modes), parent.waiting)
                .with_runs(self.parts.runs)
                .with_law(law.clone())
                .with_lookout(lookout),
            spools: Some(Arc::new(move |call| store.spool(id, call))),
            keep: Keeps {
                replaced: Some(Arc::new(move |call, bytes| keeper.keep(id, call, bytes))),
                pictures: Some(album.clone()),
            },
            running: Running {
                clocks: self.board.clone(),
                programs: Some(self.programs(id)),
                record: self.record(&spec)?,
            },
            executor: Some(self.parts.executor.clone()),
            factory: (spec.limits.depth > 0)
                .then(|| Arc::new(Nursery::new(self, &spec)) as Arc<dyn Factory>),
            coordinator: Some(Arc::new(Post::new(self, id)) as Arc<dyn Coordinator>),
            notes: Notes { todo, memory, known: Known::default() },
            ..Context::bare(
                spec.clone(),
                recorder(journal, &session, &self.hub),
                Arc::new(env),
                Arc::new(registry.mount(&spec.modules, skipped).only(offered)),
            )
        };
        let names: Vec<String> = spec.tools.iter().filter(|name| offered(name)).cloned().collect();
        let tools = registry.build(&names, context.clone(), skipped);
        let agent = agent::Live {
            tools,
            mounts: context.mounts.clone(),
            recorder: context.recorder.clone(),
            model,
            price,
            allowance,
            session: session.clone(),
            gallery: agent::Gallery::new(album),
            project,
        };
        let handle = Arc::new(agent::spawn(agent.clone()));
        let (hand, door) = (Arc::default(), Door::default());
        Ok(Live { handle, context, mode, session, agent, hand, door })
    }

    /// What a session's description names and this program does not have, in words for the person.
    pub(super) fn less(&self, spec: &SessionSpec) -> Option<String> {
        let registry = &self.parts.registry;
        let modules = registry.module_names();
        let tools = spec.tools.iter().filter(|name| registry.find(name).is_none());
        let modules = spec.modules.iter().filter(|name| !modules.contains(&name.as_str()));
        let names: Vec<_> = tools.chain(modules).map(|name| text::shown(name)).collect();
        (!names.is_empty()).then(|| {
            format!("It goes on without what this footplate does not have: {}.", names.join(", "))
        })
    }

    /// What the run that a workflow carries on has done.
    fn record(&self, spec: &SessionSpec) -> Result<Option<Arc<Record>>, HostError> {
        let carries_on = |spec: &SessionSpec| spec.workflow.as_ref()?.resumes;
        // The latest first.
        let mut runs = Vec::new();
        let mut next = carries_on(spec);
        while let Some(run) = next.filter(|run| runs.iter().all(|(known, _)| known != run)) {
            let events = self.parts.store.read(run)?.events;
            next = Session::replay(&events).and_then(|session| carries_on(&session.spec));
            runs.push((run, events));
        }
        let record = runs.into_iter().rev().fold(None, |record: Option<Record>, (run, events)| {
            Some(match record {
                Some(record) => record.then(run, &events),
                None => Record::of(run, &events),
            })
        });
        Ok(record.map(Arc::new))
    }

    /// What its model takes. Money cannot be limited where that is not known, of it or of the monitor.
    pub(super) fn price(
        &self,
        spec: &SessionSpec,
        parent: &Parent,
    ) -> Result<Option<Price>, HostError> {
        let price = |model: &str| self.parts.models.price(model);
        let limited = spec.limits.ceiling.cost.is_some() || parent.allowance.limits_money();
        // Who judges its calls is asked on the same account.
        let judge = self.parts.monitor.as_ref().map(Lookout::model);
        // No model takes nothing.
        let answers = Some(&*spec.model).filter(|model| *model != NONE);
        let asked = [answers, judge].into_iter().flatten();
        if let Some(unknown) = asked.filter(|_| limited).find(|model| price(model).is_none()) {
            return Err(HostError::Unpriced { model: unknown.to_owned() });
        }
        Ok(price(&spec.model))
    }
}

/// The workspace at exactly this place. What was recorded is a real path: if a link stands there
/// now, the session would go on in another project.
pub(super) fn workspace(folder: &Path) -> Result<Workspace, HostError> {
    let unusable = |fault: String| HostError::Workspace { folder: folder.to_owned(), fault };
    let workspace = Workspace::new(folder).map_err(|error| unusable(error.to_string()))?;
    if workspace.root() == folder {
        return Ok(workspace);
    }
    let real = workspace.root().display();
    Err(unusable(format!("a link stands in its place now and leads to {real}")))
}

/// What the project says to agents. A file that is no text, too long or not the project's own is
/// not obeyed: a link to somebody's secrets would hand them to the model.
fn project(workspace: &Workspace) -> Option<String> {
    const LONGEST: u64 = 64 << 10;
    let place = workspace.resolve_path("AGENTS.md").ok()?;
    let file = place.real.symlink_metadata().ok()?;
    let obeyed = place.reach == Reach::Workspace && file.is_file() && file.len() <= LONGEST;
    obeyed.then(|| std::fs::read_to_string(place.real).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_took_the_place_of_a_workspace_is_not_followed() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (there, elsewhere) = (top.join("there"), top.join("elsewhere"));
        std::fs::create_dir(&there).unwrap();
        std::fs::create_dir(&elsewhere).unwrap();
        assert_eq!(workspace(&there).unwrap().root(), there);
        std::fs::remove_dir(&there).unwrap();
        symlink(&elsewhere, &there).unwrap();
        let error = workspace(&there).unwrap_err().to_string();
        assert!(error.contains(&format!("leads to {}", elsewhere.display())), "{error}");
    }

    #[test]
    fn what_the_project_says_is_never_read_from_outside_of_it() {
        let top = tempfile::tempdir().unwrap();
        std::fs::create_dir(top.path().join("work")).unwrap();
        let env = Workspace::new(&top.path().join("work")).unwrap();
        let agents = env.root().join("AGENTS.md");
        std::fs::write(top.path().join("secret"), "a key").unwrap();
        std::fs::write(env.root().join("CLAUDE.md"), "be kind").unwrap();
        let cases =
            [("../secret", None), ("gone", None), (".", None), ("CLAUDE.md", Some("be kind"))];
        for (target, said) in cases {
            symlink(target, &agents).unwrap();
            assert_eq!(project(&env).as_deref(), said, "{target}");
            std::fs::remove_file(&agents).unwrap();
        }
        std::fs::write(&agents, "plain").unwrap();
        assert_eq!(project(&env).as_deref(), Some("plain"));
    }
}
