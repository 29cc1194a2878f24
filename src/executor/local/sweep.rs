//! Finds every process of a run, its own session or not, and ends it.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::time::Instant;

use super::mark::Mark;

/// The longest that a look may take; who looked for longer was kept from running.
const LOOK: Duration = Duration::from_millis(100);

/// What tells a run's processes from all others.
#[derive(Clone, Debug)]
pub(super) struct Traces {
    /// The session that its first process began.
    pub(super) session: Pid,
    /// What all of them carry.
    pub(super) mark: Mark,
    /// When the first began, in ticks since the machine did; older ones are none of it.
    pub(super) since: u64,
}

impl Traces {
    pub(super) fn of(session: Pid, mark: Mark) -> Self {
        let since = stat(session).map_or(0, |stat| stat.began);
        Self { session, mark, since }
    }

    /// Kills all that is left, again and again until nothing is; gives how many there were. Blocks
    /// for some milliseconds, and for `longest` of running time if one cannot die.
    pub(super) fn end(&self, longest: Duration) -> u32 {
        let mut known: Vec<Pid> = Vec::new();
        let mut left = longest;
        loop {
            let begun = Instant::now();
            let members = self.members();
            for &pid in &members {
                // One that ended by itself meanwhile is what we want.
                let _ = kill_process(pid, Signal::KILL);
                if !known.contains(&pid) {
                    known.push(pid);
                }
            }
            if cfg!(not(target_os = "linux")) {
                let _ = kill_process_group(self.session, Signal::KILL);
            }
            if members.is_empty() || left.is_zero() {
                return u32::try_from(known.len()).unwrap_or(u32::MAX);
            }
            std::thread::yield_now();
            left = left.saturating_sub(begun.elapsed().min(LOOK));
        }
    }

    /// Its living processes, the descendants of each included.
    fn members(&self) -> Vec<Pid> {
        let mut members: Vec<Pid> = Vec::new();
        let mut others: Vec<(Pid, Pid)> = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
            let Some(pid) = pid.and_then(Pid::from_raw) else { continue };
            let Some(stat) = stat(pid) else { continue };
            if stat.began < self.since || stat.dead {
                continue;
            }
            if stat.session == self.session.as_raw_nonzero().get() || self.mark.is_on(pid) {
                members.push(pid);
            } else if let Some(parent) = Pid::from_raw(stat.parent) {
                others.push((pid, parent));
            }
        }
        let mut grown = !members.is_empty();
        while grown {
            grown = false;
            others.retain(|&(pid, parent)| {
                let descends = members.contains(&parent);
                if descends {
                    members.push(pid);
                    grown = true;
                }
                !descends
            });
        }
        members
    }
}

struct Stat {
    dead: bool,
    parent: i32,
    session: i32,
    began: u64,
}

fn stat(pid: Pid) -> Option<Stat> {
    let text = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name before the last bracket may hold anything.
    let end = text.iter().rposition(|&byte| byte == b')')?;
    let text = std::str::from_utf8(&text[end + 1..]).ok()?;
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    Some(Stat {
        dead: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        began: fields.get(19)?.parse().ok()?,
    })
}
