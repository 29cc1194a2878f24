//! What a whole run may use, however many processes it spreads it over: in each form, as root and
//! as nobody.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use footplate::{
    executor::seal::{Bounds, Form, Level, Limits},
    kernel::{
        BoxFuture,
        clock::Budget,
        event::{Exceeded, ExitStatus},
        invoke::ToolResult,
        port::{HostCalls, Program},
    },
};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::{
    PYTHON, Scene, User,
    runs::{Bench, LONG, mounts},
    trial,
};

const MEGABYTE: u64 = 1 << 20;

/// So little that nothing large is ever made.
fn small(limits: Limits) -> Limits {
    Limits { total_memory: 160 * MEGABYTE, scratch: 8 * MEGABYTE, entries: 200, cpu: 60, ..limits }
}

/// What each of these goes on with.
const FOREVER: &str = "\nimport time\ntime.sleep(600)";
const A_WHILE: &str = "\nimport time\ntime.sleep(0.8)";

const SPREAD_MEMORY: &str = "
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = b'x' * (40 << 20)
        time.sleep(600)";
const BLINDING: &str = "
import os, resource
for pid in (1, os.getppid()):
    try: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))
    except OSError: pass
";
const SHARED_MEMORY: &str = "
import mmap
held = mmap.mmap(-1, 240 << 20)
for page in range(0, len(held), 4096): held[page] = 1";
const NAMELESS_MEMORY: &str = "
import os
held = os.memfd_create('x')
for _ in range(240): os.write(held, b'x' * (1 << 20))";
const COPIED_MEMORY: &str = "
import os, time
held = b'x' * (60 << 20)
children = []
for _ in range(6):
    pid = os.fork()
    if pid == 0: time.sleep(0.8); os._exit(0)
    children.append(pid)
for pid in children: os.waitpid(pid, 0)";
const MANY_FILES: &str = "
import os
for n in range(20): open(f\"{os.environ['TMPDIR']}/{n}\", 'wb').write(b'x' * (1 << 20))";
const MANY_ENTRIES: &str = "
import os
for n in range(300): os.mkdir(f\"{os.environ['TMPDIR']}/{n}\")";
const NAMELESS_FILE: &str = "
import os
held = open(os.environ['TMPDIR'] + '/file', 'wb')
os.unlink(held.name)
for _ in range(20): held.write(b'x' * (1 << 20))
held.flush()";
const DEEP_FILE: &str = "
import os
os.chdir(os.environ['TMPDIR'])
for _ in range(1000): os.mkdir('d'); os.chdir('d')
open('file', 'wb').write(b'x' * (20 << 20))";
const HIDDEN_FILE: &str = "
import os
os.chdir(os.environ['TMPDIR'])
os.mkdir('d')
open('d/file', 'wb').write(b'x' * (20 << 20))
os.chmod('d', 0)";
const SPARSE_FILE: &str = "
import os
open(os.environ['TMPDIR'] + '/file', 'wb').truncate(1 << 30)";
const SHORT_LIVES: &str = "
import os, time
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
        os._exit(0)
    os.wait()";
const UNNOTED_LIVES: &str = "
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.7
        while time.process_time() < end: pass
        os._exit(0)
    try: os.wait()
    except ChildProcessError: pass";

/// Programs that use too much, each by another way, under its name.
fn hostile(form: Form) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("memory of many", format!("{SPREAD_MEMORY}{FOREVER}")),
        ("memory of many that blind the keeper", format!("{BLINDING}{SPREAD_MEMORY}{FOREVER}")),
        ("memory that is shared", format!("{SHARED_MEMORY}{FOREVER}")),
        ("memory without a name", format!("{NAMELESS_MEMORY}{FOREVER}")),
        ("many files", format!("{MANY_FILES}{FOREVER}")),
        ("many folders", format!("{MANY_ENTRIES}{FOREVER}")),
        ("a file without a name", format!("{NAMELESS_FILE}{FOREVER}")),
        ("a file far below", format!("{DEEP_FILE}{FOREVER}")),
        ("many that work in turn", SHORT_LIVES.to_owned()),
        ("many that nobody notes the end of", UNNOTED_LIVES.to_owned()),
    ];
    // Without namespaces the keeper has no right that the run has not.
    if form == Form::Full {
        all.push(("a file that is hidden", format!("{HIDDEN_FILE}{FOREVER}")));
    }
    all
}

fn forms() -> Vec<(User, Form)> {
    let users = [User::Us, User::Nobody];
    let forms = [Form::Full, Form::WithoutNamespaces];
    let rows = users.into_iter().flat_map(|user| forms.map(|form| (user, form)));
    rows.filter(|&(user, form)| trial(user, form).is_ok()).collect()
}

