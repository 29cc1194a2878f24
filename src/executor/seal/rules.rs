//! Rules for files, held by the kernel for this process and all it starts; and what it may use.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::{
    fs::{FileType, fstat},
    process::{Resource, Rlimit, setrlimit},
    thread::{CapabilitySet, CapabilitySets},
};

use super::{Form, Level, Plan, diagnosis::step, launcher::Fault, mounts::open_real};

/// The rights that must exist where there is nothing but the rules: signals and abstract sockets
/// are among them since this version.
const RIGHTS: ABI = ABI::V6;

/// Devices that hold nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Lets this process read and write what the plan says, and nothing else, for ever.
pub(super) fn apply(plan: &Plan) -> Result<(), Fault> {
    let denied = |error: landlock::RulesetError| Fault::new(step::RULES, error);
    // Read-only mounts and namespaces of its own hold what an older kernel has no rights for.
    let level = match plan.form {
        Form::Full => CompatLevel::BestEffort,
        Form::WithoutNamespaces | Form::Profile | Form::None => CompatLevel::HardRequirement,
    };
    let mut rules = Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_all(RIGHTS))
        .and_then(|rules| match plan.network {
            // What is not handled is not refused.
            true => Ok(rules),
            false => rules.handle_access(AccessNet::from_all(RIGHTS)),
        })
        .and_then(|rules| rules.scope(Scope::from_all(RIGHTS)))
        .and_then(Ruleset::create)
        .map_err(denied)?;
    let read = AccessFs::from_read(RIGHTS);
    let write = AccessFs::from_write(RIGHTS);
    for path in &plan.reads {
        rules = allow(rules, path, read)?;
    }
    for path in &plan.writes {
        rules = allow(rules, path, write)?;
    }
    for path in DEVICES {
        rules = allow(rules, Path::new(path), read | write)?;
    }
    if plan.terminal {
        // For each session this is its own, and no other.
        rules = allow(rules, Path::new("/dev/tty"), read | write)?;
    }
    // Locks of Python's multiprocessing live there. Its own in the full form; without namespaces it
    // is the one that all programs of the person share, and the one gap that is known.
    rules = allow(rules, Path::new("/dev/shm"), read | write)?;
    let status = rules.restrict_self().map_err(denied)?;
    let holds = match plan.form {
        Form::Full => status.ruleset != RulesetStatus::NotEnforced,
        Form::WithoutNamespaces | Form::Profile | Form::None => {
            status.ruleset == RulesetStatus::FullyEnforced
        }
    };
    if holds { Ok(()) } else { Err(Fault::new(step::RULES, "this kernel has no Landlock")) }
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Fault> {
    // What is not there, or not for us to look at, cannot be allowed.
    let Ok(place) = open_real(path) else { return Ok(rules) };
    let is_folder = fstat(&place)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
    let rights = if is_folder { rights } else { rights & AccessFs::from_file(RIGHTS) };
    rules.add_rule(PathBeneath::new(place, rights)).map_err(|error| Fault::new(step::RULES, error))
}

/// Bounds what this process may use, and each that it starts.
pub(super) fn limit(plan: &Plan) -> Result<(), Fault> {
    let limits = &plan.limits;
    let mut all = vec![
        // Where a program of the system takes what crashes, nothing keeps it from being started but this:
        // no bytes at all would only be too few for a file.
        (Resource::Core, 1),
        (Resource::Fsize, limits.file_size),
        (Resource::Data, limits.memory),
        (Resource::Nofile, limits.open_files),
        (Resource::Cpu, limits.cpu),
    ];
    if plan.level == Level::Sealed {
        // Memory that is shared counts here alone. Far above the other, since much is reserved and
        // never used, and not for programs that reserve without measure.
        all.push((Resource::As, limits.memory.saturating_mul(8)));
    }
    let others = match plan.form {
        // Counted in the user namespace, which is new.
        Form::Full => 0,
        Form::WithoutNamespaces | Form::Profile | Form::None => tasks_of_the_user(),
    };
    all.push((Resource::Nproc, limits.processes.saturating_add(others)));
    for (resource, most) in all {
        // What is bounded more tightly already stays so.
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |now| now.min(most));
        // At the first, a signal that may be caught; at the second, the end.
        let maximum = if resource == Resource::Cpu { most.saturating_add(2) } else { most };
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(maximum.max(most)) })
            .map_err(Fault::at("set a limit"))?;
    }
    Ok(())
}

/// The tasks that count against the user's limit already.
fn tasks_of_the_user() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::getuid().as_raw();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let tasks = entries.filter_map(|entry| {
        entry.file_name().to_str()?.parse::<u32>().ok()?;
        let tasks = std::fs::metadata(entry.path().join("task")).ok()?;
        (tasks.uid() == user).then(|| tasks.nlink().saturating_sub(2))
    });
    tasks.sum()
}

/// Gives up every right of an administrator but those to `keep`, and the way to get one back.
pub(super) fn drop_privileges(keep: CapabilitySet) -> Result<(), Fault> {
    rustix::thread::set_no_new_privs(true).map_err(Fault::at("forgo new rights"))?;
    let now = rustix::thread::capabilities(None).map_err(Fault::at("see its rights"))?;
    if now.effective.contains(CapabilitySet::SETPCAP) {
        for capability in CapabilitySet::all().iter() {
            match rustix::thread::remove_capability_from_bounding_set(capability) {
                // A right this kernel does not know.
                Ok(()) | Err(rustix::io::Errno::INVAL) => {}
                Err(error) => return Err(Fault::at("give up a right")(error)),
            }
        }
    }
    let keep = keep & now.permitted;
    let kept =
        CapabilitySets { effective: keep, permitted: keep, inheritable: CapabilitySet::empty() };
    rustix::thread::set_capabilities(None, kept).map_err(Fault::at("give up its rights"))
}
