//! The seal: what a program that runs here can do by itself, held by the system. A launcher, this
//! binary's hidden subcommand, takes a [`Plan`], gives up all that is not in it, and then becomes
//! the program. Whatever cannot be applied ends the launcher before the program begins.
//!
//! `unsafe` lives below this module and in the start of a session, and nowhere else.

mod diagnosis;
mod obeyed;
mod plan;
pub mod profile;
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
mod processes;
#[cfg(target_os = "linux")]
mod room;
#[cfg(target_os = "linux")]
mod rules;
#[cfg(target_os = "macos")]
mod seatbelt;
#[cfg(target_os = "linux")]
mod system;
#[cfg(target_os = "linux")]
mod watch;

use std::{
    ffi::OsString,
    path::Path,
    process::{ExitCode, Stdio},
};

pub use self::{
    diagnosis::{Cause, Facts},
    plan::{Limits, Plan},
};
pub(in crate::executor) use self::{
    obeyed::{Change, Obeyed},
    roots::{Sight, Surroundings, installation},
};
pub use crate::kernel::port::{Bounds, Form, Level};
use crate::kernel::text;

/// The word after the program's name that makes it the launcher.
pub const SUBCOMMAND: &str = "__launch";

/// The forms that this system may have, strongest first.
#[cfg(target_os = "linux")]
const FORMS: &[Form] = &[Form::Full, Form::WithoutNamespaces];
#[cfg(target_os = "macos")]
const FORMS: &[Form] = &[Form::Profile];
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const FORMS: &[Form] = &[];

/// Runs the launcher: `words` is what follows [`SUBCOMMAND`]. It must be called before this process
/// has a second thread. Returns only if the program could not be run, or has ended.
pub fn launch(words: impl Iterator<Item = OsString>) -> ExitCode {
    #[cfg(target_os = "linux")]
    return launcher::launch(words);
    #[cfg(target_os = "macos")]
    return seatbelt::launch(words);
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        drop(words);
        ExitCode::from(126)
    }
}

/// The strongest form there is here, found by trying each in a child. Blocks for some milliseconds.
pub fn available(launcher: &Path) -> Form {
    probe(launcher).form
}

/// What came of trying the forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The strongest that works.
    pub form: Form,
    /// Those that are stronger and do not work.
    pub refused: Vec<Refused>,
}

/// A form that does not work here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which.
    pub form: Form,
    /// The step that failed, and the system's own word for it.
    pub fault: String,
}

/// As [`available`], and what keeps the stronger forms from working.
pub fn probe(launcher: &Path) -> Probe {
    let mut refused = Vec::new();
    for &form in FORMS {
        match attempt(launcher, form) {
            Ok(()) => return Probe { form, refused },
            Err(fault) => refused.push(Refused { form, fault }),
        }
    }
    Probe { form: Form::None, refused }
}

/// Seals a run of nothing at all in this form.
fn attempt(launcher: &Path, form: Form) -> Result<(), String> {
    let scratch =
        tempfile::tempdir().map_err(|error| format!("cannot make a folder to try in: {error}"))?;
    // Where it really is: no link may lead to a path of a plan.
    let place = scratch.path().canonicalize().map_err(|error| error.to_string())?;
    let plan = Plan {
        level: Level::Sealed,
        form,
        cwd: place.clone(),
        reads: roots::system(),
        writes: vec![place],
        guarded: Vec::new(),
        network: false,
        terminal: false,
        channel: None,
        report: None,
        scratch: None,
        limits: Limits::default(),
    };
    let tried = std::process::Command::new(launcher)
        .arg(SUBCOMMAND)
        .args(plan.words())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("cannot start the launcher: {error}"))?;
    if tried.status.success() {
        return Ok(());
    }
    let said = text::clean(&tried.stderr);
    let said = said.lines().map(str::trim).find(|line| !line.is_empty());
    Err(said.map_or_else(|| format!("the launcher ended with {}", tried.status), str::to_owned))
}
