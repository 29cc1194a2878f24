//! Which folders a run may read and write: the system and the workspace, never the rest of home,
//! and nothing of footplate's own. A path of a plan is real: no link leads to it or is followed.

use std::path::{Path, PathBuf};

use super::{Form, Level, profile};
use crate::kernel::obeyed::is_obeyed;

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

/// Where people's tools live below their home, none of them with a secret in it.
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
const HOME_SECRETS: [&str; 30] = [
    ".aws",
    ".azure",
    ".bash_history",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude",
    ".codex",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/op",
    ".docker",
    ".gemini",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/fish",
    ".local/share/keyrings",
    ".mozilla",
    ".mysql_history",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".ssh",
    ".terraform.d",
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

/// Folders looked into for what is obeyed, and how deep.
const MOST_LOOKED_AT: usize = 2000;
const DEEPEST: usize = 3;

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
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::executor) struct Roots {
    pub(in crate::executor) reads: Vec<PathBuf>,
    pub(in crate::executor) writes: Vec<PathBuf>,
    pub(in crate::executor) guarded: Vec<PathBuf>,
}

impl Surroundings {
    /// The roots of one run. Looks at the file system; takes about a millisecond.
    pub(in crate::executor) fn roots(
        &self,
        (level, form): (Level, Form),
        workspace: &Path,
        scratch: &Path,
    ) -> Roots {
        let home = self.home.as_deref().and_then(real);
        let mut hidden: Vec<PathBuf> = self.private.iter().filter_map(|path| real(path)).collect();
        // What we may not read ourselves needs no hiding.
        let is_open = |path: &PathBuf| std::fs::File::open(path).is_ok();
        hidden.extend(HERE.secrets.iter().map(PathBuf::from).filter(is_open));
        let workspace = real(workspace);
        // A workspace in a folder of ours, as the tour's is, is what it was made for.
        let is_around = |path: &Path| {
            workspace.as_ref().is_some_and(|inside| inside != path && inside.starts_with(path))
        };
        hidden.retain(|path| !is_around(path));
        if let (Some(home), Some(workspace)) = (&home, &workspace) {
            if home != workspace && home.starts_with(workspace) {
                hidden.push(home.clone());
            }
            let secrets = HOME_SECRETS.iter().chain(HERE.more_home_secrets);
            hidden.extend(secrets.map(|name| home.join(name)));
        }

        let mut reads: Vec<PathBuf> = Vec::new();
        for root in system() {
            reads.extend(around(&root, &hidden));
        }
        let tools = home.iter().flat_map(|home| TOOLS.iter().map(|name| home.join(name)));
        reads.extend(tools.filter_map(|path| real(&path)).flat_map(|tool| around(&tool, &hidden)));
        reads.extend(workspace.iter().flat_map(|workspace| around(workspace, &hidden)));
        reads.extend(self.needed.iter().filter_map(|path| real(path)));
        let scratch = real(scratch);
        reads.extend(scratch.clone());
        reads.sort();
        reads.dedup();

        let mut writes: Vec<PathBuf> = scratch.into_iter().collect();
        let mut guarded = Vec::new();
        if let (Level::Workspace, Some(workspace)) = (level, workspace) {
            guarded = obeyed(&workspace);
            let inside = |path: &PathBuf| path.starts_with(&workspace) && path.exists();
            guarded.extend(hidden.into_iter().filter(inside));
            match form {
                Form::Full | Form::Profile => writes.push(workspace),
                // Rules alone cannot take back a part of what they give, so they give the parts.
                Form::WithoutNamespaces | Form::None => {
                    writes.extend(around(&workspace, &guarded));
                    guarded.clear();
                }
            }
        }
        Roots { reads, writes, guarded }
    }
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

/// What is there in the workspace and obeyed without being told, as far as is looked.
fn obeyed(workspace: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead = std::collections::VecDeque::from([(workspace.to_owned(), 0)]);
    let mut looked_at = 0;
    while let Some((folder, depth)) = ahead.pop_front() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > MOST_LOOKED_AT {
                return found;
            }
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            let is_environment = kind.is_dir() && path.join("pyvenv.cfg").exists();
            if is_environment || is_obeyed(&entry.file_name()) {
                if !kind.is_symlink() {
                    found.push(path);
                }
            } else if kind.is_dir() && depth < DEEPEST {
                ahead.push_back((path, depth + 1));
            }
        }
    }
    found
}

