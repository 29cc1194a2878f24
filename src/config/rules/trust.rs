//! Which projects may allow calls by rules of their own, and which a person refused. Kept by the real folder and the whole text
//! of the rules: other rules, or the same rules elsewhere, are trusted anew.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    super::profiles::{named, of_project as profiles_of},
    Home, of_project, read,
};
use crate::kernel::{
    port::Trusting,
    setting::{explain, place},
};

/// What a person trusts, as a file of this computer.
#[derive(Clone, Debug)]
pub struct Trust(PathBuf);

/// Why trust could not be given or taken: one line what, one line what to do.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The project has no rules.
    #[error("there are no rules in {0}\nthey would be in .footplate/rules.toml")]
    NoRules(PathBuf),
    /// They are not those that a person saw.
    #[error(
        "not kept: {0} was changed since you saw it\nread it as it is now, then: footplate trust"
    )]
    Changed(PathBuf),
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
    trusted: Vec<Judged>,
    /// What is not asked about again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refused: Vec<Judged>,
    /// Kinds of agents that projects describe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<Profile>,
}

#[derive(Serialize, Deserialize)]
struct Profile {
    folder: PathBuf,
    name: String,
    /// The text that was trusted.
    text: String,
}

#[derive(Serialize, Deserialize)]
struct Judged {
    folder: PathBuf,
    /// The text that was judged.
    rules: String,
}

impl Trust {
    /// As it is kept below `home`.
    pub fn new(home: &Home) -> Self {
        Self(home.state.join("trust.toml"))
    }

    /// What was said to that very text as the rules of that project, if anything was. A doubt counts
    /// as nothing.
    pub fn said(&self, folder: &Path, rules: &str) -> Option<Trusting> {
        let folder = folder.canonicalize().ok()?;
        let kept = self.kept().ok()?;
        let is_meant = |known: &Judged| known.folder == folder && known.rules == rules;
        if kept.trusted.iter().any(is_meant) {
            return Some(Trusting::Yes);
        }
        kept.refused.iter().any(is_meant).then_some(Trusting::Never)
    }

    /// Trusts the rules of a project as they are now, and gives their text.
    pub fn give(&self, folder: &Path) -> Result<String, TrustError> {
        let rules = now(folder)?;
        self.change(folder, Some((rules.clone(), Trusting::Yes)))?;
        Ok(rules)
    }

    /// Keeps what was said to this text, if it still is the one of the project's rules.
    pub fn judge(&self, folder: &Path, rules: &str, said: Trusting) -> Result<(), TrustError> {
        if now(folder)? != rules {
            return Err(TrustError::Changed(of_project(folder)));
        }
        self.change(folder, Some((rules.to_owned(), said)))
    }

    /// Whether that very text is trusted as a profile of that project. A doubt counts as no.
    pub fn holds_profile(&self, folder: &Path, name: &str, text: &str) -> bool {
        let (Ok(folder), Ok(kept)) = (folder.canonicalize(), self.kept()) else { return false };
        let is_meant =
            |known: &Profile| known.folder == folder && known.name == name && known.text == text;
        kept.profiles.iter().any(is_meant)
    }

    /// Trusts the profiles of a project as they are now, and gives the text of each file.
    pub fn give_profiles(&self, folder: &Path) -> Result<Vec<(PathBuf, String)>, TrustError> {
        let mut shown = Vec::new();
        let mut profiles = Vec::new();
        let real = folder.canonicalize().map_err(|source| fault(folder, source))?;
        for (name, path) in named(&profiles_of(&real)) {
            let text = read(&path).map_err(|source| fault(&path, source))?;
            let Some(text) = text else { continue };
            profiles.push(Profile { folder: real.clone(), name, text: text.clone() });
            shown.push((path, text));
        }
        let mut kept = self.kept().map_err(|source| fault(&self.0, source))?;
        kept.profiles.retain(|known| known.folder != real);
        kept.profiles.extend(profiles);
        self.write(&kept).map_err(|source| fault(&self.0, source))?;
        Ok(shown)
    }

    /// Trusts a project no more, and asks about it again.
    pub fn take(&self, folder: &Path) -> Result<(), TrustError> {
        let real = folder.canonicalize().map_err(|source| fault(folder, source))?;
        let mut kept = self.kept().map_err(|source| fault(&self.0, source))?;
        kept.profiles.retain(|known| known.folder != real);
        self.write(&kept).map_err(|source| fault(&self.0, source))?;
        self.change(folder, None)
    }

    fn change(&self, folder: &Path, said: Option<(String, Trusting)>) -> Result<(), TrustError> {
        let folder = folder.canonicalize().map_err(|source| fault(folder, source))?;
        let mut kept = self.kept().map_err(|source| fault(&self.0, source))?;
        let other = |known: &Judged| known.folder != folder;
        kept.trusted.retain(other);
        kept.refused.retain(other);
        if let Some((rules, said)) = said {
            let list = match said {
                Trusting::Yes => &mut kept.trusted,
                Trusting::Never => &mut kept.refused,
            };
            list.push(Judged { folder, rules });
        }
        self.write(&kept).map_err(|source| fault(&self.0, source))
    }

    fn kept(&self) -> io::Result<Kept> {
        let text = read(&self.0)?.unwrap_or_default();
        toml::from_str(&text).map_err(|error| {
            let (line, _) = place(&text, error.span().unwrap_or_default().start);
            io::Error::other(format!("line {line}: {}", explain(&text, &error).0))
        })
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

/// The text of a project's rules now.
fn now(folder: &Path) -> Result<String, TrustError> {
    let path = of_project(folder);
    let text = read(&path).map_err(|source| fault(&path, source))?;
    text.ok_or_else(|| TrustError::NoRules(folder.to_owned()))
}

fn fault(path: &Path, source: io::Error) -> TrustError {
    TrustError::Io { path: path.to_owned(), source }
}
