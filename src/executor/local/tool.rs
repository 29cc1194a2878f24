//! Programs of our own that are no run of anybody: uv and pip, and Python where it runs no code of
//! others.

use std::{path::Path, process::Stdio};

use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
};

use crate::kernel::text;

/// Runs a program of our own to its end and gives what it printed; the error is what it said, the
/// last of it if that is long. Dropping the future ends it, and waits for that.
pub(super) async fn run(command: &mut Command, cwd: &Path) -> Result<String, String> {
    // Not the workspace: `python -m` would import from it.
    command.current_dir(cwd).stdin(Stdio::null()).process_group(0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Own(command.spawn().map_err(|error| error.to_string())?);
    let (mut stdout, mut stderr) = (child.0.stdout.take(), child.0.stderr.take());
    let (out, err, status) =
        tokio::join!(drain(stdout.as_mut()), drain(stderr.as_mut()), child.0.wait());
    let status = status.map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&out).into_owned());
    }
    let said = text::clean(&err);
    let said: Vec<_> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = said.len().saturating_sub(LAST_LINES);
    if said.is_empty() { Err(status.to_string()) } else { Err(said[last..].join(" ")) }
}

/// Lines of a fault that are told.
const LAST_LINES: usize = 8;

async fn drain(pipe: Option<&mut (impl AsyncRead + Unpin)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What cannot be read was not said.
        let _ = pipe.read_to_end(&mut bytes).await;
    }
    bytes
}

/// A program of our own. Dropped before its end, it is ended with all that it started, so that it
/// writes nothing any more where others clean up.
struct Own(Child);

impl Drop for Own {
    fn drop(&mut self) {
        let Some(pid) = super::sealed::pid(&self.0) else { return };
        // It may have ended at this very moment, which is as good.
        let _ = kill_process_group(pid, Signal::KILL);
        // Left to be waited for by whoever collects children; a killed one takes milliseconds.
        let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn runs(pid: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
    }

    #[tokio::test]
    async fn a_program_that_nobody_waits_for_any_more_ends_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pids");
        rustix::fs::mkfifoat(rustix::fs::CWD, &file, rustix::fs::Mode::RWXU).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo $! $$ > pids; wait"]);
        let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(file).unwrap());
        let pids = tokio::select! {
            end = run(&mut command, folder.path()) => panic!("it ended: {end:?}"),
            pids = read => pids.unwrap(),
        };
        let (other, first) = pids.trim().split_once(' ').unwrap();
        assert!(!runs(first), "its end was not waited for");
        // Killed as well, and its end is the system's.
        let begun = tokio::time::Instant::now();
        while runs(other) {
            assert!(begun.elapsed().as_secs() < 20, "{other} is left");
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn a_fault_is_told_in_the_program_s_own_words() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo 'one\\033[2J' >&2; echo two >&2; exit 3"]);
        assert_eq!(run(&mut command, Path::new("/")).await, Err("one two".to_owned()));
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2"]);
        assert_eq!(run(&mut command, Path::new("/")).await, Ok("out\n".to_owned()));
    }
}
