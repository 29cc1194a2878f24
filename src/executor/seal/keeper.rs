//! Looks after a run from outside its seal, while it lives: tells the host how the program ended,
//! and leaves nothing of it behind, also when the host dies or the run uses too much.

use std::{
    os::fd::{OwnedFd, RawFd},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::RecvFlags,
    process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait},
};

use super::{
    Plan,
    launcher::{Fault, close_standard, tell},
    processes::living,
    system,
    watch::Watch,
};

/// The code of a program that was ended here.
const KILLED: u8 = 128 + 9;

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
    /// Tell it that nobody is at its terminal any more.
    HangUp,
    /// End all that is left, and say how many that were; so as well when the host is gone.
    End,
    Nothing,
}

pub(super) struct Keeper<'a> {
    report: Option<&'a OwnedFd>,
    ended_children: OwnedFd,
    watch: Watch<'a>,
}

impl<'a> Keeper<'a> {
    /// To be made before the program is started, or its end might be missed.
    pub(super) fn new(plan: &'a Plan, report: Option<&'a OwnedFd>) -> Result<Self, Fault> {
        let ended_children =
            system::ended_children().map_err(Fault::at("wait for what it starts"))?;
        Ok(Self { report, ended_children, watch: Watch::new(plan) })
    }

    /// Stays until the run is over, and gives the code to end with.
    pub(super) fn keep(mut self, program: Pid) -> u8 {
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
            if ended.is_none()
                && let Some(limit) = self.watch.look()
            {
                tell(self.report, &format!("over {}", limit.name()));
                break;
            }
            match self.next(ended.is_none().then(|| self.watch.wait())) {
                Word::Interrupt if ended.is_none() => {
                    // It may end at this very moment, which is as good.
                    let _ = kill_process(program, Signal::INT);
                }
                Word::HangUp if ended.is_none() => {
                    let _ = kill_process(program, Signal::HUP);
                }
                Word::Interrupt | Word::HangUp | Word::Nothing => {}
                Word::End => break,
            }
        }
        let left = end(if ended.is_none() { Some(program) } else { None });
        tell(self.report, &format!("left {left}"));
        ended.map_or(KILLED, code)
    }

    /// Takes in all children that have ended; gives how the program did, if it is among them.
    fn reap(&self, program: Pid) -> Option<WaitStatus> {
        let mut news = [0; 1024];
        // How often does not matter, only that it was so.
        while rustix::io::read(&self.ended_children, &mut news).is_ok_and(|length| length > 0) {}
        let mut of_program = None;
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == program {
                of_program = Some(status);
            }
        }
        of_program
    }

    /// Waits until a child ends or the host says something, but no longer than that.
    fn next(&self, most: Option<Duration>) -> Word {
        let mut watched = vec![PollFd::new(&self.ended_children, PollFlags::IN)];
        watched.extend(self.report.map(|report| PollFd::new(report, PollFlags::IN)));
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        if poll(&mut watched, most.as_ref()).is_err() {
            return Word::Nothing;
        }
        let Some(report) = self.report else { return Word::Nothing };
        let mut word = [0; 16];
        match rustix::net::recv(report, &mut word, RecvFlags::DONTWAIT) {
            Ok((length, _)) => match &word[..length.min(word.len())] {
                b"interrupt" => Word::Interrupt,
                b"hangup" => Word::HangUp,
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
    if system::kill_namespace() {
        // Among a thousand that want to run, to look for them would take its time. They all come
        // to the first process when they are gone.
        let gone = std::iter::from_fn(|| wait(WaitOptions::empty()).ok().flatten());
        let killed = |(pid, status): &(Pid, WaitStatus)| {
            status.terminating_signal() == Some(Signal::KILL.as_raw()) && Some(*pid) != program
        };
        return gone.filter(killed).count();
    }
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
        // All of them are our children, or become so when those between are gone.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        if living.is_empty() {
            return counted.len();
        }
        std::thread::yield_now();
    }
}
