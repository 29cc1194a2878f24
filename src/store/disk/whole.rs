//! Sessions that come and go as a whole: a copy has its name only once all of it is there, and one
//! that is removed loses its name first.

use std::{
    collections::HashSet,
    fs,
    io::{self, BufWriter},
    path::Path,
    sync::{Arc, PoisonError},
};

use super::{DiskStore, JOURNAL, OUTPUTS, failed, make_folder, private_file, private_folder};
use crate::{
    kernel::{
        event::Envelope,
        id::SessionId,
        port::{Journal, StoreError},
        session::branch::Branch,
    },
    store::{
        copy,
        journal::{Start, Writer},
        lock::Lock,
        medium::OnDisk,
        pictures,
    },
};

/// What a folder is called before its session is there.
const NEW: &str = ".new-";
/// And after its session is gone.
const GONE: &str = ".gone-";

impl DiskStore {
    pub(super) fn begin_copy(
        &self,
        branch: Branch,
        events: &mut dyn Iterator<Item = Result<Arc<Envelope>, StoreError>>,
    ) -> Result<Arc<dyn Journal>, StoreError> {
        make_folder(&self.sessions)?;
        self.sweep();
        let id = branch.spec().id;
        let (folder, aside) = (self.folder(id), self.sessions.join(format!("{NEW}{id}")));
        let create = failed("create", &folder);
        if folder.exists() {
            return Err(create(io::ErrorKind::AlreadyExists.into()));
        }
        private_folder().create(&aside).map_err(&create)?;
        let made = self.fill(branch, events, &aside, &folder).and_then(|journal| {
            fs::rename(&aside, &folder).map_err(&create)?;
            Ok(journal)
        });
        if made.is_err() {
            // Ours alone, and no session to anybody.
            let _ = fs::remove_dir_all(&aside);
        }
        made
    }

    /// Writes all of it into a folder that will be that of the session.
    fn fill(
        &self,
        mut branch: Branch,
        events: &mut dyn Iterator<Item = Result<Arc<Envelope>, StoreError>>,
        aside: &Path,
        folder: &Path,
    ) -> Result<Arc<dyn Journal>, StoreError> {
        let session = branch.spec().id;
        let lock = Lock::take(session, aside)?;
        let path = folder.join(JOURNAL);
        let write = failed("write", &path);
        let file = private_file().create_new(true).open(aside.join(JOURNAL));
        let mut out = BufWriter::new(file.map_err(failed("create", &path))?);
        let copied = copy::lines(&mut branch, events, &mut out, (self.clock)())?.map_err(&write)?;
        let file = out.into_inner().map_err(|error| write(error.into_error()))?;
        file.sync_data().map_err(&write)?;
        if let Some(from) = branch.outputs() {
            let folder = self.folder(from);
            let (from, to) = (folder.join(OUTPUTS), aside.join(OUTPUTS));
            keep_outputs(&copied.beside, &from, &to).map_err(failed("copy", &from))?;
            let (from, to) = (folder.join(pictures::FOLDER), aside.join(pictures::FOLDER));
            pictures::copy(&copied.pictures, &from, &to).map_err(failed("copy", &from))?;
        }
        let medium = OnDisk::new_in(file, vec![self.sessions.clone(), folder.to_owned()]);
        let start = Start { session, path: path.clone(), next: copied.next, len: copied.len };
        let writer = Writer::new(start, Arc::new(medium), self.clock.clone(), Box::new(lock));
        for event in branch.then() {
            writer.append(event, &|_| {})?;
        }
        Ok(Arc::new(writer))
    }

    pub(super) fn remove(&self, sessions: &[SessionId]) -> Result<(), StoreError> {
        self.sweep();
        let mut held = Vec::new();
        for id in sessions {
            let folder = self.known_folder(*id)?;
            let lock = Lock::take(*id, &folder)?;
            held.push((id, folder, lock));
        }
        for (id, folder, _lock) in &held {
            let delete = failed("delete", folder);
            let gone = self.sessions.join(format!("{GONE}{id}"));
            fs::rename(folder, &gone).map_err(&delete)?;
            self.keeping.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
            fs::remove_dir_all(&gone).map_err(&delete)?;
        }
        Ok(())
    }

    /// Removes what was left where a copy or a removal was cut off.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.sessions) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let (new, gone) = (name.strip_prefix(NEW), name.strip_prefix(GONE));
            let Some(id) = new.or(gone).and_then(|id| id.parse::<SessionId>().ok()) else {
                continue;
            };
            // Whoever is at it has its lock.
            let Ok(_lock) = Lock::take(id, &entry.path()) else { continue };
            if let Err(error) = fs::remove_dir_all(entry.path()) {
                tracing::warn!(%error, path = %entry.path().display(), "could not be removed");
            }
        }
    }
}

/// Keeps what its calls printed and replaced. The files are the same ones, where the disk can do
/// that: nobody writes to them any more.
fn keep_outputs(names: &HashSet<String>, from: &Path, to: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    private_folder().create(to)?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let wanted = name.to_str().is_some_and(|name| names.contains(name));
        if !wanted || !entry.file_type()?.is_file() {
            continue;
        }
        let copy = to.join(&name);
        if fs::hard_link(entry.path(), &copy).is_err() {
            fs::copy(entry.path(), &copy)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
