//! Where what is remembered of a project lies: a folder of footplate's own for each real path of a
//! workspace, `NAME-KEY`. The name is for people; the key alone tells projects apart.

use std::{path::Path, sync::Arc};

use crate::{
    executor::Workspace,
    kernel::port::{Env, Mark},
};

/// As many digits of a SHA-256 as nobody finds twice.
const KEY_DIGITS: usize = 32;
/// As much of a folder's name as people need.
const NAME_CHARS: usize = 32;

/// The folder of the project, which is made when something is first remembered.
pub(super) fn of(memory: &Path, project: &Path) -> Option<Arc<dyn Env>> {
    match Workspace::unmade(&memory.join(folder(project))) {
        Ok(folder) => Some(Arc::new(folder)),
        Err(error) => {
            tracing::warn!(%error, "nothing is remembered, since its folder cannot be found");
            None
        }
    }
}

fn folder(project: &Path) -> String {
    let key = Mark::of(project.as_os_str().as_encoded_bytes()).sha256;
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.chars().take(NAME_CHARS).map(plain).collect();
    format!("{name}-{}", &key[..KEY_DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_project_has_a_folder_of_its_own_whatever_it_is_called() {
        let named = |path: &str| folder(Path::new(path));
        assert!(named("/home/ada/engine").starts_with("engine-"));
        assert_ne!(named("/home/ada/engine"), named("/home/bea/engine"));
        assert_ne!(named("/home/ada/a b"), named("/home/ada/a-b"));
        for hostile in ["/", "/a/..b", "/a/ü\u{1b}[2J\n", "/a/-rf"] {
            let folder = named(hostile);
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            assert!(folder.chars().all(plain) && folder.len() <= 65, "{folder}");
        }
    }
}
