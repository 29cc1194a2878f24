//! Why a form of the seal does not work here, and what would help: from the step that failed and
//! what the system says of itself to words for a person.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{Form, Refused};

/// The steps of a launcher by whose failing a cause is known.
pub(super) mod step {
    pub(in super::super) const NAMESPACES: &str = "make namespaces";
    pub(in super::super) const PROCESSES: &str = "show its own processes";
    pub(in super::super) const READ_ONLY: &str = "make the root read-only";
    pub(in super::super) const RULES: &str = "rule over files";
    pub(in super::super) const FILTER: &str = "make a filter";
    pub(in super::super) const FILTERING: &str = "filter system calls";
}

/// The version of Landlock that has all the rules we know of, and the kernel it came with.
const LANDLOCK: u32 = 6;
const KERNEL: &str = "6.12";

/// What a system says of itself, as far as it bears on a seal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Its name, as the compiler has it.
    pub system: String,
    /// The kind of its processor, likewise.
    pub machine: String,
    /// The release of its kernel.
    pub kernel: String,
    /// This program.
    pub program: PathBuf,
    /// We are its administrator.
    pub is_root: bool,
    /// Our system calls are filtered already, as those of a container are.
    pub is_filtered: bool,
    /// The container we are in, where that can be seen.
    pub container: Option<String>,
    /// `user.max_user_namespaces`
    pub max_user_namespaces: Option<u64>,
    /// `kernel.unprivileged_userns_clone`, which Debian's kernels have.
    pub unprivileged_userns_clone: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, which Ubuntu's kernels have.
    pub apparmor_restrict_unprivileged_userns: Option<u64>,
    /// The security modules that are switched on.
    pub security_modules: Option<String>,
    /// The version of Landlock.
    pub landlock: Option<u32>,
}

impl Facts {
    /// Those of this system. Reads a few small files; changes nothing.
    pub fn read() -> Self {
        Self {
            program: std::env::current_exe().unwrap_or_default(),
            is_root: rustix::process::geteuid().is_root(),
            landlock: landlock(),
            ..Self::below(Path::new("/"))
        }
    }

    /// What the files below `root` say.
    fn below(root: &Path) -> Self {
        let read = |path: &str| fs::read_to_string(root.join(path)).ok();
        let word = |path: &str| read(path).map(|text| text.trim().to_owned());
        let number = |path: &str| word(path)?.parse().ok();
        let status = read("proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        let filter = lines.find_map(|line| line.strip_prefix("Seccomp:")).map(str::trim);
        let container = [("/.dockerenv", "docker"), ("run/.containerenv", "podman")]
            .into_iter()
            .find(|(path, _)| root.join(path.trim_start_matches('/')).exists())
            .map(|(_, name)| name.to_owned());
        Self {
            system: std::env::consts::OS.to_owned(),
            machine: std::env::consts::ARCH.to_owned(),
            kernel: word("proc/sys/kernel/osrelease").unwrap_or_default(),
            program: PathBuf::new(),
            is_root: false,
            is_filtered: filter == Some("2"),
            container: container.or_else(|| word("run/systemd/container")),
            max_user_namespaces: number("proc/sys/user/max_user_namespaces"),
            unprivileged_userns_clone: number("proc/sys/kernel/unprivileged_userns_clone"),
            apparmor_restrict_unprivileged_userns: number(
                "proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            ),
            security_modules: word("sys/kernel/security/lsm"),
            landlock: None,
        }
    }

    /// Whether the kernel is older than that; not known of one that does not say.
    fn is_older_than(&self, major: u32, minor: u32) -> bool {
        let mut numbers = self.kernel.split(|char: char| !char.is_ascii_digit()).map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(first)), Some(Ok(second))) => (first, second) < (major, minor),
            _ => false,
        }
    }

    fn is_in_container(&self) -> bool {
        self.is_filtered || self.container.is_some()
    }
}

#[cfg(target_os = "linux")]
fn landlock() -> Option<u32> {
    super::system::landlock_version()
}

#[cfg(not(target_os = "linux"))]
fn landlock() -> Option<u32> {
    None
}

/// Why something does not work, in a line, and what would help, in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What is the matter.
    pub why: String,
    /// What to do.
    pub how: String,
}

impl Cause {
    /// The likely cause of a refusal.
    pub fn of(refused: &Refused, facts: &Facts) -> Self {
        let fault = &*refused.fault;
        of_any_form(fault, facts)
            .or_else(|| match refused.form {
                Form::Full => of_namespaces(fault, facts),
                Form::Profile => of_profile(fault),
                Form::WithoutNamespaces | Form::None => None,
            })
            .unwrap_or_else(|| Self {
                why: "nothing that is known to be in the way was found".to_owned(),
                how: "the words of the system are above; who looks after it may know".to_owned(),
            })
    }

    /// Why there is no form of the seal to be tried at all.
    pub fn of_no_form(facts: &Facts) -> Self {
        cause(
            format!("there is no seal for {} yet", facts.system),
            "run footplate on Linux or macOS; here every run asks first",
        )
    }
}

fn cause(why: impl Into<String>, how: impl Into<String>) -> Cause {
    Cause { why: why.into(), how: how.into() }
}

