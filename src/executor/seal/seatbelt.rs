//! The launcher on macOS: takes the plan's limits upon itself and becomes the system's
//! `sandbox-exec`, which takes the profile upon itself and becomes the program. There is no keeper:
//! its host waits for the program itself, and ends the group it belongs to. **This was compiled for
//! macOS, and never run there.**

use std::{
    ffi::OsString,
    io::{self, Write as _},
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Plan, profile};

/// Old, said to be on its way out for ten years, and what everybody uses.
const SANDBOX: &str = "/usr/bin/sandbox-exec";

/// The launcher could not do its work.
const FAILED: u8 = 126;

pub(super) fn launch(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let plan = Plan::parse(words.by_ref().take_while(|word| word != "--"));
    let fault = match plan {
        Ok(plan) => become_program(&plan, words),
        Err(fault) => fault.to_string(),
    };
    // Nobody may be there to read it.
    let _ = writeln!(io::stderr(), "{fault}");
    ExitCode::from(FAILED)
}

/// Returns only with the reason why it could not.
fn become_program(plan: &Plan, mut words: impl Iterator<Item = OsString>) -> String {
    let profile = match profile::of(plan) {
        Ok(profile) => profile,
        Err(fault) => return fault.to_string(),
    };
    let program = words.next();
    // Its name for itself, which cannot be handed on.
    drop(words.next());
    if let Err(error) = limit(plan) {
        return format!("cannot set a limit: {error}");
    }
    let mut command = Command::new(SANDBOX);
    command.arg("-p").arg(profile).current_dir(&plan.cwd);
    match program {
        Some(program) => command.arg(program).args(words),
        None => command.args(["/bin/sh", "-c", profile::TRIAL]),
    };
    format!("cannot start {SANDBOX}: {}", command.exec())
}

/// Bounds what this process may use, and each that it becomes or starts. Their number cannot be:
/// the system counts all of a person's together.
fn limit(plan: &Plan) -> io::Result<()> {
    let limits = &plan.limits;
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Fsize, limits.file_size),
        (Resource::Data, limits.memory),
        (Resource::Nofile, limits.open_files),
        (Resource::Cpu, limits.cpu),
    ] {
        // What is bounded more tightly already stays so.
        let most = getrlimit(resource).maximum.map_or(most, |now| now.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}