/// Runs it with little of everything; gives its code, and all that is known of its end.
fn ends(user: User, form: Form, program: &str) -> (Option<i32>, String) {
    let scene = Scene::new();
    let mut plan = scene.plan(form, Level::Sealed);
    plan.limits = small(plan.limits);
    if program == SHORT_LIVES || program == UNNOTED_LIVES {
        plan.limits.cpu = 1;
    }
    let output = scene.run(user, &plan, &[PYTHON, "python3", "-c", program]);
    let said = format!("{:?}", output);
    (output.status.code(), said)
}

#[test]
fn a_run_that_uses_too_much_in_all_is_ended_whole() {
    let _quiet = super::quiet();
    for (user, form) in forms() {
        std::thread::scope(|scope| {
            for (name, program) in hostile(form) {
                scope.spawn(move || {
                    // Left alone, it would end well in ten minutes, or go on.
                    let (code, said) = ends(user, form, &program);
                    assert_eq!(code, Some(137), "{user:?} {form:?} {name}: {said}");
                });
            }
        });
    }
}

#[test]
fn what_only_looks_like_much_is_let_be() {
    let _quiet = super::quiet();
    for (user, form) in forms() {
        for program in [COPIED_MEMORY.to_owned(), format!("{SPARSE_FILE}{A_WHILE}")] {
            let (code, said) = ends(user, form, &program);
            assert_eq!(code, Some(0), "{user:?} {form:?} {program}: {said}");
        }
    }
}

#[tokio::test]
async fn the_host_is_told_which_limit_it_was_and_the_next_run_is_none_the_worse() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    for (form, bench) in Bench::each() {
        let bench = bench.bounded_by(small(Limits::here()));
        for (program, limit) in [
            (SPREAD_MEMORY, Exceeded::Memory),
            (MANY_FILES, Exceeded::Scratch),
            (MANY_ENTRIES, Exceeded::Scratch),
        ] {
            let code = format!("print('begun', flush=True){program}{FOREVER}");
            let ended = bench.python(Level::Sealed, &code).await;
            assert_eq!(ended.status, ExitStatus::OverLimit { limit }, "{form:?} {program}");
            // What it printed is kept, and what it was ended with was not left over by it.
            assert!(ended.stdout.starts_with("begun\n"), "{form:?} {}", ended.stdout);
            assert_eq!(ended.leftovers, 0, "{form:?}");
        }
        let ended = bench.python(Level::Sealed, "print('fine')").await;
        assert_eq!((&*ended.stdout, ended.status), ("fine\n", ExitStatus::Exited { code: 0 }));
        assert_eq!(bench.scratch_folders(), 0, "{form:?}");
    }
}

#[tokio::test]
async fn what_was_there_before_a_run_is_not_counted_against_it() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    for (form, bench) in Bench::each() {
        let large = bench.at("a-large-place");
        std::fs::create_dir(&large).unwrap();
        std::fs::write(large.join("file"), vec![1; 10 << 20]).unwrap();
        std::fs::write(bench.workspace().join("file"), vec![1; 10 << 20]).unwrap();
        let bench = bench.bounded_by(small(Limits::here()));
        let bounds = Bounds { writes: vec![large], ..Bounds::from(Level::Workspace) };
        let sleep = ["sleep", "0.8"].map(str::to_owned).to_vec();
        let ended = bench.run(bounds, Program::Argv(sleep)).await;
        assert_eq!(ended.status, ExitStatus::Exited { code: 0 }, "{form:?}");
    }
}

#[tokio::test]
async fn too_much_in_one_process_is_an_error_that_python_can_tell() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    for (form, bench) in Bench::each() {
        let limits = Limits { file_size: MEGABYTE, memory: 1024 * MEGABYTE, ..Limits::here() };
        let bench = bench.bounded_by(limits);
        let ended = bench.python(Level::Sealed, "x = bytearray(10 << 30)").await;
        assert_eq!(ended.status, ExitStatus::Exited { code: 1 }, "{form:?}");
        assert!(ended.stderr.contains("main.py\", line 1, in <module>"), "{}", ended.stderr);
        assert!(ended.stderr.ends_with("MemoryError\n"), "{}", ended.stderr);
        let long = "import os\nopen(os.environ['TMPDIR'] + '/x', 'wb').write(b'x' * (2 << 20))";
        let ended = bench.python(Level::Sealed, long).await;
        assert_eq!(ended.status, ExitStatus::Exited { code: 1 }, "{form:?}");
        assert!(ended.stderr.contains("File too large"), "{form:?} {}", ended.stderr);
    }
}

/// A question at each call, which holds the clock until it is answered.
struct Questions {
    clock: Budget,
    asked: mpsc::UnboundedSender<oneshot::Sender<()>>,
    answered: Arc<Mutex<usize>>,
}

