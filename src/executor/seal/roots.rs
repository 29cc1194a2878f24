//! Which folders a run may read and write: the system and the workspace, never the rest of home,
//! and nothing of footplate's own. A path of a plan is real: no link leads to it or is followed.
//!
//! What is obeyed in a folder that may be written is guarded. With namespaces it is a read-only mount
//! of its own. Rules alone only ever add rights on the way down, so without namespaces a folder with
//! something guarded in it is given entry by entry, and no name can be made, moved or removed in
//! that very folder. A right to make names there would be one to make them in `.git` as well, and a
//! file that is made without the right to write below it stays empty: nothing is won by it. Who needs
//! that asks to write the workspace by its own name, and is given all of it but secrets.

use std::path::{Path, PathBuf};

use super::{Bounds, Form, Level, obeyed::Obeyed, profile};
use crate::kernel::error::CallError;

/// What every program may read, where it is there.
const SYSTEM: [&str; 14] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/proc",
    "/sys/devices/system",
];

/// Where programs read whom to ask for the address of a name.
const NAME_SERVERS: &str = "/etc/resolv.conf";

/// Files of the system that only its owner may read, which is us when we run as root.
const SYSTEM_SECRETS: [&str; 10] = [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/NetworkManager",
];

/// Where people's tools live below their home, without a secret in it but those below.
const TOOLS: [&str; 18] = [
    ".asdf",
    ".bun",
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/git",
    ".cargo/registry",
    ".config/git",
    ".deno",
    ".gitconfig",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/uv",
    ".nvm",
    ".pyenv",
    ".rustup",
    ".volta",
    "go",
];

/// What is not shown even to who works in the home folder itself.
const HOME_SECRETS: [&str; 41] = [
    ".aws",
    ".azure",
    ".bash_history",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude",
    ".codex",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/google-chrome",
    ".config/op",
    ".config/rclone",
    ".docker",
    ".gemini",
    ".git-credentials",
    ".gnupg",
    ".gradle/gradle.properties",
    ".kube",
    ".local/share/fish",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/uv/credentials",
    ".m2/settings.xml",
    ".mozilla",
    ".mysql_history",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".rclone.conf",
    ".s3cfg",
    ".ssh",
    ".terraform.d",
    ".vault-token",
    ".zsh_history",
];

/// What this system has of all that.
struct Places {
    system: &'static [&'static str],
    secrets: &'static [&'static str],
    /// Below a home, beside what is hidden on every system.
    more_home_secrets: &'static [&'static str],
}

const LINUX: Places = Places { system: &SYSTEM, secrets: &SYSTEM_SECRETS, more_home_secrets: &[] };
const MACOS: Places = Places {
    system: &profile::SYSTEM,
    secrets: &profile::SYSTEM_SECRETS,
    more_home_secrets: &profile::HOME_SECRETS,
};
const HERE: Places = if cfg!(target_os = "macos") { MACOS } else { LINUX };

/// What every program may read here.
pub(super) fn system() -> Vec<PathBuf> {
    HERE.system.iter().filter_map(|path| real(Path::new(path))).collect()
}

/// What lies around a workspace.
#[derive(Clone, Debug, Default)]
pub(in crate::executor) struct Surroundings {
    /// The person's home.
    pub(in crate::executor) home: Option<PathBuf>,
    /// Folders of footplate's own.
    pub(in crate::executor) private: Vec<PathBuf>,
    /// What a run needs to read beside the system: its interpreter, its packages.
    pub(in crate::executor) needed: Vec<PathBuf>,
}

/// What may be read and written.
#[derive(Debug, Default)]
pub(in crate::executor) struct Roots {
    pub(in crate::executor) reads: Vec<PathBuf>,
    pub(in crate::executor) writes: Vec<PathBuf>,
    pub(in crate::executor) guarded: Vec<PathBuf>,
    /// What is obeyed in what may be written, as it was found.
    pub(in crate::executor) obeyed: Obeyed,
}

