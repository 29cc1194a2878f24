//! Journals as crashes, editors and other programs leave them: what is still there, what is said of
//! it, and that the next event is found at the next opening.

use std::{fs, path::PathBuf};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{
    DiskStore,
    sample::{SESSION, clock, open, said, spec, story},
};
use crate::kernel::{
    event::Event,
    port::{Store, StoreError},
    session::Session,
};

/// A journal of eight lines, numbers 0 to 7.
fn healthy() -> Vec<Vec<u8>> {
    let store = super::MemoryStore::with_clock(clock());
    let journal = store.create(spec(SESSION.into())).unwrap();
    for event in story().into_iter().take(7) {
        journal.append(event, &|_| {}).unwrap();
    }
    let events = store.read(SESSION.into()).unwrap().events;
    let line = |event| serde_json::to_vec(event).unwrap();
    events.iter().map(|event| [line(&**event), b"\n".to_vec()].concat()).collect()
}

struct Bench {
    store: DiskStore,
    folder: PathBuf,
    _data: TempDir,
}

fn bench(journal: &[u8]) -> Bench {
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::with_clock(data.path().into(), clock());
    let folder =
        data.path().join("sessions").join(crate::kernel::id::SessionId::from(SESSION).to_string());
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("journal.jsonl"), journal).unwrap();
    Bench { store, folder, _data: data }
}

/// Opens, compares, says something, opens again.
fn check(name: &str, journal: &[u8], expected: &[u64], notice: Option<&str>) {
    println!("{name}");
    let Bench { store, folder, _data } = bench(journal);
    let read = store.read(SESSION.into()).unwrap();
    let opened = open(&store, SESSION.into());
    let numbers: Vec<_> = opened.replay.events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, expected);
    assert_eq!(read.events, opened.replay.events);
    match (notice, &opened.replay.notice) {
        (None, None) => assert_eq!(read.notice, None),
        (Some(part), Some(notice)) => {
            assert!(notice.contains(part), "{notice}");
            assert!(!notice.contains('\n'));
            assert!(read.notice.is_some());
        }
        (wanted, got) => panic!("{wanted:?} {got:?}"),
    }
    let next = opened.journal.append(said("and on"), &|_| {}).unwrap();
    assert!(numbers.iter().all(|number| *number < next.seq));
    drop(opened);
    let mut events = read.events;
    events.push(next);
    assert_eq!(open(&store, SESSION.into()).replay.events, events);
    // Nothing is thrown away: what is no longer in the journal was put aside.
    let kept = fs::read(folder.join("journal.jsonl")).unwrap();
    let torn = fs::read(folder.join("journal.torn")).unwrap_or_default();
    let after = events.last().map(|event| serde_json::to_vec(&**event).unwrap().len()).unwrap();
    let whole = kept.len() + torn.len() - after - 1;
    assert!([journal.len(), journal.len() + 1].contains(&whole));
}

