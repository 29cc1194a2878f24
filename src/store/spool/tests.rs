use std::sync::Arc;

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::store::medium::InMemory;

/// Memory that is full at some point.
#[derive(Clone)]
struct Small(Arc<InMemory>, usize);

impl Medium for Small {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.1 - self.0.bytes().len();
        match room.min(bytes.len()) {
            0 => Err(io::ErrorKind::StorageFull.into()),
            count => self.0.append(&bytes[..count]),
        }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.0.truncate(len)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(into, offset)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

fn spool(room: usize, head: u64, tail: usize) -> (KeptSpool, Small) {
    let medium = Small(Arc::default(), room);
    let boxed = Box::new(medium.clone());
    (KeptSpool::open(boxed, "out".into(), Bounds { head, tail }).unwrap(), medium)
}

fn text(medium: &Small) -> String {
    String::from_utf8_lossy(&medium.0.bytes()).into_owned()
}

#[test]
fn streams_interleave_but_never_within_a_character_or_a_sequence() {
    let check = |writes: &[(Stream, &[u8])], expected: &str| {
        let (spool, medium) = spool(1000, 1000, 100);
        for (stream, bytes) in writes {
            spool.write(*stream, bytes);
        }
        spool.finish();
        assert_eq!(text(&medium), expected);
    };
    let (out, err) = (Stream::Out, Stream::Err);
    check(&[(out, b"a\n"), (err, b"b\n"), (out, b"c\n")], "a\nb\nc\n");
    check(&[(out, b"\xe6\xbc"), (err, b"x"), (out, b"\xa2")], "x漢");
    check(
        &[(out, b"a\x1b[3"), (err, b"\x1b]0;t"), (out, b"1mb"), (err, b"\x07c")],
        "a\x1b[31mb\x1b]0;t\x07c",
    );
    check(&[(out, b"a\r"), (err, b"x"), (out, b"\nb")], "ax\r\nb");
    check(&[(out, b"\x1b["), (err, b"x")], "x\x1b[");
}

#[test]
fn what_is_between_head_and_tail_is_left_out_and_counted() {
    let (spool, medium) = spool(1000, 10, 12);
    for number in 0..10 {
        spool.write(Stream::Out, format!("line {number}\n").as_bytes());
    }
    let page = spool.page(3).unwrap();
    assert_eq!(page.lines, ["lin", "[… 53 bytes left out …]", "line 9"]);
    assert_eq!(page.total, 10);
    let before = spool.page(9).unwrap();
    let end = spool.finish();
    assert_eq!(end, SpoolEnd { path: "out".into(), left_out: 53 });
    assert_eq!(text(&medium), "line 0\nlin\n[… 53 bytes left out …]\nline 9\n");
    assert_eq!(spool.page(9).unwrap().lines, before.lines);
    assert_eq!(spool.counts(), (70, 10));
    assert_eq!(spool.finish().left_out, 53);
}

#[test]
fn a_tail_that_meets_the_head_leaves_nothing_out() {
    let (spool, medium) = spool(1000, 10, 12);
    spool.write(Stream::Out, b"0123456789abcdefghijkl");
    assert_eq!(text(&medium), "0123456789");
    assert_eq!(spool.page(1).unwrap().lines, ["0123456789abcdefghijkl"]);
    assert_eq!(spool.finish().left_out, 0);
    assert_eq!(text(&medium), "0123456789abcdefghijkl");
}

#[test]
fn a_full_disk_costs_output_and_says_how_much() {
    let (spool, medium) = spool(8, 1000, 6);
    spool.write(Stream::Out, b"one\ntwo\nthree\nfour\n");
    // The end can still be seen while it is in memory.
    assert_eq!(spool.page(1).unwrap().lines, ["four"]);
    let end = spool.finish();
    assert_eq!(text(&medium), "one\ntwo\n");
    assert_eq!(end.left_out, 11);
    assert_eq!(spool.counts(), (19, 4));
}

#[test]
fn an_endless_line_is_bounded_and_starts_at_a_whole_character() {
    let (spool, medium) = spool(1000, 4, 8);
    spool.write(Stream::Out, "漢".repeat(1000).as_bytes());
    let end = spool.finish();
    assert_eq!(end.left_out, 3000 - 4 - 6);
    assert!(text(&medium).ends_with("\n[… 2990 bytes left out …]\n漢漢"));
}

#[test]
fn a_page_is_found_from_the_end_of_a_large_output() {
    let (spool, _medium) = spool(8 << 20, 8 << 20, 100);
    let line = "x".repeat(99);
    for number in 0..30_000 {
        spool.write(Stream::Out, format!("{number:08}{}\n", &line[8..]).as_bytes());
    }
    let page = spool.page(2000).unwrap();
    assert_eq!((page.first, page.total, page.lines.len()), (28_000, 30_000, 2000));
    for (place, line) in page.lines.iter().enumerate() {
        assert!(line.starts_with(&format!("{:08}x", 28_000 + place)));
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_uncounted(
        writes in proptest::collection::vec((any::<bool>(), any::<Vec<u8>>()), 0..30),
        (room, head, tail) in (0_usize..3000, 0_u64..500, 1_usize..500),
    ) {
        let (spool, medium) = spool(room, head, tail);
        let mut came = 0;
        for (out, bytes) in &writes {
            spool.write(if *out { Stream::Out } else { Stream::Err }, bytes);
            came += bytes.len() as u64;
            prop_assert!(spool.state().ring.bytes.len() <= tail);
        }
        let page = spool.page(5).unwrap();
        prop_assert!(page.lines.len() <= 5);
        let end = spool.finish();
        prop_assert_eq!(spool.counts().0, came);
        let kept = medium.0.bytes().len() as u64;
        let notice = 40;
        prop_assert!(kept <= head + tail as u64 + notice);
        if end.left_out == 0 {
            prop_assert_eq!(kept, came);
        } else {
            prop_assert!(kept + end.left_out >= came);
            prop_assert!(kept + end.left_out <= came + notice);
        }
    }
}

/// All that can be read from a mark on, and how much was missing.
fn rest(spool: &KeptSpool, mark: u64, most: usize) -> (String, u64) {
    let (mut mark, mut missing, mut all) = (mark, 0, Vec::new());
    loop {
        let piece = spool.since(mark, most).unwrap();
        missing += piece.from - mark;
        all.extend(&piece.bytes);
        mark = piece.next;
        if piece.bytes.is_empty() {
            assert_eq!(mark, piece.total);
            return (String::from_utf8(all).unwrap(), missing);
        }
    }
}

#[test]
fn a_part_is_found_by_what_came_before_it_while_it_grows_and_after_its_end() {
    for (written, from_20) in [
        ("0123456789\nabcdefghijklmnop", "9\nabcdefghijklmnop"),
        ("0123456789\n0123456789\n0123456789\nxyz", "789\nxyz"),
    ] {
        let (spool, _) = spool(1000, 16, 12);
        spool.write(Stream::Out, written.as_bytes());
        let total = written.len() as u64;
        let before = rest(&spool, 9, 3);
        assert_eq!(before.0.len() as u64 + before.1 + 9, total, "{before:?}");
        assert!(written.ends_with(&before.0[7..]), "{before:?}");
        spool.finish();
        let after = rest(&spool, 9, 3);
        assert_eq!(after.0.len() as u64 + after.1 + 9, total, "{after:?}");
        assert!(before.0.ends_with(&after.0[7..]), "only a cut line is gone: {after:?}");
        assert!(after.0.ends_with(from_20.rsplit('\n').next().unwrap()), "{after:?}");
        assert_eq!(spool.since(1 << 40, 3).unwrap().next, total);
    }
}

#[test]
fn no_part_ends_within_a_character() {
    let (spool, _) = spool(1000, 1000, 10);
    spool.write(Stream::Out, "漢漢漢".as_bytes());
    let piece = spool.since(0, 4).unwrap();
    assert_eq!((piece.bytes.as_slice(), piece.next, piece.total), ("漢".as_bytes(), 3, 9));
}
