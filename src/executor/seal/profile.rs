//! What a run may do, as a profile for the sandbox of macOS. Here it is only written; no process is
//! started and no file is looked at, so all of it can be tested on any system.
//!
//! The system publishes no reference of that language. What is relied on, as its other users found
//! it: the last rule that matches decides; paths are compared after links were followed; `/` itself
//! has to be readable, or no program starts; some operations are allowed unless they are denied by
//! name, `(deny default)` or not. **No profile of ours was ever run on a Mac**: a rule that a
//! version of it does not know makes the profile unusable, and then nothing runs sealed there.
//!
//! Weaker than the full form on Linux: names of semaphores and shared memory are those of all
//! programs of the person, bounded to the names that Python gives; and nothing outside looks after
//! the run, so that a process that begins a session of its own may outlive it.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use super::Plan;

/// What every program may read there. `/System` as a whole would lead to the volume of the people.
pub(super) const SYSTEM: [&str; 20] = [
    "/System/Cryptexes",
    "/System/Developer",
    "/System/Library",
    "/System/Volumes/Preboot/Cryptexes",
    "/System/iOSSupport",
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/nix",
    "/Applications/Xcode.app",
    "/Library/Apple",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Library/Java",
    "/private/etc",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/db/xcode_select_link",
    "/private/var/select",
];

/// Files of the system that only its owner may read.
pub(super) const SYSTEM_SECRETS: [&str; 6] = [
    "/private/etc/krb5.keytab",
    "/private/etc/master.passwd",
    "/private/etc/racoon",
    "/private/etc/ssh",
    "/private/etc/sudoers",
    "/private/etc/sudoers.d",
];

/// Below a home: keychains, mail, messages, what browsers keep.
pub(super) const HOME_SECRETS: [&str; 2] = ["Library", ".zsh_sessions"];

/// Links that lead to where things really are.
const LINKS: [&str; 3] = ["/etc", "/tmp", "/var"];

/// Devices that hold nothing, and what a program has open already.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/fd"];

/// Numbers of the system that programs ask for as they start, and Python before it starts others.
/// Not among them: what other processes were started with.
const NUMBERS: [&str; 24] = [
    "kern.argmax",
    "kern.bootargs",
    "kern.hostname",
    "kern.iossupportversion",
    "kern.maxfilesperproc",
    "kern.maxproc",
    "kern.ngroups",
    "kern.osproductversion",
    "kern.osproductversioncompat",
    "kern.osrelease",
    "kern.ostype",
    "kern.osvariant_status",
    "kern.osversion",
    "kern.posix.sem.max",
    "kern.secure_kernel",
    "kern.sysv.semmni",
    "kern.tcsm_available",
    "kern.usrstack64",
    "kern.version",
    "security.mac.lockdown_mode_state",
    "sysctl.proc_cputype",
    "sysctl.proc_native",
    "sysctl.proc_translated",
    "vm.loadavg",
];

/// Services that tell the names of users and groups.
const SERVICES: [&str; 2] =
    ["com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership"];

/// Further ones, to find hosts by their names and to trust them.
const SERVICES_OF_THE_NETWORK: [&str; 3] =
    ["com.apple.SystemConfiguration.configd", "com.apple.mDNSResponder", "com.apple.trustd.agent"];

/// How the names begin of what processes of Python share: semaphores, memory, and joblib's.
const SHARED: [&str; 3] = ["/mp-", "/psm_", "/loky-"];

/// What a trial runs in a folder that may be written, with `sh -c`. It ends well if programs start
/// under the profile and are refused what they must be: a profile that holds nothing is none.
pub const TRIAL: &str = r#"
if ls /Users > /dev/null 2>&1; then
    echo "it lets be read what no plan names" >&2
    exit 97
fi
if (: > "../$$.trial") 2> /dev/null; then
    rm -f "../$$.trial"
    echo "it lets be written what no plan names" >&2
    exit 98
fi
"#;

/// Why there is no profile for a plan.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProfile {
    /// The language knows text alone.
    #[error("cannot name {0:?} in a sandbox profile, since it is not UTF-8")]
    Name(PathBuf),
    /// Everything would be.
    #[error("cannot let all of / be written")]
    Everything,
}

