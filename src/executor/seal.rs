//! The seal: what a program that runs here can do by itself, held by the system. A launcher, this
//! binary's hidden subcommand, takes a [`Plan`], gives up all that is not in it, and then becomes
//! the program. Whatever cannot be applied ends the launcher before the program begins.
//!
//! `unsafe` lives below this module and in the start of a session, and nowhere else.

mod plan;
mod roots;

#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod rules;
#[cfg(target_os = "linux")]
mod system;

use std::{
    ffi::OsString,
    path::Path,
    process::{ExitCode, Stdio},
};

pub use self::plan::{Limits, Plan};
pub(in crate::executor) use self::roots::{Surroundings, installation};
pub use crate::kernel::port::{Form, Level};

/// The word after the program's name that makes it the launcher.
pub const SUBCOMMAND: &str = "__launch";

/// Runs the launcher: `words` is what follows [`SUBCOMMAND`]. It must be called before this process
/// has a second thread. Returns only if the program could not be run, or has ended.
pub fn launch(words: impl Iterator<Item = OsString>) -> ExitCode {
    #[cfg(target_os = "linux")]
    return launcher::launch(words);
    #[cfg(not(target_os = "linux"))]
    {
        drop(words);
        ExitCode::from(126)
    }
}

/// The strongest form there is here, found by trying each in a child. Blocks for some milliseconds.
pub fn available(launcher: &Path) -> Form {
    if cfg!(not(target_os = "linux")) {
        return Form::None;
    }
    let works = |form: &Form| works(launcher, *form);
    [Form::Full, Form::WithoutNamespaces].into_iter().find(works).unwrap_or(Form::None)
}

/// Whether a run of nothing at all can be sealed in this form.
fn works(launcher: &Path, form: Form) -> bool {
    let Ok(scratch) = tempfile::tempdir() else { return false };
    let plan = Plan {
        level: Level::Sealed,
        form,
        cwd: scratch.path().to_owned(),
        reads: vec!["/usr".into()],
        writes: vec![scratch.path().to_owned()],
        guarded: Vec::new(),
        channel: None,
        report: None,
        limits: Limits::default(),
    };
    let tried = std::process::Command::new(launcher)
        .arg(SUBCOMMAND)
        .args(plan.words())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}
