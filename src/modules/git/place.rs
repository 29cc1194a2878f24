//! Which repository a workspace has. Looked up here and told to git, which would look further: into the
//! folders above, and wherever a file named `.git` says.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::kernel::{context::Context, error::CallError};

/// The longest file that only names a folder.
const POINTER_BYTES: u64 = 8 << 10;

/// A repository; all of its paths are real ones, and UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    /// The folder with the files: the workspace.
    pub(super) root: PathBuf,
    /// What this worktree alone has.
    pub(super) folder: PathBuf,
    /// What all worktrees share; the same where there is but one.
    pub(super) common: PathBuf,
}

impl Repository {
    pub(super) fn of(cx: &Context) -> Result<Self, CallError> {
        Self::at(cx.env.root())
    }

    /// The repository of the workspace at this real path.
    pub(super) fn at(root: &Path) -> Result<Self, CallError> {
        let dot = root.join(".git");
        let kind = match dot.symlink_metadata() {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(none(root)),
            Err(error) => return Err(unreadable(&dot, &error)),
        };
        let folder = if kind.is_file() {
            let said = pointer(&dot)?;
            let named = said.strip_prefix("gitdir:").map(str::trim_start);
            root.join(named.ok_or_else(|| damaged(&dot))?)
        } else {
            dot.clone()
        };
        let folder = real(&folder)?;
        let common = match pointer(&folder.join("commondir")) {
            Ok(said) => real(&folder.join(said))?,
            Err(_) => folder.clone(),
        };
        let repository = Self { root: root.to_owned(), folder, common };
        if repository.is_inside() || repository.is_linked(&dot) {
            repository.named()
        } else {
            Err(CallError::failed(format!(
                "The .git of this folder leads to {}, outside the workspace, which does not say that this \
                 is a worktree of its own. It is not read; a person can look with git worktree list.",
                repository.folder.display()
            )))
        }
    }

    /// What of it the workspace does not hold.
    pub(super) fn outside(&self) -> Vec<PathBuf> {
        let mut outside = vec![self.common.clone(), self.folder.clone()];
        outside.retain(|path| !path.starts_with(&self.root));
        outside.dedup();
        outside
    }

    fn is_inside(&self) -> bool {
        self.folder.starts_with(&self.root) && self.common.starts_with(&self.root)
    }

    /// Whether the repository itself says that this is a worktree of its own: who can write in the
    /// workspace alone cannot make it say so.
    fn is_linked(&self, dot: &Path) -> bool {
        let linked = self.folder.parent() == Some(&*self.common.join("worktrees"));
        let back = pointer(&self.folder.join("gitdir"));
        linked && back.is_ok_and(|back| real(&self.folder.join(back)).is_ok_and(|at| at == dot))
    }

    fn named(self) -> Result<Self, CallError> {
        let odd = [&self.folder, &self.common].into_iter().find(|path| path.to_str().is_none());
        match odd {
            None => Ok(self),
            Some(odd) => Err(CallError::failed(format!(
                "{} is a name that is not UTF-8, which git cannot be given here. Use Python for it.",
                odd.display()
            ))),
        }
    }
}

/// The one line of a small file.
fn pointer(path: &Path) -> Result<String, CallError> {
    let metadata = path.symlink_metadata().map_err(|error| unreadable(path, &error))?;
    if !metadata.is_file() || metadata.len() > POINTER_BYTES {
        return Err(damaged(path));
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let line = text.trim_end_matches(['\n', '\r']);
    if line.is_empty() || line.contains(['\n', '\0']) {
        Err(damaged(path))
    } else {
        Ok(line.to_owned())
    }
}

fn real(path: &Path) -> Result<PathBuf, CallError> {
    path.canonicalize().map_err(|error| unreadable(path, &error))
}

fn none(root: &Path) -> CallError {
    let around = root.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    CallError::failed(match around {
        None => {
            "This folder is no git repository. Go on without git, or ask the person to make one."
                .to_owned()
        }
        Some(around) => format!(
            "This folder is no git repository of its own. It lies in one, {}, which holds more than the \
             workspace and is not read. Ask the person to work there if you need it.",
            around.display()
        ),
    })
}

fn unreadable(path: &Path, error: &io::Error) -> CallError {
    CallError::failed(format!(
        "The repository cannot be read: {}: {error}. Go on without git, or tell the person.",
        path.display()
    ))
}

fn damaged(path: &Path) -> CallError {
    CallError::failed(format!(
        "{} does not say where the repository is. Go on without git, or tell the person.",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A repository `main` with a linked worktree `tree`, beside somebody else's `other`.
    fn ground() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap();
        for folder in
            ["main/.git/worktrees/tree", "other/.git/worktrees/x", "tree", "plain/sub", "evil"]
        {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        let linked = home.join("main/.git/worktrees/tree");
        fs::write(home.join("tree/.git"), format!("gitdir: {}\n", linked.display())).unwrap();
        fs::write(linked.join("gitdir"), format!("{}\n", home.join("tree/.git").display()))
            .unwrap();
        fs::write(linked.join("commondir"), "../..\n").unwrap();
        (root, home)
    }

    #[test]
    fn a_repository_is_the_workspace_s_own_or_one_that_says_so() {
        let (_root, home) = ground();
        let main = Repository::at(&home.join("main")).unwrap();
        assert_eq!(
            (&main.folder, &main.common),
            (&home.join("main/.git"), &home.join("main/.git"))
        );
        assert_eq!(main.outside(), Vec::<PathBuf>::new());
        let tree = Repository::at(&home.join("tree")).unwrap();
        assert_eq!(tree.folder, home.join("main/.git/worktrees/tree"));
        assert_eq!(tree.common, home.join("main/.git"));
        assert_eq!(tree.outside(), [home.join("main/.git"), tree.folder.clone()]);
    }

    #[test]
    fn nothing_else_is_read_whatever_the_workspace_says() {
        let (_root, home) = ground();
        let refused = |name: &str, expected: &str| {
            let error = Repository::at(&home.join(name)).unwrap_err();
            assert!(error.message.contains(expected), "{name}: {error}");
        };
        refused("plain", "is no git repository. Go on");
        refused("main/.git/worktrees", "It lies in one");
        let evil = home.join("evil");
        let says = |text: &str| fs::write(evil.join(".git"), text).unwrap();
        for named in ["../other/.git", "../main/.git/worktrees/tree", "../other/.git/worktrees/x"] {
            says(&format!("gitdir: {named}\n"));
            refused("evil", "which does not say that this is a worktree of its own");
        }
        // A folder of one's own that says yes, and leads on to somebody else's.
        let own = home.join("evil/own/worktrees/x");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("gitdir"), evil.join(".git").to_str().unwrap()).unwrap();
        fs::write(own.join("commondir"), home.join("other/.git").to_str().unwrap()).unwrap();
        says("gitdir: own/worktrees/x");
        refused("evil", "does not say that this is a worktree");
        for (text, expected) in [
            ("", "does not say where"),
            ("hello", "does not say where"),
            ("gitdir: gone", "cannot be read"),
            ("gitdir: a\ngitdir: b", "does not say where"),
        ] {
            says(text);
            refused("evil", expected);
        }
        fs::remove_file(evil.join(".git")).unwrap();
        symlink(home.join("other/.git"), evil.join(".git")).unwrap();
        refused("evil", "does not say that this is a worktree");
    }
}
