//! Worktrees that were made for agents which never began, since the program ended in between.

use std::path::{Path, PathBuf};

use super::Inner;
use crate::kernel::{id::CallId, port::StoreError};

impl Inner {
    /// What these calls made, if it is there and no session has it, in words for the person. It is not
    /// removed: whatever lies there, nobody has looked at it.
    pub(super) fn leftover(&self, calls: &[CallId]) -> Result<Option<String>, StoreError> {
        let Some(folder) = self.parts.worktrees.as_deref() else { return Ok(None) };
        let mut homes: Vec<PathBuf> =
            calls.iter().map(|call| folder.join(call.to_string())).collect();
        // Where nothing was made in it yet, the folder is nothing: it goes only if it is empty.
        homes.retain(|home| std::fs::remove_dir(home).is_err() && within(home).is_some());
        if homes.is_empty() {
            return Ok(None);
        }
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        for session in self.parts.store.list()? {
            homes.retain(|home| !session.spec.workspace.starts_with(real(home)));
        }
        let trees = homes.iter().map(|home| within(home).unwrap_or_else(|| home.clone()));
        let told: Vec<_> = trees.map(|tree| tree.display().to_string()).collect();
        Ok((!told.is_empty()).then(|| {
            format!(
                "A worktree was left for which no agent began: {}. To remove one: git worktree remove -f \
                 -f FOLDER, and git worktree prune.",
                told.join(", ")
            )
        }))
    }
}

/// The one thing in a folder.
fn within(home: &Path) -> Option<PathBuf> {
    Some(home.read_dir().ok()?.next()?.ok()?.path())
}
