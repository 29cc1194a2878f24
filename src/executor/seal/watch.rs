//! What a whole run uses, looked at now and then: the limits of the system hold for one process
//! each, and a run may have many.
//!
//! A control group would count memory more exactly and at once. It is not used: it needs a part of
//! the tree that was handed to this user, which few systems do, and the looks are needed elsewhere
//! all the same. What a run takes between two looks the system itself bounds, by ending it first
//! (`oom_score_adj`).

use std::{collections::HashMap, path::Path, time::Duration};

use rustix::process::Pid;
use tokio::time::Instant;

use super::{
    Limits, Plan,
    mounts::has_own_shared_memory,
    processes::{self, Process, folder},
    room::{Nameless, Room},
};
use crate::kernel::event::Exceeded;

/// From one look to the next.
const SELDOM: Duration = Duration::from_millis(250);
/// Looks take no larger part of the time than one in this.
const PART: u32 = 20;
/// But there is one this soon all the same: one that took long may only have been kept from running.
const LATEST: Duration = Duration::from_secs(5);

/// How long to wait after a look that took this long.
fn pause(took: Duration) -> Duration {
    took.saturating_mul(PART).clamp(SELDOM, LATEST)
}

/// Looks at what a run uses.
pub(super) struct Watch<'a> {
    limits: Limits,
    scratch: Option<&'a Path>,
    /// The folder of shared memory, if the run has its own.
    shared: Option<&'static Path>,
    /// The processor time of each process as it was last seen, by number and beginning.
    seen: HashMap<(Pid, u64), u64>,
    /// The same of all that are gone.
    gone: u64,
    next: Instant,
}

impl<'a> Watch<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        Self {
            limits: plan.limits,
            scratch: plan.scratch.as_deref(),
            shared: has_own_shared_memory(plan).then_some(Path::new("/dev/shm")),
            seen: HashMap::new(),
            gone: 0,
            next: Instant::now() + SELDOM,
        }
    }

    /// How long until the next look.
    pub(super) fn wait(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// Looks, if it is time to; gives what the run has used too much of.
    pub(super) fn look(&mut self) -> Option<Exceeded> {
        let begun = Instant::now();
        if begun < self.next {
            return None;
        }
        let (this, below) = processes::here_and_below();
        let nameless = Nameless::of(living(&below));
        let over = if self.cpu(this.as_ref(), &below) > self.limits.cpu.saturating_mul(ticks()) {
            Some(Exceeded::Cpu)
        } else if self.is_over_memory(&below, nameless.memory) {
            Some(Exceeded::Memory)
        } else if self.is_over_room(nameless.disk) {
            Some(Exceeded::Scratch)
        } else {
            None
        };
        let now = Instant::now();
        self.next = now + pause(now - begun);
        over
    }

    /// Processor time of the run so far, in clock ticks. A parent that takes note of the end of its
    /// child has the child's time from then on; for those that do not there is what was seen.
    fn cpu(&mut self, this: Option<&Process>, below: &[Process]) -> u64 {
        let ended = this.map_or(0, |process| process.ended_children);
        let told = below.iter().map(|process| process.own + process.ended_children);
        let told = ended + told.sum::<u64>();
        let now = below.iter().map(|process| ((process.pid, process.began), process.own)).collect();
        let before = std::mem::replace(&mut self.seen, now);
        let is_gone = |(key, _): &(&(Pid, u64), &u64)| !self.seen.contains_key(*key);
        self.gone += before.iter().filter(is_gone).map(|(_, own)| own).sum::<u64>();
        told.max(self.gone + self.seen.values().sum::<u64>())
    }

    /// What one look shows is more than is used, since processes share; it is looked at closely
    /// only when even that is too much.
    fn is_over_memory(&self, below: &[Process], nameless: u64) -> bool {
        let files = nameless + self.shared.map_or(0, used);
        let page = rustix::param::page_size() as u64;
        let at_most = files + below.iter().map(|process| process.pages * page).sum::<u64>();
        if at_most <= self.limits.total_memory {
            return false;
        }
        let (mut own, mut shared) = (0, 0);
        for part in living(below).map(Part::of) {
            own += part.own;
            shared += part.shared;
        }
        // Files of memory may or may not be mapped by somebody.
        own + shared.max(files) > self.limits.total_memory
    }

    fn is_over_room(&self, nameless: u64) -> bool {
        let most = self.limits.entries;
        let room = self.scratch.map_or(Room::default(), |place| Room::below(place, most));
        room.entries > most || room.bytes + nameless > self.limits.scratch
    }
}

fn living(below: &[Process]) -> impl Iterator<Item = Pid> {
    below.iter().filter(|process| !process.is_dead).map(|process| process.pid)
}

fn ticks() -> u64 {
    rustix::param::clock_ticks_per_second()
}

/// Bytes used in a file system.
fn used(place: &Path) -> u64 {
    rustix::fs::statvfs(place).map_or(0, |all| (all.f_blocks - all.f_bfree) * all.f_frsize)
}

/// A process's part of memory, what it shares with others divided among them: what is its own, and
/// what is shared memory. Files of the disk are left out, since the system can let them go.
#[derive(Default)]
struct Part {
    own: u64,
    shared: u64,
}

impl Part {
    fn of(pid: Pid) -> Self {
        let read = |file| std::fs::read_to_string(folder(pid).join(file)).unwrap_or_default();
        let exact = read("smaps_rollup");
        if let Some(own) = kilobytes(&exact, "Pss_Anon:") {
            let shared = kilobytes(&exact, "Pss_Shmem:").unwrap_or(0);
            let swapped = kilobytes(&exact, "SwapPss:").unwrap_or(0);
            return Self { own: own + swapped, shared };
        }
        // It does not let itself be looked at so closely, so it counts as if it shared nothing.
        let rough = read("status");
        let [own, shared, swapped] =
            ["RssAnon:", "RssShmem:", "VmSwap:"].map(|name| kilobytes(&rough, name).unwrap_or(0));
        Self { own: own + swapped, shared }
    }
}

/// The bytes on the line of that name, which has them in kilobytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_seldom_and_a_look_that_was_kept_from_running_blinds_nobody_for_long() {
        let after = |ms| pause(Duration::from_millis(ms)).as_millis();
        assert_eq!([1, 100, 5_000].map(after), [250, 2_000, 5_000]);
    }
}
