//! Reads a journal back, whatever has become of it. Lines end at LF and nowhere else.
//!
//! The rules: the first line is the spec, or it is no journal. What cannot be read is skipped and
//! reported; a type this program does not know is skipped; the order is that of `seq`, and of two
//! events with one number the first in the file counts. An unfinished end is not part of it.

use std::{
    io::{self, BufRead},
    sync::Arc,
};

use super::medium::Medium;
use crate::kernel::{
    event::{Envelope, Event, VERSION},
    id::SessionId,
};

mod faults;
mod follow;
mod record;

use faults::Faults;
pub(super) use follow::since;
#[cfg(test)]
pub(super) use record::TYPES;
use record::{LINE_MAX, Record, is_object, record};
pub(super) use record::{event, readable};

/// A journal that was read back.
#[derive(Debug, Default)]
pub(super) struct ReadBack {
    /// The events this program knows, in order; the first one starts the session.
    pub(super) events: Vec<Arc<Envelope>>,
    /// The number of the next event.
    pub(super) next: u64,
    /// Length of what is to be kept.
    pub(super) keep: u64,
    /// Length of the whole file, up to which the unfinished end reaches.
    pub(super) len: u64,
    /// Whether what is kept lacks its last newline.
    pub(super) unclosed: bool,
    /// What was skipped, for the person.
    faults: Faults,
}

impl ReadBack {
    /// What was skipped or is unfinished, and what became of that (`, …`); nothing if all is well.
    pub(super) fn notice(&self, became_of_end: &str) -> Option<String> {
        self.faults.notice(self.len - self.keep, became_of_end)
    }
}

/// Why there is nothing to read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// The file could not be read.
    Io(io::Error),
    /// It does not start as a journal of this session does; how, and what to do.
    Damaged(String),
}

/// Reads the journal of a session from its first byte.
pub(super) fn read(input: &mut dyn BufRead, session: SessionId) -> Result<ReadBack, Unreadable> {
    let mut reading = Reading { back: ReadBack::default(), session, line: 0, end: End::default() };
    let mut line = Vec::new();
    loop {
        let ending = next_line(input, &mut line, LINE_MAX).map_err(Unreadable::Io)?;
        if ending.len == 0 {
            return reading.finish();
        }
        reading.take(&line, ending)?;
    }
}

/// Moves bytes to another place, `range` by `range`, without holding them all.
pub(super) fn copy(
    from: &dyn Medium,
    range: std::ops::Range<u64>,
    to: &mut dyn io::Write,
) -> io::Result<()> {
    let mut buffer = [0; 16 << 10];
    let mut at = range.start;
    while at < range.end {
        let wanted = buffer.len().min(usize::try_from(range.end - at).unwrap_or(usize::MAX));
        let count = from.read_at(&mut buffer[..wanted], at)?;
        if count == 0 {
            break;
        }
        to.write_all(&buffer[..count])?;
        at += count as u64;
    }
    Ok(())
}

/// How a line ended.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    /// Its bytes in the file, the newline included; 0 at the end of the file.
    pub(super) len: u64,
    /// Whether there was a newline.
    closed: bool,
}

/// Reads one line without its newline. Of a line that is longer than `most`, only the start is kept,
/// so that it is no record any more.
pub(super) fn next_line(
    input: &mut dyn BufRead,
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<Ending> {
    line.clear();
    let mut len = 0;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok(Ending { len, closed: false });
        }
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..newline.unwrap_or(bytes.len())];
        line.extend_from_slice(&part[..part.len().min(most - line.len())]);
        let used = part.len() + usize::from(newline.is_some());
        input.consume(used);
        len += used as u64;
        if newline.is_some() {
            return Ok(Ending { len, closed: true });
        }
    }
}

/// A journal while it is read.
struct Reading {
    back: ReadBack,
    session: SessionId,
    /// Number of the line, from 1.
    line: u64,
    end: End,
}

/// What is known of the end of what was read so far.
#[derive(Clone, Copy, Default)]
struct End {
    /// Where it must be cut, if this is the end of the file.
    cut: Option<u64>,
    /// Whether it is a whole record without its newline.
    unclosed: bool,
    /// Whether the last fault counted is this end, which is no fault of the middle.
    counted: bool,
}

