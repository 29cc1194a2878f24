//! Fakes of everything outside, and a rig that puts a session together from them.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};

use crate::kernel::{
    BoxFuture,
    capability::Reach,
    clock::Budget,
    context::{Context, Keeps, Notes},
    error::CallError,
    event::{Envelope, Event, ExitStatus, Origin, Outcome, Seal, VERSION},
    gate::{
        Gate, Rights,
        approval::{Answer, Question, Waiting},
    },
    id::{CallId, SessionId},
    invoke::{CallRequest, Input, ToolResult},
    message::Usage,
    port::{
        Agent, ChildRequest, Coordinator, Ended, Env, Executor, Factory, Finished, Form, Job,
        Journal, Kept, Mark, Notice, Over, Piece, ResolvedPath, Seen, Spool, SpoolEnd, Standing,
        Started, StoreError, Stream, Wait, Waited,
    },
    programs::{Programs, Running},
    recorder::Recorder,
    registry::{Mounts, Tools},
    signal::{Ending, Extent},
    spec::{Limits, Mode, SessionSpec},
    workflow::Workflow,
};

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
        let journal = MemoryJournal { refused: Some(kind), ..MemoryJournal::default() };
        self.context.recorder = Recorder::new(Arc::new(journal), Arc::new(|_| {}));
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
        id: SessionId::fresh(),
        parent: None,
        path: vec!["session".to_owned()],
        workspace: workspace.to_owned(),
        model: "scripted:test".to_owned(),
        mode,
        tools: vec!["execute_code".to_owned()],
        modules: MODULES.map(str::to_owned).to_vec(),
        limits: Limits::default(),
        instructions: String::new(),
        agents: None,
        view: crate::kernel::spec::View::Whole,
        worktree: None,
        workflow: None,
    }
}

/// Numbers the events; whoever watches keeps them.
#[derive(Default)]
struct MemoryJournal {
    next: Mutex<u64>,
    refused: Option<&'static str>,
}

impl Journal for MemoryJournal {
    fn append(
        &self,
        event: Event,
        shown: &dyn Fn(&Arc<Envelope>),
    ) -> Result<Arc<Envelope>, StoreError> {
        let kind = serde_json::to_value(&event).unwrap()["type"].clone();
        if self.refused.is_some_and(|refused| kind == refused) {
            let source = io::ErrorKind::StorageFull.into();
            return Err(StoreError::Io { doing: "write", path: "journal".into(), source });
        }
        let mut seq = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let envelope = Arc::new(Envelope {
            v: VERSION,
            seq: *seq,
            at: Timestamp::UNIX_EPOCH,
            session: SessionId::from(1),
            event,
        });
        *seq += 1;
        shown(&envelope);
        Ok(envelope)
    }

    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }
}

#[derive(Default)]
struct FakeSpool(Mutex<Vec<u8>>);

impl Spool for FakeSpool {
    fn write(&self, _: Stream, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }

    fn counts(&self) -> (u64, u64) {
        let bytes = self.0.lock().unwrap();
        (bytes.len() as u64, bytes.iter().filter(|byte| **byte == b'\n').count() as u64)
    }

    fn since(&self, mark: u64, most: usize) -> Result<Piece, StoreError> {
        let bytes = self.0.lock().unwrap();
        let total = bytes.len() as u64;
        let from = usize::try_from(mark.min(total)).unwrap();
        let bytes = bytes[from..bytes.len().min(from + most)].to_vec();
        let (from, next) = (from as u64, from as u64 + bytes.len() as u64);
        Ok(Piece { bytes, from, next, total })
    }

    fn aside(&self) -> PathBuf {
        PathBuf::from("/spool/call.aside")
    }

    fn finish(&self) -> SpoolEnd {
        SpoolEnd { path: PathBuf::from("/spool/call"), left_out: 0 }
    }
}

/// A workspace on the real disk, resolved as far as it exists.
struct FakeEnv(PathBuf);

impl Env for FakeEnv {
    fn root(&self) -> &Path {
        &self.0
    }

    fn resolve_path(&self, path: &str) -> Result<ResolvedPath, CallError> {
        let real = real(&self.0.join(path));
        let inside = real.strip_prefix(&self.0).ok();
        let shown = inside.unwrap_or(&real).to_str().unwrap();
        Ok(ResolvedPath {
            shown: if shown.is_empty() { ".".to_owned() } else { shown.to_owned() },
            reach: if inside.is_some() { Reach::Workspace } else { Reach::Outside },
            real,
        })
    }

