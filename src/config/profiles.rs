//! The files that describe kinds of agents: the person's `agents/NAME.toml`, and those in
//! `.footplate/agents` of a project whose profiles the person trusts as they are now.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{Home, rules::Trust};
use crate::kernel::{
    port::Profiles,
    profile::{Known, Profile, is_name, parse},
    setting::near,
};

/// Where the profiles of a project are, in its folder.
pub fn of_project(folder: &Path) -> PathBuf {
    folder.join(".footplate").join("agents")
}

/// The files with profiles.
pub struct ProfileFiles {
    user: PathBuf,
    trust: Trust,
    tools: Vec<String>,
    modules: Vec<String>,
}

impl ProfileFiles {
    /// Those below `home` and of projects; they may name these tools and modules.
    pub fn new(home: &Home, tools: Vec<String>, modules: Vec<String>) -> Self {
        Self { user: home.config.join("agents"), trust: Trust::new(home), tools, modules }
    }

    /// The profiles that count in a workspace, by name. The person's own stand above the project's.
    fn files(&self, workspace: &Path) -> BTreeMap<String, PathBuf> {
        let mut files = named(&of_project(workspace));
        files.extend(named(&self.user));
        files
    }
}

impl Profiles for ProfileFiles {
    fn find(&self, workspace: &Path, name: &str) -> Result<Profile, String> {
        let files = self.files(workspace);
        let Some(path) = files.get(name) else {
            let hint = match near(name, files.keys().map(String::as_str)) {
                Some(near) => format!("did you mean {}?", crate::kernel::text::quoted(near)),
                None if files.is_empty() => {
                    format!("write one: {}", self.user.join("NAME.toml").display())
                }
                None => format!("there is: {}", Vec::from_iter(files.into_keys()).join(", ")),
            };
            return Err(format!(
                "there is no profile {}\n{hint}",
                crate::kernel::text::quoted(name)
            ));
        };
        let text = super::rules::read(path)
            .and_then(|text| text.ok_or_else(|| std::io::ErrorKind::NotFound.into()))
            .map_err(|error| {
                format!("cannot read {}: {error}\nmake it readable", path.display())
            })?;
        let is_own = path.parent() == Some(self.user.as_path());
        if !is_own && !self.trust.holds_profile(workspace, name, &text) {
            return Err(format!(
                "{} comes with the project, and you have not trusted it as it is now\nread it, then: \
                 footplate trust",
                path.display()
            ));
        }
        let agents = files.keys().cloned().collect();
        let known = Known { tools: self.tools.clone(), modules: self.modules.clone(), agents };
        parse(name, &text, &known).map_err(|fault| format!("{}:{fault}", path.display()))
    }
}

/// The files of profiles in a folder, by name.
pub(super) fn named(folder: &Path) -> BTreeMap<String, PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let profiles = paths.filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".toml")?.to_owned();
        is_name(&name).then_some((name, path))
    });
    profiles.collect()
}

#[cfg(test)]
mod tests;
