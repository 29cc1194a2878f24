//! Whole trees of agents: a real host, gate and journals, models that play a script, no programs.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at the few events it is about")]

mod budget;
mod ends;
mod hand;
mod late;
mod many;
mod profiles;
mod resume;
mod view;
mod words;
mod workflows;

use std::{path::PathBuf, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Attendance, Host, Parts};
use crate::{
    kernel::{
        BoxFuture,
        capability::{Capability, Category},
        command::Command,
        error::CallError,
        event::{Envelope, Event, Outcome},
        gate::{
            approval::{Answer, Question, Scope, Then},
            policy::Runs,
        },
        id::SessionId,
        invoke::ToolResult,
        message::Message,
        port::{Desk as _, Ended, Executor, Job, NoBook, NoProfiles, Store, Watch},
        registry::Mounts,
        session::Session,
        signal::{Extent, Signal},
        spec::{Mode, SessionSpec},
    },
    model::{Models, scripted::Pace},
    store::MemoryStore,
};

const TOOLS: [&str; 7] = [
    "agents.run",
    "agents.start",
    "agents.wait",
    "agents.send",
    "agents.cancel",
    "files.write",
    "boom",
];

struct NoPrograms;

impl Executor for NoPrograms {
    fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
        Err(CallError::failed("nothing runs here"))
    }

    fn run(&self, _: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        Box::pin(async { Err(CallError::failed("nothing runs here")) })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// A host with a store, a workspace and a script.
struct Rig {
    host: Host,
    store: Arc<dyn Store>,
    folder: TempDir,
    events: Watch,
    /// All that happened so far.
    seen: Vec<Arc<Envelope>>,
}

impl Rig {
    /// Of a script with the turns of the root session and those of each agent.
    fn new(turns: Value, agents: Value) -> Self {
        Self::with(Arc::new(MemoryStore::new()), turns, agents)
    }

    fn with(store: Arc<dyn Store>, turns: Value, agents: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("ws")).unwrap();
        let agents: serde_json::Map<_, _> = agents
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, turns)| (name.clone(), json!({ "turns": turns })))
            .collect();
        let script = json!({ "turns": turns, "agents": agents });
        std::fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
        let host = host(store.clone());
        let events = host.subscribe();
        Self { host, store, folder, events, seen: Vec::new() }
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("ws")
    }

    fn spec(&self, mode: Mode) -> SessionSpec {
        SessionSpec {
            workspace: self.workspace(),
            model: format!("scripted:{}", self.folder.path().join("script.json").display()),
            mode,
            tools: TOOLS.map(str::to_owned).to_vec(),
            ..SessionSpec::sample(SessionId::fresh())
        }
    }

    /// Starts the root session and says something to it.
    fn go(&self, mode: Mode) -> SessionId {
        self.go_with(self.spec(mode))
    }

    fn go_with(&self, spec: SessionSpec) -> SessionId {
        let root = self.host.start(spec).unwrap();
        self.host.send(root, "go".to_owned());
        root
    }

    /// Waits until something has happened, be it long ago, and gives it.
    async fn until<T>(&mut self, mut is: impl FnMut(&Envelope) -> Option<T>) -> T {
        let mut at = 0;
        loop {
            while let Some(envelope) = self.seen.get(at) {
                if let Some(found) = is(envelope) {
                    return found;
                }
                at += 1;
            }
            self.seen.push(self.events.recv().await.unwrap());
        }
    }

    /// Waits for the session of an agent.
    async fn agent(&mut self, name: &str) -> SessionId {
        self.until(|envelope| match &envelope.event {
            Event::SessionStarted { spec } if spec.agent() == name => Some(spec.id),
            _ => None,
        })
        .await
    }

    /// Waits for the first question of an agent.
    async fn question(&mut self, name: &str) -> Question {
        self.until(|envelope| match &envelope.event {
            Event::ApprovalRequested { question } if question.path.last().unwrap() == name => {
                Some(question.clone())
            }
            _ => None,
        })
        .await
    }

    /// Waits until a session rests.
    async fn rests(&mut self, session: SessionId) -> Outcome {
        self.has_rested(session, 1).await
    }

    /// Waits until a session has rested that many times.
    async fn has_rested(&mut self, session: SessionId, times: usize) -> Outcome {
        let mut rests = 0;
        self.until(|envelope| match &envelope.event {
            Event::ExchangeFinished { outcome } if envelope.session == session => {
                rests += 1;
                (rests == times).then(|| outcome.clone())
            }
            _ => None,
        })
        .await
    }

    fn answer(&self, question: &Question, answer: Answer) {
        self.host.send_command(Command::Answer { approval: question.id, answer });
    }

    fn allow(&self, question: &Question) {
        self.answer(question, Answer::Allow { scope: Scope::Once });
    }

    async fn call(&self, session: SessionId, name: &str, input: Value) -> ToolResult {
        self.host.call(session, name, input.to_string()).await.unwrap()
    }

    fn journal(&self, session: SessionId) -> Vec<Event> {
        let events = self.store.read(session).unwrap().events;
        events.into_iter().map(|envelope| envelope.event.clone()).collect()
    }

    /// What agents said, as the model of a session reads it: the last line of each.
    fn told(&self, session: SessionId) -> Vec<String> {
        let session = Session::replay(&self.store.read(session).unwrap().events).unwrap();
        let last = |text: String| text.lines().last().unwrap_or_default().to_owned();
        let told = session.messages().into_iter().filter_map(|message| match message {
            Message::Agent(text) => Some(last(text)),
            _ => None,
        });
        told.collect()
    }

    /// The result of the last call of that name in a session.
    fn result(&self, session: SessionId, called: &str) -> ToolResult {
        let mut results = self.journal(session).into_iter().filter_map(|event| match event {
            Event::CallFinished { result, .. } if result.name == called => Some(result),
            _ => None,
        });
        results.next_back().unwrap()
    }
}