/// The profile that holds a run to its plan.
pub fn of(plan: &Plan) -> Result<String, NoProfile> {
    let mut profile = Profile(String::from("(version 1)\n(deny default)\n"));
    // Those are allowed to who says nothing of them.
    profile.line("(deny file-map-executable file-link nvram* process-info*)");
    profile.line("(allow process-fork)");
    profile.line("(allow process-info* (target same-sandbox))");
    profile.line("(allow signal (target same-sandbox))");
    profile.rule("allow sysctl-read", "sysctl-name", NUMBERS)?;
    profile.rule("allow sysctl-read", "sysctl-name-prefix", ["hw.", "machdep.cpu."])?;
    profile.rule("allow mach-lookup", "global-name", SERVICES)?;
    profile.rule("allow ipc-posix-sem", "ipc-posix-name-prefix", SHARED)?;
    profile.rule("allow ipc-posix-shm*", "ipc-posix-name-prefix", SHARED)?;

    profile.rule("allow file-read*", "literal", ["/"])?;
    profile.rule("allow file-read-metadata", "literal", LINKS)?;
    profile.rule("allow file-read-metadata", "literal", ["/dev"])?;
    let ways = ways(plan.reads.iter().chain(&plan.writes).chain([&plan.cwd]));
    profile.rule("allow file-read-metadata", "literal", ways)?;
    profile.rule("allow file-read*", "subpath", DEVICES)?;
    profile.rule("allow file-write-data", "subpath", DEVICES)?;
    profile.rule("allow file-read* file-map-executable process-exec*", "subpath", &plan.reads)?;
    if plan.writes.iter().any(|root| root == Path::new("/")) {
        return Err(NoProfile::Everything);
    }
    profile.rule("allow file-write*", "subpath", &plan.writes)?;
    profile.rule("deny file-write*", "subpath", &plan.guarded)?;
    // Of two, the one that lies in the other counts.
    let inner = inside(&plan.writes, &plan.guarded);
    profile.rule("allow file-write*", "subpath", &inner)?;
    profile.rule("deny file-write*", "subpath", inside(&plan.guarded, &inner))?;
    // A rule is about a path: moved with a folder above it, what is guarded would have another.
    profile.rule("deny file-write-unlink", "literal", pins(plan))?;
    profile.line("(deny file-write-mount file-write-umount file-write-setugid)");
    if !plan.network {
        profile.line("(deny network*)");
        return Ok(profile.0);
    }
    profile.rule("allow network-outbound", "remote ip", ["*:*"])?;
    profile.rule("allow network-bind network-inbound", "local ip", ["*:*"])?;
    profile.rule("allow network-outbound", "literal", ["/private/var/run/mDNSResponder"])?;
    profile.line("(allow system-socket)");
    profile.rule("allow mach-lookup", "global-name", SERVICES_OF_THE_NETWORK)?;
    Ok(profile.0)
}

/// The folders that lead to those places, which may be passed and not listed.
fn ways<'a>(places: impl Iterator<Item = &'a PathBuf>) -> BTreeSet<&'a Path> {
    let above = places.flat_map(|place| place.ancestors().skip(1));
    above.filter(|folder| *folder != Path::new("/")).collect()
}

/// Those of the places that lie in one of the others.
fn inside(places: &[PathBuf], others: &[PathBuf]) -> Vec<PathBuf> {
    let lies_in = |place: &&PathBuf| others.iter().any(|other| place.starts_with(other));
    places.iter().filter(lies_in).cloned().collect()
}

/// What may be written but not moved or removed, for something below is guarded.
fn pins(plan: &Plan) -> BTreeSet<&Path> {
    let is_written = |folder: &&Path| plan.writes.iter().any(|root| folder.starts_with(root));
    plan.guarded.iter().flat_map(|guarded| guarded.ancestors().skip(1)).filter(is_written).collect()
}

struct Profile(String);

impl Profile {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// One rule over some names, each in a filter of that kind; none where there is no name, for
    /// a rule without a filter is about everything.
    fn rule<P: AsRef<Path>>(
        &mut self,
        what: &str,
        filter: &str,
        names: impl IntoIterator<Item = P>,
    ) -> Result<(), NoProfile> {
        let mut filters = String::new();
        for name in names {
            let name = name.as_ref();
            let text = name.to_str().ok_or_else(|| NoProfile::Name(name.to_owned()))?;
            filters.push_str(&format!("\n  ({filter} {})", quoted(text)));
        }
        if !filters.is_empty() {
            self.line(&format!("({what}{filters})"));
        }
        Ok(())
    }
}

/// A text as the language writes it: nothing in it ends it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\0'..' ' | '\x7f' => {
                // Two digits, which are all that is read.
                let _ = write!(quoted, "\\x{:02x}", u32::from(char));
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
