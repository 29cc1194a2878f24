//! How runs end that do not want to, through `uv`, sealed in each form and open: all of them, whatever
//! they had started. Nothing of what is started here ends by itself in ten minutes.

use std::{fs, path::Path, sync::Arc, time::Duration};

use footplate::{
    executor::seal::{Form, Level, Limits},
    kernel::{
        BoxFuture,
        event::ExitStatus,
        invoke::ToolResult,
        port::{HostCalls, Program},
    },
};
use serde_json::Value;
use tokio::sync::watch;

use super::{
    User, counts_processes, running,
    runs::{Bench, mounts},
};

/// Each form, and open beside the first of them.
fn benches() -> Vec<(String, Level, Form, Bench)> {
    let mut all: Vec<_> = Bench::each()
        .into_iter()
        .map(|(form, bench)| (format!("sealed, {form:?}"), Level::Sealed, form, bench))
        .collect();
    all.push(("open".to_owned(), Level::Open, Form::None, Bench::new(None)));
    all
}

/// Never answers.
struct Unanswered(watch::Sender<usize>);

struct Waits(watch::Sender<usize>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl HostCalls for Unanswered {
    fn call(&self, _: String, _: Value, _: Option<u32>) -> BoxFuture<'static, ToolResult> {
        self.0.send_modify(|count| *count += 1);
        let waits = Waits(self.0.clone());
        Box::pin(async move {
            let _waits = waits;
            std::future::pending().await
        })
    }
}

fn script(code: &str) -> (Program, watch::Receiver<usize>) {
    let (calls, waiting) = watch::channel(0);
    let (filename, code) = ("main.py".to_owned(), code.to_owned());
    let (mounts, calls) = (Arc::new(mounts()), Arc::new(Unanswered(calls)));
    (Program::Python { filename, code, mounts, calls, packages: None }, waiting)
}

/// A number of seconds to sleep that no other test's programs have among their words.
fn mark(number: u32) -> String {
    format!("{}.{number}", 200_000 + std::process::id())
}

/// Those of a script that hold the pipe, or the session, or neither.
fn those_that_stay(mark: &str) -> [String; 4] {
    let sleeper = format!("[sys.executable, '-c', 'import time; time.sleep({mark})']");
    let daemon = format!(
        "[sys.executable, '-c', 'import time\\nwhile {mark}: print(\"late\", flush=True); time.sleep(0.1)']"
    );
    [
        format!("import subprocess, sys\nsubprocess.Popen({sleeper})"),
        format!("import subprocess, sys\nsubprocess.Popen({daemon}, start_new_session=True)"),
        // Forked twice, a session of its own, an environment without a word of ours.
        format!(
            "import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execve(sys.executable, {sleeper}, {{}})
    os._exit(0)
os.wait()"
        ),
        format!(
            "import os, sys
if os.fork() == 0: os.execve(sys.executable, {sleeper}, {{}})"
        ),
    ]
}

#[tokio::test]
async fn what_holds_the_pipe_or_leaves_the_session_holds_no_run() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    let mark = mark(31);
    for (row, level, _, bench) in benches() {
        bench.python(level, "print('warm')").await;
        for code in those_that_stay(&mark) {
            let ended = bench.python(level, &format!("{code}\nprint('parent done')")).await;
            let told = ended.stdout.starts_with("parent done") || ended.stdout.contains("late");
            assert!(told, "{row} {code}: {ended:?}");
            assert_eq!((&ended.status, ended.leftovers), (&ExitStatus::Exited { code: 0 }, 1));
            assert_eq!(running(&mark), 0, "{row} {code}");
        }
    }
}

#[tokio::test]
async fn a_stopped_run_is_gone_with_all_that_it_started() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    let mark = mark(32);
    let [_, daemon, twice, _] = those_that_stay(&mark);
    let forks = format!(
        "import os, sys
for _ in range(50):
    if os.fork() == 0: os.execv(sys.executable, ['python', '-c', 'import time; time.sleep({mark})'])"
    );
    let stubborn = "import signal
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)";
    let thread = "import threading
def spin():
    while True: pass
threading.Thread(target=spin).start()";
    let waits = "\nimport time\nprint('ready', flush=True)\ntime.sleep(600)\nopen('deed', 'w')";
    for (name, code) in [
        ("daemon", format!("{daemon}{waits}")),
        ("daemon of nobody", format!("{twice}{waits}")),
        ("50 children", format!("{forks}{waits}")),
        ("stubborn", format!("{stubborn}{waits}")),
        ("a thread without end", format!("{thread}\nprint('ready', flush=True)")),
    ] {
        for (row, level, _, bench) in benches() {
            let ended = bench.stopped_at((level, "ready"), script(&code).0).await;
            assert_eq!(ended.status, ExitStatus::Cancelled, "{row} {name}");
            assert!(ended.stdout.contains("ready"), "{row} {name}: {ended:?}");
            assert_eq!(running(&mark), 0, "{row} {name}");
            assert!(!bench.workspace().join("deed").exists(), "{row} {name}");
        }
    }
}

