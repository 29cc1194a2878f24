//! A real process that writes a session and is killed: its lock goes with it, and what it had shown
//! is there.

use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use super::{
    DiskStore,
    sample::{SESSION, open, said, spec},
};
use crate::kernel::port::{Store, StoreError};

const DATA: &str = "FOOTPLATE_TEST_DATA";

/// The process that is killed: this test binary, running only this.
#[test]
#[ignore = "run by the tests below, as a process of its own"]
fn writes_until_it_is_killed() {
    let Some(data) = std::env::var_os(DATA) else { return };
    let store = DiskStore::new(data.into());
    let journal = match store.open(SESSION.into(), &mut |_| {}) {
        Ok(opened) => opened.journal,
        Err(_) => store.create(spec(SESSION.into())).unwrap(),
    };
    loop {
        let text = "steam ".repeat(200);
        journal.append(said(text), &|envelope| println!("\nshown {}", envelope.seq)).unwrap();
    }
}

/// A writer that goes on until it is killed; it must be able to tell what it shows until then.
struct Writing {
    process: Child,
    told: Lines<BufReader<ChildStdout>>,
}

/// Starts the writer and waits until it has shown some events; gives the number of the last.
fn writer(data: &Path, events: usize) -> (Writing, u64) {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::crash::writes_until_it_is_killed", "--ignored", "--nocapture"])
        .env(DATA, data)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(process.stdout.take().unwrap()).lines();
    let lines = told.by_ref().map_while(Result::ok);
    let shown = lines.filter_map(|line| line.strip_prefix("shown ")?.parse().ok());
    let last = shown.take(events).last().unwrap();
    (Writing { process, told }, last)
}

#[test]
fn a_killed_writer_leaves_its_lock_and_all_it_had_shown() {
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::new(data.path().into());
    let mut next = 1;
    for events in [1, 2, 3, 50, 7, 120] {
        let (mut writing, last) = writer(data.path(), events);
        assert_eq!(last, next + events as u64 - 1);
        if events == 120 {
            let Err(StoreError::Held { holder: Some(holder), .. }) =
                store.open(SESSION.into(), &mut |_| {}).map(drop)
            else {
                panic!("a second writer was let in")
            };
            assert!(holder.contains(&writing.process.id().to_string()), "{holder}");
        }
        writing.process.kill().unwrap();
        writing.process.wait().unwrap();
        // All it showed until its last moment, read or not.
        let late = writing.told.map_while(Result::ok);
        let late = late.filter_map(|line| line.strip_prefix("shown ")?.parse().ok()).last();
        let last = late.unwrap_or(last);
        let opened = open(&store, SESSION.into());
        let numbers: Vec<_> = opened.replay.events.iter().map(|event| event.seq).collect();
        let expected: Vec<_> = (0..numbers.len() as u64).collect();
        assert_eq!(numbers, expected);
        assert!(numbers.len() as u64 > last);
        next = opened.journal.append(said("on"), &|_| {}).unwrap().seq + 1;
    }
}
