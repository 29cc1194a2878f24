//! Where rules are kept.

use std::path::{Path, PathBuf};

use crate::kernel::gate::law::{Cited, Placed};

/// Rules of a project that would allow, and that nobody has judged as they are now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// The folder of the project.
    pub folder: PathBuf,
    /// The file.
    pub file: PathBuf,
    /// The whole text that is to be judged.
    pub text: String,
    /// How many kinds of calls it would allow.
    pub allows: usize,
}

/// What a person says to the rules of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trusting {
    /// They count.
    Yes,
    /// They do not, and are not asked about before their text is another.
    Never,
}

/// Reads and keeps the rules of files.
pub trait RuleBook: Send + Sync {
    /// The rules that count now for sessions in these workspaces and below. Faults are told to the
    /// person, each once. Blocks for a few small files.
    fn read(&self, projects: &[PathBuf]) -> Vec<Placed>;

    /// What is wrong with the files now, and what to do: two lines each. Blocks as well.
    fn faults(&self, _projects: &[PathBuf]) -> Vec<String> {
        Vec::new()
    }

    /// The rules of a project that a person is to be asked about, if there are any. Whoever calls this
    /// asks: it is not told as a fault any more. Blocks for small files.
    fn untrusted(&self, _project: &Path) -> Option<Untrusted> {
        None
    }

    /// Keeps what a person said to that very text of a project's rules. The error says what is wrong
    /// and what to do. Blocks for small files.
    fn judge(&self, project: &Path, text: &str, said: Trusting) -> Result<(), String>;

    /// Adds the text of one rule to the person's own, and nothing else there is changed. The error
    /// says what is wrong and what to do. Blocks for a small file.
    fn keep(&self, rule: &str) -> Result<(), String>;

    /// Takes a rule out of the person's own. The error says what is wrong and what to do. Blocks for
    /// a small file.
    fn remove(&self, rule: &Cited) -> Result<(), String>;
}

/// A book that holds nothing and keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBook;

impl RuleBook for NoBook {
    fn read(&self, _: &[PathBuf]) -> Vec<Placed> {
        Vec::new()
    }

    fn keep(&self, _: &str) -> Result<(), String> {
        Err("Nothing here keeps rules; say yes for this session.".to_owned())
    }

    fn judge(&self, _: &Path, _: &str, _: Trusting) -> Result<(), String> {
        Err("Nothing here keeps what is trusted.".to_owned())
    }

    fn remove(&self, _: &Cited) -> Result<(), String> {
        Err("Nothing here keeps rules.".to_owned())
    }
}