/// What stands in the way of every form.
fn of_any_form(fault: &str, facts: &Facts) -> Option<Cause> {
    let kernel = &facts.kernel;
    let newer = format!("a kernel of {KERNEL} or newer");
    if fault.contains(step::RULES) {
        return Some(match (facts.landlock, &facts.security_modules) {
            (None, _) if facts.is_older_than(5, 13) => {
                cause(format!("kernel {kernel} has no Landlock"), newer)
            }
            (None, Some(modules)) if !modules.split(',').any(|name| name == "landlock") => cause(
                format!("Landlock is not switched on; the security modules are {modules}"),
                format!("start the kernel with lsm=landlock,{modules}"),
            ),
            (None, _) if facts.is_in_container() => cause(
                "a container refuses Landlock, or its kernel has none",
                "docker 23 or newer lets it through; else --security-opt seccomp=unconfined",
            ),
            (None, _) => cause(
                format!("kernel {kernel} was built without Landlock"),
                "a kernel with CONFIG_SECURITY_LANDLOCK",
            ),
            (Some(version), _) if version < LANDLOCK => cause(
                format!(
                    "Landlock is at version {version}; without namespaces {LANDLOCK} is needed"
                ),
                format!("{newer}, or the full seal"),
            ),
            (Some(_), _) => return None,
        });
    }
    if fault.contains(step::FILTER) {
        return Some(cause(
            format!("filters of system calls cannot be made for {}", facts.machine),
            "run footplate on x86_64, aarch64 or riscv64; here every run asks first",
        ));
    }
    if fault.contains(step::FILTERING) {
        return Some(cause(
            format!("kernel {kernel} takes no filter of system calls"),
            "a kernel with CONFIG_SECCOMP_FILTER; on Windows, WSL 2",
        ));
    }
    None
}

/// What stands in the way of namespaces.
fn of_namespaces(fault: &str, facts: &Facts) -> Option<Cause> {
    let is_first = fault.contains(step::NAMESPACES);
    if facts.max_user_namespaces == Some(0) {
        return Some(cause(
            "user.max_user_namespaces is 0, so nobody can make user namespaces",
            "as root: sysctl user.max_user_namespaces=15000, and the same in /etc/sysctl.d",
        ));
    }
    if !facts.is_root && facts.unprivileged_userns_clone == Some(0) {
        return Some(cause(
            "kernel.unprivileged_userns_clone is 0, so only root can make user namespaces",
            "as root: sysctl kernel.unprivileged_userns_clone=1, and the same in /etc/sysctl.d",
        ));
    }
    if !facts.is_root && facts.apparmor_restrict_unprivileged_userns.is_some_and(|set| set != 0) {
        return Some(cause(
            "AppArmor lets only programs with a profile use user namespaces",
            format!(
                "as root: put abi <abi/4.0>, profile footplate \"{}\" flags=(unconfined) {{ userns, }} \
                 into /etc/apparmor.d/footplate, then: apparmor_parser -r /etc/apparmor.d/footplate",
                facts.program.display()
            ),
        ));
    }
    if fault.contains("os error 28") && is_first {
        return Some(cause(
            "the limit of namespaces is used up, or they are nested too deep",
            "end other sandboxes, or as root raise user.max_user_namespaces",
        ));
    }
    if facts.is_in_container() {
        let container = facts.container.as_deref().unwrap_or("a container");
        if is_first {
            return Some(cause(
                format!("{container} refuses namespaces to what runs in it"),
                "start it with --security-opt seccomp=unconfined, or a profile that has unshare, \
                 mount and clone",
            ));
        }
        if fault.contains(step::PROCESSES) {
            return Some(cause(
                format!("{container} covers parts of /proc"),
                "docker: --security-opt systempaths=unconfined; podman: --security-opt unmask=ALL",
            ));
        }
    }
    if fault.contains(step::READ_ONLY) && facts.is_older_than(5, 12) {
        return Some(cause(
            format!("kernel {} cannot make mounts read-only at once", facts.kernel),
            format!("a kernel of {KERNEL} or newer"),
        ));
    }
    if is_first && ["os error 22", "os error 38"].iter().any(|code| fault.contains(code)) {
        return Some(cause(
            format!("kernel {} was built without user namespaces", facts.kernel),
            "a kernel with CONFIG_USER_NS; on Windows, WSL 2",
        ));
    }
    None
}

/// What stands in the way of a profile.
fn of_profile(fault: &str) -> Option<Cause> {
    if fault.contains("sandbox_apply") {
        return Some(cause(
            "a program in a sandbox cannot begin another one",
            "start footplate from a terminal of its own, not from within another sandbox",
        ));
    }
    if fault.contains("cannot start /usr/bin/sandbox-exec") {
        return Some(cause(
            "this version of macOS has no sandbox-exec, or it may not be run",
            "every run asks first; a newer footplate may know another way",
        ));
    }
    Some(cause(
        "the profile does not fit this version of macOS",
        "log stream --predicate 'sender == \"Sandbox\"' shows what it refuses; please report that",
    ))
}

#[cfg(test)]
mod tests;