impl Surroundings {
    /// The roots of one run. Looks at the file system; takes about a millisecond.
    pub(in crate::executor) fn roots(
        &self,
        (bounds, form): (&Bounds, Form),
        workspace: &Path,
        scratch: &Path,
    ) -> Roots {
        let workspace = real(workspace);
        // The places that were approved, as they were named then: not what a link leads to that has
        // been put there since, by another run for one.
        let is_real = |path: &&PathBuf| real(path).as_ref() == Some(*path);
        let asked: Vec<PathBuf> = bounds.writes.iter().filter(is_real).cloned().collect();
        let hidden = self.hidden(&workspace, &asked);
        let home = self.home.as_deref().and_then(real);

        let mut reads: Vec<PathBuf> = Vec::new();
        for root in system() {
            reads.extend(around(&root, &hidden));
        }
        let tools = home.iter().flat_map(|home| TOOLS.iter().map(|name| home.join(name)));
        reads.extend(tools.filter_map(|path| real(&path)).flat_map(|tool| around(&tool, &hidden)));
        reads.extend(workspace.iter().flat_map(|workspace| parts(workspace, &hidden)));
        reads.extend(self.needed.iter().filter_map(|path| real(path)));
        reads.extend(asked.iter().flat_map(|asked| parts(asked, &hidden)));
        let named = bounds.reads.iter().filter(is_real);
        reads.extend(named.flat_map(|named| around(named, &hidden)));
        if bounds.network {
            // It may be a link into a folder that is covered.
            reads.extend(real(Path::new(NAME_SERVERS)));
        }
        let scratch = real(scratch);
        reads.extend(scratch.clone());
        reads.sort();
        reads.dedup();

        let mut writes: Vec<PathBuf> = scratch.into_iter().collect();
        let mut open = asked.clone();
        if let (Level::Workspace, Some(workspace)) = (bounds.level, &workspace) {
            open.push(workspace.clone());
        }
        let is_inside = |path: &PathBuf| open.iter().any(|open| path.starts_with(open));
        let obeyed = Obeyed::look(&open);
        let mut guarded = obeyed.guarded();
        if let (Form::WithoutNamespaces | Form::None, Some(whole)) =
            (form, asked.iter().find(|asked| Some(*asked) == workspace.as_ref()))
        {
            guarded.retain(|path| !path.starts_with(whole));
        }
        guarded.extend(hidden.into_iter().filter(|path| is_inside(path) && path.exists()));
        if bounds.keeps {
            guarded.retain(|path| !asked.iter().any(|asked| path.starts_with(asked)));
        }
        // What was asked for by its own name was meant.
        guarded.retain(|path| !asked.contains(path));
        guarded.sort();
        guarded.dedup();
        match form {
            Form::Full | Form::Profile => writes.extend(open),
            // Rules alone cannot take back a part of what they give, so they give the parts.
            Form::WithoutNamespaces | Form::None => {
                writes.extend(open.iter().flat_map(|open| parts(open, &guarded)));
                guarded.clear();
            }
        }
        writes.sort();
        writes.dedup();
        Roots { reads, writes, guarded, obeyed }
    }

    /// What a program of one run sees, its scratch folder apart. Looks at the file system.
    pub(in crate::executor) fn sight(&self, bounds: (&Bounds, Form), workspace: &Path) -> Sight {
        Sight(self.roots(bounds, workspace, Path::new("")).reads)
    }

    /// The places of which a session in that workspace is shown nothing, by a run or otherwise, the
    /// workspace itself apart where it lies in one of them.
    pub(in crate::executor) fn secrets(&self, workspace: &Path) -> Vec<PathBuf> {
        self.hidden(&real(workspace), &[])
    }

    /// What is not shown, and not written, but where it was asked for by name.
    fn hidden(&self, workspace: &Option<PathBuf>, asked: &[PathBuf]) -> Vec<PathBuf> {
        let mut hidden: Vec<PathBuf> = self.private.iter().filter_map(|path| real(path)).collect();
        // What we may not read ourselves needs no hiding.
        let is_open = |path: &PathBuf| std::fs::File::open(path).is_ok();
        hidden.extend(HERE.secrets.iter().map(PathBuf::from).filter(is_open));
        if let (Some(home), Some(workspace)) = (self.home.as_deref().and_then(real), workspace) {
            let secrets = HOME_SECRETS.iter().chain(HERE.more_home_secrets);
            hidden.extend(secrets.map(|name| home.join(name)));
            if home != *workspace && home.starts_with(workspace) {
                hidden.push(home);
            }
        }
        hidden.retain(|path| !asked.contains(path));
        hidden
    }

