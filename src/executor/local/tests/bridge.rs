//! Calls from Python to the host.

use super::*;

#[tokio::test]
async fn a_call_gives_its_result_and_tells_its_line() {
    let code = r#"from footplate import demo
import footplate

def inner():
    return demo.echo({"é": [1, 2.5, None, True, "👩‍🔬"]})

print(*inner()["é"])
try:
    demo.deny(1)
except footplate.Denied as denied:
    print(denied.reason, denied.feedback, denied.payload["error"])
"#;
    let trial = Trial::new();
    trial.python(code).await.prints("1 2.5 None True 👩‍🔬\nno not today permission_denied\n");
    assert_eq!(*trial.calls.lines.lock().unwrap(), [Some(5), Some(9)]);
}

#[tokio::test]
async fn what_is_there_can_be_listed_and_searched() {
    let code = "import footplate
print([entry['signature'] for entry in footplate.capabilities()])
print([entry['name'] for entry in footplate.find('never')])
try:
    footplate.web
except AttributeError as error:
    print(error)";
    python(code).await.prints(
        "['demo.echo(value: Any)', 'demo.deny(value: Any)', 'demo.wait(value: Any)']\n\
         ['demo.wait']\nfootplate has no module 'web' here; there is: demo\n",
    );
}

#[tokio::test]
async fn a_batch_keeps_the_order_and_every_result() {
    let code = "import footplate
from footplate import demo
calls = [(demo.echo, {'value': n}) for n in range(200)] + [('demo.deny', {'value': 0})]
results = footplate.batch(calls, return_errors=True)
print(results[:200] == list(range(200)), repr(results[200]))
try:
    footplate.batch(calls)
except footplate.Denied as denied:
    print(len(denied.results))";
    python(code).await.prints("True Denied('no')\n201\n");
}

#[tokio::test]
async fn values_that_json_cannot_carry_raise_and_leave_the_channel_usable() {
    let code = r#"
from footplate import demo
import pathlib
loop = []; loop.append(loop)
for value in (b"x", {1}, {1: 2}, float("nan"), 10**30, "\ud800", loop, object()):
    try:
        demo.echo(value); print("sent", value)
    except TypeError as error:
        pass
print(demo.echo((1, pathlib.Path("a/b"), 2**63, -(2**63))), len(demo.echo("x" * 3_000_000)))
"#;
    python(code).await.prints("[1, 'a/b', 9223372036854775808, -9223372036854775808] 3000000\n");
}

#[tokio::test]
async fn an_error_that_nobody_catches_is_told_by_the_lines_of_the_script() {
    let told = |ran: &Ran| {
        let lines = ran.ended.stderr.lines().filter(|line| !line.trim().starts_with(['^', '~']));
        lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let ran = python("from footplate import demo\ndef go():\n    demo.deny(1)\ngo()").await;
    let file = |line: &str| line.rsplit('/').next().unwrap_or_default().to_owned();
    let lines: Vec<String> = told(&ran).iter().map(|line| file(line)).collect();
    assert_eq!(
        lines,
        [
            "Traceback (most recent call last):",
            "main.py\", line 4, in <module>",
            "go()",
            "main.py\", line 3, in go",
            "demo.deny(1)",
            "footplate.Denied: no",
        ],
        "{}",
        ran.ended.stderr
    );
    assert_eq!(ran.ended.status, ExitStatus::Exited { code: 1 });
    for code in [
        "demo.echo({'a': [{1}]})",
        "import footplate; footplate.batch([(demo.deny, {'value': 1})])",
        "try:\n    demo.deny(1)\nexcept Exception as error:\n    raise ValueError('why') from error",
    ] {
        let ran = python(&format!("from footplate import demo\n{code}")).await;
        let stderr = &ran.ended.stderr;
        assert!(stderr.contains("main.py") && !stderr.contains("_channel.py"), "{stderr}");
        assert!(!stderr.contains("demo.py"), "{stderr}");
    }
    // What is the script's own is told whole, also where it was called from there.
    let code = "from footplate import demo\nimport os\nclass Odd(os.PathLike):\n    def __fspath__(self):\n        \
                return 1 / 0\ndemo.echo(Odd())";
    let stderr = python(code).await.ended.stderr;
    assert!(stderr.contains("line 5, in __fspath__") && stderr.contains("_channel.py"), "{stderr}");
    assert!(stderr.contains("ZeroDivisionError"), "{stderr}");
}

#[tokio::test]
async fn threads_and_forks_never_get_each_others_answers() {
    let code = r#"
import os, threading
from footplate import demo
demo.echo("before")
def work(name):
    for n in range(60):
        assert demo.echo([name, n]) == [name, n]
threads = [threading.Thread(target=work, args=(f"thread {n}",)) for n in range(8)]
for thread in threads: thread.start()
children = []
for n in range(3):
    pid = os.fork()
    if pid == 0:
        try:
            work(f"fork {n}"); os._exit(0)
        except BaseException as error:
            print(error); os._exit(1)
    children.append(pid)
for thread in threads: thread.join()
print([os.waitpid(pid, 0)[1] for pid in children])
"#;
    let trial = Trial::new();
    trial.python(code).await.prints("[0, 0, 0]\n");
    assert_eq!(trial.calls.lines.lock().unwrap().len(), 1 + 60 * 11);
}

#[tokio::test]
async fn processes_of_multiprocessing_can_call_too() {
    let code = r#"
import multiprocessing
from footplate import demo
def work(n): return demo.echo(n * n)
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(work, range(4)))
"#;
    python(code).await.prints("[0, 1, 4, 9]\n");
}

