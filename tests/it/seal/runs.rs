//! Sealed runs as the executor makes them: with uv, the channel, and the words of their end.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use footplate::{
    executor::{
        Local, Patience, Settings,
        seal::{Bounds, Form, Level, Limits},
    },
    kernel::{
        BoxFuture,
        clock::Budget,
        error::CallError,
        event::{ExitStatus, Seal},
        id::CallId,
        invoke::ToolResult,
        port::{
            Ended, Executor, HostCalls, Job, Manner, Notice, Packages, Piece, Program, Spool,
            SpoolEnd, StoreError, Stream,
        },
        registry::{Mounts, Registry},
    },
    modules,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::skipped;
use crate::support::{GONE, Place, runs, uv};

/// Longer than anything takes, however busy the machine is.
pub(super) const LONG: Duration = Duration::from_mins(8);

/// What is killed may take as long as the machine makes it.
const UNHURRIED: Patience = Patience {
    stopped: Duration::from_millis(1400),
    timed_out: Duration::from_millis(500),
    gone: LONG,
};

/// An executor, a home and a workspace.
pub(super) struct Bench {
    pub(super) root: TempDir,
    pub(super) local: Local,
    pub(super) clock: Budget,
    pub(super) cancel: CancellationToken,
    notices: Arc<Mutex<Vec<Notice>>>,
    pub(super) printed: Arc<Printed>,
}

pub(super) struct Printed {
    pub(super) bytes: Mutex<Vec<u8>>,
    pub(super) changed: watch::Sender<()>,
    aside: PathBuf,
}

impl Printed {
    /// Waits until it holds this.
    pub(super) async fn says(&self, word: &str) {
        let mut changed = self.changed.subscribe();
        let holds = |_: &()| String::from_utf8_lossy(&self.bytes.lock().unwrap()).contains(word);
        changed.wait_for(holds).await.unwrap();
    }
}

impl Spool for Printed {
    fn write(&self, _: Stream, bytes: &[u8]) {
        self.bytes.lock().unwrap().extend_from_slice(bytes);
        self.changed.send_replace(());
    }

    fn counts(&self) -> (u64, u64) {
        (0, 0)
    }

    fn since(&self, _: u64, _: usize) -> Result<Piece, StoreError> {
        Ok(Piece::default())
    }

    fn aside(&self) -> PathBuf {
        self.aside.clone()
    }

    fn finish(&self) -> SpoolEnd {
        SpoolEnd { path: PathBuf::new(), left_out: 0 }
    }
}

/// Answers every call with its name.
struct Named;

impl HostCalls for Named {
    fn call(&self, name: String, input: Value, _: Option<u32>) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            ToolResult {
                ok: true,
                content: json!(name),
                name,
                input,
                is_error: false,
                attachments: Vec::new(),
                duration_ms: 0,
            }
        })
    }
}

pub(super) fn mounts() -> Mounts {
    let registry: Registry = modules::registry();
    registry.mount(&["files".to_owned()], |name| panic!("{name} is unknown"))
}

impl Bench {
    /// A bench in each form there is here.
    pub(super) fn each() -> Vec<(Form, Self)> {
        let forms = [Form::Full, Form::WithoutNamespaces];
        let benches = forms.map(|form| (form, Self::new(Some(form))));
        let available = benches.into_iter().filter(|(form, bench)| {
            let strongest = bench.strongest();
            let there = *form == strongest || strongest == Form::Full;
            if !there {
                skipped(&format!("runs in the form {form:?}"));
            }
            there
        });
        available.collect()
    }