#[tokio::test]
async fn a_fork_bomb_ends_with_its_run() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    let mark = mark(33);
    // It never stops by itself, and each of it sets the next one off.
    let bomb = format!(
        "import os, time
print('ready', flush=True)
while True:
    try:
        if os.fork() == 0: os.setsid()
    except OSError: time.sleep(0.01)
'{mark}'"
    );
    for (row, level, form, bench) in benches() {
        // Nothing bounds an administrator's processes there, nor anybody's that run open.
        if form == Form::None || !counts_processes(User::Us, form) {
            continue;
        }
        let bench = bench.bounded_by(Limits { processes: 320, ..Limits::here() });
        let ended = bench.stopped_at((level, "ready"), script(&bomb).0).await;
        assert_eq!(ended.status, ExitStatus::Cancelled, "{row}");
        assert_eq!(left_in(&bench.workspace()), Vec::<String>::new(), "{row}");
        let ended = bench.again().python(level, "print('fine')").await;
        assert_eq!(ended.stdout, "fine\n", "{row}: {ended:?}");
    }
}

#[tokio::test]
async fn daemons_that_have_ended_take_no_place_of_others() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    // Where the machine is busy, those that ended may have to wait until somebody takes note.
    let code = "
import os, time
def fork():
    for _ in range(1000):
        try: return os.fork()
        except BlockingIOError: time.sleep(0.01)
    os._exit(1)
for _ in range(700):
    pid = fork()
    if pid == 0:
        os.setsid()
        fork()
        os._exit(0)
    os.waitpid(pid, 0)
print('fine')";
    for (row, level, form, bench) in benches() {
        if form == Form::Full {
            let bench = bench.bounded_by(Limits { processes: 320, ..Limits::here() });
            let ended = bench.python(level, code).await;
            assert_eq!(ended.stderr.lines().last(), None, "{row}");
            assert_eq!(ended.stdout, "fine\n", "{row}");
        }
    }
}

/// The words of the processes that work in that folder.
fn left_in(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let there = processes.filter(|process| {
        fs::read_link(process.join("cwd")).is_ok_and(|place| place.starts_with(&folder))
    });
    there.map(|process| fs::read_to_string(process.join("cmdline")).unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_soft_stop_is_one_interrupt() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    let counted = "
import time
def wait(work):
    try:
        work()
    except KeyboardInterrupt:
        print('interrupted', flush=True)";
    let sleeps = "lambda: (print('ready', flush=True), time.sleep(600))";
    for (name, grace, code, said) in [
        (
            "cleans up",
            Duration::MAX,
            format!("wait({sleeps})\ntime.sleep(0.5)\nprint('clean')"),
            "interrupted\nclean\n",
        ),
        // A second one would be heard.
        (
            "goes on",
            Duration::MAX,
            format!("wait({sleeps})\nwait(lambda: time.sleep(2))\nprint('by itself')"),
            "interrupted\nby itself\n",
        ),
        // Nothing is heard in there until it is done, which is never; not even between its word and
        // what it does then.
        (
            "in a C call",
            Duration::from_millis(500),
            "import itertools, os
said = map(os.write, (1,), (b'ready\\n',))
wait(lambda: sum(itertools.chain(said, range(10**13))))"
                .to_owned(),
            "",
        ),
    ] {
        for (row, level, _, bench) in benches() {
            let (bench, code) = (bench.patient(grace), format!("{counted}\n{code}"));
            let ended = bench.stopped_at((level, "ready"), script(&code).0).await;
            assert_eq!(ended.status, ExitStatus::Cancelled, "{row} {name}");
            assert_eq!(ended.stdout, format!("ready\n{said}"), "{row} {name}: {ended:?}");
        }
    }
}

#[tokio::test]
async fn a_stop_reaches_a_script_that_waits_for_an_answer_and_withdraws_its_question() {
    let _quiet = super::QUIET.acquire().await.unwrap();
    let code = "
import time, footplate
from footplate import files
print('before', flush=True)
seen = []
try:
    try:
        files.read('x')
    except footplate.Error as error:
        seen.append(type(error).__name__)
        time.sleep(600)
except KeyboardInterrupt:
    seen.append('interrupted')
print(seen[-1], len(seen) <= 2, flush=True)";
    for (row, level, _, bench) in benches() {
        let bench = bench.patient(Duration::MAX);
        let (program, mut waiting) = script(code);
        let stopping = async {
            waiting.wait_for(|&count| count == 1).await.unwrap();
            bench.cancel.cancel();
        };
        let (ended, ()) = tokio::join!(bench.run(level, program), stopping);
        assert_eq!(ended.stdout, "before\ninterrupted True\n", "{row}: {ended:?}");
        assert_eq!(*waiting.borrow(), 0, "{row}");
    }
}
