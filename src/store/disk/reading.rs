//! A journal on the disk, read an event at a time.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::failed;
use crate::{
    kernel::{
        event::Envelope,
        id::SessionId,
        port::{Events, StoreError},
    },
    store::reader::{self, Reading, Unreadable},
};

/// How much of a journal is read at once.
pub(super) const READ_AHEAD: usize = 64 << 10;

/// The events of a file.
pub(super) struct ReadingFile<F> {
    session: SessionId,
    path: PathBuf,
    pub(super) reading: Reading<BufReader<F>>,
}

impl<F: Read + Seek> ReadingFile<F> {
    /// Looks through the file for the order it is in, and begins.
    pub(super) fn new(file: F, session: SessionId, path: &Path) -> Result<Self, StoreError> {
        let begun = || -> io::Result<_> {
            let mut input = BufReader::with_capacity(READ_AHEAD, file);
            let order = reader::order(&mut input)?;
            input.seek(SeekFrom::Start(0))?;
            Ok(Reading::new(input, order, session))
        };
        let reading = begun().map_err(failed("read", path))?;
        Ok(Self { session, path: path.to_owned(), reading })
    }

    /// Passes over what is of another type.
    pub(super) fn only(self, kinds: &'static [&'static str]) -> Self {
        Self { reading: self.reading.only(kinds), ..self }
    }

    pub(super) fn next(&mut self) -> Result<Option<Arc<Envelope>>, StoreError> {
        self.reading.next().map_err(|unreadable| match unreadable {
            Unreadable::Io(source) => failed("read", &self.path)(source),
            Unreadable::Damaged(fault) => StoreError::Damaged { session: self.session, fault },
        })
    }
}

impl Iterator for ReadingFile<File> {
    type Item = Result<Arc<Envelope>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        ReadingFile::next(self).transpose()
    }
}

impl Events for ReadingFile<File> {
    fn notice(&self) -> Option<String> {
        self.reading.back().notice(", left out")
    }
}
