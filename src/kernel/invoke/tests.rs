use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use proptest::prelude::*;
use schemars::JsonSchema;
use serde_json::json;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::kernel::{
    BoxFuture,
    capability::{Category, Preview, Reach},
    clock::Budget,
    event::{Decider, Envelope, VERSION},
    gate::{
        Gate, Rights,
        approval::{Answer, NotAnswered, Scope, Then, Waiting},
        law::{Law, Rules},
        subject::Subject,
    },
    id::ApprovalId,
    port::{Env, Journal, Mark, Over, ResolvedPath, Standing, StoreError},
    registry::{Mounts, Registry},
    spec::{Limits, Mode, SessionSpec},
};

mod arguments;
mod edits;
mod interleavings;
mod many;
mod monitor;
mod questions;
mod races;
mod results;
mod rules;

#[derive(Default)]
struct FakeJournal {
    lines: Mutex<Vec<Arc<Envelope>>>,
    /// The disk takes no more.
    full: AtomicBool,
    /// The disk makes nothing safe now.
    busy: watch::Sender<bool>,
}

impl Journal for FakeJournal {
    fn append(
        &self,
        event: Event,
        shown: &dyn Fn(&Arc<Envelope>),
    ) -> Result<Arc<Envelope>, StoreError> {
        if self.full.load(Ordering::SeqCst) {
            let source = std::io::ErrorKind::StorageFull.into();
            return Err(StoreError::Io { doing: "write", path: "journal".into(), source });
        }
        let mut lines = self.lines.lock().unwrap();
        let envelope = Arc::new(Envelope {
            v: VERSION,
            seq: lines.len() as u64,
            at: jiff::Timestamp::UNIX_EPOCH,
            session: 1.into(),
            event,
        });
        lines.push(envelope.clone());
        shown(&envelope);
        Ok(envelope)
    }

    /// Takes its time, as a disk does.
    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async {
            tokio::task::yield_now().await;
            // The sender is there as long as the journal.
            let _ = self.busy.subscribe().wait_for(|busy| !busy).await;
            Ok(())
        })
    }
}

struct NoEnv;

impl Env for NoEnv {
    fn root(&self) -> &Path {
        Path::new("/nowhere")
    }

    fn resolve_path(&self, _: &str) -> Result<ResolvedPath, CallError> {
        Err(CallError::failed("no files here"))
    }

    fn read_file<'a>(&'a self, _: &'a ResolvedPath) -> BoxFuture<'a, Result<Vec<u8>, CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }

    fn look<'a>(&'a self, _: &'a ResolvedPath) -> BoxFuture<'a, Result<Standing, CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }

    fn write_file<'a>(
        &'a self,
        _: &'a ResolvedPath,
        _: Over<'a>,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }

    fn remove_file<'a>(
        &'a self,
        _: &'a ResolvedPath,
        _: &'a Mark,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Word {
    word: String,
}