impl Reading {
    fn take(&mut self, line: &[u8], ending: Ending) -> Result<(), Unreadable> {
        self.line += 1;
        let start = self.back.len;
        self.back.len += ending.len;
        let line =
            if start == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let record = record(line);
        if !matches!(record, Record::Blank) {
            self.end = end_after(line, &record, start, self.back.len, ending);
        } else if !ending.closed && line.contains(&0) {
            // A hole that a loss of power left: its bytes were never written.
            self.end = End { cut: Some(self.end.cut.unwrap_or(start)), ..self.end };
        } else if line.contains(&0) {
            self.back.faults.broken(self.line);
        }
        if self.back.events.is_empty() {
            return self.take_first(record);
        }
        self.take_record(record);
        Ok(())
    }

    fn take_first(&mut self, record: Record) -> Result<(), Unreadable> {
        let fault = match record {
            Record::Blank => return Ok(()),
            Record::Newer(_, v) => newer(v),
            Record::Event(envelope) => {
                if envelope.session != self.session {
                    format!("it is the journal of session {}; {MOVE_AWAY}", envelope.session)
                } else if matches!(&envelope.event, Event::SessionStarted { spec } if spec.id == self.session)
                {
                    self.back.next = envelope.seq + 1;
                    self.back.events.push(Arc::new(*envelope));
                    return Ok(());
                } else {
                    no_spec()
                }
            }
            Record::Unknown(_) | Record::Broken => no_spec(),
        };
        Err(Unreadable::Damaged(fault))
    }

    fn take_record(&mut self, record: Record) {
        let faults = &mut self.back.faults;
        let seq = match record {
            Record::Blank => return,
            Record::Event(envelope) if envelope.session != self.session => {
                return faults.foreign(self.line);
            }
            Record::Event(envelope) => {
                let seq = envelope.seq;
                self.back.events.push(Arc::new(*envelope));
                Some(seq)
            }
            Record::Unknown(seq) => seq,
            Record::Newer(seq, _) => {
                faults.newer += 1;
                seq
            }
            Record::Broken => return faults.broken(self.line),
        };
        self.back.next = self.back.next.max(seq.map_or(0, |seq| seq + 1));
    }

    fn finish(mut self) -> Result<ReadBack, Unreadable> {
        if self.back.events.is_empty() {
            return Err(Unreadable::Damaged(format!("it is empty; {MOVE_AWAY}")));
        }
        self.back.keep = self.end.cut.unwrap_or(self.back.len);
        self.back.unclosed = self.end.unclosed;
        if self.end.counted {
            self.back.faults.last_was_the_end();
        }
        self.put_in_order();
        Ok(self.back)
    }

    fn put_in_order(&mut self) {
        let events = &mut self.back.events;
        let first = events[0].seq;
        if events.is_sorted_by(|one, next| one.seq < next.seq) {
            return;
        }
        let all = events.len();
        self.back.faults.disordered = !events[1..].is_sorted_by_key(|event| event.seq);
        events[1..].sort_by_key(|event| event.seq);
        let mut last = None;
        events.retain(|event| {
            let is_new = last.is_none_or(|last| event.seq > last && event.seq > first);
            if is_new {
                last = Some(event.seq);
            }
            is_new
        });
        self.back.faults.doubled = all - events.len();
    }
}

/// What the end of the file is, if the line that begins at `start` is its last.
fn end_after(line: &[u8], record: &Record, start: u64, len: u64, ending: Ending) -> End {
    let broken = matches!(record, Record::Broken);
    if (broken || !ending.closed) && !is_object(line) {
        return End { cut: Some(start), unclosed: false, counted: broken };
    }
    if ending.closed {
        return End::default();
    }
    let zeros = line.iter().rev().take_while(|byte| **byte == 0).count() as u64;
    End { cut: (zeros > 0).then_some(len - zeros), unclosed: true, counted: false }
}

const MOVE_AWAY: &str = "move its folder away, or mend the first line by hand";

fn no_spec() -> String {
    format!("its first line does not describe a session; {MOVE_AWAY}")
}

/// What to say of a journal whose first line is of a later version.
fn newer(version: u64) -> String {
    format!(
        "it was written by a later footplate (version {version}, this one knows {VERSION}); \
         update footplate to open it"
    )
}
