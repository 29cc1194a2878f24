//! The lines with which a copy of a session begins.

use std::{
    collections::HashSet,
    io::{self, Write},
    sync::Arc,
};

use jiff::Timestamp;

use super::reader;
use crate::kernel::{
    event::{Envelope, Event, VERSION},
    picture::PictureId,
    port::StoreError,
    session::branch::Branch,
};

/// What is known of a copy once its lines are written.
#[derive(Default)]
pub(super) struct Copied {
    /// Their bytes.
    pub(super) len: u64,
    /// The number of what comes next.
    pub(super) next: u64,
    /// The names of what is kept beside it: outputs of calls that have ended, and what calls replaced.
    pub(super) beside: HashSet<String>,
    /// The pictures that it tells of.
    pub(super) pictures: HashSet<PictureId>,
}

/// Writes the description, made now, and what is copied, a line at a time. The outer error is of
/// reading, the inner one of writing.
pub(super) fn lines(
    branch: &mut Branch,
    events: &mut dyn Iterator<Item = Result<Arc<Envelope>, StoreError>>,
    out: &mut dyn Write,
    now: Timestamp,
) -> Result<io::Result<Copied>, StoreError> {
    let session = branch.spec().id;
    let event = Event::SessionStarted { spec: branch.spec().clone() };
    let first = Envelope { v: VERSION, seq: 0, at: now, session, event };
    let (mut copied, mut line) = (Copied::default(), Vec::new());
    if let Err(error) = copied.write(&first, out, &mut line) {
        return Ok(Err(error));
    }
    for envelope in events {
        let Some(envelope) = branch.take(&*envelope?) else { continue };
        if let Err(error) = copied.write(&envelope, out, &mut line) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(copied))
}

impl Copied {
    fn write(
        &mut self,
        envelope: &Envelope,
        out: &mut dyn Write,
        line: &mut Vec<u8>,
    ) -> io::Result<()> {
        line.clear();
        serde_json::to_writer(&mut *line, envelope)?;
        reader::readable(line)?;
        line.push(b'\n');
        out.write_all(line)?;
        self.len += line.len() as u64;
        self.next = envelope.seq + 1;
        self.pictures.extend(envelope.event.pictures().iter().map(|picture| picture.id));
        if let Event::CallFinished { call, .. } = &envelope.event {
            self.beside.insert(call.to_string());
        } else if let Event::ChangeBegun { call, .. } = &envelope.event {
            self.beside.insert(format!("{call}.before"));
        }
        Ok(())
    }
}
