//! How runs end, and that nothing of them is left.

use super::*;

const DAEMON: &str = "
import os, subprocess, sys
subprocess.Popen([sys.executable, '-c', '''
import time, os
while True:
    print('late', flush=True)
    time.sleep(0.05)
'''], start_new_session=True)
print('parent done')
";

#[tokio::test]
async fn an_end_says_how_it_came() {
    for (code, expected) in [
        ("", ExitStatus::Exited { code: 0 }),
        ("raise SystemExit(3)", ExitStatus::Exited { code: 3 }),
        ("raise SystemExit(137)", ExitStatus::Exited { code: 137 }),
        ("1/0", ExitStatus::Exited { code: 1 }),
        ("import os; os.kill(os.getpid(), 9)", ExitStatus::Signalled { signal: 9 }),
        ("import os; os.abort()", ExitStatus::Signalled { signal: 6 }),
    ] {
        assert_eq!(python(code).await.ended.status, expected, "{code}");
    }
}

#[tokio::test]
async fn an_uncaught_error_names_the_script_and_its_line() {
    let stderr = python("x = 1\n1/0").await.ended.stderr;
    assert!(stderr.contains("main.py\", line 2, in <module>"), "{stderr}");
    assert!(!stderr.contains("sitecustomize"), "{stderr}");
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_does_not_hold_the_run() {
    for code in [
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])",
        DAEMON,
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)",
    ] {
        let trial = Trial::new();
        // It would be held for ten minutes, which is not waited for.
        let ran = trial.python(code).await;
        assert_eq!(ran.ended.status, ExitStatus::Exited { code: 0 }, "{code}");
        assert_eq!(ran.ended.leftovers, 1, "{code}");
        assert_eq!(trial.left(), Vec::<PathBuf>::new(), "{code}");
    }
}

/// A daemon in a session of its own with an environment of its own, which nobody waits for.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_that_was_given_nothing_of_ours_goes_with_its_run() {
    let code = "
import subprocess
start = '(sleep 600 </dev/null >/dev/null 2>&1 & echo $!)'
print(subprocess.run(['/bin/sh', '-c', start], env={}, start_new_session=True, stdout=-1).stdout.decode())";
    let trial = Trial::new();
    let daemon = |ran: &Ran| ran.ended.stdout.lines().next().unwrap().parse::<u32>().unwrap();
    // One that is dead and not yet taken off the list has no words of its own any more.
    let is_there = |pid: u32| {
        std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| !words.is_empty())
    };
    let ran = trial.python(code).await;
    let pid = daemon(&ran);
    assert!(!is_there(pid));
    assert_eq!(ran.ended.leftovers, 1);
    let trial = Trial::new();
    let waits = format!("{code}\nimport time\nprint('ready')\ntime.sleep(600)");
    let ran = trial.python_until(&waits, "ready", || trial.cancel.cancel()).await;
    let pid = daemon(&ran);
    assert!(!is_there(pid));
}

#[tokio::test]
async fn a_cancelled_run_is_gone_whatever_it_does_about_it() {
    let forks = "
import os, time
for _ in range(50):
    if os.fork() == 0:
        while True: time.sleep(1)
print('ready')
time.sleep(600)";
    let stubborn = "
import signal, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
print('ready')
time.sleep(600)";
    let thread = "
import threading
def spin():
    while True: pass
threading.Thread(target=spin).start()
print('ready')";
    let daemon = format!("{DAEMON}\nimport time\nprint('ready')\ntime.sleep(600)");
    for code in [forks, stubborn, thread, &daemon, "import time\nprint('ready')\ntime.sleep(600)"] {
        let trial = Trial::new().graced(Duration::from_millis(300));
        let ran = trial.python_until(code, "ready", || trial.cancel.cancel()).await;
        assert_eq!(ran.ended.status, ExitStatus::Cancelled, "{code}");
        assert_eq!(trial.left(), Vec::<PathBuf>::new(), "{code}");
    }
}

#[tokio::test]
async fn a_soft_cancel_is_one_interrupt_and_leaves_time_to_clean_up() {
    let code = "
import time
try:
    print('ready')
    time.sleep(600)
except KeyboardInterrupt:
    time.sleep(0.3)
    print('cleaned up')";
    let trial = Trial::new().graced(Duration::MAX);
    let ran = trial.python_until(code, "ready", || trial.cancel.cancel()).await;
    assert_eq!(ran.ended.stdout, "ready\ncleaned up\n");
}

