//! A whole session in memory, with a model whose answers the test hands out.

use std::{
    collections::VecDeque,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};

use super::*;
use crate::kernel::{
    BoxFuture,
    capability::{Capability, Category},
    context::Context,
    error::{CallError, ErrorCode},
    event::{Envelope, Event, Stop},
    gate::{Gate, Rights, approval::Waiting},
    message::Usage,
    port::{
        Delta, Env, Journal, Mark, ModelError, ModelRequest, NoPictures, Over, ResolvedPath,
        Standing, StoreError, USUAL_WINDOW,
    },
    registry::{Module, Registry},
    spec::{Limits, SessionSpec},
};

/// A session with its model, its journal and its waiting table.
pub(super) struct Rig {
    pub(super) live: Live,
    pub(super) model: Arc<Puppet>,
    pub(super) journal: Arc<Memory>,
    pub(super) waiting: Arc<Waiting>,
}

pub(super) fn spec() -> SessionSpec {
    SessionSpec {
        path: vec!["session".to_owned()],
        workspace: "/work space".into(),
        model: "puppet/m".to_owned(),
        tools: ["note", "wait", "stuck", "write", "execute_code"].map(str::to_owned).to_vec(),
        modules: vec!["files".to_owned()],
        limits: Limits { turns: 5, ..Limits::default() },
        ..SessionSpec::sample(1)
    }
}

impl Rig {
    pub(super) fn new() -> Self {
        let spec = spec();
        let session = Arc::new(Mutex::new(Session::new(spec.clone())));
        let journal = Arc::new(Memory::default());
        let fold = session.clone();
        let watch = move |envelope: &Arc<Envelope>| {
            fold.lock().unwrap().apply(envelope.seq, &envelope.event)
        };
        let recorder = Recorder::new(journal.clone(), Arc::new(watch));
        let waiting = Arc::new(Waiting::default());
        let (_, mode) = watch::channel(spec.mode);
        let registry = registry();
        let mounts = Arc::new(registry.mount(&spec.modules, |name| panic!("no module {name}")));
        let context = Context {
            gate: Gate::new(Rights::of(mode), Some(waiting.clone())),
            ..Context::bare(
                Arc::new(spec.clone()),
                recorder.clone(),
                Arc::new(NoFiles),
                mounts.clone(),
            )
        };
        let tools = registry.build(&spec.tools, context, |name| panic!("no tool {name}"));
        let model = Arc::new(Puppet::default());
        let live = Live {
            tools,
            mounts,
            recorder,
            model: model.clone(),
            price: None,
            allowance: Allowance::new(spec.limits.ceiling, Usage::default()),
            session,
            gallery: Gallery::new(Arc::new(NoPictures)),
            project: Arc::new(Project::new(|| None)),
        };
        Self { live, model, journal, waiting }
    }

    /// The events so far, in short.
    pub(super) fn story(&self) -> Vec<String> {
        self.journal.events().iter().map(short).collect()
    }
}

fn short(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap();
    let kind = value["type"].as_str().unwrap().to_owned();
    let detail = if let Event::MessageSent { text, .. } | Event::TextStreamed { text } = event {
        text.clone()
    } else if let Event::TurnFinished { calls, .. } = event {
        let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
        format!("{} {}", value["stop"]["reason"].as_str().unwrap(), names.join(","))
    } else if let Event::CallFinished { result, .. } = event {
        let code = result.content["error"].as_str().unwrap_or("ok");
        format!("{} {code}", result.name)
    } else if let Event::ExchangeFinished { .. } = event {
        value["outcome"]["result"].as_str().unwrap().to_owned()
    } else if let Event::CallStarted { call, .. } = event {
        call.name.clone()
    } else {
        String::new()
    };
    format!("{kind} {detail}").trim().to_owned()
}

/// A model that gives the answers a test has laid out, and an empty one after them.
#[derive(Default)]
pub(super) struct Puppet {
    answers: Mutex<VecDeque<mpsc::Receiver<Result<Delta, ModelError>>>>,
    requests: Mutex<Vec<ModelRequest>>,
    window: Mutex<Option<u64>>,
}

impl Puppet {
    /// Lays out a whole answer.
    pub(super) fn answers(&self, deltas: Vec<Result<Delta, ModelError>>) {
        let (sender, receiver) = mpsc::channel(deltas.len().max(1));
        for delta in deltas {
            sender.try_send(delta).unwrap();
        }
        self.answers.lock().unwrap().push_back(receiver);
    }

    /// Lays out an answer that the test gives piece by piece.
    pub(super) fn answers_by_hand(&self) -> mpsc::Sender<Result<Delta, ModelError>> {
        let (sender, receiver) = mpsc::channel(1);
        self.answers.lock().unwrap().push_back(receiver);
        sender
    }