    /// Refuses what is footplate's own: who writes its settings and rules gives itself rights.
    pub(in crate::executor) fn check_own(
        &self,
        path: &Path,
        workspace: &Path,
    ) -> Result<(), CallError> {
        let inside = |root: &Path| {
            path.starts_with(root) || real(root).is_some_and(|root| path.starts_with(root))
        };
        if self.private.iter().any(|private| inside(private)) && !inside(workspace) {
            return Err(CallError::failed(format!(
                "{} is footplate's own, and nothing may write it but a person.\nWrite somewhere else.",
                path.display()
            )));
        }
        Ok(())
    }

    /// Whether a run may be given this to write as well, beside what else it gets: why not, if not.
    pub(in crate::executor) fn check(
        &self,
        path: &Path,
        (bounds, form): (&Bounds, Form),
        workspace: &Path,
    ) -> Result<(), CallError> {
        let shown = path.display();
        if path == Path::new("/") {
            return Err(CallError::failed(
                "All of this computer cannot be given to a run that is bounded.\nName a folder, or ask \
                 to run it open.",
            ));
        }
        self.check_own(path, workspace)?;
        if path.exists() {
            return Ok(());
        }
        // A name that is not there can be given by its folder alone.
        let roots = self.roots((bounds, form), workspace, path);
        let folder = path.parent().filter(|folder| folder.is_dir());
        let deepest = |roots: &[PathBuf]| {
            let around = |root: &&PathBuf| folder.is_some_and(|folder| folder.starts_with(root));
            roots.iter().filter(around).map(|root| root.components().count()).max()
        };
        if deepest(&roots.writes) > deepest(&roots.guarded) {
            return Ok(());
        }
        Err(CallError::failed(format!(
            "{shown} is not there, and its folder is not one in which this run may make it.\nMake it \
             first, or name a folder that is there."
        )))
    }
}

/// What a run may read.
pub(in crate::executor) struct Sight(Vec<PathBuf>);

impl Sight {
    /// Whether it reaches that file by that name: its folder, and where a link of its name leads.
    pub(in crate::executor) fn has(&self, file: &Path) -> bool {
        let sees = |path: PathBuf| self.0.iter().any(|root| path.starts_with(root));
        let by_name = file.parent().and_then(real).zip(file.file_name());
        by_name.is_some_and(|(folder, name)| sees(folder.join(name)))
            && real(file).is_some_and(sees)
    }
}

/// What may be given of something, without what is in it and hidden. What it lies in does not count:
/// a workspace in a folder of ours, as the tour's is, is what that was made for.
fn parts(root: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let inside: Vec<_> = hidden.iter().filter(|path| !root.starts_with(path)).cloned().collect();
    around(root, &inside)
}

/// The folder an interpreter belongs to, if that holds nothing else.
pub(in crate::executor) fn installation(interpreter: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let Some(interpreter) = real(interpreter) else { return Vec::new() };
    let (Some(bin), Some(prefix)) =
        (interpreter.parent(), interpreter.parent().and_then(Path::parent))
    else {
        return vec![interpreter];
    };
    let home = home.and_then(real);
    if prefix == Path::new("/") || home.is_some_and(|home| home.starts_with(prefix)) {
        return vec![interpreter.clone(), prefix.join("lib")];
    }
    if bin.ends_with("bin") { vec![prefix.to_owned()] } else { vec![bin.to_owned()] }
}

/// All of `root` but what is hidden; what stands beside something hidden, entry by entry.
pub(super) fn around(root: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| root.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(root)) {
        return vec![root.to_owned()];
    }
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    // What a link leads to has a place of its own, or none.
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.flat_map(|entry| around(&entry.path(), hidden)).collect()
}

/// The real place of what is there.
fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

#[cfg(test)]
mod tests;
