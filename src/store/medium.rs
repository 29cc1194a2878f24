//! Bytes that grow at their end: a file, or memory for the fake.

use std::{
    fs::File,
    io::{self, Write},
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Something to append to and to read back.
pub(super) trait Medium: Send + Sync {
    /// One write at the end, which may take fewer bytes than it was given.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Drops everything after the first `len` bytes.
    fn truncate(&self, len: u64) -> io::Result<()>;

    /// Reads up to `into.len()` bytes from `offset`; 0 at the end.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Waits until all of it would survive a loss of power.
    fn sync(&self) -> io::Result<()>;
}

/// A file that was opened for appending.
pub(super) struct OnDisk {
    file: File,
    /// Folders in which the file is new, so that its name must reach the disk as well.
    new_in: Mutex<Vec<PathBuf>>,
}

impl OnDisk {
    /// A file whose name is on the disk already.
    pub(super) fn known(file: File) -> Self {
        Self::new_in(file, Vec::new())
    }

    /// A file that has just been made in the first of these folders.
    pub(super) fn new_in(file: File, folders: Vec<PathBuf>) -> Self {
        Self { file, new_in: Mutex::new(folders) }
    }

    /// The file itself, to read it from its start.
    pub(super) fn file(&self) -> &File {
        &self.file
    }
}

impl Medium for OnDisk {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match (&self.file).write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return outcome,
            }
        }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(into, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()?;
        let mut folders = self.new_in.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(folder) = folders.last() {
            File::open(folder)?.sync_all()?;
            folders.pop();
        }
        Ok(())
    }
}

/// Bytes in memory.
#[derive(Default)]
pub(super) struct InMemory(Mutex<Vec<u8>>);

impl InMemory {
    /// All of it.
    pub(super) fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Medium for InMemory {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.bytes().truncate(usize::try_from(len).unwrap_or(usize::MAX));
        Ok(())
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.bytes();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let count = into.len().min(bytes.len() - start);
        into[..count].copy_from_slice(&bytes[start..start + count]);
        Ok(count)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
