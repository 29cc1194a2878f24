//! What every store must do, run against each of them.

mod copies;

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex},
};

use pretty_assertions::assert_eq;

use super::{
    DiskStore, MemoryStore,
    sample::{SESSION, clock, open, said, since, spec, story},
};
use crate::kernel::{
    event::{Envelope, Event, Source},
    id::{CallId, SessionId},
    picture::{self, PictureId},
    port::{Journal, KEPT_FILE_BYTES, Kept, OutputPage, Store, StoreError, Stream, Voice},
    session::branch::Branch,
};

type Check = fn(&dyn Store);

const CONTRACT: [(&str, Check); 18] = [
    ("what was appended is read back", appended_is_read_back),
    ("numbers have no gaps, also after opening again", numbers_have_no_gaps),
    ("watchers see the order of the journal", watchers_see_the_order),
    ("a session has one writer, and readers are let in", one_writer),
    ("a session that is not there is unknown", unknown_session),
    ("a name is taken once", a_name_is_taken_once),
    ("the list is newest first, with first words", list_is_newest_first),
    ("an output can be read while it grows and after", output_grows),
    ("an output is read from any line on", output_is_read_from_any_line),
    ("an unknown call has an empty page", unknown_call),
    ("what a call replaces is kept, up to a bound", replaced_is_kept),
    ("a picture is kept once, with its session and its copies", a_picture_is_kept),
    ("a copy begins as the other and goes its own way", copies::a_copy_goes_its_own_way),
    ("a copy holds one event at a time", copies::a_copy_holds_one_event),
    ("of some types no more is read than those", some_types_are_read),
    ("what is deleted is gone, and nothing while one is open", deleted_is_gone),
    ("a name stands in the list", a_name_is_listed),
    ("a line is found in pieces, calls and results", a_line_is_found),
];

#[test]
fn memory_keeps_the_contract() {
    for (name, check) in CONTRACT {
        println!("{name}");
        check(&MemoryStore::with_clock(clock()));
    }
}

#[test]
fn disk_keeps_the_contract() {
    for (name, check) in CONTRACT {
        println!("{name}");
        let folder = tempfile::tempdir().unwrap();
        check(&DiskStore::with_clock(folder.path().join("deep/data"), clock()));
    }
}

#[tokio::test]
async fn what_was_appended_can_be_made_sure_of_by_many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let disk = DiskStore::with_clock(folder.path().into(), clock());
    for store in [&disk as &dyn Store, &MemoryStore::new()] {
        let journal = store.create(spec(SESSION.into())).unwrap();
        append(&*journal, said("hello"));
        let (one, other) = tokio::join!(journal.sync(), journal.sync());
        assert!(one.is_ok() && other.is_ok());
    }
}

fn append(journal: &dyn Journal, event: Event) -> Arc<Envelope> {
    journal.append(event, &|_| {}).unwrap()
}

fn appended_is_read_back(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    let appended: Vec<_> =
        story().into_iter().chain(since()).map(|event| append(&*journal, event)).collect();
    let read = store.read(SESSION.into()).unwrap();
    assert_eq!(read.notice, None);
    assert_eq!(read.events[0].event, Event::SessionStarted { spec: spec(SESSION.into()) });
    assert_eq!(read.events[1..], appended);
    drop(journal);
    assert_eq!(open(store, SESSION.into()).replay.events, read.events);
}

fn numbers_have_no_gaps(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    assert_eq!(append(&*journal, said("one")).seq, 1);
    drop(journal);
    let opened = open(store, SESSION.into());
    assert_eq!(append(&*opened.journal, said("two")).seq, 2);
    let numbers: Vec<_> =
        store.read(SESSION.into()).unwrap().events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, [0, 1, 2]);
}

fn watchers_see_the_order(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    let seen = Mutex::new(Vec::new());
    let one = |writer: usize| {
        for number in 0..50 {
            let text = format!("{writer} {number}");
            let shown = |envelope: &Arc<Envelope>| seen.lock().unwrap().push(envelope.clone());
            journal.append(said(text), &shown).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || one(writer));
        }
    });
    assert_eq!(store.read(SESSION.into()).unwrap().events[1..], *seen.lock().unwrap());
}