impl HostCalls for Questions {
    fn call(&self, name: String, input: Value, _: Option<u32>) -> BoxFuture<'static, ToolResult> {
        let hold = self.clock.hold();
        let (asked, answered) = (self.asked.clone(), self.answered.clone());
        Box::pin(async move {
            let (answer, waiting) = oneshot::channel();
            asked.send(answer).unwrap();
            waiting.await.unwrap();
            *answered.lock().unwrap() += 1;
            drop(hold);
            ToolResult {
                ok: true,
                content: json!("yes"),
                name,
                input,
                is_error: false,
                attachments: Vec::new(),
                duration_ms: 0,
            }
        })
    }
}

#[tokio::test]
async fn a_thread_that_works_under_open_questions_is_ended_by_the_limit_of_processor_time() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    let code = "
import threading
from footplate import files
def ask():
    print(files.read('x'), flush=True)
    answered.set()
def burn():
    answered.wait()
    while True: pass
answered = threading.Event()
threads = [threading.Thread(target=work) for work in (ask, ask, burn)]
for thread in threads: thread.start()
for thread in threads: thread.join()";
    for (form, bench) in Bench::each() {
        // The running time alone would let it go on for ever.
        let bench = bench.bounded_by(Limits { cpu: 2, ..Limits::here() });
        let (asked, mut questions) = mpsc::unbounded_channel();
        let answered = Arc::default();
        let calls =
            Questions { clock: bench.clock.clone(), asked, answered: Arc::clone(&answered) };
        let script = Program::Python {
            filename: "main.py".to_owned(),
            code: code.to_owned(),
            mounts: Arc::new(mounts()),
            packages: None,
            calls: Arc::new(calls),
        };
        let answers = async {
            let first = questions.recv().await.unwrap();
            let second = questions.recv().await.unwrap();
            first.send(()).unwrap();
            // One waits on, so the clock stands; the end comes all the same.
            questions.recv().await;
            drop(second);
        };
        let run = bench.run(Level::Sealed, script);
        tokio::pin!(run);
        let ended = tokio::select! {
            ended = &mut run => ended,
            () = answers => run.await,
        };
        assert_eq!(ended.status, ExitStatus::OverLimit { limit: Exceeded::Cpu }, "{form:?}");
        assert_eq!((&*ended.stdout, *answered.lock().unwrap()), ("yes\n", 1), "{form:?}");
        // Before the first question it ran, and then never.
        let read = bench.clock.read();
        assert!(
            read.spent < LONG && read.excluded > Duration::from_millis(500),
            "{form:?} {read:?}"
        );
    }
}

#[tokio::test]
async fn every_question_answered_the_clock_runs_again_and_processor_time_is_what_it_was() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    let code = "
import threading, time
from footplate import files
def ask(): files.read('x')
def burn():
    while True: pass
asking = [threading.Thread(target=ask) for _ in range(2)]
for thread in asking: thread.start()
for thread in asking: thread.join()
print('both', flush=True)
burn()";
    for (form, bench) in Bench::each() {
        let bench = bench.bounded_by(Limits { cpu: 2, ..Limits::here() });
        let (asked, mut questions) = mpsc::unbounded_channel();
        let calls = Questions { clock: bench.clock.clone(), asked, answered: Arc::default() };
        let script = Program::Python {
            filename: "main.py".to_owned(),
            code: code.to_owned(),
            mounts: Arc::new(mounts()),
            packages: None,
            calls: Arc::new(calls),
        };
        let clock = bench.clock.clone();
        let answers = async {
            let first = questions.recv().await.unwrap();
            let second = questions.recv().await.unwrap();
            first.send(()).unwrap();
            assert!(clock.read().held, "one answer does not restart it");
            second.send(()).unwrap();
            std::future::pending::<()>().await;
        };
        let ended = tokio::select! {
            ended = bench.run(Level::Sealed, script) => ended,
            () = answers => unreachable!(),
        };
        assert_eq!(ended.status, ExitStatus::OverLimit { limit: Exceeded::Cpu }, "{form:?}");
        assert_eq!(ended.stdout, "both\n", "{form:?}");
        let read = bench.clock.read();
        assert!(!read.held && read.spent > Duration::from_millis(100), "{form:?} {read:?}");
    }
}

#[test]
fn the_system_ends_a_run_before_anything_else() {
    let _quiet = super::quiet();
    for (user, form) in forms() {
        let scene = Scene::new();
        let cat = ["/usr/bin/cat", "cat", "/proc/self/oom_score_adj"];
        let output = scene.run(user, &scene.plan(form, Level::Sealed), &cat);
        assert_eq!(output.stdout, b"1000\n", "{user:?} {form:?}");
    }
    let ours = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    assert_ne!(ours, "1000\n");
}
