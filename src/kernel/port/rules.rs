//! Where rules are kept.

use std::path::PathBuf;

use crate::kernel::gate::law::{Cited, Placed};

/// Reads and keeps the rules of files.
pub trait RuleBook: Send + Sync {
    /// The rules that count now for sessions in these workspaces and below. Faults are told to the
    /// person, each once. Blocks for a few small files.
    fn read(&self, projects: &[PathBuf]) -> Vec<Placed>;

    /// What is wrong with the files now, and what to do: two lines each. Blocks as well.
    fn faults(&self, _projects: &[PathBuf]) -> Vec<String> {
        Vec::new()
    }

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

    fn remove(&self, _: &Cited) -> Result<(), String> {
        Err("Nothing here keeps rules.".to_owned())
    }
}
