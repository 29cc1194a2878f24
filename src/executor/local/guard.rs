//! Ends our runs when we die without having ended them ourselves.

use std::process::Stdio;

use tokio::process::{Child, ChildStdin, Command};

use super::{mark::Marks, session::At};

/// Waits for the end of its input, which is our own end, and kills what still carries the mark.
/// Every process of a run carries it, so a daemon is found as well.
const SCRIPT: &str = r#"
trap '' HUP INT TERM QUIT
read -r _
round=0
while [ "$round" -lt 50 ]; do
    # Its own status says nothing: some process always ends while it is looked at.
    found=$(
        grep -lsaF "FOOTPLATE_RUN=$1" /proc/[0-9]*/environ
        grep -ls "^Max file locks *$2[0-9]\{6\} " /proc/[0-9]*/limits
    )
    [ -n "$found" ] || exit 0
    for file in $found; do
        process=${file#/proc/}
        kill -KILL "${process%/*}" 2>/dev/null
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
    pub(super) fn start(marks: &Marks) -> std::io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "footplate-guard", &marks.name, &marks.digits.to_string()])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut shell = super::session::spawn(&mut command, [None; 2], (None, At::NoTerminal))?;
        Ok(Self { _alive: shell.stdin.take(), _shell: shell })
    }
}