/// The real place of what is there.
fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A home with a workspace in it, and footplate's own folder.
    fn house() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap();
        for file in [
            ".ssh/id",
            ".cargo/bin/cargo",
            ".cargo/credentials.toml",
            "work/.git/config",
            "work/sub/.venv/bin/python",
            "work/env/pyvenv.cfg",
            "work/src/main.py",
            ".local/share/footplate/sessions/one",
            ".local/share/footplate/tour/a.txt",
            "notes.txt",
        ] {
            let file = home.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        std::os::unix::fs::symlink(home.join(".ssh"), home.join("link")).unwrap();
        (root, home)
    }

    fn roots(home: &Path, level: Level, workspace: &Path) -> Roots {
        let surroundings = Surroundings {
            home: Some(home.to_owned()),
            private: vec![home.join(".local/share/footplate")],
            needed: Vec::new(),
        };
        surroundings.roots((level, Form::Full), workspace, &home.join("scratch"))
    }

    fn reads(roots: &Roots, path: &Path) -> bool {
        roots.reads.iter().any(|root| path.starts_with(root))
    }

    #[test]
    fn the_workspace_and_tools_are_read_and_the_rest_of_home_is_not() {
        let (_root, home) = house();
        for (workspace, path, expected) in [
            ("work", "work/src/main.py", true),
            ("work", "work/.git/config", true),
            ("work", ".cargo/bin/cargo", true),
            ("work", ".cargo/credentials.toml", false),
            ("work", ".ssh/id", false),
            ("work", "notes.txt", false),
            ("work", ".local/share/footplate/sessions/one", false),
            ("", "notes.txt", true),
            ("", "work/src/main.py", true),
            ("", ".ssh/id", false),
            ("", "link/id", false),
            ("", ".cargo/credentials.toml", false),
            ("", ".local/share/footplate/sessions/one", false),
            ("..", "notes.txt", false),
            (".local/share/footplate/tour", ".local/share/footplate/tour/a.txt", true),
            (".local/share/footplate/tour", ".local/share/footplate/sessions/one", false),
        ] {
            let roots = roots(&home, Level::Sealed, &home.join(workspace));
            assert_eq!(reads(&roots, &home.join(path)), expected, "{path} from {workspace:?}");
        }
    }

    #[test]
    fn only_the_workspace_level_writes_and_not_what_is_obeyed() {
        let (_root, home) = house();
        std::fs::create_dir(home.join("scratch")).unwrap();
        let work = home.join("work");
        let sealed = roots(&home, Level::Sealed, &work);
        assert_eq!((sealed.writes, sealed.guarded), (vec![home.join("scratch")], vec![]));
        let mut wide = roots(&home, Level::Workspace, &work);
        wide.guarded.sort();
        assert_eq!(wide.writes, [home.join("scratch"), work.clone()]);
        assert_eq!(wide.guarded, [work.join(".git"), work.join("env"), work.join("sub/.venv")]);
        let whole = roots(&home, Level::Workspace, &home);
        assert!(whole.guarded.contains(&home.join(".ssh")), "{:?}", whole.guarded);
        assert!(whole.guarded.contains(&home.join(".local/share/footplate")));
    }

    #[test]
    fn an_interpreter_brings_its_folder_but_never_a_home() {
        let (_root, home) = house();
        for (place, expected) in
            [("python/bin/python3", vec!["python"]), ("bin/python3", vec!["bin/python3", "lib"])]
        {
            let python = home.join(place);
            std::fs::create_dir_all(python.parent().unwrap()).unwrap();
            std::fs::write(&python, "").unwrap();
            let expected: Vec<_> = expected.iter().map(|name| home.join(name)).collect();
            assert_eq!(installation(&python, Some(&home)), expected, "{place}");
        }
    }
}
