//! Fakes of everything outside, and a rig that puts a session together from them.

mod env;
mod fakes;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};

use self::{
    env::FakeEnv,
    fakes::{FakeAgents, FakeExecutor, FakePost, FakeSpool, MemoryJournal},
};
use crate::kernel::{
    context::{Context, Keeps, Notes},
    event::{Envelope, Event, ExitStatus, Origin, Seal},
    gate::{
        Gate, Rights,
        approval::{Answer, Question, Scope, Then, Waiting},
    },
    id::{CallId, SessionId},
    invoke::{CallRequest, Input, ToolResult},
    port::{Ended, Form, Kept, Notice, Stream},
    programs::{Programs, Running},
    recorder::Recorder,
    registry::Tools,
    spec::{Mode, SessionSpec},
};

pub(super) use self::fakes::FakeRun;

/// A person's answers.
pub(super) const YES: Answer = Answer::Allow { scope: Scope::Once };
pub(super) const NO: Answer = Answer::Deny { because: None, then: Then::GoOn };

/// What was kept of what calls replaced.
type Replaced = Arc<Mutex<Vec<(CallId, Vec<u8>)>>>;

const MODULES: [&str; 8] =
    ["files", "search", "process", "agents", "git", "todo", "memory", "workflows"];

/// A session in a temporary workspace `ws`, with a folder `outside` beside it.
pub(super) struct Rig {
    home: TempDir,
    pub(super) context: Context,
    waiting: Arc<Waiting>,
    events: Arc<Mutex<Vec<Event>>>,
    replaced: Replaced,
    news: Mutex<mpsc::UnboundedReceiver<Event>>,
    _mode: watch::Sender<Mode>,
}