#[test]
fn a_damaged_journal_opens_with_all_that_is_whole() {
    const ALL: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let lines = healthy();
    let raw = lines.concat();
    let (head, rest) = (lines[..4].concat(), lines[4..].concat());
    let last = &lines[7][..lines[7].len() - 1];
    let between = |middle: &[u8]| [&head, middle, &rest].concat();
    let before_last = lines[..7].concat();
    let torn = [&before_last[..], &last[..last.len() / 2]].concat();
    let glued = [&lines[..6].concat()[..], &lines[6][..20], &lines[7]].concat();
    let glued_in_the_middle = [&head[..], &lines[4][..20], &rest].concat();
    let in_character = [&before_last[..], b"{\"x\":\"\xe6\xbc"].concat();
    let blank = lines.join(&b"\n\n"[..]);
    let crlf = lines.iter().flat_map(|line| [&line[..line.len() - 1], b"\r\n"].concat());
    let crlf: Vec<u8> = crlf.collect();
    let swapped = [&lines[..4].concat()[..], &lines[5], &lines[4], &lines[6], &lines[7]].concat();
    let two_writers: Vec<u8> = lines.windows(2).flatten().flatten().copied().collect();
    let unknown = br#"{"v":1,"seq":8,"type":"event_from_the_future","payload":{"a":[1]}}"#;
    let later = br#"{"v":999,"seq":4,"type":"message_sent","text":7}"#;
    let foreign = String::from_utf8(lines[1].clone()).unwrap().replace("0001\"", "0002\"");
    let deep = format!("{{\"type\":\"note\",\"x\":{}{}}}\n", "[".repeat(5000), "]".repeat(5000));
    let huge = format!("{{\"type\":\"note\",\"text\":\"{}\"}}\n", "z".repeat(12_000_000));
    let closed = |line: &[u8]| [line, b"\n"].concat();
    let spaced = "{\"type\":\"note\",\"text\":\"a\u{2028}b\u{2029}c\u{85}d\"}\n".as_bytes();
    let zeros = [0; 4096];

    check("whole", &raw, &ALL, None);
    check("torn end", &torn, &ALL[..7], Some("unfinished"));
    check("whole end without newline", &raw[..raw.len() - 1], &ALL, None);
    check("glued at the end", &glued, &ALL[..6], Some("unfinished"));
    let rest_kept = [0, 1, 2, 3, 5, 6, 7];
    check("glued in the middle", &glued_in_the_middle, &rest_kept, Some("first in line 5"));
    check("half a character", &in_character, &ALL[..7], Some("unfinished"));
    check("hole of zeros", &between(&closed(&zeros)), &ALL, Some("line 5"));
    check("zeros before a record", &between(&zeros), &ALL, None);
    check("zeros at the end", &[&raw[..], &zeros].concat(), &ALL, Some("4096 bytes"));
    let zeros_without_newline = [&raw[..raw.len() - 1], &zeros].concat();
    check("zeros for the newline", &zeros_without_newline, &ALL, Some("4096 bytes"));
    check("bad line", &between(b"{\"type\": broken\n"), &ALL, Some("line 5"));
    check("other line separators", &between(spaced), &ALL, None);
    let broken_in_two = between(b"{\"type\":\"note\",\"text\":\"first\nsecond\"}\n");
    check("newline in a string", &broken_in_two, &ALL, Some("2 records could not be read"));
    check("blank lines", &[b"\n", &blank[..], b"\n\n\n"].concat(), &ALL, None);
    check("blank at the end", &[&raw[..], b" \r"].concat(), &ALL, None);
    check("crlf", &crlf, &ALL, None);
    check("byte order mark", &[b"\xef\xbb\xbf", &raw[..]].concat(), &ALL, None);
    check("twice", &between(&lines[3]), &ALL, Some("1 record stood there twice"));
    check("spec twice", &between(&lines[0]), &ALL, Some("1 record stood there twice"));
    check("swapped", &swapped, &ALL, Some("put in order"));
    check("two writers", &two_writers, &ALL, Some("6 records stood there twice"));
    check("unknown type", &[&raw[..], &closed(unknown)].concat(), &ALL, None);
    check("unknown type without newline", &[&raw[..], unknown].concat(), &ALL, None);
    let newer = [&head[..], &closed(later), &rest[lines[4].len()..]].concat();
    check("later version", &newer, &rest_kept, Some("1 record of a later footplate"));
    check("another session", &between(foreign.as_bytes()), &ALL, Some("another session"));
    check("huge line", &between(huge.as_bytes()), &ALL, None);
    check("deep line", &between(deep.as_bytes()), &ALL, None);
    let deep = deep.replace("note", "message_sent");
    check("deep message", &between(deep.as_bytes()), &ALL, Some("line 5"));
    check("deep message at the end", &[&raw[..], deep.as_bytes()].concat(), &ALL, Some("line 9"));
    let far = br#"{"v":1,"seq":18446744073709551615,"type":"far"}"#;
    check("number without measure", &between(&closed(far)), &ALL, None);
}

