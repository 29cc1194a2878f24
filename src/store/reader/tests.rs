use std::{
    cell::Cell,
    io::{Cursor, Read, SeekFrom},
    rc::Rc,
};

use super::*;
use crate::{
    kernel::port::Store as _,
    store::{
        MemoryStore,
        sample::{SESSION, said, spec},
    },
};

/// A journal that is made while it is read, and knows how much of it was asked for.
struct Endless {
    /// The first line, then the same record with one number after another.
    lines: Vec<u8>,
    made: u64,
    count: u64,
    read: Rc<Cell<u64>>,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.lines.is_empty() && self.made < self.count {
            self.made += 1;
            let line = line(self.made, &"and so the valve is open ".repeat(40));
            self.lines = line;
        }
        let count = into.len().min(self.lines.len());
        into[..count].copy_from_slice(&self.lines[..count]);
        self.lines.drain(..count);
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

impl Seek for Endless {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn line(seq: u64, text: &str) -> Vec<u8> {
    let at = jiff::Timestamp::UNIX_EPOCH;
    let envelope = Envelope { v: VERSION, seq, at, session: SESSION.into(), event: said(text) };
    [serde_json::to_vec(&envelope).unwrap(), b"\n".to_vec()].concat()
}

fn first() -> Vec<u8> {
    let store = MemoryStore::new();
    store.create(spec(SESSION.into())).unwrap();
    let first = store.read(SESSION.into()).unwrap().events.remove(0);
    [serde_json::to_vec(&*first).unwrap(), b"\n".to_vec()].concat()
}

#[test]
fn no_more_of_a_long_journal_is_held_than_a_line_and_what_is_read_ahead() {
    const AHEAD: usize = 4 << 10;
    let read = Rc::new(Cell::new(0));
    let count = 20_000;
    let journal = Endless { lines: first(), made: 0, count, read: read.clone() };
    let input = io::BufReader::with_capacity(AHEAD, journal);
    let mut reading = Reading::new(input, Order::Rising, SESSION.into());
    let mut taken = 0;
    let mut events = 0;
    while let Some(envelope) = reading.next().unwrap() {
        // Nobody else has it: what was read is not kept.
        assert_eq!(Arc::strong_count(&envelope), 1);
        taken += serde_json::to_vec(&*envelope).unwrap().len() as u64 + 1;
        events += 1;
        assert!(read.get() - taken <= AHEAD as u64, "it read on before that was asked for");
        assert!(reading.line.capacity() <= AHEAD, "{}", reading.line.capacity());
    }
    assert_eq!(events, count + 1);
    assert_eq!((reading.back().next, reading.back().keep), (count + 1, taken));
    assert!(reading.sorted.is_none());
}

#[test]
fn a_long_line_gives_its_room_back() {
    let long = "x".repeat(3 * LINE_KEPT);
    let journal = [first(), line(1, &long), line(2, "on")].concat();
    let mut reading = Reading::new(Cursor::new(&journal), Order::Rising, SESSION.into());
    while reading.next().unwrap().is_some() {
        assert!(reading.line.capacity() <= LINE_KEPT);
    }
    assert_eq!(reading.back().next, 3);
}

#[test]
fn the_order_of_records_is_told_by_the_start_of_their_lines() {
    let check = |lines: &[Vec<u8>], expected| {
        assert_eq!(order(&mut &lines.concat()[..]).unwrap(), expected);
    };
    let (one, two) = (line(1, "a"), line(2, "b"));
    check(&[first(), one.clone(), two.clone()], Order::Rising);
    check(&[first(), one.clone(), b"\n".to_vec(), two.clone()], Order::Rising);
    check(&[first(), one.clone(), two[..40].to_vec()], Order::Rising);
    check(&[first(), two.clone(), one.clone()], Order::Unknown);
    check(&[first(), one.clone(), one.clone()], Order::Unknown);
    // What others wrote could be anything.
    check(&[first(), b"{\"seq\":1,\"v\":1}\n".to_vec(), two], Order::Unknown);
    check(&[b"\xef\xbb\xbf".to_vec(), first(), one], Order::Unknown);
    check(&[], Order::Rising);
}

#[test]
fn of_a_journal_in_another_order_no_event_is_held_before_it_is_asked_for() {
    let text = "and so the valve is open ".repeat(400);
    let mut lines: Vec<_> = (1..2_000).map(|seq| line(seq, &text)).collect();
    lines.rotate_left(700);
    let journal = [first(), lines.concat()].concat();
    let mut reading = Reading::new(Cursor::new(&journal), Order::Unknown, SESSION.into());
    let mut numbers = Vec::new();
    while let Some(envelope) = reading.next().unwrap() {
        assert_eq!(Arc::strong_count(&envelope), 1);
        assert!(reading.line.capacity() <= 4 * text.len());
        numbers.push(envelope.seq);
    }
    assert_eq!(numbers, (0..2_000).collect::<Vec<_>>());
    assert_eq!(reading.back().notice("").as_deref(), Some("the records were put in order"));
}

#[test]
fn a_journal_that_changes_between_two_looks_gives_no_other_event_than_it_told_of() {
    let journal = [first(), line(2, "b"), line(1, "a")].concat();
    let mut reading = Reading::new(Cursor::new(journal), Order::Unknown, SESSION.into());
    assert_eq!(reading.next().unwrap().unwrap().seq, 0);
    let other = [first(), line(2, "b"), line(3, "c")].concat();
    *reading.input.get_mut() = other;
    let error = reading.next().unwrap_err();
    assert!(matches!(error, Unreadable::Io(_)), "{error:?}");
}
