use std::os::unix::fs::PermissionsExt;

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::{port::Stream, session::Session},
    store::sample::{SESSION, clock, open, said, since, spec, story},
};

fn store() -> (DiskStore, tempfile::TempDir) {
    let data = tempfile::tempdir().unwrap();
    (DiskStore::with_clock(data.path().join("data"), clock()), data)
}

#[test]
fn everything_is_for_its_owner_alone() {
    let (store, data) = store();
    let journal = store.create(spec(SESSION.into())).unwrap();
    let spool = store.spool(SESSION.into(), 1.into()).unwrap();
    spool.write(Stream::Out, b"secret");
    let mut seen = Vec::new();
    let mut folders = vec![data.path().join("data")];
    while let Some(folder) = folders.pop() {
        seen.push((0o700, folder.metadata().unwrap()));
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                seen.push((0o600, path.metadata().unwrap()));
            }
        }
    }
    drop(journal);
    assert_eq!(seen.len(), 7);
    assert!(seen.iter().all(|(mode, found)| found.permissions().mode() & 0o777 == *mode));
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("file");
    fs::write(&file, "").unwrap();
    let error = DiskStore::new(file.clone()).create(spec(SESSION.into())).err().unwrap();
    let StoreError::Io { doing, path, .. } = &error else { panic!("{error}") };
    assert_eq!((*doing, path), ("create", &file.join("sessions")));
    // A list of what is not there is empty, but one that cannot be read is an error.
    assert_eq!(DiskStore::new(data.path().join("none")).list().unwrap(), []);
    assert!(DiskStore::new(file).list().is_err());
}

#[test]
fn a_session_that_could_not_begin_leaves_nothing_behind() {
    use std::os::unix::ffi::OsStringExt;
    let (store, _data) = store();
    let mut unwritable = spec(SESSION.into());
    // JSON has no such text, so there can be no first line.
    unwritable.workspace = std::ffi::OsString::from_vec(b"/caf\xe9".to_vec()).into();
    let error = store.create(unwritable).err().unwrap().to_string();
    assert!(error.starts_with("cannot write "), "{error}");
    assert!(!store.folder(SESSION.into()).exists());
    assert!(store.create(spec(SESSION.into())).is_ok());
}

#[test]
fn a_lock_names_its_holder_and_a_dead_holders_file_holds_nobody_up() {
    let (store, _data) = store();
    let journal = store.create(spec(SESSION.into())).unwrap();
    let error = store.open(SESSION.into(), &mut |_| {}).err().unwrap().to_string();
    let ours = format!("is open in another footplate (process {}", std::process::id());
    assert!(error.contains(&ours), "{error}");
    drop(journal);
    // The file of one that died, whose number is now that of a process that lives.
    let lock = store.folder(SESSION.into()).join("lock");
    fs::write(&lock, format!("process {}", std::process::id())).unwrap();
    let opened = open(&store, SESSION.into());
    // A holder's name is text from outside.
    fs::write(&lock, b"\x1b[2J\xff").unwrap();
    let error = store.open(SESSION.into(), &mut |_| {}).err().unwrap().to_string();
    assert!(!error.contains('\x1b'), "{error}");
    drop(opened);
}

#[test]
fn the_end_of_an_output_is_seen_while_it_is_in_memory_alone() {
    let (store, _data) = store();
    let _journal = store.create(spec(SESSION.into())).unwrap();
    let one = store.spool(SESSION.into(), 1.into()).unwrap();
    let same = store.spool(SESSION.into(), 1.into()).unwrap();
    one.write(Stream::Out, b"a\n");
    same.write(Stream::Out, b"b\n");
    assert_eq!(one.counts(), (4, 2));
    assert_eq!(store.output(SESSION.into(), 1.into(), 9).unwrap().lines, ["a", "b"]);
}

#[test]
fn a_journal_of_the_first_version_still_opens_whole() {
    let (store, _data) = store();
    let fixture = include_bytes!("../../../tests/fixtures/journal-v1.jsonl");
    let folder = store.folder(SESSION.into());
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(JOURNAL), fixture).unwrap();
    let opened = open(&store, SESSION.into());
    assert_eq!(opened.replay.notice, None);
    let events: Vec<_> =
        opened.replay.events.iter().map(|envelope| envelope.event.clone()).collect();
    assert_eq!(events[0], Event::SessionStarted { spec: spec(SESSION.into()) });
    assert_eq!(events[1..], story());
    let later = [
        "rule_revoked",
        "call_judged",
        "put_aside",
        "picture_made",
        "compaction_started",
        "context_compacted",
        "signal_sent",
        "signal_received",
        "signal_taken",
        "session_forked",
        "session_named",
        "conversation_rewound",
        "todo_changed",
        "thinking_streamed",
        "answer_delayed",
    ];
    for kind in reader::TYPES.into_iter().filter(|kind| !later.contains(kind)) {
        let part = format!("\"type\":\"{kind}\"");
        assert!(String::from_utf8_lossy(fixture).contains(&part), "{part}");
    }
    let session = Session::replay(&opened.replay.events).unwrap();
    assert_eq!(session.turns, 2);
    assert_eq!(session.usage.input, 30);
    assert_eq!(session.messages().len(), 4);
    assert_eq!(session.last_text(), "Done.");
    assert!(session.questions.is_empty());
    assert_eq!(session.interruptions(), []);
    // What is written today is what was written then.
    assert_eq!(opened.journal.append(said("on"), &|_| {}).unwrap().seq, events.len() as u64);
    drop(opened);
    let written: Vec<u8> = store
        .read(SESSION.into())
        .unwrap()
        .events
        .iter()
        .flat_map(|event| [serde_json::to_vec(&**event).unwrap(), b"\n".to_vec()].concat())
        .collect();
    assert_eq!(written[..fixture.len()], fixture[..]);
}

#[test]
fn every_type_that_is_written_is_known_where_it_is_read() {
    for event in story().iter().chain(&since()) {
        assert!(reader::TYPES.contains(&event.name()), "{}", event.name());
    }
}
