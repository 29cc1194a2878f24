//! Which projects may allow calls by rules of their own. Kept by the real folder and the whole text
//! of the rules: other rules, or the same rules elsewhere, are trusted anew.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Home, of_project, read};

/// What a person trusts, as a file of this computer.
#[derive(Clone, Debug)]
pub struct Trust(PathBuf);

/// Why trust could not be given or taken: one line what, one line what to do.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The project has no rules.
    #[error("there are no rules in {0}\nthey would be in .footplate/rules.toml")]
    NoRules(PathBuf),
    /// A file could not be read or written.
    #[error("{path}: {source}\nmake it readable and writable")]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

#[derive(Default, Serialize, Deserialize)]
struct Kept {
    #[serde(default)]
    trusted: Vec<Trusted>,
}

#[derive(Serialize, Deserialize)]
struct Trusted {
    folder: PathBuf,
    /// The text that was trusted.
    rules: String,
}

impl Trust {
    /// As it is kept below `home`.
    pub fn new(home: &Home) -> Self {
        Self(home.state.join("trust.toml"))
    }

    /// Whether the rules of that project are trusted with this very text. A doubt counts as no.
    pub fn holds(&self, folder: &Path, rules: &str) -> bool {
        let Ok(folder) = folder.canonicalize() else { return false };
        let is_meant = |known: &Trusted| known.folder == folder && known.rules == rules;
        self.kept().is_ok_and(|kept| kept.trusted.iter().any(is_meant))
    }

    /// Trusts the rules of a project as they are now, and gives their text.
    pub fn give(&self, folder: &Path) -> Result<String, TrustError> {
        let path = of_project(folder);
        let text = read(&path).map_err(|source| TrustError::Io { path, source })?;
        let rules = text.ok_or_else(|| TrustError::NoRules(folder.to_owned()))?;
        self.change(folder, Some(rules.clone()))?;
        Ok(rules)
    }

    /// Trusts a project no more.
    pub fn take(&self, folder: &Path) -> Result<(), TrustError> {
        self.change(folder, None)
    }

    fn change(&self, folder: &Path, rules: Option<String>) -> Result<(), TrustError> {
        let fault = |path: &Path, source| TrustError::Io { path: path.to_owned(), source };
        let folder = folder.canonicalize().map_err(|source| fault(folder, source))?;
        let mut kept = self.kept().map_err(|source| fault(&self.0, source))?;
        kept.trusted.retain(|known| known.folder != folder);
        kept.trusted.extend(rules.map(|rules| Trusted { folder, rules }));
        self.write(&kept).map_err(|source| fault(&self.0, source))
    }

    fn kept(&self) -> io::Result<Kept> {
        let text = read(&self.0)?.unwrap_or_default();
        toml::from_str(&text).map_err(|error| io::Error::other(error.message().to_owned()))
    }

    fn write(&self, kept: &Kept) -> io::Result<()> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let text = toml::to_string(kept).map_err(io::Error::other)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.0).map_err(|error| error.error)?;
        Ok(())
    }
}
