//! Real processes, and the real uv.

mod bridge;
mod endings;
mod outputs;
mod pictures;
mod surroundings;

use std::{
    path::PathBuf,
    sync::{Mutex, OnceLock},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::kernel::{
    capability::{Capability, Category, Content},
    clock::Budget,
    id::CallId,
    invoke::ToolResult,
    port::{HostCalls, Level, Manner, Notice, Piece, Spool, SpoolEnd, StoreError, Stream},
    registry::{Module, Registry},
};

/// A data folder with uv and Python ready, the same for all tests of this checkout. Where there is
/// no uv, the first to come gets it by pip.
pub fn data() -> &'static Path {
    static DATA: OnceLock<PathBuf> = OnceLock::new();
    DATA.get_or_init(|| {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-data");
        std::fs::create_dir_all(&data).unwrap();
        let file = std::fs::File::create(data.join("lock")).unwrap();
        let mut lock = fd_lock::RwLock::new(file);
        let _guard = lock.write().unwrap();
        let settings = settings(&data);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(uv::prepare(&settings)).unwrap();
        })
        .join()
        .unwrap();
        data
    })
}

fn settings(data: &Path) -> Settings {
    Settings {
        data: data.to_owned(),
        cache: data.join("cache"),
        home: None,
        uv: None,
        launcher: None,
        private: Vec::new(),
        search_path: std::env::var_os("PATH").unwrap(),
        notice: Arc::new(|_| {}),
    }
}

/// Longer than anything takes, however busy the machine is.
const LONG: Duration = Duration::from_mins(5);

/// What is killed may take as long as the machine makes it.
const UNHURRIED: Patience = Patience {
    stopped: Duration::from_millis(1400),
    timed_out: Duration::from_millis(500),
    gone: LONG,
};

pub(crate) struct Ran {
    pub(crate) ended: Ended,
    pub(crate) spool: Vec<u8>,
}

impl Ran {
    #[track_caller]
    fn prints(&self, expected: &str) {
        assert_eq!((self.ended.stdout.as_str(), self.ended.stderr.as_str()), (expected, ""));
        assert_eq!(self.ended.status, ExitStatus::Exited { code: 0 });
    }
}

/// A run in the making, in a folder of its own.
struct Trial {
    local: Local,
    folder: tempfile::TempDir,
    spool: Arc<Memory>,
    calls: Arc<Answers>,
    clock: Budget,
    cancel: CancellationToken,
}

impl Trial {
    fn new() -> Self {
        Self {
            local: Local::new(settings(data())).patient(UNHURRIED),
            folder: tempfile::tempdir().unwrap(),
            spool: Arc::default(),
            calls: Arc::default(),
            clock: Budget::start(LONG),
            cancel: CancellationToken::new(),
        }
    }

    fn limit(mut self, milliseconds: u64) -> Self {
        self.clock = Budget::start(Duration::from_millis(milliseconds));
        self
    }

    /// Where a run that is stopped gets this long to clean up.
    fn graced(mut self, grace: Duration) -> Self {
        self.local = self.local.patient(Patience { stopped: grace, ..UNHURRIED });
        self
    }

    fn job(&self, what: Program) -> Job {
        Job {
            call: CallId::fresh(),
            what,
            cwd: self.folder.path().to_owned(),
            workspace: self.folder.path().to_owned(),
            bounds: Level::Open.into(),
            manner: Manner::Awaited,
            clock: self.clock.clone(),
            cancel: self.cancel.clone(),
            spool: self.spool.clone(),
            notice: Arc::new(|_: Notice| {}),
        }
    }

    fn script(&self, code: &str) -> Program {
        Program::Python {
            filename: "main.py".to_owned(),
            code: code.to_owned(),
            packages: None,
            mounts: Arc::new(mounts()),
            calls: self.calls.clone(),
        }
    }

    async fn run(&self, what: Program) -> Ran {
        let run = self.local.run(self.job(what));
        let ended = timeout(LONG, run).await.expect("an end").unwrap();
        Ran { ended, spool: self.spool.bytes.lock().unwrap().clone() }
    }

