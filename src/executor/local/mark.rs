//! What tells the processes of a run from all others, wherever they went.
//!
//! Each carries two marks: a variable in its environment, and, on Linux, its limit of file locks.
//! That limit has meant nothing since Linux 2.4.25, but it is inherited all the same, so it stays
//! with a daemon that began a session of its own with an environment of its own.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::process::Pid;

use crate::kernel::id::CallId;

/// Runs of one host, before their numbers begin anew.
const RUNS: u64 = 1_000_000;

/// The marks of one host.
pub(super) struct Marks {
    /// A name that no other host has: its variables begin with it.
    pub(super) name: String,
    /// The first nine of the fifteen digits of its limits.
    pub(super) digits: u64,
    runs: AtomicU64,
}

impl Marks {
    pub(super) fn fresh() -> Self {
        let name = CallId::fresh().to_string();
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let digits = 100_000_000 + hasher.finish() % 900_000_000;
        Self { name, digits, runs: AtomicU64::new(0) }
    }

    /// The marks of a further run.
    pub(super) fn next(&self, call: CallId) -> Mark {
        let number = self.runs.fetch_add(1, Ordering::Relaxed) % RUNS;
        let run = format!("{}.{}", self.name, call.short());
        Mark { run, locks: self.digits * RUNS + number }
    }
}

/// The marks of one run.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// The value of [`VARIABLE`].
    pub(super) run: String,
    /// The limit of file locks.
    pub(super) locks: u64,
}

/// The variable of the environment.
pub(super) const VARIABLE: &str = "FOOTPLATE_RUN";

impl Mark {
    /// Whether a process carries one of the marks.
    pub(super) fn is_on(&self, process: Pid) -> bool {
        let process = process.as_raw_nonzero();
        let read = |file| std::fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
        let is_ours = |entry: &[u8]| {
            let value = entry.strip_prefix(VARIABLE.as_bytes());
            value.and_then(|value| value.strip_prefix(b"=")) == Some(self.run.as_bytes())
        };
        read("environ").split(|&byte| byte == 0).any(is_ours)
            || locks(&read("limits")) == Some(self.locks)
    }

    /// Puts the limit on this process; for between fork and exec. Where that is not allowed, the
    /// variable has to do.
    pub(super) fn limit(locks: u64) {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Resource, Rlimit, setrlimit};
            let limit = Rlimit { current: Some(locks), maximum: Some(locks) };
            let _ = setrlimit(Resource::Locks, limit);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = locks;
    }
}

fn locks(limits: &[u8]) -> Option<u64> {
    let line = limits
        .split(|&byte| byte == b'\n')
        .find_map(|line| line.strip_prefix(b"Max file locks"))?;
    std::str::from_utf8(line).ok()?.split_ascii_whitespace().next()?.parse().ok()
}
