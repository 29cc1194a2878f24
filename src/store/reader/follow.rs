//! Reads on in a journal that somebody else may be writing.

use std::{
    io::{self, BufRead},
    sync::Arc,
};

use super::{LINE_MAX, Record, next_line, record, text_of};
use crate::kernel::{id::SessionId, port::Since};

/// Where a part ends that is read at once.
const MOST: u64 = 256 << 10;

/// Reads from the byte `from`, at which the input stands. What is not whole is left for the next
/// time: an unfinished end, which may grow, and lines that are no record at the end, which whoever
/// carries the session on may cut off.
pub(in crate::store) fn since(
    input: &mut dyn BufRead,
    session: SessionId,
    from: u64,
) -> io::Result<Since> {
    let mut since = Since { next: from, ..Since::default() };
    let (mut line, mut at) = (Vec::new(), from);
    while at - from < MOST {
        let ending = next_line(input, &mut line, LINE_MAX)?;
        if !ending.closed {
            since.all = true;
            break;
        }
        at += ending.len;
        match record(text_of(&mut line, at - ending.len)) {
            Record::Blank | Record::Broken => continue,
            Record::Event(envelope) if envelope.session == session => {
                since.events.push(Arc::new(*envelope));
            }
            Record::Event(_) | Record::Unknown(_) | Record::Newer(..) => {}
        }
        since.next = at;
    }
    Ok(since)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kernel::event::{Envelope, Event},
        store::sample::spec,
    };

    fn line(seq: u64, event: Event) -> Vec<u8> {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let envelope = Envelope { v: 1, seq, at, session: 1.into(), event };
        let mut line = serde_json::to_vec(&envelope).unwrap();
        line.push(b'\n');
        line
    }

    fn read(bytes: &[u8], from: u64) -> (Vec<u64>, u64, bool) {
        let mut input = &bytes[usize::try_from(from).unwrap()..];
        let since = since(&mut input, 1.into(), from).unwrap();
        (since.events.iter().map(|event| event.seq).collect(), since.next, since.all)
    }

    #[test]
    fn a_journal_is_followed_byte_by_byte_without_a_loss_or_a_double() {
        let mut bytes = line(0, Event::SessionStarted { spec: spec(1.into()) });
        for seq in 1..4 {
            bytes.extend(line(seq, Event::said(format!("全 {seq}\u{2028}"))));
        }
        let (mut seen, mut next) = (Vec::new(), 0);
        for end in 0..=bytes.len() {
            let (events, place, all) = read(&bytes[..end], next);
            assert!(all);
            seen.extend(events);
            next = place;
        }
        assert_eq!((seen, next), (vec![0, 1, 2, 3], bytes.len() as u64));
    }

    #[test]
    fn what_may_be_cut_off_is_not_passed_and_what_is_broken_in_the_middle_is() {
        let whole = line(0, Event::SessionStarted { spec: spec(1.into()) });
        let mut bytes = whole.clone();
        bytes.extend(b"{\"v\":1,\"seq\":1,\"type\n");
        assert_eq!(read(&bytes, 0), (vec![0], whole.len() as u64, true));
        // It was cut off, and another stands there.
        let mut bytes = whole.clone();
        bytes.extend(line(1, Event::said("x")));
        assert_eq!(read(&bytes, whole.len() as u64), (vec![1], bytes.len() as u64, true));
        let mut bytes = whole.clone();
        bytes.extend(b"no record\n");
        bytes.extend(line(1, Event::said("x")));
        assert_eq!(read(&bytes, whole.len() as u64), (vec![1], bytes.len() as u64, true));
    }
}
