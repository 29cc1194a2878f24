//! The files with rules: of whoever runs this computer, of the person, and of the projects that they
//! work in. What is wrong in one is told once, and never makes it allow more.

mod change;
mod trust;

use std::{
    collections::HashSet,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::Home;
use crate::kernel::{
    gate::{
        law::{Cited, Layer, Placed},
        rule::{Effect, Faults, Lasting, Parsed, Reading, Rule, parse},
    },
    port::{RuleBook, Trusting, Untrusted},
};

pub use self::trust::{Trust, TrustError};

/// Where the rules of a computer are.
const ADMIN: &str = "/etc/footplate/rules.toml";

/// The longest file that is read.
const LONGEST: u64 = 1 << 20;

/// Where the rules of a project are, in its folder.
pub fn of_project(folder: &Path) -> PathBuf {
    folder.join(".footplate").join("rules.toml")
}

/// Where the rules are that count in every folder: of the computer, and of the person.
pub fn of_everywhere(home: &Home) -> [PathBuf; 2] {
    [ADMIN.into(), of_person(home)]
}

/// Told, in a line or two, what a person should know.
pub type Notice = Arc<dyn Fn(String) + Send + Sync>;

/// The files with rules.
pub struct RuleFiles {
    admin: PathBuf,
    user: PathBuf,
    trust: Trust,
    /// Where `~/` begins.
    home: Option<PathBuf>,
    notice: Notice,
    told: Mutex<HashSet<String>>,
}

/// One file, and what of it counts.
#[derive(Debug)]
pub struct RuleFile {
    /// Whose it is.
    pub layer: Layer,
    /// Where.
    pub path: PathBuf,
    /// Whether its allows count.
    pub standing: Standing,
    /// Its rules that count.
    pub rules: Vec<Placed>,
    /// What a person should know of it: two lines.
    pub faults: Vec<String>,
}

/// The file of a person's own rules.
pub fn of_person(home: &Home) -> PathBuf {
    home.config.join("rules.toml")
}

/// What such a file begins with: no rule, and what one looks like.
pub const TEMPLATE: &str = r#"# What is allowed unasked, always asked about, or denied; a deny beats an ask, an ask beats an
# allow. Each rule says which calls it is for; what it leaves out may be anything.
#
# [[allow]]
# call = "process.run"
# args = ["cargo", "test", "**"]     # ** stands for any further arguments
#
# [[ask]]
# call = "files.write"
# path = ".github/**"
#
# [[deny]]
# call = "process.run"
# args = ["git", "push", "**"]
"#;

/// What a file is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All of it counts.
    Whole,
    /// It has a fault: it only narrows.
    Faulty,
    /// Of a project that nobody trusts as it is now: it only narrows.
    Untrusted,
}

impl RuleFiles {
    /// The files below `home`, and the computer's own; `user_home` is where `~/` begins.
    pub fn new(home: &Home, user_home: Option<PathBuf>, notice: Notice) -> Self {
        let [admin, user] = of_everywhere(home);
        Self {
            admin,
            user,
            trust: Trust::new(home),
            home: user_home,
            notice,
            told: Mutex::default(),
        }
    }

    /// With the computer's own rules elsewhere.
    #[must_use]
    pub fn with_admin(self, admin: PathBuf) -> Self {
        Self { admin, ..self }
    }

    /// Every file there is that says something about these workspaces, strongest layer first.
    pub fn files(&self, projects: &[PathBuf]) -> Vec<RuleFile> {
        let own = [(Layer::Admin, &self.admin), (Layer::User, &self.user)];
        let own = own.into_iter().filter_map(|(layer, path)| self.file(layer, path, None));
        let projects = projects
            .iter()
            .filter_map(|folder| self.file(Layer::Project, &of_project(folder), Some(folder)));
        own.chain(projects).collect()
    }

    fn file(&self, layer: Layer, path: &Path, project: Option<&Path>) -> Option<RuleFile> {
        let name = path.display().to_string();
        let (text, parsed) = match read(path) {
            Ok(Some(text)) => {
                let parsed = parse(&text, self.reading());
                (text, parsed)
            }
            Ok(None) => return None,
            // What it denies is not known, so what cannot be TOML either stands for it.
            Err(error) => {
                let mut file = self.placed(layer, path, project, &parse("=", self.reading()));
                file.faults = vec![format!(
                    "{name} cannot be read: {error}\nevery effect is asked for until it can"
                )];
                return Some(file);
            }
        };
        let mut file = self.placed(layer, path, project, &parsed);
        if let Some(fault) = &parsed.fault {
            let left = match parsed.left {
                Faults::None | Faults::AllowsLost => "no [[allow]] of it counts until then",
                Faults::AsksAll => "every effect is asked for until then",
            };
            file.faults.push(format!("{name}:{fault}; {left}"));
        }
        let said = project.map(|folder| self.trust.said(folder, &text));
        if let Some(said @ (None | Some(Trusting::Never))) = said {
            file.standing = Standing::Untrusted;
            let lost = allows(&file.rules);
            file.rules.retain(|placed| placed.rule.effect() != Effect::Allow);
            // What was refused for good is nothing to be told of again.
            if lost > 0 && said.is_none() {
                file.faults.push(unjudged(path, lost));
            }
        }
        Some(file)
    }