    pub(super) fn new(form: Option<Form>) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home/.ssh", "work/.git", "work/src"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("home/.ssh/id"), "a secret").unwrap();
        let local = Local::new(Settings {
            data: root.path().join("ours/data"),
            cache: root.path().join("ours/cache"),
            home: Some(root.path().join("home")),
            uv: Some(uv().to_owned()),
            launcher: Some(PathBuf::from(super::PROGRAM)),
            private: vec![root.path().join("ours")],
            search_path: std::env::var_os("PATH").unwrap(),
            notice: Arc::new(|_| {}),
        });
        let top = root.path().canonicalize().unwrap();
        let printed = Printed {
            bytes: Mutex::default(),
            changed: watch::Sender::default(),
            aside: top.join("aside"),
        };
        Self {
            local: match form {
                Some(form) => local.held_by(form),
                None => local,
            }
            .patient(UNHURRIED),
            root,
            clock: Budget::start(LONG),
            cancel: CancellationToken::new(),
            notices: Arc::default(),
            printed: Arc::new(printed),
        }
    }

    pub(super) fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn strongest(&self) -> Form {
        footplate::executor::seal::available(super::PROGRAM.as_ref())
    }

    /// A place below its top.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        let top = self.root.path().canonicalize().unwrap();
        if path.is_empty() { top } else { top.join(path) }
    }

    pub(super) async fn run(&self, bounds: impl Into<Bounds>, what: Program) -> Ended {
        self.begin(bounds, what).await.unwrap()
    }

    async fn begin(&self, bounds: impl Into<Bounds>, what: Program) -> Result<Ended, CallError> {
        self.begin_kept(bounds, what, Manner::Awaited).await
    }

    /// The same, kept in that manner.
    pub(super) async fn begin_kept(
        &self,
        bounds: impl Into<Bounds>,
        what: Program,
        manner: Manner,
    ) -> Result<Ended, CallError> {
        self.notices.lock().unwrap().clear();
        let notices = self.notices.clone();
        let job = Job {
            call: CallId::fresh(),
            what,
            cwd: self.root.path().join("work"),
            workspace: self.root.path().join("work"),
            bounds: bounds.into(),
            manner,
            clock: self.clock.clone(),
            cancel: self.cancel.clone(),
            spool: self.printed.clone(),
            notice: Arc::new(move |notice| notices.lock().unwrap().push(notice)),
        };
        let run = self.local.run(job);
        tokio::time::timeout(LONG, run).await.expect("an end")
    }

    /// Runs and, once it printed `word`, is stopped.
    pub(super) async fn stopped_at(&self, (level, word): (Level, &str), what: Program) -> Ended {
        let stopping = async {
            self.printed.says(word).await;
            self.cancel.cancel();
        };
        tokio::join!(self.run(level, what), stopping).0
    }

    pub(super) async fn python(&self, level: Level, code: &str) -> Ended {
        self.start(level, code, None).await.unwrap()
    }

    /// Python with these packages.
    pub(super) async fn start(
        &self,
        level: Level,
        code: &str,
        packages: Option<Packages>,
    ) -> Result<Ended, CallError> {
        let (filename, code) = ("main.py".to_owned(), code.to_owned());
        let (mounts, calls) = (Arc::new(mounts()), Arc::new(Named));
        self.begin(level, Program::Python { filename, code, packages, mounts, calls }).await
    }

    pub(super) async fn shell(&self, level: Level, script: &str) -> Ended {
        let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
        self.run(level, Program::Argv(argv)).await
    }

    /// Where runs may use no more than this.
    pub(super) fn bounded_by(self, limits: Limits) -> Self {
        Self { local: self.local.bounded_by(limits), ..self }
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// Ready for another run once one was stopped.
    pub(super) fn again(mut self) -> Self {
        self.cancel = CancellationToken::new();
        self
    }

    /// How many runs have left their folder.
    pub(super) fn scratch_folders(&self) -> usize {
        std::fs::read_dir(self.root.path().join("ours/cache/runs")).unwrap().count()
    }

    /// Where a run that is stopped gets this long to clean up.
    pub(super) fn patient(self, stopped: Duration) -> Self {
        Self { local: self.local.patient(Patience { stopped, ..UNHURRIED }), ..self }
    }

    /// With a clock of its own, for one more run.
    pub(super) fn wound_up(mut self, limit: Duration) -> Self {
        self.clock = Budget::start(limit);
        self
    }
}

