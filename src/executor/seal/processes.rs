//! The processes of a run, as `/proc` tells of them to the one above them all.

use std::path::PathBuf;

use rustix::process::Pid;

/// One process at one moment.
pub(super) struct Process {
    pub(super) pid: Pid,
    parent: Option<Pid>,
    /// When it began, which tells it from an earlier one of the same number.
    pub(super) began: u64,
    /// Ended, and nobody took note of it yet.
    pub(super) is_dead: bool,
    /// Processor time of its own, in clock ticks.
    pub(super) own: u64,
    /// The same of all below it whose end was taken note of.
    pub(super) ended_children: u64,
    /// Pages of memory it uses, by itself or together with others.
    pub(super) pages: u64,
}

impl Process {
    fn read(pid: Pid) -> Option<Self> {
        let stat = std::fs::read(folder(pid).join("stat")).ok()?;
        // The name before the last bracket may hold anything.
        let end = stat.iter().rposition(|&byte| byte == b')')?;
        let text = std::str::from_utf8(&stat[end + 1..]).ok()?;
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            pid,
            parent: fields.get(1)?.parse().ok().and_then(Pid::from_raw),
            began: number(19)?,
            is_dead: matches!(*fields.first()?, "Z" | "X"),
            own: number(11)? + number(12)?,
            ended_children: number(13)? + number(14)?,
            pages: number(21)?,
        })
    }
}

/// Where `/proc` has a process.
pub(super) fn folder(pid: Pid) -> PathBuf {
    PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()))
}

/// This process, and all that are below it.
pub(super) fn here_and_below() -> (Option<Process>, Vec<Process>) {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut others: Vec<Process> =
        pids.filter_map(Pid::from_raw).filter_map(Process::read).collect();
    let here = rustix::process::getpid();
    let this = others.iter().position(|process| process.pid == here);
    let this = this.map(|at| others.swap_remove(at));
    let mut below: Vec<Process> = Vec::new();
    let mut parents = vec![here];
    while !parents.is_empty() {
        let is_child =
            |process: &mut Process| process.parent.is_some_and(|pid| parents.contains(&pid));
        let children: Vec<Process> = others.extract_if(.., is_child).collect();
        parents = children.iter().map(|process| process.pid).collect();
        below.extend(children);
    }
    (this, below)
}

/// The processes below this one that have not ended.
pub(super) fn living() -> Vec<Pid> {
    let (_, below) = here_and_below();
    below.iter().filter(|process| !process.is_dead).map(|process| process.pid).collect()
}