fn one_writer(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    let held = |outcome| matches!(outcome, Err(StoreError::Held { holder: Some(_), .. }));
    assert!(held(store.open(SESSION.into(), &mut |_| {}).map(drop)));
    assert!(store.read(SESSION.into()).is_ok());
    drop(journal);
    let opened = open(store, SESSION.into());
    assert!(held(store.open(SESSION.into(), &mut |_| {}).map(drop)));
    drop(opened);
    assert!(store.open(SESSION.into(), &mut |_| {}).is_ok());
}

fn unknown_session(store: &dyn Store) {
    let unknown = |outcome| matches!(outcome, Err(StoreError::Unknown(_)));
    assert!(unknown(store.open(SESSION.into(), &mut |_| {}).map(drop)));
    assert!(unknown(store.read(SESSION.into()).map(drop)));
    assert!(unknown(store.spool(SESSION.into(), 1.into()).map(drop)));
    assert_eq!(store.list().unwrap(), []);
}

fn a_name_is_taken_once(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    append(&*journal, said("mine"));
    drop(journal);
    let again = store.create(spec(SESSION.into())).map(drop);
    let Err(StoreError::Io { source, .. }) = again else { panic!("{again:?}") };
    assert_eq!(source.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(store.read(SESSION.into()).unwrap().events.len(), 2);
}

fn list_is_newest_first(store: &dyn Store) {
    for (number, words) in [(1, "first"), (2, " \nsecond\nmore"), (3, "")] {
        let journal = store.create(spec(SessionId::from(number))).unwrap();
        append(&*journal, Event::TextStreamed { text: "noise".into() });
        append(&*journal, said(words));
        append(&*journal, said("later"));
    }
    let found: Vec<_> =
        store.list().unwrap().into_iter().map(|found| (found.spec.id, found.title)).collect();
    let expected = [(3, "later"), (2, "second"), (1, "first")]
        .map(|(id, title)| (SessionId::from(id), Some(title.to_owned())));
    assert_eq!(found, expected);
}

fn output_grows(store: &dyn Store) {
    let call = CallId::from(7);
    let page = |lines| store.output(SESSION.into(), call, lines).unwrap();
    let expected = |lines: &[&str], first, total| OutputPage {
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        first,
        total,
    };
    let _journal = store.create(spec(SESSION.into())).unwrap();
    let spool = store.spool(SESSION.into(), call).unwrap();
    spool.write(Stream::Out, b"one\ntwo\nth");
    assert_eq!(page(2), expected(&["two", "th"], 1, 3));
    spool.write(Stream::Err, b"\x1b[31mree\x1b[0m\n");
    assert_eq!(page(2), expected(&["two", "three"], 1, 3));
    assert_eq!(page(9), expected(&["one", "two", "three"], 0, 3));
    assert_eq!(page(0), expected(&[], 3, 3));
    assert_eq!(spool.counts(), (23, 3));
    let end = spool.finish();
    assert_eq!(end.left_out, 0);
    drop(spool);
    assert_eq!(page(2), expected(&["two", "three"], 1, 3));
    let again = store.spool(SESSION.into(), call).unwrap();
    assert_eq!(again.counts(), (23, 3));
    again.write(Stream::Out, b"four");
    again.finish();
    drop(again);
    assert_eq!(page(2), expected(&["three", "four"], 2, 4));
}

fn output_is_read_from_any_line(store: &dyn Store) {
    let call = CallId::from(7);
    let read = |from: u64, most: usize| {
        let mut lines = Vec::new();
        let mut visit = |number: u64, line: &str| {
            lines.push(format!("{number} {line}"));
            if lines.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let total = store.lines(SESSION.into(), call, from, &mut visit).unwrap();
        (lines, total)
    };
    let _journal = store.create(spec(SESSION.into())).unwrap();
    assert_eq!(read(0, 5), (vec![], 0));
    let spool = store.spool(SESSION.into(), call).unwrap();
    // Long enough for many marks, with a line longer than the distance of two.
    for number in 0..30_000 {
        spool.write(Stream::Out, format!("line {number}\n").as_bytes());
    }
    spool.write(Stream::Out, &vec![b'x'; 200_000]);
    spool.write(Stream::Out, b"\n\x1b[31mred\x1b[0m\nopen");
    for ended in [false, true] {
        if ended {
            spool.finish();
        }
        for from in [0, 1, 7_000, 29_999] {
            let expected = vec![format!("{from} line {from}")];
            assert_eq!(read(from, 1), (expected, 30_003), "{ended}");
        }
        let (lines, _) = read(29_998, 9);
        let shown: Vec<_> =
            lines.iter().map(|line| (&line[..line.len().min(10)], line.len())).collect();
        let expected = [
            ("29998 line", 16),
            ("29999 line", 16),
            ("30000 xxxx", 200_006),
            ("30001 red", 9),
            ("30002 open", 10),
        ];
        assert_eq!(shown, expected, "{ended}");
        assert_eq!(read(30_002, 9).0, ["30002 open"], "{ended}");
        assert_eq!(read(30_003, 9).0, Vec::<String>::new(), "{ended}");
    }
    drop(spool);
    assert_eq!(read(30_001, 1), (vec!["30001 red".to_owned()], 30_003));
}

fn unknown_call(store: &dyn Store) {
    let _journal = store.create(spec(SESSION.into())).unwrap();
    let pages = [(SESSION, 8), (8, 8)]
        .map(|(session, call): (u128, u128)| store.output(session.into(), call.into(), 5).unwrap());
    assert_eq!(pages, [OutputPage::default(), OutputPage::default()]);
}

fn replaced_is_kept(store: &dyn Store) {
    let session = SessionId::from(SESSION);
    let _journal = store.create(spec(SESSION.into())).unwrap();
    assert_eq!(store.keep(session, 1.into(), b"caf\xe9\0").unwrap(), Kept::Whole);
    assert_eq!(store.keep(session, 2.into(), b"").unwrap(), Kept::Whole);
    assert_eq!(store.kept(session, 1.into()).unwrap().unwrap(), b"caf\xe9\0");
    assert_eq!(store.kept(session, 2.into()).unwrap().unwrap(), b"");
    assert_eq!(store.kept(session, 3.into()).unwrap(), None);
    // It is no output.
    assert_eq!(store.output(session, 1.into(), 9).unwrap(), OutputPage::default());

    let most = vec![b'x'; usize::try_from(KEPT_FILE_BYTES).unwrap() + 1];
    assert_eq!(store.keep(session, 3.into(), &most).unwrap(), Kept::TooLarge);
    assert_eq!(store.keep(session, 3.into(), &most[1..]).unwrap(), Kept::Whole);
    assert!(matches!(store.kept(9.into(), 1.into()), Err(StoreError::Unknown(_))));
}

fn a_picture_is_kept(store: &dyn Store) {
    let (one, other) = (SessionId::from(SESSION), SessionId::from(SESSION + 1));
    let journal = store.create(spec(one)).unwrap();
    for event in since() {
        append(&*journal, event);
    }
    for bytes in [&b"said"[..], b"said", b"made", b"not told of"] {
        assert_eq!(store.keep_picture(one, bytes).unwrap(), Kept::Whole);
    }
    let large = vec![b'x'; usize::try_from(picture::MOST_BYTES).unwrap() + 1];
    assert_eq!(store.keep_picture(one, &large).unwrap(), Kept::TooLarge);
    assert!(matches!(store.keep_picture(9.into(), b"x"), Err(StoreError::Unknown(_))));
    let branch = Branch::new(spec(other), u64::MAX, (one, Source::Here));
    drop(store.branch(branch, &mut store.events(one).unwrap()).unwrap());
    drop(journal);
    for of in [one, other] {
        for bytes in [&b"said"[..], b"made"] {
            let kept = store.picture(of, PictureId::of(bytes)).unwrap();
            assert_eq!(kept.as_deref(), Some(bytes));
        }
        assert_eq!(store.picture(of, PictureId::of(b"never kept")).unwrap(), None);
        store.delete(&[of]).unwrap();
        let gone = store.picture(of, PictureId::of(b"said"));
        assert!(matches!(gone, Err(StoreError::Unknown(_))));
    }
}

fn some_types_are_read(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    for event in story().into_iter().chain(since()) {
        append(&*journal, event);
    }
    let mut some = store.some(SESSION.into(), &["message_sent", "put_aside"]).unwrap();
    let some: Vec<_> = some.by_ref().map(Result::unwrap).collect();
    let all = store.read(SESSION.into()).unwrap().events;
    let wanted = |name: &str| ["session_started", "message_sent", "put_aside"].contains(&name);
    let expected: Vec<_> = all.into_iter().filter(|it| wanted(it.event.name())).collect();
    assert_eq!(some, expected);
}

fn deleted_is_gone(store: &dyn Store) {
    for id in [1, 2, 3] {
        drop(store.create(spec(SessionId::from(id))).unwrap());
    }
    let open = open(store, 2.into());
    let held = store.delete(&[1.into(), 2.into()]);
    assert!(matches!(held, Err(StoreError::Held { .. })), "{held:?}");
    assert_eq!(store.list().unwrap().len(), 3);
    drop(open);
    store.delete(&[1.into(), 2.into()]).unwrap();
    let left: Vec<_> = store.list().unwrap().into_iter().map(|found| found.spec.id).collect();
    assert_eq!(left, [SessionId::from(3)]);
    assert!(matches!(store.read(1.into()), Err(StoreError::Unknown(_))));
    assert!(matches!(store.delete(&[1.into()]), Err(StoreError::Unknown(_))));
}

fn a_name_is_listed(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    append(&*journal, said("first words"));
    let called = || store.list().unwrap()[0].called().map(str::to_owned);
    assert_eq!(called().as_deref(), Some("first words"));
    store.label(SESSION.into(), "boiler — Kessel").unwrap();
    store.label(SESSION.into(), "boiler").unwrap();
    assert_eq!(called().as_deref(), Some("boiler"));
    assert!(matches!(store.label(9.into(), "x"), Err(StoreError::Unknown(_))));
}

fn a_line_is_found(store: &dyn Store) {
    let journal = store.create(spec(SESSION.into())).unwrap();
    for event in story() {
        append(&*journal, event);
    }
    for piece in ["a long line with a ste", "am Gauge in it\nand", " another"] {
        append(&*journal, Event::TextStreamed { text: piece.into() });
    }
    let other = store.create(spec(SessionId::from(3))).unwrap();
    append(&*other, said("GAUGE: no st\u{e4}m\nsteam over gauge"));
    let search = |words: &[&str], most: usize| {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut lines = Vec::new();
        let searched = store.search(&words, &|| true, &mut |found| {
            lines.push((found.voice, found.line));
            if lines.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (lines, searched.unwrap().whole)
    };
    let line = |voice, line: &str| (voice, line.to_owned());
    let in_model = line(Voice::Model, "a long line with a steam Gauge in it");
    let in_words = line(Voice::Person, "steam over gauge");
    let (mut found, whole) = search(&["steam", "gauge"], 9);
    found.sort_by_key(|(_, line)| line.len());
    assert_eq!((found, whole), (vec![in_words.clone(), in_model.clone()], 2));
    assert_eq!(search(&["st\u{c4}m"], 9).0, [line(Voice::Person, "GAUGE: no st\u{e4}m")]);
    assert_eq!(search(&["print(1)"], 9).0, [line(Voice::Call, "print(1)")]);
    assert_eq!(search(&["gauge"], 1).1, 0, "it stops where it is told");
    assert_eq!(search(&["nowhere"], 9), (Vec::new(), 2));
    let stopped = store.search(&["gauge".to_owned()], &|| false, &mut |_| panic!("no time"));
    assert_eq!(stopped.unwrap().whole, 0);
}