struct Fixture {
    rules: Arc<Rules>,
    journal: Arc<FakeJournal>,
    waiting: Arc<Waiting>,
    mode: watch::Sender<Mode>,
    cancel: CancellationToken,
    clock: Budget,
    tools: Tools,
    asked: Mutex<tokio::sync::mpsc::UnboundedReceiver<ApprovalId>>,
    ran: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Attended {
    Yes,
    No,
}

fn fixture(mode: Mode, attended: Attended) -> Fixture {
    limited(mode, attended, Limits::default())
}

fn limited(mode: Mode, attended: Attended, limits: Limits) -> Fixture {
    ruled(Rules::default(), mode, attended, limits)
}

fn ruled(rules: Rules, mode: Mode, attended: Attended, limits: Limits) -> Fixture {
    let ran: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut registry = Registry::default();
    let names = [
        ("look", Category::Read),
        ("change", Category::Write),
        ("start", Category::Execute),
        ("send", Category::External),
    ];
    for (name, category) in names {
        let (ran, looked) = (ran.clone(), ran.clone());
        let subject = move |word: &str| match category {
            Category::Read | Category::Write => {
                Subject::path(Path::new(&format!("/nowhere/{word}")))
            }
            Category::Execute | Category::External => Subject::Other,
        };
        let capability = Capability::define::<Word>(name, "", category)
            .subject(move |_, p| subject(&p.word))
            .preview(move |_, p| {
                // What stands in a file that was written is what was written.
                let ran = looked.lock().unwrap();
                let before = ran.iter().filter(|word| **word == p.word && word.starts_with("file"));
                let text = "x".repeat(before.count());
                let subject = subject(&p.word);
                async move {
                    if p.word == "bad" || text.len() > 1 {
                        return Err(CallError::failed("not that word"));
                    }
                    Ok(Preview {
                        object: p.word,
                        facts: Vec::new(),
                        wider: Vec::new(),
                        reach: Reach::Workspace,
                        body: crate::kernel::capability::Body::Text { text },
                        subject,
                    })
                }
            })
            .handler(move |permit, _, p| {
                let ran = ran.clone();
                async move {
                    assert!(permit.call() != CallId::from(0));
                    ran.lock().unwrap().push(p.word.clone());
                    if p.word == "for ever" {
                        std::future::pending::<()>().await;
                    }
                    Ok(p.word.into())
                }
            });
        registry.register(capability).unwrap();
    }
    let (asking, asked) = tokio::sync::mpsc::unbounded_channel();
    let journal = Arc::new(FakeJournal::default());
    let recorder = Recorder::new(
        journal.clone(),
        Arc::new(move |envelope| {
            if let Event::ApprovalRequested { question } = &envelope.event {
                let _ = asking.send(question.id);
            }
        }),
    );
    let waiting = Arc::new(Waiting::default());
    let rules = Arc::new(rules);
    let mode = watch::Sender::new(mode);
    let cancel = CancellationToken::new();
    let clock = Budget::start(Duration::from_secs(60));
    let spec = SessionSpec {
        path: vec!["root".to_owned()],
        workspace: "/nowhere".into(),
        model: "none".to_owned(),
        mode: *mode.borrow(),
        limits,
        ..SessionSpec::sample(1)
    };
    let context = Context {
        gate: Gate::new(
            Rights::of(mode.subscribe()),
            (attended == Attended::Yes).then(|| waiting.clone()),
        )
        .with_law(Law::new(rules.clone(), Path::new("/nowhere"))),
        cancel: cancel.clone(),
        clocks: vec![clock.clone()],
        ..Context::bare(Arc::new(spec), recorder, Arc::new(NoEnv), Arc::new(Mounts::default()))
    };
    let names: Vec<String> = names.iter().map(|(name, _)| (*name).to_owned()).collect();
    let tools = registry.build(&names, context, |name| panic!("{name} is unknown"));
    let asked = Mutex::new(asked);
    Fixture { rules, journal, waiting, mode, cancel, clock, tools, asked, ran }
}

impl Fixture {
    fn call(&self, name: &str, input: Input) -> impl Future<Output = ToolResult> + Send + 'static {
        let tools = self.tools.clone();
        let request = CallRequest {
            id: CallId::fresh(),
            name: name.to_owned(),
            input,
            origin: Origin::Model,
        };
        async move { tools.invoke(request).await }
    }

    fn word(&self, name: &str, word: &str) -> impl Future<Output = ToolResult> + Send + 'static {
        self.call(name, Input::Value(json!({ "word": word })))
    }

    #[expect(clippy::await_holding_lock, reason = "one test task at a time asks")]
    async fn question(&self) -> ApprovalId {
        self.asked.lock().unwrap().recv().await.unwrap()
    }

    fn events(&self) -> Vec<Event> {
        let lines = self.journal.lines.lock().unwrap();
        lines.iter().map(|envelope| envelope.event.clone()).collect()
    }

    fn answers(&self) -> Vec<(ApprovalId, Answer, Decider)> {
        let answered = |event: Event| {
            let Event::ApprovalAnswered { approval, answer, by, .. } = event else { return None };
            Some((approval, answer, by))
        };
        self.events().into_iter().filter_map(answered).collect()
    }

    fn types(&self) -> Vec<String> {
        let lines = self.journal.lines.lock().unwrap();
        lines.iter().map(|line| line.event.name().to_owned()).collect()
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

const YES: Answer = Answer::Allow { scope: Scope::Once };