impl Rig {
    /// With somebody to ask.
    pub(super) fn new(mode: Mode) -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let workspace = root.join("ws");
        fs::create_dir_all(&workspace).unwrap();
        fs::create_dir_all(root.join("outside")).unwrap();
        let (mode_sender, modes) = watch::channel(mode);
        let waiting = Arc::new(Waiting::default());
        let (news_sender, news) = mpsc::unbounded_channel();
        let events = Arc::new(Mutex::new(Vec::new()));
        let replaced = Replaced::default();
        let (kept, keeping) = (events.clone(), replaced.clone());
        let watch = Arc::new(move |envelope: &Arc<Envelope>| {
            kept.lock().unwrap().push(envelope.event.clone());
            // A rig that is gone needs no news.
            let _ = news_sender.send(envelope.event.clone());
        });
        let names: Vec<String> = MODULES.map(str::to_owned).to_vec();
        let mounts = crate::modules::registry().mount(&names, |name| panic!("no module {name}"));
        let recorder = Recorder::new(Arc::new(MemoryJournal::default()), watch);
        let spec = Arc::new(spec(&workspace, mode));
        let env = Arc::new(FakeEnv(workspace));
        let context = Context {
            gate: Gate::new(Rights::of(modes), Some(waiting.clone())),
            spools: Some(Arc::new(|_| Ok(Arc::new(FakeSpool::default())))),
            keep: Keeps {
                replaced: Some(Arc::new(move |call, bytes| {
                    keeping.lock().unwrap().push((call, bytes.to_vec()));
                    Ok(Kept::Whole)
                })),
                pictures: None,
            },
            running: Running { programs: Some(Programs::new(|| {})), ..Running::default() },
            notes: Notes {
                memory: Some(Arc::new(FakeEnv(root.join("memory")))),
                ..Notes::default()
            },
            ..Context::bare(spec, recorder, env, Arc::new(mounts))
        };
        Self {
            home,
            context,
            waiting,
            events,
            replaced,
            news: Mutex::new(news),
            _mode: mode_sender,
        }
    }

    pub(super) fn with_executor(mut self, run: FakeRun) -> Self {
        self.context.executor = Some(Arc::new(FakeExecutor(run)));
        self
    }

    /// With programs that end at once, with that status and output.
    pub(super) fn with_end(self, status: ExitStatus, stdout: &str, stderr: &str) -> Self {
        let ended = Ended {
            status,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            leftovers: 0,
            aside: Vec::new(),
            pictures: Vec::new(),
        };
        self.with_executor(Box::new(move |job| {
            let ended = ended.clone();
            Box::pin(async move {
                (job.notice)(Notice::Started(Seal::None, Form::None));
                job.spool.write(Stream::Out, ended.stdout.as_bytes());
                (job.notice)(Notice::Output);
                Ok(ended)
            })
        }))
    }

    /// With a journal that does not take events of this type.
    pub(super) fn with_full_disk_for(mut self, kind: &'static str) -> Self {
        let journal = Arc::new(MemoryJournal::refusing(kind));
        self.context.recorder = Recorder::new(journal, Arc::new(|_| {}));
        self
    }

    /// With agents, after the clocks are there.
    pub(super) fn with_agents(mut self) -> Self {
        let agents = Arc::new(FakeAgents::default());
        let post = FakePost(agents.clone(), self.context.clocks.clone());
        self.context.factory = Some(agents);
        self.context.coordinator = Some(Arc::new(post));
        self
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.context.env.root().to_owned()
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap().join("outside")
    }

    /// The folder of what is remembered, which is not there at first.
    pub(super) fn memory(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap().join("memory")
    }

    /// Puts a file into the workspace.
    pub(super) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The bytes of a file of the workspace.
    pub(super) fn get(&self, path: &str) -> Vec<u8> {
        fs::read(self.workspace().join(path)).unwrap()
    }

    /// What was kept of what calls replaced.
    pub(super) fn replaced(&self) -> Vec<(CallId, Vec<u8>)> {
        self.replaced.lock().unwrap().clone()
    }

    pub(super) fn tools(&self) -> Tools {
        let registry = crate::modules::registry();
        let names: Vec<String> =
            registry.all().iter().map(|capability| capability.name().to_owned()).collect();
        registry.build(&names, self.context.clone(), |name| panic!("no tool {name}"))
    }

    pub(super) async fn call(&self, name: &str, input: Value) -> ToolResult {
        self.tools().invoke(request(name, input)).await
    }

    /// Makes a call, waits for its question, lets `meanwhile` happen and answers.
    pub(super) async fn call_asked(
        &self,
        name: &str,
        input: Value,
        answer: Answer,
        meanwhile: impl FnOnce(&Question),
    ) -> ToolResult {
        let tools = self.tools();
        let call = tools.invoke(request(name, input));
        let answered = async {
            let question = self.question().await;
            meanwhile(&question);
            self.answer(&question, answer);
        };
        let (result, ()) = tokio::join!(call, answered);
        result
    }

    pub(super) fn answer(&self, question: &Question, answer: Answer) {
        self.waiting.answer(question.id, answer).unwrap();
    }

    /// Waits for the next question.
    pub(super) async fn question(&self) -> Question {
        loop {
            if let Event::ApprovalRequested { question } = self.next().await {
                return question;
            }
        }
    }

    /// Waits for the next event. One waiter at a time.
    pub(super) async fn next(&self) -> Event {
        std::future::poll_fn(|cx| self.news.lock().unwrap().poll_recv(cx)).await.unwrap()
    }

    /// Everything recorded so far.
    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(super) fn request(name: &str, input: Value) -> CallRequest {
    CallRequest {
        id: CallId::fresh(),
        name: name.to_owned(),
        input: Input::Value(input),
        origin: Origin::Model,
    }
}

fn spec(workspace: &Path, mode: Mode) -> SessionSpec {
    SessionSpec {
        path: vec!["session".to_owned()],
        workspace: workspace.to_owned(),
        model: "scripted:test".to_owned(),
        mode,
        tools: vec!["execute_code".to_owned()],
        modules: MODULES.map(str::to_owned).to_vec(),
        ..SessionSpec::sample(SessionId::fresh())
    }
}