#[tokio::test]
async fn a_process_without_the_descriptor_is_told_plainly() {
    let code = r#"
import os, subprocess, sys
call = "import footplate\nfrom footplate import demo\ntry: print(demo.echo(1))\nexcept footplate.Error as e: print(e)"
print(subprocess.run([sys.executable, "-c", call], capture_output=True, text=True).stdout[:46])
fd = int(os.environ["FOOTPLATE_FD"].split(":")[0])
print(subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, pass_fds=(fd,)).stdout)
"#;
    python(code).await.prints("This process has no channel to footplate: it w\n1\n\n");
}

#[tokio::test]
async fn garbage_on_the_bridge_hurts_nobody_else() {
    let code = r#"
import footplate, os, socket, tempfile
from footplate import demo
channel = socket.socket(fileno=os.dup(int(os.environ["FOOTPLATE_FD"].split(":")[0])))
def connect():
    ours, theirs = socket.socketpair()
    socket.send_fds(channel, [b"connect"], [theirs.fileno()]); theirs.close()
    return ours
def say(data):
    end = connect()
    try:
        end.sendall(data); end.shutdown(socket.SHUT_WR)
    except OSError: pass
    answer = b""
    try:
        while part := end.recv(65536): answer += part
    except OSError: pass
    return answer[:30]
print(say(b"\x00\xff garbage\n"), say(b"{half a frame"), say(b"[]\n"))
print(say(b"y" * (17 << 20)))
held = [connect() for _ in range(400)]
print(held[399].recv(65536)[:30]); held.clear()
for fds in ([], [0, 1, 2]): socket.send_fds(channel, [b"connect"], fds)
with tempfile.TemporaryFile() as file: socket.send_fds(channel, [b"connect"], [file.fileno()] * 4)
channel.send(b"nonsense" * 100); channel.send(b"")
while True:
    try:
        print(demo.echo("still alive")); break
    except footplate.Error as error:
        assert str(error).startswith("more than 256 connections"), error
"#;
    let refused = r#"b'{"fault":"this is no call to f'"#;
    let expected = format!(
        "{refused} b'' {refused}\nb'{{\"fault\":\"more than 16 MiB in '\n\
         b'{{\"fault\":\"more than 256 connec'\nstill alive\n"
    );
    python(code).await.prints(&expected);
}

#[tokio::test]
async fn a_waiting_call_is_dropped_with_whoever_asked() {
    let code = "
import os, signal, time
from footplate import demo
pid = os.fork()
if pid == 0: demo.wait(1)
while not os.path.exists('it waits'): time.sleep(0.01)
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
print('killed')
time.sleep(600)";
    let trial = Trial::new();
    let (mut waiting, calls) = (trial.calls.waiting.subscribe(), trial.calls.clone());
    let watch = async {
        waiting.wait_for(|&count| count == 1).await.unwrap();
        std::fs::write(trial.folder.path().join("it waits"), "").unwrap();
        // Its process is killed; ours still runs.
        waiting.wait_for(|&count| count == 0).await.unwrap();
        trial.cancel.cancel();
    };
    let (ran, ()) = tokio::join!(trial.python(code), watch);
    assert_eq!(ran.ended.status, ExitStatus::Cancelled);
    assert_eq!(calls.lines.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_cancel_interrupts_a_waiting_call() {
    let trial = Trial::new().graced(Duration::MAX);
    let mut waiting = trial.calls.waiting.subscribe();
    let watch = async {
        waiting.wait_for(|&count| count == 1).await.unwrap();
        trial.cancel.cancel();
    };
    let code = "from footplate import demo\ndemo.wait(1)\nprint('went on')";
    let (ran, ()) = tokio::join!(trial.python(code), watch);
    assert_eq!((ran.ended.status, ran.ended.stdout.as_str()), (ExitStatus::Cancelled, ""));
    assert_eq!(*trial.calls.waiting.borrow(), 0);
}

/// A connection of its own, with the end that the host was handed kept as well.
const KEPT_END: &str = r#"
import json, os, socket, time
channel = socket.socket(fileno=os.dup(int(os.environ["FOOTPLATE_FD"].split(":")[0])))
ours, theirs = socket.socketpair()
socket.send_fds(channel, [b"connect"], [theirs.fileno()])
def ask(number, value):
    call = {"id": number, "name": "demo.echo", "input": {"value": value}}
    ours.sendall(json.dumps(call).encode() + b"\n")
ask(1, 1)
ours.recv(1000)
"#;

#[tokio::test]
async fn a_run_that_makes_the_host_s_own_end_wait_is_ended_by_its_clock_all_the_same() {
    for attack in ["ours.sendall(b'x' * (16 << 10))", "ask(2, 'x' * 4_000_000)"] {
        // A host that waits would do so until the run has ended by itself.
        let code =
            format!("{KEPT_END}theirs.setblocking(True)\n{attack}\nprint('done')\ntime.sleep(60)");
        let trial = Trial::new().limit(100);
        let hold = trial.clock.hold();
        let ran = trial.python_until(&code, "done", || drop(hold)).await;
        assert_eq!(ran.ended.status, ExitStatus::TimedOut, "{attack}");
    }
}

#[tokio::test]
async fn a_run_that_takes_no_answers_does_not_have_the_host_keep_them_all() {
    let code = format!(
        "{KEPT_END}import select
theirs.close()
for number in range(48):
    call = {{'id': number, 'name': 'demo.much', 'input': {{}}}}
    ours.sendall(json.dumps(call).encode() + b'\\n')
closed = select.poll()
closed.register(ours, 0)
print([event for _, event in closed.poll(240_000)] == [select.POLLHUP])"
    );
    Trial::new().python(&code).await.prints("True\n");
}
