//! A session that was written to a file, read back.

use std::{
    io::{self, BufRead, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::reader::{self, Reading, Unreadable};
use crate::kernel::{
    event::{Envelope, Event},
    id::SessionId,
    port::StoreError,
    spec::SessionSpec,
};

/// The longest first line that is believed.
const FIRST: usize = 1 << 20;

/// The lines of one session in a file, read an event at a time after the first, in the order in which
/// they were written.
pub struct Exported<R> {
    /// Its description, as the file says.
    pub spec: SessionSpec,
    /// The other sessions that have lines in the file, in their order.
    pub others: Vec<SessionId>,
    path: PathBuf,
    reading: Reading<R>,
}

/// Looks through a file and begins to read the session of its first line. The error is what is wrong
/// with it.
pub fn exported<R: BufRead + Seek>(mut input: R, path: &Path) -> Result<Exported<R>, String> {
    let mut first = Vec::new();
    reader::next_line(&mut input, &mut first, FIRST).map_err(|error| error.to_string())?;
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first);
    match reader::event(text) {
        Some(first) => exported_of(input, path, first.session),
        None => Err("its first line does not describe a session".to_owned()),
    }
}

/// The same of another session in the file.
pub fn exported_of<R: BufRead + Seek>(
    mut input: R,
    path: &Path,
    session: SessionId,
) -> Result<Exported<R>, String> {
    let in_words = |error: io::Error| error.to_string();
    input.seek(SeekFrom::Start(0)).map_err(in_words)?;
    let mut others = Vec::new();
    let order = reader::order_of(&mut input, session, &mut others).map_err(in_words)?;
    input.seek(SeekFrom::Start(0)).map_err(in_words)?;
    let reading = Reading::new(input, order, session);
    let mut reading = if others.is_empty() { reading } else { reading.among_others() };
    let first = reading.next().map_err(|unreadable| match unreadable {
        Unreadable::Io(error) => error.to_string(),
        Unreadable::Damaged(fault) => fault,
    })?;
    match first.map(|first| first.event.clone()) {
        Some(Event::SessionStarted { spec }) => {
            Ok(Exported { spec, others, path: path.to_owned(), reading })
        }
        Some(_) | None => Err("it has no line that describes the session".to_owned()),
    }
}

impl<R> Exported<R> {
    /// The session.
    pub fn session(&self) -> SessionId {
        self.spec.id
    }

    /// What was skipped, for the person: known after the last event.
    pub fn notice(&self) -> Option<String> {
        self.reading.back().notice(", left out")
    }
}

impl<R: BufRead + Seek> Iterator for Exported<R> {
    type Item = Result<Arc<Envelope>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.reading.next().map_err(|unreadable| match unreadable {
            Unreadable::Io(source) => {
                StoreError::Io { doing: "read", path: self.path.clone(), source }
            }
            Unreadable::Damaged(fault) => StoreError::Damaged { session: self.spec.id, fault },
        });
        next.transpose()
    }
}