#[tokio::test]
async fn python_runs_sealed_and_calls_the_host() {
    for (form, bench) in Bench::each() {
        let code = format!(
            "from footplate import files
import subprocess, sys, pathlib
print(files.read('x'))
print(subprocess.run([sys.executable, '-c', 'print(2)'], capture_output=True, text=True).stdout)
for path in ({:?}, 'new', {:?}, {:?}):
    try:
        print(pathlib.Path(path).write_text('x') if path == 'new' else pathlib.Path(path).read_text())
    except OSError as error:
        print(error.strerror)
try:
    import os; print(os.listdir({:?}))
except OSError as error:
    print(error.strerror)",
            bench.root.path().join("home/.ssh/id"),
            bench.root.path().join("ours/cache/guest/x"),
            bench.root.path().join("ours/data/python/pyvenv.cfg").parent().unwrap().join("none"),
            bench.root.path().join("ours/data"),
        );
        // The second finds uv's cache as the first could not leave it.
        for _ in 0..2 {
            let ended = bench.python(Level::Sealed, &code).await;
            assert_eq!(ended.stderr, "", "{form:?}");
            let lines: Vec<_> = ended.stdout.lines().filter(|line| !line.is_empty()).collect();
            let refused =
                if form == Form::Full { "Read-only file system" } else { "Permission denied" };
            let gone = "No such file or directory";
            let expected =
                ["files.read", "2", "Permission denied", refused, gone, gone, "Permission denied"];
            assert_eq!(lines, expected, "{form:?}");
            assert_eq!(ended.status, ExitStatus::Exited { code: 0 });
            assert_eq!(bench.notices.lock().unwrap()[0], Notice::Started(Seal::Sealed, form));
        }
        assert!(!bench.root.path().join("work/new").exists());
    }
}

#[tokio::test]
async fn a_sealed_end_says_how_it_came() {
    for (form, bench) in Bench::each() {
        for (code, expected) in [
            ("raise SystemExit(3)", ExitStatus::Exited { code: 3 }),
            ("raise SystemExit(137)", ExitStatus::Exited { code: 137 }),
            ("import os; os.kill(os.getpid(), 9)", ExitStatus::Signalled { signal: 9 }),
            ("import os; os.abort()", ExitStatus::Signalled { signal: 6 }),
        ] {
            let ended = bench.python(Level::Sealed, code).await;
            assert_eq!(ended.status, expected, "{form:?} {code}");
        }
        for (script, expected) in [
            ("exit 137", ExitStatus::Exited { code: 137 }),
            ("kill -9 $$", ExitStatus::Signalled { signal: 9 }),
            ("kill -2 $$; exit 1", ExitStatus::Signalled { signal: 2 }),
        ] {
            let ended = bench.shell(Level::Workspace, script).await;
            assert_eq!(ended.status, expected, "{form:?} {script}");
        }
    }
}

#[tokio::test]
async fn what_a_sealed_run_leaves_is_counted_and_ended() {
    for (form, bench) in Bench::each() {
        let code = "import subprocess\n\
                    subprocess.Popen(['sleep', '600'], start_new_session=True)\n\
                    print('done')";
        // It would sleep for ten minutes.
        let ended = bench.python(Level::Sealed, code).await;
        assert_eq!((ended.stdout.as_str(), ended.leftovers), ("done\n", 1), "{form:?}");
        let clean = bench.python(Level::Sealed, "print(1)").await;
        assert_eq!(clean.leftovers, 0, "{form:?}");
    }
}

#[tokio::test]
async fn a_sealed_run_is_interrupted_once_and_then_ended() {
    let polite = "import time
try:
    print('ready', flush=True); time.sleep(600)
except KeyboardInterrupt:
    print('cleaned up')";
    let stubborn = "import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('ready', flush=True); time.sleep(600)";
    // One that ends by itself may take as long as the machine makes it.
    for (code, grace, said) in [
        (polite, Duration::MAX, "ready\ncleaned up\n"),
        (stubborn, Duration::from_millis(100), "ready\n"),
    ] {
        for (form, bench) in Bench::each() {
            let bench = bench.patient(grace);
            let mut changed = bench.printed.changed.subscribe();
            let cancelling = async {
                let ready = |_: &()| bench.printed.bytes.lock().unwrap().starts_with(b"ready");
                changed.wait_for(ready).await.unwrap();
                bench.cancel.cancel();
            };
            let (ended, ()) = tokio::join!(bench.python(Level::Sealed, code), cancelling);
            assert_eq!(ended.status, ExitStatus::Cancelled, "{form:?}");
            assert_eq!(ended.stdout, said, "{form:?} {ended:?}");
        }
    }
}

