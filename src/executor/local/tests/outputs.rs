//! What a run prints.

use super::*;

#[tokio::test]
async fn output_arrives_whole_and_clean() {
    let code = r#"
import os, sys
print("å漢字👩‍🔬", flush=True)
os.write(1, b"0123456789\rabc\n")
os.write(1, b"crlf\r"); os.write(1, b"\n")
for byte in "漢字".encode(): os.write(1, bytes([byte]))
os.write(1, b"\n\x00\n")
print("on the other one", file=sys.stderr)
"#;
    let ran = python(code).await;
    assert_eq!(ran.ended.stdout, "å漢字👩‍🔬\nabc3456789\ncrlf\n漢字\n⟨U+0000⟩\n");
    assert_eq!(ran.ended.stderr, "on the other one\n");
    assert!(String::from_utf8_lossy(&ran.spool).contains("0123456789\rabc\n"), "the spool is raw");
}

#[tokio::test]
async fn output_is_seen_before_the_end_and_kept_after_the_kill() {
    let trial = Trial::new();
    let cancel = trial.cancel.clone();
    let code = "import time\nprint('first line, not flushed')\ntime.sleep(600)";
    let ran = trial.python_until(code, "first line", || cancel.cancel()).await;
    assert!(ran.ended.stdout.starts_with("first line, not flushed\n"));
    assert_eq!(ran.ended.status, ExitStatus::Cancelled);
}

#[tokio::test]
async fn nothing_is_lost_by_a_hard_exit_nor_printed_twice_by_a_fork() {
    python("import os\nprint('was this kept?')\nos._exit(0)").await.prints("was this kept?\n");
    let fork = "import os\nprint('once')\npid = os.fork()\nif pid: os.waitpid(pid, 0)";
    python(fork).await.prints("once\n");
}

#[tokio::test]
async fn endless_output_is_bounded_and_ends_at_the_limit() {
    for code in [
        "import sys\nwhile True: sys.stdout.buffer.write(b'y' * 4095 + b'\\n')",
        "import os\nwhile True: os.write(1, b'y')",
    ] {
        let trial = Trial::new().limit(100);
        let hold = trial.clock.hold();
        let mut changed = trial.spool.changed.subscribe();
        // Its clock stands until there is more of it than is kept.
        let much = async {
            changed.wait_for(|()| trial.spool.counts().0 > 100_000).await.unwrap();
            drop(hold);
        };
        let (ran, ()) = tokio::join!(trial.python(code), much);
        assert_eq!(ran.ended.status, ExitStatus::TimedOut);
        assert!(ran.ended.stdout.len() < 40_000, "{} bytes were kept", ran.ended.stdout.len());
        assert!(ran.ended.stdout.contains(" left out …]\n"));
    }
}

#[tokio::test]
async fn notices_of_output_are_coalesced() {
    let trial = Trial::new();
    let notices = Arc::new(Mutex::new(Vec::new()));
    let mut job = trial.job(trial.script(
        "import os, time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: os.write(1, b'x')",
    ));
    let kept = notices.clone();
    job.notice = Arc::new(move |notice| kept.lock().unwrap().push(notice));
    trial.local.run(job).await.unwrap();
    let notices = notices.lock().unwrap();
    assert_eq!(notices[0], Notice::Started(crate::kernel::event::Seal::None, Form::None));
    assert!((2..=13).contains(&(notices.len() - 1)), "{} notices of output", notices.len() - 1);
}
