//! The hidden subcommand: from a plan to the program, step by step. Every step must succeed, or
//! the program does not begin. One thread, so that a fork is no danger.

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, Write as _},
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::CommandExt,
    },
    path::Path,
    process::{Command, ExitCode},
};

use rustix::{
    fs::{Mode, OFlags},
    net::SendFlags,
    process::{Signal, WaitOptions, set_child_subreaper, set_parent_process_death_signal},
    thread::CapabilitySet,
};

use super::{
    Form, Plan, filter,
    keeper::{self, Keeper},
    mounts, rules,
    system::{self, Side},
};

/// The launcher could not do its work.
const FAILED: u8 = 126;

/// A step that did not succeed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing}: {cause}")]
pub(super) struct Fault {
    doing: String,
    cause: String,
}

impl Fault {
    pub(super) fn new(doing: impl Into<String>, cause: impl Display) -> Self {
        Self { doing: doing.into(), cause: cause.to_string() }
    }

    /// What makes one of the error of a step.
    pub(super) fn at<E: Display>(doing: &'static str) -> impl FnOnce(E) -> Self {
        move |cause| Self::new(doing, cause)
    }

    /// The same for a step with one path.
    pub(super) fn of<E: Display>(doing: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |cause| Self::new(format!("{doing} {}", path.display()), cause)
    }
}

/// The program to become, its first argument, and the rest of them; absent for a mere trial.
type Program = Option<(OsString, Vec<OsString>)>;

pub(super) fn launch(words: impl Iterator<Item = OsString>) -> ExitCode {
    let mut words = words;
    let plan = Plan::parse(words.by_ref().take_while(|word| word != "--"));
    let program = words.next().map(|path| (path, words.collect()));
    let faulty = |report, fault: &dyn Display| {
        complain(report, fault);
        ExitCode::from(FAILED)
    };
    let plan = match plan {
        Ok(plan) => plan,
        Err(fault) => return faulty(None, &fault),
    };
    let report = match plan.report.map(system::inherited).transpose() {
        Ok(report) => report,
        Err(fault) => return faulty(None, &fault),
    };
    match run(&plan, program, report.as_ref()) {
        Ok(code) => ExitCode::from(code),
        Err(fault) => faulty(report.as_ref(), &fault),
    }
}

/// Says why the program does not begin: to the host, or whoever tries what works here.
fn complain(report: Option<&OwnedFd>, fault: &dyn Display) {
    match report {
        Some(_) => tell(report, &format!("fault {fault}")),
        // Nobody may be there to read it.
        None => drop(writeln!(io::stderr(), "{fault}")),
    }
}

/// Says something to the host, if there is one that listens.
pub(super) fn tell(report: Option<&OwnedFd>, word: &str) {
    if let Some(report) = report {
        // A host that is gone ends the run by its end.
        let _ = rustix::net::send(report, word.as_bytes(), SendFlags::NOSIGNAL);
    }
}

fn run(plan: &Plan, program: Program, report: Option<&OwnedFd>) -> Result<u8, Fault> {
    system::ignore_signals();
    // Before the rest of the machine suffers: the system ends a run first, and never the host.
    std::fs::write("/proc/self/oom_score_adj", "1000").map_err(Fault::at("be ended first"))?;
    match plan.form {
        Form::Full => {
            mounts::unshare(plan.network)?;
            match system::fork().map_err(Fault::at("start a process"))? {
                Side::Parent(first) => {
                    keeper::let_go(plan.channel)?;
                    let status = rustix::process::waitpid(Some(first), WaitOptions::empty())
                        .map_err(Fault::at("wait for the first process"))?;
                    let code = status.and_then(|(_, status)| status.exit_status());
                    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED))
                }
                Side::Child => {
                    let code = first(plan, program, report).unwrap_or_else(|fault| {
                        complain(report, &fault);
                        FAILED
                    });
                    system::exit(code.into());
                }
            }
        }
        Form::WithoutNamespaces => {
            set_child_subreaper(Some(rustix::process::getpid()))
                .map_err(Fault::at("look after the run"))?;
            keep(plan, program, report)
        }
        Form::Profile | Form::None => {
            Err(Fault::new("seal", "there is no such seal on this system"))
        }
    }
}

/// The first process of the namespace: all others end with it.
fn first(plan: &Plan, program: Program, report: Option<&OwnedFd>) -> Result<u8, Fault> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Fault::at("end with its host"))?;
    mounts::arrange(plan)?;
    // It looks at what the run uses, and no run can keep that from it.
    rules::drop_privileges(CapabilitySet::DAC_READ_SEARCH | CapabilitySet::SYS_PTRACE)?;
    keep(plan, program, report)
}

/// Starts the program and looks after it and all that comes of it.
fn keep(plan: &Plan, program: Program, report: Option<&OwnedFd>) -> Result<u8, Fault> {
    let keeper = Keeper::new(plan, report)?;
    match system::fork().map_err(Fault::at("start a process"))? {
        Side::Parent(program) => {
            keeper::let_go(plan.channel)?;
            Ok(keeper.keep(program))
        }
        Side::Child => {
            let code = match become_program(plan, program) {
                Ok(()) => 0,
                Err(fault) => {
                    complain(report, &fault);
                    FAILED
                }
            };
            system::exit(code.into());
        }
    }
}

/// Gives everything up and becomes the program. Returns only where there is none, or by a fault.
fn become_program(plan: &Plan, program: Program) -> Result<(), Fault> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Fault::at("end with its host"))?;
    if plan.terminal {
        // Those that look after it are in another session, where its terminal reaches nobody.
        rustix::process::setsid()
            .and_then(|_| rustix::process::ioctl_tiocsctty(rustix::stdio::stdin()))
            .map_err(Fault::at("take its terminal"))?;
    }
    // Where it was, it stood under the mounts.
    std::env::set_current_dir(&plan.cwd).map_err(Fault::of("run in", &plan.cwd))?;
    rules::limit(plan)?;
    rules::drop_privileges(CapabilitySet::empty())?;
    rules::apply(plan)?;
    filter::apply(plan)?;
    system::restore_signals();
    system::inherit_only(plan.channel).map_err(Fault::at("keep what it inherits"))?;
    let Some((path, mut arguments)) = program else { return Ok(()) };
    if arguments.is_empty() {
        return Err(Fault::new("start the program", "it has no name"));
    }
    let error = Command::new(&path).arg0(arguments.remove(0)).args(arguments).exec();
    Err(Fault::of("start", Path::new(&path))(error))
}

/// Puts nothing in the place of what the program's readers wait for the end of.
pub(super) fn close_standard() -> Result<(), Fault> {
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(Fault::at("open /dev/null"))?;
    rustix::stdio::dup2_stdin(nothing.as_fd())
        .and_then(|()| rustix::stdio::dup2_stdout(nothing.as_fd()))
        .and_then(|()| rustix::stdio::dup2_stderr(nothing.as_fd()))
        .map_err(Fault::at("let its output go"))
}