impl Host {
    fn send_command(&self, command: Command) {
        crate::kernel::port::Desk::send(self, command).unwrap();
    }
}

fn host(store: Arc<dyn Store>) -> Host {
    host_of(store, |_| {})
}

fn host_with(store: Arc<dyn Store>, models: Models) -> Host {
    host_of(store, |parts| parts.models = models)
}

fn host_of(store: Arc<dyn Store>, change: impl FnOnce(&mut Parts)) -> Host {
    let mut registry = crate::modules::registry();
    let boom = Capability::define::<Nothing>("boom", "Panics.", Category::Read)
        .handler(async |_, _, _| panic!("a fault of ours, for a test"));
    registry.register(boom).unwrap();
    let mut parts = Parts {
        store,
        registry,
        models: Models::new(Vec::new(), |_| None, Pace::Instant),
        executor: Arc::new(NoPrograms),
        attendance: Attendance::Attended,
        runs: Runs::default(),
        monitor: None,
        memory: None,
        worktrees: None,
        rules: Arc::default(),
        book: Arc::new(NoBook),
        profiles: Arc::new(NoProfiles),
    };
    change(&mut parts);
    Host::new(parts)
}

/// A turn of a script that makes calls.
fn calls(calls: Value) -> Value {
    let calls = calls.as_array().unwrap().iter();
    let calls: Vec<_> =
        calls.map(|call| json!({ "name": call[0], "arguments": call[1] })).collect();
    json!({ "calls": calls })
}

/// A turn that says something and no more.
fn says(text: &str) -> Value {
    json!({ "text": text })
}

fn start(name: &str) -> Value {
    json!(["agents.start", { "task": "do it", "name": name }])
}

fn write(path: &str) -> Value {
    json!(["files.write", { "path": path, "text": "x\n" }])
}

fn no(because: &str) -> Answer {
    Answer::Deny { because: Some(because.to_owned()), then: Then::GoOn }
}

fn count(events: &[Event], is: impl Fn(&Event) -> bool) -> usize {
    events.iter().filter(|event| is(event)).count()
}

fn is_stop(event: &Event) -> bool {
    matches!(event, Event::SignalReceived { what: Signal::Stop, .. })
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::SignalReceived { what: Signal::Ended { .. }, .. })
}

fn is_said(event: &Event) -> bool {
    matches!(event, Event::MessageSent { .. })
}

/// Stops a branch as a person does it.
fn stop(session: SessionId, extent: Extent) -> Command {
    Command::Cancel { session, extent }
}
