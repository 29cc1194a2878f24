//! Puts what comes with this program where runs find it.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use super::cannot;
use crate::{guest, kernel::error::CallError};

/// Puts the package where Python finds it; one that is there already is compared, not trusted.
pub(super) fn guest(package: &guest::Package, cache: &Path) -> Result<PathBuf, CallError> {
    let mut hasher = DefaultHasher::new();
    package.hash(&mut hasher);
    let home = cache.join("guest").join(format!("{:016x}", hasher.finish()));
    for (path, text) in &package.files {
        let path = home.join(path);
        if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            continue;
        }
        let folder = path.parent().unwrap_or(&home);
        std::fs::create_dir_all(folder)
            .and_then(|()| tempfile::NamedTempFile::new_in(folder))
            .and_then(|mut file| {
                std::io::Write::write_all(&mut file, text.as_bytes())?;
                file.persist(&path).map_err(|error| error.error)
            })
            .map_err(|error| cannot("write", &path, &error))?;
    }
    Ok(home)
}
