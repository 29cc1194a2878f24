//! Files that stories look at, without a disk.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::Stage;
use crate::tui::{
    file::{Ask, Fault, LINES, Mark, Page, Read},
    files::{Found, Name},
    highlight,
};

/// What there is of each file, and every ask.
#[derive(Debug, Default)]
pub(in crate::tui) struct Disk {
    pub(in crate::tui) files: BTreeMap<PathBuf, Result<String, Fault>>,
    pub(in crate::tui) asked: Vec<Ask>,
    /// How often something was changed.
    version: i64,
}

impl Disk {
    pub(in crate::tui) fn write(&mut self, path: &str, text: impl Into<String>) {
        self.version += 1;
        self.files.insert(path.into(), Ok(text.into()));
    }
}

impl Stage {
    /// What is found, whatever is looked for; what ends with a slash is a folder.
    pub(in crate::tui) fn has_files(&mut self, paths: &[&str]) {
        let name = |path: &&str| {
            let mut name = Name::of(Path::new(path.trim_end_matches('/')));
            name.path = (*path).to_owned();
            name
        };
        let names: Vec<Name> = paths.iter().map(name).collect();
        self.desk.found = Found { fit: names.len(), names, cut: false };
    }

    pub(super) fn reader(&mut self, ask: Ask, _root: &Path, path: &Path) -> Option<Read> {
        let disk = &mut self.disk;
        disk.asked.push(ask.clone());
        let text = match disk.files.get(path).cloned().unwrap_or(Err(Fault::Gone)) {
            Ok(text) => text,
            Err(fault) => {
                return match ask {
                    Ask::Page(_) | Ask::Last => Some(Read::Page(Err(fault))),
                    Ask::Look(Some(_)) => Some(Read::Other),
                    Ask::Look(None) | Ask::Count | Ask::Find(_) | Ask::Colours | Ask::Close => None,
                };
            }
        };
        let size = text.len() as u64;
        let mark = Mark { file: (1, 1), size, changed: (disk.version, 0) };
        let all: Vec<&str> = text.lines().collect();
        let page = |line: usize| {
            let first = line.saturating_sub(150);
            let lines = all.iter().skip(first).take(LINES).map(|line| (*line).to_owned());
            let lines: Vec<String> = lines.collect();
            let ends = first + lines.len() == all.len();
            Some(Read::Page(Ok(Page {
                mark,
                first: first as u64,
                counted: true,
                lines,
                ends,
                crlf: false,
            })))
        };
        match ask {
            Ask::Page(line) => page(usize::try_from(line).unwrap().min(all.len())),
            Ask::Last => page(all.len()),
            Ask::Count => Some(Read::Count(mark, all.len() as u64)),
            Ask::Find(word) => {
                let has = (0..).zip(&all).filter(|(_, line)| line.to_lowercase().contains(&word));
                let lines = has.map(|(number, _)| number).collect();
                Some(Read::Found { word, lines, more: false })
            }
            Ask::Colours => Some(Read::Colours(mark, highlight::highlight(&text))),
            Ask::Look(known) => (known != Some(mark)).then_some(Read::Other),
            Ask::Close => None,
        }
    }
}