    fn read_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
    ) -> BoxFuture<'a, Result<Vec<u8>, CallError>> {
        let read = fs::read(&path.real);
        Box::pin(async move { read.map_err(|error| failed(path, &error)) })
    }

    fn is_secret(&self, real: &Path) -> bool {
        real.starts_with(self.0.join(".ssh"))
    }

    fn look<'a>(&'a self, path: &'a ResolvedPath) -> BoxFuture<'a, Result<Standing, CallError>> {
        let standing = match fs::metadata(&path.real) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Standing::Nothing),
            Ok(metadata) if metadata.is_dir() => {
                Err(CallError::failed(format!("Cannot write {}: it is a folder.", path.shown)))
            }
            Ok(metadata) => {
                fs::read(&path.real).map_err(|error| failed(path, &error)).map(|bytes| {
                    let identity = Some((metadata.dev(), metadata.ino()));
                    Standing::File(Seen {
                        mark: Mark { identity, ..Mark::of(&bytes) },
                        bytes,
                        names: metadata.nlink(),
                        mode: metadata.mode(),
                        changed: Timestamp::UNIX_EPOCH,
                    })
                })
            }
            Err(error) => Err(CallError::failed(format!("Cannot write {}: {error}", path.shown))),
        };
        Box::pin(async move { standing })
    }

    fn write_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        _: Over<'a>,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move {
            fs::create_dir_all(path.real.parent().unwrap())
                .and_then(|()| fs::write(&path.real, bytes))
                .map_err(|error| failed(path, &error))
        })
    }

    fn remove_file<'a>(
        &'a self,
        path: &'a ResolvedPath,
        _: &'a Mark,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move { fs::remove_file(&path.real).map_err(|error| failed(path, &error)) })
    }
}

fn failed(path: &ResolvedPath, error: &io::Error) -> CallError {
    CallError::failed(format!("{}: {error}", path.shown))
}

/// The real place of a path of which the end may not exist yet.
fn real(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => real.push(part),
        }
        if let Ok(target) = real.read_link() {
            real = self::real(&real.parent().unwrap().join(target));
        }
    }
    real
}

pub(super) type FakeRun =
    Box<dyn Fn(Job) -> BoxFuture<'static, Result<Ended, CallError>> + Send + Sync>;

/// Refuses code that has `syntax error` in it, and runs a function.
struct FakeExecutor(FakeRun);

impl Executor for FakeExecutor {
    fn check(&self, code: &str, _: &Mounts) -> Result<(), CallError> {
        match code.contains("syntax error") {
            true => Err(CallError::failed("syntax error at line 1")),
            false => Ok(()),
        }
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        (self.0)(job)
    }
}

/// Starts agents that are over at once, and answer with what they were told.
#[derive(Default)]
struct FakeAgents(Mutex<Vec<ChildRequest>>);

impl Factory for FakeAgents {
    fn ground(&self, _: &ChildRequest) -> Result<Option<PathBuf>, CallError> {
        Ok(None)
    }

    fn start_child(&self, request: ChildRequest) -> BoxFuture<'_, Result<Started, CallError>> {
        let started = Started { session: SessionId::fresh(), name: request.agent.clone() };
        self.0.lock().unwrap().push(request);
        Box::pin(async move { Ok(started) })
    }

    fn earlier(&self, run: &str) -> Result<Workflow, CallError> {
        Err(CallError::failed(format!("there is no run {run}")))
    }
}

/// Says of every wait how many of these clocks stood still.
struct FakePost(Arc<FakeAgents>, Vec<Budget>);

impl Coordinator for FakePost {
    fn wait(&self, wait: Wait) -> BoxFuture<'_, Result<Waited, CallError>> {
        let held = self.1.iter().filter(|clock| clock.read().held).count();
        let started = self.0.0.lock().unwrap();
        let over = started.iter().map(|request| {
            let ChildRequest { agent, task, modules, .. } = request;
            let text = format!("{agent} did: {task}, with {modules:?}, {held} clock(s) held");
            let (turns, usage) = (1, Usage::default());
            let ending = Ending { outcome: Outcome::Done, text, turns, usage, worktree: None };
            Finished { name: agent.clone(), session: SessionId::fresh(), ending }
        });
        let over = over.filter(|over| wait.names.contains(&over.name)).collect();
        Box::pin(async move { Ok(Waited { over, going: Vec::new() }) })
    }

    fn send(&self, to: &str, _: String) -> Result<SessionId, CallError> {
        Err(CallError::failed(format!("{to} is over")))
    }

    fn cancel(&self, name: &str, extent: Extent) -> BoxFuture<'_, Result<Vec<String>, CallError>> {
        let stopped = vec![format!("{name} {extent:?}")];
        Box::pin(async move { Ok(stopped) })
    }

    fn list(&self) -> Vec<Agent> {
        Vec::new()
    }
}