#[tokio::test]
async fn the_clock_ends_a_sealed_run() {
    for (form, bench) in Bench::each() {
        // Preparation is not on the clock, so it is long enough for a first run.
        let bench = bench.wound_up(Duration::from_millis(400));
        let ended = bench.python(Level::Sealed, "while True: pass").await;
        assert_eq!(ended.status, ExitStatus::TimedOut, "{form:?}");
    }
}

#[tokio::test]
async fn a_program_writes_the_workspace_but_not_what_is_obeyed() {
    for (form, bench) in Bench::each() {
        let ended = bench.shell(Level::Workspace, "echo a > src/new && cat src/new").await;
        assert_eq!((&*ended.stdout, &*ended.stderr), ("a\n", ""), "{form:?}");
        assert_eq!(bench.notices.lock().unwrap()[0], Notice::Started(Seal::Workspace, form));
        for script in ["echo a > .git/hooks", "mv .git git", "rm -r .git", "echo a > ../home/x"] {
            let ended = bench.shell(Level::Workspace, script).await;
            assert_ne!(ended.status, ExitStatus::Exited { code: 0 }, "{form:?} {script}");
            assert!(!ended.stderr.is_empty(), "{form:?} {script}");
        }
        assert!(bench.root.path().join("work/.git").is_dir(), "{form:?}");
    }
}

#[tokio::test]
async fn without_a_launcher_nothing_is_called_sealed() {
    let bench = Bench::new(Some(Form::None));
    assert!(!bench.local.seals(Level::Sealed) && bench.local.seals(Level::Open));
    let job = Job {
        call: CallId::fresh(),
        what: Program::Argv(vec!["true".to_owned()]),
        cwd: bench.root.path().join("work"),
        workspace: bench.root.path().join("work"),
        bounds: Level::Workspace.into(),
        manner: Manner::Awaited,
        clock: bench.clock.clone(),
        cancel: bench.cancel.clone(),
        spool: bench.printed.clone(),
        notice: Arc::new(|_| panic!("it does not start")),
    };
    let error = bench.local.run(job).await.unwrap_err();
    assert_eq!(error.message.lines().count(), 2, "{}", error.message);
}

#[test]
fn plan_mode_runs_sealed_code_and_nothing_else() {
    let place = Place::new();
    if footplate::executor::seal::available(super::PROGRAM.as_ref()) == Form::None {
        return skipped("sealed code in plan mode");
    }
    let code =
        "print(6 * 7)\ntry:\n    open('new', 'w')\nexcept OSError as error:\n    print(error)";
    for (seal, code, expected) in
        [("sealed", code, true), ("workspace", code, false), ("open", code, false)]
    {
        let mut script = runs(code);
        script["turns"][0]["calls"][0]["arguments"]["seal"] = json!(seal);
        let model = place.script(&script);
        let ran = place.run(&["exec", "--mode", "plan", "--model", &model, "--json", "go"]);
        let said = ran.stdout();
        assert_eq!(said.contains("42\\n"), expected, "{seal}: {said}{}", ran.stderr());
        assert_eq!(said.contains("blocked_in_plan_mode"), !expected, "{seal}: {said}");
    }
    assert!(!place.work().join("new").exists());
}

#[test]
fn nothing_of_a_sealed_run_outlives_a_host_that_is_killed() {
    let place = Place::new();
    if footplate::executor::seal::available(super::PROGRAM.as_ref()) == Form::None {
        return skipped("the end of a sealed run with its host");
    }
    let mark = format!("{}.25", 100_000 + std::process::id());
    let code = format!(
        "import subprocess, time
subprocess.Popen(['setsid', 'sleep', '{mark}'], start_new_session=True)
time.sleep(600)"
    );
    let mut script = runs(&code);
    script["turns"][0]["calls"][0]["arguments"]["seal"] = json!("sealed");
    let model = place.script(&script);
    let mut host = place
        .footplate()
        .args(["exec", "--mode", "plan", "--model", &model, "go"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("the daemon runs", || super::running(&mark) > 0);
    host.kill().unwrap();
    host.wait().unwrap();
    until("it is gone", || super::running(&mark) == 0);
}

/// Looks until it holds: another process makes it hold, and tells nobody.
fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < GONE, "never: {what}");
        std::thread::yield_now();
    }
}
