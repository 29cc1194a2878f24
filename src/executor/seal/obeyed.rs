//! What stands in the folders of a run that others obey without being told to, such as `.git`.
//!
//! What is there before a run is guarded: it cannot be written, moved or removed, and neither can
//! what it leads to. What is not there yet cannot be guarded: the system has no way to forbid a name
//! that does not exist. Rules and mounts hold on to things that are there, a filter of system calls
//! cannot read a path, and a placeholder would itself be obeyed by others while the run lasts. So
//! the host looks before and after, and what appeared meanwhile is put aside. Between its making and
//! its end of the run it could be obeyed already; for those seconds there is no help.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::kernel::obeyed::{OBEYED, is_obeyed};

/// Entries looked at before a run, and how deep.
const MOST_LOOKED_AT: usize = 2000;
const DEEPEST: usize = 3;
/// After it, where all that is new has to be found; at least by name where there is more.
const MOST_LOOKED_AT_AFTERWARDS: usize = 200_000;

/// What was found in some folders.
#[derive(Debug, Default)]
pub(in crate::executor) struct Obeyed {
    roots: Vec<PathBuf>,
    places: BTreeMap<PathBuf, Place>,
    /// Folders that were come across.
    folders: HashSet<PathBuf>,
    /// Those of which every entry was looked at.
    listed: HashSet<PathBuf>,
}

/// Something that is obeyed.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// Which file of which device.
    identity: (u64, u64),
    /// What it says if it is a link.
    link: Option<PathBuf>,
}

/// What a run has left.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::executor) enum Change {
    /// Something is obeyed that was not there.
    Appeared(PathBuf),
    /// A link is gone, or leads elsewhere than to this.
    Replaced(PathBuf, PathBuf),
}

impl Obeyed {
    /// What there is in these folders, as far as is looked before a run. Takes about a millisecond.
    pub(in crate::executor) fn look(roots: &[PathBuf]) -> Self {
        Self::look_at_most(MOST_LOOKED_AT, roots, |_| true)
    }

    fn look_at_most(most: usize, roots: &[PathBuf], is_of_use: impl Fn(&Path) -> bool) -> Self {
        let mut found = Self { roots: roots.to_vec(), ..Self::default() };
        let mut ahead: VecDeque<_> = roots.iter().map(|root| (root.clone(), 0)).collect();
        let mut looked_at = 0;
        while let Some((folder, depth)) = ahead.pop_front() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                looked_at += 1;
                if looked_at > most {
                    return found;
                }
                let path = entry.path();
                let Ok(kind) = entry.file_type() else { continue };
                let is_environment = kind.is_dir() && path.join("pyvenv.cfg").exists();
                if is_environment || is_obeyed(&entry.file_name()) {
                    found.places.extend(Place::at(&path).map(|place| (path, place)));
                } else if kind.is_dir() {
                    found.folders.insert(path.clone());
                    if depth < DEEPEST && is_of_use(&path) {
                        ahead.push_back((path, depth + 1));
                    }
                }
            }
            found.listed.insert(folder);
        }
        found
    }

    /// What a run may not write: the places, and what they lead to in the same folders.
    pub(super) fn guarded(&self) -> Vec<PathBuf> {
        let is_inside = |path: &PathBuf| {
            let inside = |root: &PathBuf| path != root && path.starts_with(root);
            // Or there would be nothing left to write.
            self.roots.iter().any(inside) && !self.roots.iter().any(|root| root.starts_with(path))
        };
        let led_to = self.places.keys().filter_map(|path| led_to(path)).filter(is_inside);
        self.places.keys().cloned().chain(led_to).collect()
    }

    /// What has changed since, as far as that can be known.
    pub(in crate::executor) fn changes(&self) -> Vec<Change> {
        self.changes_at_most(MOST_LOOKED_AT_AFTERWARDS)
    }

    fn changes_at_most(&self, most: usize) -> Vec<Change> {
        // Of a folder that was there and not looked into, nothing can be said now.
        let is_of_use = |path: &Path| !self.folders.contains(path) || self.listed.contains(path);
        let mut now = Self::look_at_most(most, &self.roots, is_of_use);
        // Nothing can be hidden among too many others where there was a folder before.
        let unfinished = self.listed.difference(&now.listed);
        let named = unfinished.flat_map(|folder| OBEYED.map(|name| folder.join(name)));
        now.places.extend(named.filter_map(|path| Place::at(&path).map(|place| (path, place))));
        let mut changes = Vec::new();
        for (path, place) in &self.places {
            if let Some(target) = &place.link
                && now.places.get(path) != Some(place)
            {
                changes.push(Change::Replaced(path.clone(), target.clone()));
            }
        }
        for (path, place) in &now.places {
            let replaced = self.places.get(path).is_some_and(|was| was.link.is_some());
            // One that was moved with its folder is still the one that was guarded. A link was not
            // guarded by itself, and the number of one that is gone is given to others.
            let is_known = self.places.values().any(|was| was.link.is_none() && was == place);
            if !replaced && !is_known && self.was_absent(path) {
                changes.push(Change::Appeared(path.clone()));
            }
        }
        changes
    }

    /// Whether it is certain that this was not there: a folder of which everything was seen did not
    /// have it, or what it lies in.
    fn was_absent(&self, path: &Path) -> bool {
        if self.places.contains_key(path) {
            // Of this name, and not the one that was.
            return true;
        }
        let is_known =
            |path: &Path| self.folders.contains(path) || self.roots.iter().any(|root| root == path);
        let first = path.ancestors().take_while(|path| !is_known(path)).last();
        first.and_then(Path::parent).is_some_and(|folder| self.listed.contains(folder))
    }
}

