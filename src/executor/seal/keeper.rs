//! Looks after a run from outside its seal, while it lives: tells the host how the program ended,
//! and leaves nothing of it behind, also when the host dies.

use std::os::fd::{OwnedFd, RawFd};

use rustix::{
    event::{PollFd, PollFlags, poll},
    net::RecvFlags,
    process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid},
};

use super::{
    launcher::{Fault, close_standard, tell},
    system,
};

/// Closes what only the program may hold.
pub(super) fn let_go(channel: Option<RawFd>) -> Result<(), Fault> {
    close_standard()?;
    drop(channel.map(system::inherited).transpose().map_err(Fault::at("close the channel"))?);
    Ok(())
}

/// What the host says.
enum Word {
    /// Ask the program to end.
    Interrupt,
    /// End all that is left, and say how many that were; so as well when the host is gone.
    End,
    Nothing,
}

pub(super) struct Keeper<'a> {
    report: Option<&'a OwnedFd>,
    ended_children: OwnedFd,
}

impl<'a> Keeper<'a> {
    /// To be made before the program is started, or its end might be missed.
    pub(super) fn new(report: Option<&'a OwnedFd>) -> Result<Self, Fault> {
        let ended_children =
            system::ended_children().map_err(Fault::at("wait for what it starts"))?;
        Ok(Self { report, ended_children })
    }

    /// Stays until the run is over, and gives the code to end with.
    pub(super) fn keep(&self, program: Pid) -> u8 {
        let mut ended = None;
        loop {
            let status = self.reap(program);
            if let Some(status) = status {
                ended = Some(status);
                tell(self.report, &told(status));
            }
            // With nobody to wait for, the end of the program is the end of all.
            if self.report.is_none() && ended.is_some() {
                break;
            }
            match self.next() {
                Word::Interrupt if ended.is_none() => {
                    // It may end at this very moment, which is as good.
                    let _ = kill_process(program, Signal::INT);
                }
                Word::Interrupt | Word::Nothing => {}
                Word::End => break,
            }
        }
        let left = end(if ended.is_none() { Some(program) } else { None });
        tell(self.report, &format!("left {left}"));
        ended.map_or(1, code)
    }

    /// Takes in all children that have ended; gives how the program did, if it is among them.
    fn reap(&self, program: Pid) -> Option<WaitStatus> {
        let mut news = [0; 1024];
        // How often does not matter, only that it was so.
        while rustix::io::read(&self.ended_children, &mut news).is_ok_and(|length| length > 0) {}
        let mut of_program = None;
        while let Ok(Some((pid, status))) = waitpid(None, WaitOptions::NOHANG) {
            if pid == program {
                of_program = Some(status);
            }
        }
        of_program
    }

    /// Waits until a child ends or the host says something.
    fn next(&self) -> Word {
        let mut watched = vec![PollFd::new(&self.ended_children, PollFlags::IN)];
        watched.extend(self.report.map(|report| PollFd::new(report, PollFlags::IN)));
        if poll(&mut watched, None).is_err() {
            return Word::Nothing;
        }
        let Some(report) = self.report else { return Word::Nothing };
        let mut word = [0; 16];
        match rustix::net::recv(report, &mut word, RecvFlags::DONTWAIT) {
            Ok((length, _)) => match &word[..length.min(word.len())] {
                b"interrupt" => Word::Interrupt,
                // The end of the stream among them: then the host is gone.
                _ => Word::End,
            },
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Word::Nothing,
            Err(_) => Word::End,
        }
    }
}

/// How the program ended, in the host's words.
fn told(status: WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or(0)),
    }
}

fn code(status: WaitStatus) -> u8 {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => u8::try_from(code).unwrap_or(1),
        (None, signal) => signal.and_then(|signal| u8::try_from(128 + signal).ok()).unwrap_or(1),
    }
}

/// Ends what is left of the run, but for `program` counted. Blocks until it is gone.
fn end(program: Option<Pid>) -> usize {
    let mut counted: Vec<Pid> = Vec::new();
    loop {
        let living = living();
        for &pid in &living {
            if !counted.contains(&pid) && Some(pid) != program {
                counted.push(pid);
            }
            // Gone already is what we want.
            let _ = kill_process(pid, Signal::KILL);
        }
        system::kill_namespace();
        // All of them are our children, or become so when those between are gone.
        while let Ok(Some(_)) = waitpid(None, WaitOptions::NOHANG) {}
        if living.is_empty() {
            return counted.len();
        }
        std::thread::yield_now();
    }
}

/// The processes below this one that have not ended.
fn living() -> Vec<Pid> {
    let mut all: Vec<(Pid, Option<Pid>, bool)> = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else { continue };
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else { continue };
        // The name before the last bracket may hold anything.
        let Some(end) = stat.iter().rposition(|&byte| byte == b')') else { continue };
        let fields = String::from_utf8_lossy(&stat[end + 1..]);
        let mut fields = fields.split_ascii_whitespace();
        let is_dead = matches!(fields.next(), Some("Z" | "X"));
        let parent = fields.next().and_then(|parent| parent.parse().ok()).and_then(Pid::from_raw);
        all.push((pid, parent, is_dead));
    }
    let mut below = vec![rustix::process::getpid()];
    let mut grown = true;
    while grown {
        let known = below.len();
        for &(pid, parent, _) in &all {
            if parent.is_some_and(|parent| below.contains(&parent)) && !below.contains(&pid) {
                below.push(pid);
            }
        }
        grown = below.len() > known;
    }
    let is_living = |pid: &Pid| all.iter().any(|&(other, _, dead)| other == *pid && !dead);
    below.into_iter().skip(1).filter(is_living).collect()
}