    /// Sets how many tokens it takes.
    pub(super) fn takes(&self, tokens: u64) {
        *self.window.lock().unwrap() = Some(tokens);
    }

    pub(super) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Model for Puppet {
    fn respond(&self, request: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>> {
        self.requests.lock().unwrap().push(request);
        let next = self.answers.lock().unwrap().pop_front();
        next.unwrap_or_else(|| {
            let (sender, receiver) = mpsc::channel(1);
            sender.try_send(finished(Stop::End)).unwrap();
            receiver
        })
    }

    fn window(&self) -> u64 {
        self.window.lock().unwrap().unwrap_or(USUAL_WINDOW)
    }
}

pub(super) fn text(text: &str) -> Result<Delta, ModelError> {
    Ok(Delta::Text(text.to_owned()))
}

pub(super) fn call(name: &str, arguments: &str) -> Result<Delta, ModelError> {
    Ok(Delta::Call {
        provider_id: format!("p-{name}"),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    })
}

pub(super) fn finished(stop: Stop) -> Result<Delta, ModelError> {
    Ok(Delta::Finished { stop, usage: Usage { input: 10, output: 5, ..Usage::default() } })
}

/// A journal in memory that can be made to fail.
#[derive(Default)]
pub(super) struct Memory {
    events: Mutex<Vec<Event>>,
    /// From this event on it fails; 0 for never.
    pub(super) full_at: AtomicUsize,
}

impl Memory {
    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }
}

impl Journal for Memory {
    fn append(
        &self,
        event: Event,
        shown: &dyn Fn(&Arc<Envelope>),
    ) -> Result<Arc<Envelope>, StoreError> {
        let mut events = self.events.lock().unwrap();
        let full_at = self.full_at.load(Ordering::SeqCst);
        if full_at > 0 && events.len() + 1 >= full_at {
            let source = std::io::Error::other("disk full");
            return Err(StoreError::Io { doing: "write", path: "journal".into(), source });
        }
        events.push(event.clone());
        let envelope = Arc::new(Envelope {
            v: 1,
            seq: events.len() as u64,
            at: Timestamp::UNIX_EPOCH,
            session: 1.into(),
            event,
        });
        shown(&envelope);
        Ok(envelope)
    }

    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Words {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn registry() -> Registry {
    let mut registry = Registry::default();
    let capabilities = [
        Capability::define::<Words>("note", "Gives the text back.", Category::Read)
            .handler(async |_, _, words: Words| Ok(words.text.into())),
        Capability::define::<Nothing>("wait", "Waits to be stopped.", Category::Read).handler(
            async |_, cx: Context, _| {
                cx.cancel.cancelled().await;
                Err(CallError::new(ErrorCode::Interrupted, "stopped"))
            },
        ),
        Capability::define::<Nothing>("stuck", "Never ends.", Category::Read)
            .handler(async |_, _, _| std::future::pending().await),
        Capability::define::<Nothing>("write", "Asks.", Category::Write)
            .handler(async |_, _, _| Ok("written".into())),
        Capability::define::<Words>("execute_code", "Runs Python.", Category::Execute)
            .handler(async |_, _, _| Ok("ran".into())),
    ];
    for capability in capabilities {
        registry.register(capability).unwrap();
    }
    let load = || {
        vec![
            Capability::define::<Words>("files.read", "Reads a file.", Category::Read)
                .handler(async |_, _, words: Words| Ok(words.text.into())),
        ]
    };
    let files = Module { name: "files", summary: "Files of the workspace.", load };
    registry.register_module(files).unwrap();
    registry
}

struct NoFiles;

impl Env for NoFiles {
    fn root(&self) -> &Path {
        Path::new("/work space")
    }

    fn resolve_path(&self, path: &str) -> Result<ResolvedPath, CallError> {
        Err(CallError::failed(format!("{path} is not there")))
    }

    fn read_file<'a>(&'a self, _: &'a ResolvedPath) -> BoxFuture<'a, Result<Vec<u8>, CallError>> {
        Box::pin(async { Err(CallError::failed("there are no files")) })
    }

    fn look<'a>(&'a self, _: &'a ResolvedPath) -> BoxFuture<'a, Result<Standing, CallError>> {
        Box::pin(async { Err(CallError::failed("there are no files")) })
    }

    fn write_file<'a>(
        &'a self,
        _: &'a ResolvedPath,
        _: Over<'a>,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Err(CallError::failed("there are no files")) })
    }

    fn remove_file<'a>(
        &'a self,
        _: &'a ResolvedPath,
        _: &'a Mark,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Err(CallError::failed("there are no files")) })
    }
}