impl Place {
    fn at(path: &Path) -> Option<Self> {
        let metadata = path.symlink_metadata().ok()?;
        let link = if metadata.is_symlink() { Some(fs::read_link(path).ok()?) } else { None };
        Some(Self { identity: (metadata.dev(), metadata.ino()), link })
    }
}

/// Where a link leads, or a file that does the same for git.
fn led_to(path: &Path) -> Option<PathBuf> {
    let metadata = path.symlink_metadata().ok()?;
    if metadata.is_symlink() {
        return path.canonicalize().ok();
    }
    if !metadata.is_file() || metadata.len() > 4096 || !path.ends_with(".git") {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    path.parent()?.join(target).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        for folder in ["work/src/deep", "work/.git", "work/real", "work/bare/hooks", "elsewhere"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        (root, path)
    }

    #[test]
    fn what_an_obeyed_place_leads_to_is_guarded_as_well() {
        let (_root, top) = folder();
        let work = top.join("work");
        symlink("real", work.join(".venv")).unwrap();
        symlink("../elsewhere", work.join(".idea")).unwrap();
        symlink(".", work.join(".direnv")).unwrap();
        symlink("nowhere", work.join(".husky")).unwrap();
        fs::create_dir(work.join("tree")).unwrap();
        fs::write(work.join("tree/.git"), "gitdir: ../bare\n").unwrap();
        let mut guarded = Obeyed::look(std::slice::from_ref(&work)).guarded();
        guarded.sort();
        let expected = [".direnv", ".git", ".husky", ".idea", ".venv", "bare", "real", "tree/.git"];
        assert_eq!(guarded, expected.map(|name| work.join(name)));
    }

    #[test]
    fn what_appears_is_told_from_what_was_there_or_was_moved_by_its_folder() {
        let (_root, top) = folder();
        let work = top.join("work");
        symlink("real", work.join(".venv")).unwrap();
        fs::create_dir_all(work.join("sub/.idea")).unwrap();
        let before = Obeyed::look(std::slice::from_ref(&work));
        assert_eq!(before.changes(), []);

        fs::rename(work.join("sub"), work.join("moved")).unwrap();
        for new in ["sub/.idea", "src/deep/.git", "new/env"] {
            fs::create_dir_all(work.join(new)).unwrap();
        }
        fs::write(work.join("new/env/pyvenv.cfg"), "").unwrap();
        fs::write(work.join(".envrc"), "").unwrap();
        fs::remove_file(work.join(".venv")).unwrap();
        symlink("src", work.join(".venv")).unwrap();
        let appeared = |path: &str| Change::Appeared(work.join(path));
        let expected = [
            Change::Replaced(work.join(".venv"), "real".into()),
            appeared(".envrc"),
            appeared("new/env"),
            appeared("src/deep/.git"),
            appeared("sub/.idea"),
        ];
        assert_eq!(before.changes(), expected);
    }

    #[test]
    fn what_has_the_number_of_a_link_that_is_gone_is_new_all_the_same() {
        let (_root, top) = folder();
        let work = top.join("work");
        symlink("real", work.join(".venv")).unwrap();
        let mut before = Obeyed::look(std::slice::from_ref(&work));
        fs::create_dir(work.join("src/.git")).unwrap();
        let new = Place::at(&work.join("src/.git")).unwrap().identity;
        before.places.get_mut(&work.join(".venv")).unwrap().identity = new;
        let changes = before.changes();
        assert!(changes.contains(&Change::Appeared(work.join("src/.git"))), "{changes:?}");
    }

    #[test]
    fn what_was_never_looked_at_is_not_called_new() {
        let (_root, top) = folder();
        let work = top.join("work");
        fs::create_dir_all(work.join("src/deep/deeper/deepest")).unwrap();
        let before = Obeyed::look_at_most(0, std::slice::from_ref(&work), |_| true);
        assert!(before.places.is_empty() && before.listed.is_empty());
        assert_eq!(before.changes(), []);
        let before = Obeyed::look(std::slice::from_ref(&work));
        for junk in 0..MOST_LOOKED_AT {
            fs::write(work.join(format!("junk{junk}")), "").unwrap();
        }
        fs::create_dir(work.join(".vscode")).unwrap();
        let appeared = [Change::Appeared(work.join(".vscode"))];
        assert_eq!(before.changes(), appeared);
        assert_eq!(before.changes_at_most(1), appeared);
    }
}
