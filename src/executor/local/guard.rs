//! Ends our runs when we die without having ended them ourselves.

use std::process::Stdio;

use tokio::process::{Child, ChildStdin, Command};

/// Waits for the end of its input, which is our own end, and kills what still carries the mark.
/// The mark stands in the environment of every process of a run, so a daemon is found as well.
const SCRIPT: &str = r#"
trap '' HUP INT TERM QUIT
read -r _
round=0
while [ "$round" -lt 50 ]; do
    # Its own status says nothing: some process always ends while it is looked at.
    found=$(grep -lsaF "FOOTPLATE_RUN=$1" /proc/[0-9]*/environ)
    [ -n "$found" ] || exit 0
    for file in $found; do
        process=${file#/proc/}
        kill -KILL "${process%/environ}" 2>/dev/null
    done
    round=$((round + 1))
done
"#;

/// A small shell beside this process. Dropping it makes it do its work and end.
pub(super) struct Guard {
    _shell: Child,
    _alive: Option<ChildStdin>,
}

impl Guard {
    pub(super) fn start(name: &str) -> std::io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "footplate-guard", name])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut shell = super::session::spawn(&mut command, None)?;
        Ok(Self { _alive: shell.stdin.take(), _shell: shell })
    }
}