#[test]
fn what_does_not_start_as_a_journal_is_refused_with_what_to_do() {
    let lines = healthy();
    let raw = lines.concat();
    let newer = String::from_utf8(raw.clone()).unwrap().replacen("\"v\":1", "\"v\":9999", 1);
    let foreign = String::from_utf8(raw).unwrap().replace("0001\"", "0002\"");
    let array = [b"[", &lines.join(&b","[..])[..], b"]"].concat();
    let check = |journal: &[u8], part: &str| {
        let Bench { store, folder, _data } = bench(journal);
        for outcome in [
            store.open(SESSION.into(), &mut |_| {}).map(drop),
            store.read(SESSION.into()).map(drop),
        ] {
            let Err(StoreError::Damaged { fault, .. }) = outcome else { panic!("{outcome:?}") };
            assert!(fault.contains(part), "{fault}");
        }
        assert_eq!(store.list().unwrap(), []);
        assert_eq!(fs::read(folder.join("journal.jsonl")).unwrap(), journal);
    };
    check(b"", "it is empty; move its folder away");
    check(b"\n", "it is empty");
    check(&[0; 64], "it is empty");
    check(&lines[1..].concat(), "does not describe a session; move");
    check(&array, "does not describe a session");
    check(&lines[0][..30], "does not describe a session");
    check(newer.as_bytes(), "update footplate");
    check(foreign.as_bytes(), "0002");
}

#[test]
fn a_folder_without_a_journal_is_damaged_and_stays_as_it_is() {
    let Bench { store, folder, _data } = bench(b"");
    fs::remove_file(folder.join("journal.jsonl")).unwrap();
    let outcome = store.open(SESSION.into(), &mut |_| {}).map(drop);
    assert!(matches!(outcome, Err(StoreError::Damaged { .. })), "{outcome:?}");
    assert!(!folder.join("journal.jsonl").exists());
}

#[test]
fn lost_and_repeated_results_leave_each_call_with_one() {
    let lines = healthy();
    for skipped in 1..lines.len() {
        let mut some = lines.clone();
        some.remove(skipped);
        let Bench { store, _data, .. } = bench(&some.concat());
        let opened = open(&store, SESSION.into());
        let mut session = Session::replay(&opened.replay.events).unwrap();
        for event in session.interruptions() {
            session.apply(9, &event);
        }
        assert_eq!(session.interruptions(), []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_journal_cut_anywhere_keeps_its_whole_records_and_grows_on(cut in 0.0..1.0_f64) {
        let lines = healthy();
        let raw = lines.concat();
        let room = raw.len() - lines[0].len();
        // Not within the spec: without it there is no session.
        let len = lines[0].len() - 1 + (cut * (room + 1) as f64) as usize;
        // A record is whole with its last brace, newline or not.
        let mut end = 0;
        let ends = lines.iter().map(|line| { end += line.len(); end - 1 });
        let whole = ends.filter(|end| *end <= len).count() as u64;
        let numbers: Vec<_> = (0..whole).collect();
        let Bench { store, _data, .. } = bench(&raw[..len]);
        let opened = open(&store, SESSION.into());
        let found: Vec<_> = opened.replay.events.iter().map(|event| event.seq).collect();
        prop_assert_eq!(found, numbers);
        let next = opened.journal.append(said("on"), &|_| {}).unwrap();
        prop_assert_eq!(next.seq, whole);
        let mut events = opened.replay.events;
        events.push(next);
        drop(opened.journal);
        let again = open(&store, SESSION.into()).replay;
        prop_assert_eq!(again.events, events);
        prop_assert_eq!(again.notice, None);
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let lines = healthy();
        let Bench { store, _data, .. } = bench(&[&lines[0], &bytes[..], &lines[1]].concat());
        let opened = open(&store, SESSION.into());
        let first = &opened.replay.events[0].event;
        let starts = matches!(first, Event::SessionStarted { .. });
        prop_assert!(starts);
    }

    #[test]
    fn any_text_comes_back_as_it_was(texts in proptest::collection::vec(any::<String>(), 0..8)) {
        let store = super::MemoryStore::with_clock(clock());
        let journal = store.create(spec(SESSION.into())).unwrap();
        for text in &texts {
            journal.append(said(text), &|_| {}).unwrap();
        }
        drop(journal);
        let events = open(&store, SESSION.into()).replay.events;
        let back: Vec<_> = events[1..].iter().map(|event| event.event.clone()).collect();
        let sent: Vec<_> = texts.iter().map(said).collect();
        prop_assert_eq!(back, sent);
    }
}
