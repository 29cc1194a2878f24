//! Records that stand in another order than that of their numbers, read where each of them stands.

use std::{
    io::{self, BufRead, ErrorKind, Seek},
    sync::Arc,
    vec,
};

use super::{Faults, LINE_KEPT, LINE_MAX, Record, next_line, record, text_of};
use crate::kernel::event::Envelope;

/// Where a record stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) seq: u64,
    /// Its first byte.
    pub(super) start: u64,
}

/// What is left of records in the order of their numbers, each number once.
pub(super) struct Sorted {
    places: vec::IntoIter<Place>,
    /// Where the input stands.
    at: u64,
}

impl Sorted {
    /// Puts those in order that were found, of which the first one stays the first. The input stands at
    /// that byte.
    pub(super) fn new(mut places: Vec<Place>, at: u64, faults: &mut Faults) -> Self {
        if let [first, rest @ ..] = &mut *places {
            let (first, all) = (first.seq, 1 + rest.len());
            faults.disordered = !rest.is_sorted_by_key(|place| place.seq);
            // Of two with one number, the first in the file.
            rest.sort_unstable_by_key(|place| (place.seq, place.start));
            let mut last = None;
            places.retain(|place| {
                let is_new = last.is_none_or(|last| place.seq > last && place.seq > first);
                if is_new {
                    last = Some(place.seq);
                }
                is_new
            });
            faults.doubled = all - places.len();
        }
        Self { places: places.into_iter(), at }
    }

    /// The next of them, read from the input again; nothing at the end, and ever after.
    pub(super) fn next(
        &mut self,
        input: &mut (impl BufRead + Seek),
        line: &mut Vec<u8>,
    ) -> io::Result<Option<Arc<Envelope>>> {
        let Some(place) = self.places.next() else { return Ok(None) };
        input.seek_relative(place.start.wrapping_sub(self.at).cast_signed())?;
        let ending = next_line(input, line, LINE_MAX)?;
        self.at = place.start + ending.len;
        let record = record(text_of(line, place.start));
        line.clear();
        line.shrink_to(LINE_KEPT);
        match record {
            Record::Event(envelope) if envelope.seq == place.seq => Ok(Some(Arc::new(*envelope))),
            Record::Event(_)
            | Record::Blank
            | Record::Unknown(_)
            | Record::Newer(..)
            | Record::Broken => {
                Err(io::Error::new(ErrorKind::InvalidData, "another program changed it meanwhile"))
            }
        }
    }
}