    async fn python(&self, code: &str) -> Ran {
        self.run(self.script(code)).await
    }

    /// Runs and, once the output holds `seen`, does something.
    async fn python_until(&self, code: &str, seen: &str, then: impl FnOnce()) -> Ran {
        let mut changed = self.spool.changed.subscribe();
        let watching = async {
            let holds =
                |_: &()| String::from_utf8_lossy(&self.spool.bytes.lock().unwrap()).contains(seen);
            changed.wait_for(holds).await.unwrap();
            then();
        };
        tokio::join!(self.python(code), watching).0
    }

    /// The processes that carry the mark of this trial's host.
    fn left(&self) -> Vec<PathBuf> {
        marked(&format!("FOOTPLATE_RUN={}", self.local.marks.name))
    }
}

/// The living processes with this in their environment.
fn marked(mark: &str) -> Vec<PathBuf> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let has_mark = |process: &PathBuf| {
        let environ = std::fs::read(process.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environ).contains(mark)
    };
    processes.filter(has_mark).collect()
}

async fn python(code: &str) -> Ran {
    Trial::new().python(code).await
}

#[derive(Default)]
struct Memory {
    bytes: Mutex<Vec<u8>>,
    written: Mutex<u64>,
    changed: watch::Sender<()>,
}

impl Spool for Memory {
    fn write(&self, _: Stream, bytes: &[u8]) {
        *self.written.lock().unwrap() += bytes.len() as u64;
        let mut kept = self.bytes.lock().unwrap();
        if kept.len() < 1 << 20 {
            kept.extend_from_slice(bytes);
        }
        drop(kept);
        self.changed.send_replace(());
    }

    fn counts(&self) -> (u64, u64) {
        (*self.written.lock().unwrap(), 0)
    }

    fn since(&self, _: u64, _: usize) -> Result<Piece, StoreError> {
        Ok(Piece::default())
    }

    fn aside(&self) -> PathBuf {
        PathBuf::new()
    }

    fn finish(&self) -> SpoolEnd {
        SpoolEnd { path: PathBuf::new(), left_out: 0 }
    }
}

/// What the host answers: `demo.echo` what it was given, `demo.much` 4 MiB,
/// `demo.deny` a refusal, `demo.wait` nothing.
#[derive(Default)]
struct Answers {
    lines: Mutex<Vec<Option<u32>>>,
    waiting: watch::Sender<usize>,
}

struct Waiting(watch::Sender<usize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl HostCalls for Answers {
    fn call(
        &self,
        name: String,
        input: Value,
        line: Option<u32>,
    ) -> BoxFuture<'static, ToolResult> {
        self.lines.lock().unwrap().push(line);
        let waiting = self.waiting.clone();
        Box::pin(async move {
            let content =
                match name.as_str() {
                    "demo.echo" => Ok(input["value"].clone()),
                    "demo.much" => Ok(json!("x".repeat(4 << 20))),
                    "demo.wait" => {
                        waiting.send_modify(|count| *count += 1);
                        let _waiting = Waiting(waiting);
                        std::future::pending().await
                    }
                    _ => Err(CallError::new(ErrorCode::PermissionDenied, "no")
                        .with("feedback", "not today")),
                };
            ToolResult {
                ok: content.is_ok(),
                name,
                input,
                is_error: content.is_err(),
                content: content.unwrap_or_else(|error| error.payload()),
                attachments: Vec::new(),
                duration_ms: 0,
            }
        })
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is wanted")]
struct Echoed {
    value: Value,
}

fn load() -> Vec<Capability> {
    let demo = |name, description| {
        Capability::define::<Echoed>(name, description, Category::Read)
            .handler(|_, _, _| async { Ok(Content::from(json!(null))) })
    };
    vec![
        demo("demo.echo", "Gives it back."),
        demo("demo.deny", "Says no."),
        demo("demo.wait", "Never answers."),
    ]
}

fn mounts() -> Mounts {
    let mut registry = Registry::default();
    registry.register_module(Module { name: "demo", summary: "For tests.", load }).unwrap();
    registry.mount(&["demo".to_owned()], |name| panic!("{name} is unknown"))
}
