//! Reads a journal back, whatever has become of it. Lines end at LF and nowhere else.
//!
//! The rules: the first line is the spec, or it is no journal. What cannot be read is skipped and
//! reported; a type this program does not know is skipped; the order is that of `seq`, and of two
//! events with one number the first in the file counts. An unfinished end is not part of it.
//!
//! One line is held at a time, and the event that it was: a journal is read in the memory of its longest
//! line. One that stands in another order than that in which this program writes it is read twice, and
//! where each of its records stands is held in between.

use std::{
    io::{self, BufRead, Seek},
    sync::Arc,
};

use super::medium::Medium;
use crate::kernel::{
    event::{Envelope, Event, VERSION},
    id::SessionId,
};

mod faults;
mod follow;
mod head;
mod order;
mod record;
mod sorted;

use faults::Faults;
pub(super) use follow::since;
pub(super) use order::{Order, order, order_of};
#[cfg(test)]
pub(super) use record::TYPES;
use record::{LINE_MAX, Record, is_object, record};
pub(super) use record::{event, readable};
use sorted::{Place, Sorted};

/// A line buffer larger than this is given back after its line.
const LINE_KEPT: usize = 1 << 20;

/// What is known of a journal once it was read to its end.
#[derive(Debug, Default)]
pub(super) struct ReadBack {
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
        let newline = memchr::memchr(b'\n', bytes);
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

/// A line without the mark that some programs put before the first one, which is that at byte 0.
fn text_of(line: &mut [u8], start: u64) -> &mut [u8] {
    let mark = if start == 0 && line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    &mut line[mark..]
}

/// A journal while it is read, event by event: those this program knows, in order; the first one
/// starts the session.
pub(super) struct Reading<R> {
    input: R,
    line: Vec<u8>,
    back: ReadBack,
    session: SessionId,
    /// Number of the line, from 1.
    number: u64,
    end: End,
    /// The number of the first event.
    first: Option<u64>,
    /// The number of the last event.
    last: Option<u64>,
    order: Order,
    /// The types that are wanted, if not all are.
    wanted: Option<&'static [&'static str]>,
    /// Whether what is of another session stands there by mistake.
    alone: bool,
    /// Where the record that was read last begins.
    start: u64,
    /// What is left of those that were put in order.
    sorted: Option<Sorted>,
    finished: bool,
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

impl<R> Reading<R> {
    /// What is known of it after its last event.
    pub(super) fn back(&self) -> &ReadBack {
        &self.back
    }

    /// The same, without what it was read from.
    pub(super) fn into_back(self) -> ReadBack {
        self.back
    }
}

impl<R: BufRead + Seek> Reading<R> {
    /// Begins at the first byte of a journal whose records stand in that order.
    pub(super) fn new(input: R, order: Order, session: SessionId) -> Self {
        Self {
            input,
            line: Vec::new(),
            back: ReadBack::default(),
            session,
            number: 0,
            end: End::default(),
            first: None,
            last: None,
            order,
            wanted: None,
            alone: true,
            start: 0,
            sorted: None,
            finished: false,
        }
    }

    /// Passes over what is of another type than these, where the first bytes of its line tell that. It is
    /// not looked into, so what is wrong with it is not told.
    pub(super) fn only(self, wanted: &'static [&'static str]) -> Self {
        Self { wanted: Some(wanted), ..self }
    }

    /// Other sessions stand in the same file, and are passed over.
    pub(super) fn among_others(self) -> Self {
        Self { alone: false, ..self }
    }

    /// The next event; nothing at the end, and ever after.
    pub(super) fn next(&mut self) -> Result<Option<Arc<Envelope>>, Unreadable> {
        match self.order {
            Order::Rising => self.rising(),
            Order::Unknown => {
                let sorted = match self.sorted.take() {
                    Some(sorted) => sorted,
                    None => self.put_in_order()?,
                };
                let sorted = self.sorted.insert(sorted);
                sorted.next(&mut self.input, &mut self.line).map_err(Unreadable::Io)
            }
        }
    }

    fn rising(&mut self) -> Result<Option<Arc<Envelope>>, Unreadable> {
        while let Some(envelope) = self.record()? {
            if self.last.is_none_or(|last| envelope.seq > last) {
                self.last = Some(envelope.seq);
                return Ok(Some(Arc::new(*envelope)));
            }
            self.back.faults.doubled += 1;
        }
        Ok(None)
    }