    fn placed(
        &self,
        layer: Layer,
        path: &Path,
        project: Option<&Path>,
        parsed: &Parsed,
    ) -> RuleFile {
        let name = path.display().to_string();
        let place = |(line, rule): &(usize, Rule)| Placed {
            within: project.map(Path::to_owned),
            ..Placed::new(rule.clone(), layer, &name, *line)
        };
        RuleFile {
            layer,
            path: path.to_owned(),
            standing: if parsed.fault.is_some() { Standing::Faulty } else { Standing::Whole },
            rules: parsed.rules.iter().map(place).collect(),
            faults: Vec::new(),
        }
    }

    fn reading(&self) -> Reading<'_> {
        Reading { home: self.home.as_deref(), lasting: Lasting::File }
    }

    /// Writes the person's rules anew, whole or not at all, where they really are.
    fn rewrite(&self, change: impl FnOnce(&str) -> Result<String, String>) -> Result<(), String> {
        let name = self.user.display();
        let failed = |error: io::Error| {
            format!("Not saved: {name} cannot be written: {error}. Make it writable.")
        };
        let folder = self.user.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(failed)?;
        // Another footplate may be saving a rule just now.
        let lock = std::fs::File::create(folder.join(".rules.lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        // A link, as those have who keep their settings elsewhere, stays one.
        let target = self.user.canonicalize().unwrap_or_else(|_| self.user.clone());
        let old = read(&target).map_err(failed)?;
        let new = change(old.as_deref().unwrap_or_default())?;
        let beside = target.parent().unwrap_or(folder);
        let mut file = tempfile::NamedTempFile::new_in(beside).map_err(failed)?;
        if old.is_some() {
            let permissions = target.metadata().map_err(failed)?.permissions();
            file.as_file().set_permissions(permissions).map_err(failed)?;
        }
        file.write_all(new.as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&target).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

impl RuleBook for RuleFiles {
    fn read(&self, projects: &[PathBuf]) -> Vec<Placed> {
        let files = self.files(projects);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for fault in files.iter().flat_map(|file| &file.faults) {
            if told.insert(fault.clone()) {
                (self.notice)(fault.replace('\n', "; "));
            }
        }
        files.into_iter().flat_map(|file| file.rules).collect()
    }

    fn faults(&self, projects: &[PathBuf]) -> Vec<String> {
        self.files(projects).into_iter().flat_map(|file| file.faults).collect()
    }

    fn untrusted(&self, project: &Path) -> Option<Untrusted> {
        let path = of_project(project);
        let text = read(&path).ok()??;
        if self.trust.said(project, &text).is_some() {
            return None;
        }
        let parsed = parse(&text, self.reading());
        let allows = allows(&self.placed(Layer::Project, &path, Some(project), &parsed).rules);
        if allows == 0 {
            return None;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(unjudged(&path, allows));
        Some(Untrusted { folder: project.to_owned(), file: path, text, allows })
    }

    fn judge(&self, project: &Path, text: &str, said: Trusting) -> Result<(), String> {
        self.trust.judge(project, text, said).map_err(|error| match error {
            TrustError::NoRules(_) => "Not kept: those rules are gone.".to_owned(),
            TrustError::Changed(_) => "Not kept: they were changed since you saw them.".to_owned(),
            TrustError::Io { path, source } => {
                format!("Not kept: {}: {source}. Make it readable and writable.", path.display())
            }
        })
    }

    fn keep(&self, rule: &str) -> Result<(), String> {
        self.rewrite(|old| change::added(old, rule, self.reading()))
    }

    fn remove(&self, rule: &Cited) -> Result<(), String> {
        self.rewrite(|old| change::without(old, rule, self.reading()))
    }
}

/// How many kinds of calls these would allow.
fn allows(rules: &[Placed]) -> usize {
    rules.iter().filter(|placed| placed.rule.effect() == Effect::Allow).count()
}

/// What is told of rules that nobody has judged.
fn unjudged(path: &Path, allows: usize) -> String {
    let kinds = if allows == 1 { "1 kind".to_owned() } else { format!("{allows} kinds") };
    format!(
        "{} would allow {kinds} of calls unasked, and you have not trusted it as it is now\nread it, \
         then: footplate trust",
        path.display()
    )
}

/// The text of a file; nothing if there is none. No pipe or device is opened.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link to nothing is no missing file: what it led to may have denied a lot.
            return if path.is_symlink() { Err(error) } else { Ok(None) };
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut text = String::new();
    std::fs::File::open(path)?.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(io::Error::other("it is too long"));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests;