#[tokio::test]
async fn a_run_whose_future_is_dropped_is_gone() {
    let trial = Trial::new();
    let mut changed = trial.spool.changed.subscribe();
    let daemon = format!("{DAEMON}\nimport time\ntime.sleep(600)");
    tokio::select! {
        _ = trial.python(&daemon) => panic!("it sleeps for ten minutes"),
        _ = changed.wait_for(|()| trial.spool.bytes.lock().unwrap().ends_with(b"late\n")) => {}
    }
    assert_eq!(trial.left(), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn waiting_for_an_answer_uses_no_running_time() {
    let trial = Trial::new().limit(700);
    let hold = trial.clock.hold();
    let code = "import time\nprint('ready')\ntime.sleep(1.2)\nprint('done')";
    let ran = trial.python(code).await;
    drop(hold);
    assert_eq!(
        (ran.ended.stdout.as_str(), ran.ended.status),
        ("ready\ndone\n", ExitStatus::Exited { code: 0 })
    );
    // Nothing of its time is used before it waits, nor before it has said what it has to say.
    let mut trial = Trial::new().limit(100);
    trial.local = trial.local.patient(Patience { timed_out: Duration::MAX, ..UNHURRIED });
    let hold = trial.clock.hold();
    let waits = "import time\nprint('ready')\ntime.sleep(600)";
    let ran = trial.python_until(waits, "ready", || drop(hold)).await;
    assert_eq!(ran.ended.status, ExitStatus::TimedOut);
    assert!(ran.ended.stderr.contains("KeyboardInterrupt"), "{}", ran.ended.stderr);
}

/// Where the two halves of the next test meet.
const MEETING: &str = "FOOTPLATE_TEST_MEETING";

#[tokio::test]
async fn our_own_death_ends_a_run() {
    data();
    let folder = tempfile::tempdir().unwrap();
    let name = "executor::local::tests::endings::a_host_that_is_killed";
    let mut host = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(MEETING, folder.path())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap_or_default();
    until("the daemon runs", || read("daemon").ends_with('\n')).await;
    let mark = format!("FOOTPLATE_RUN={}", read("name"));
    assert!(marked(&mark).len() >= 3, "uv, Python and the daemon: {:?}", marked(&mark));
    host.kill().await.unwrap();
    until("they are gone", || marked(&mark).is_empty()).await;
}

#[tokio::test]
#[ignore = "the other half of our_own_death_ends_a_run, which kills it"]
async fn a_host_that_is_killed() {
    let folder = PathBuf::from(std::env::var_os(MEETING).expect("started by the other half"));
    let trial = Trial::new();
    std::fs::write(folder.join("name"), &trial.local.marks.name).unwrap();
    let code = format!(
        "
import subprocess, sys, time
code = 'import time; print(1, file=open({:?}, \"w\"), flush=True); time.sleep(600)'
subprocess.Popen([sys.executable, '-c', code], start_new_session=True)
time.sleep(600)",
        folder.join("daemon")
    );
    trial.python(&code).await;
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    // Another process makes it hold, and tells nobody.
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    let looking = async {
        while !holds() {
            looks.tick().await;
        }
    };
    timeout(LONG, looking).await.unwrap_or_else(|_| panic!("never: {what}"));
}

#[tokio::test]
async fn a_program_runs_without_a_shell() {
    let trial = Trial::new();
    let argv = ["printf", "%s|", "a b", "$HOME", "*"].map(str::to_owned).to_vec();
    trial.run(Program::Argv(argv)).await.prints("a b|$HOME|*|");
    let sleep = ["sleep", "600"].map(str::to_owned).to_vec();
    let ran = Trial::new().limit(100).run(Program::Argv(sleep)).await;
    assert_eq!(ran.ended.status, ExitStatus::TimedOut);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_said_in_two_lines() {
    let trial = Trial::new();
    std::fs::write(trial.folder.path().join("plain"), "text").unwrap();
    for (argv, expected) in [
        (vec![], "No program is named."),
        (vec!["no-such-program"], "There is no program \"no-such-program\" on the search path."),
        (vec!["./gone"], "There is no program \"./gone\"."),
        (vec!["./plain"], "\"./plain\" is no program: the file may not be executed."),
    ] {
        let argv = argv.into_iter().map(str::to_owned).collect();
        let error = trial.local.run(trial.job(Program::Argv(argv))).await.unwrap_err();
        let lines: Vec<_> = error.message.lines().collect();
        assert_eq!((lines[0], lines.len()), (expected, 2), "{}", error.message);
    }
}