    /// The next event as it stands in the file.
    fn record(&mut self) -> Result<Option<Box<Envelope>>, Unreadable> {
        let mut line = std::mem::take(&mut self.line);
        while !self.finished {
            let ending = next_line(&mut self.input, &mut line, LINE_MAX).map_err(Unreadable::Io)?;
            if ending.len == 0 {
                self.finish()?;
            } else if self.passes_over(&line, ending) {
                self.number += 1;
                self.back.len += ending.len;
                self.end = End::default();
            } else if let Some(envelope) = self.take(&mut line, ending)? {
                line.clear();
                line.shrink_to(LINE_KEPT);
                self.line = line;
                return Ok(Some(envelope));
            }
        }
        Ok(None)
    }

    /// Reads all of it, for where each event stands.
    fn put_in_order(&mut self) -> Result<Sorted, Unreadable> {
        let mut places = Vec::new();
        while let Some(envelope) = self.record()? {
            places.push(Place { seq: envelope.seq, start: self.start });
        }
        Ok(Sorted::new(places, self.back.len, &mut self.back.faults))
    }

    fn passes_over(&self, line: &[u8], ending: Ending) -> bool {
        let (Some(wanted), Some(_), true) = (self.wanted, self.first, ending.closed) else {
            return false;
        };
        head::kind(line).is_some_and(|kind| !wanted.iter().any(|one| one.as_bytes() == kind))
    }

    fn take(
        &mut self,
        line: &mut [u8],
        ending: Ending,
    ) -> Result<Option<Box<Envelope>>, Unreadable> {
        self.number += 1;
        let start = self.back.len;
        self.start = start;
        self.back.len += ending.len;
        let line = text_of(line, start);
        let record = record(line);
        if !matches!(record, Record::Blank) {
            self.end = end_after(line, &record, start, self.back.len, ending);
        } else if !ending.closed && line.contains(&0) {
            // A hole that a loss of power left: its bytes were never written.
            self.end = End { cut: Some(self.end.cut.unwrap_or(start)), ..self.end };
        } else if line.contains(&0) {
            self.back.faults.broken(self.number);
        }
        if self.first.is_none() {
            return self.take_first(record);
        }
        Ok(self.take_record(record))
    }

    fn take_first(&mut self, record: Record) -> Result<Option<Box<Envelope>>, Unreadable> {
        let fault = match record {
            Record::Blank => return Ok(None),
            Record::Newer(_, v) => newer(v),
            Record::Event(envelope) => {
                if envelope.session != self.session {
                    if !self.alone {
                        return Ok(None);
                    }
                    format!("it is the journal of session {}; {MOVE_AWAY}", envelope.session)
                } else if matches!(&envelope.event, Event::SessionStarted { spec } if spec.id == self.session)
                {
                    self.back.next = envelope.seq + 1;
                    self.first = Some(envelope.seq);
                    return Ok(Some(envelope));
                } else {
                    no_spec()
                }
            }
            Record::Unknown(_) | Record::Broken => no_spec(),
        };
        Err(Unreadable::Damaged(fault))
    }

    fn take_record(&mut self, record: Record) -> Option<Box<Envelope>> {
        let faults = &mut self.back.faults;
        let mut found = None;
        let seq = match record {
            Record::Blank => return None,
            Record::Event(envelope) if envelope.session != self.session => {
                if self.alone {
                    faults.foreign(self.number);
                }
                return None;
            }
            Record::Event(envelope) => Some(found.insert(envelope).seq),
            Record::Unknown(seq) => seq,
            Record::Newer(seq, _) => {
                faults.newer += 1;
                seq
            }
            Record::Broken => {
                faults.broken(self.number);
                return None;
            }
        };
        self.back.next = self.back.next.max(seq.map_or(0, |seq| seq + 1));
        found
    }

    fn finish(&mut self) -> Result<(), Unreadable> {
        self.finished = true;
        if self.first.is_none() {
            return Err(Unreadable::Damaged("it is empty; move its folder away".to_owned()));
        }
        self.back.keep = self.end.cut.unwrap_or(self.back.len);
        self.back.unclosed = self.end.unclosed;
        if self.end.counted {
            self.back.faults.last_was_the_end();
        }
        Ok(())
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

const MOVE_AWAY: &str = "move its folder away, or mend its beginning by hand";

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

#[cfg(test)]
mod tests;
