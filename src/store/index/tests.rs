use serde_json::json;

use super::*;
use crate::{
    kernel::{
        port::Store,
        spec::{Mode, SessionSpec},
    },
    store::{
        DiskStore,
        sample::{SESSION, clock, open, said, spec},
    },
};

fn title_of(text: &str) -> Option<String> {
    let line = json!({"v": 1, "type": "message_sent", "text": text}).to_string();
    words(line.as_bytes())
}

#[test]
fn a_title_is_the_first_line_with_words_to_the_letter() {
    let check =
        |text: &str, expected: Option<&str>| assert_eq!(title_of(text).as_deref(), expected);
    check("mend the boiler", Some("mend the boiler"));
    check(" \n\t two \"quoted\" words \\ \nmore", Some("two \"quoted\" words \\"));
    check("a\u{1b}[2Jb\u{7}c", Some("a\u{1b}[2Jb\u{7}c"));
    check("", None);
    check("\n\n", None);
    check(&"é".repeat(200), Some(&"é".repeat(80)));
    check(&"\u{1}x".repeat(400), Some(&"\u{1}x".repeat(40)));
}

#[test]
fn a_first_message_cut_anywhere_gives_a_title_of_what_is_there() {
    let text = "ü \u{1f682} \u{1} 漢字 \\ end";
    for line in [
        format!(r#"{{"type":"message_sent","text":{}}}"#, json!(text)),
        r#"{"type":"message_sent","text":"\u00fc \ud83d\ude82 \u0001 x"}"#.to_owned(),
    ] {
        let start = line.find("ü").or(line.find("\\u00fc")).unwrap();
        for end in start..line.len() {
            let title = words(&line.as_bytes()[..end]).unwrap_or_default();
            assert!(title.is_empty() || title.starts_with(['ü', '\u{fffd}']), "{end} {title:?}");
        }
    }
}

#[test]
fn a_spec_longer_than_the_head_is_listed_as_well() {
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::with_clock(data.path().into(), clock());
    let mut long = spec(SESSION.into());
    long.instructions = "be careful. ".repeat(10_000);
    let journal = store.create(long.clone()).unwrap();
    journal.append(said("hello"), &|_| {}).unwrap();
    assert_eq!(store.list().unwrap()[0].spec, long);
}

#[test]
fn the_first_words_are_found_wherever_the_first_bytes_of_the_journal_end() {
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::with_clock(data.path().into(), clock());
    let long = |number: usize, instructions: usize| {
        let id = (number as u128 + 1).into();
        let spec = SessionSpec { instructions: "x".repeat(instructions), ..spec(id) };
        let journal = store.create(spec).unwrap();
        journal.append(Event::ModeChanged { from: Mode::Auto, to: Mode::Plan }, &|_| {}).unwrap();
        journal.append(said("hello"), &|_| {}).unwrap();
    };
    // Each cuts the journal at another of its bytes.
    (0..8).for_each(|step| long(step, HEAD - 600 + 100 * step));
    long(8, 7 * HEAD);
    let titles = store.list().unwrap().into_iter().map(|session| session.title);
    let expected = vec![Some("hello".to_owned()); 9];
    assert_eq!(titles.collect::<Vec<_>>(), expected);
}

#[test]
fn what_another_program_wrote_anew_in_its_own_way_has_its_title() {
    let line = r#"{"v": 1, "seq": 1, "at": "2026-01-01T00:00:00Z", "session": "00000000-0000-0000-0000-000000000001", "type": "message_sent", "text": "mend the \u0062oiler\nnow"}"#;
    assert_eq!(words(line.as_bytes()).as_deref(), Some("mend the boiler"));
    assert_eq!(words(&line.as_bytes()[..line.len() - 3]), None);
}

#[test]
fn damaged_sessions_and_strangers_are_left_out_of_the_list_and_the_damaged_are_told_of() {
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::with_clock(data.path().into(), clock());
    for number in [1_u128, 2, 3, 4] {
        drop(store.create(spec(number.into())).unwrap());
    }
    let sessions = data.path().join("sessions");
    let journal = |number: u128| sessions.join(SessionId::from(number).to_string()).join(JOURNAL);
    fs::write(journal(1), "{").unwrap();
    fs::copy(journal(3), journal(2)).unwrap();
    fs::remove_file(journal(4)).unwrap();
    fs::write(sessions.join("notes"), "").unwrap();
    let listed = store.list().unwrap();
    let found: Vec<_> = listed.iter().map(|found| found.spec.id).collect();
    assert_eq!(found, [3.into()]);
    let folder = |number: u128| (number.into(), journal(number).parent().unwrap().to_owned());
    let damaged = [folder(1), folder(2), folder(4)];
    assert_eq!(store.unlisted(&listed).unwrap(), damaged);
    // One that began since the list was made is not among them.
    assert_eq!(store.unlisted(&[]).unwrap(), damaged);
}

/// Not run with the others: prints what a list, an append and an opening cost.
/// `cargo test --lib store::index -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn figures() {
    use tokio::time::Instant;
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::new(data.path().into());
    let sessions = 10_000_u128;
    for number in 0..sessions {
        let journal = store.create(spec(number.into())).unwrap();
        journal.append(said("mend the boiler, please"), &|_| {}).unwrap();
    }
    for _ in 0..3 {
        let begun = Instant::now();
        assert_eq!(store.list().unwrap().len() as u128, sessions);
        println!("{sessions} sessions listed in {:?}", begun.elapsed());
    }
    let journal = store.create(spec(SESSION.into())).unwrap();
    let size = 100 << 20;
    let text = "All of the line is in steam again. ".repeat(30);
    let mut events = 0;
    let begun = Instant::now();
    while events * text.len() < size {
        journal.append(said(text.clone()), &|_| {}).unwrap();
        events += 1;
    }
    println!("an append of {} bytes took {:?}", text.len(), begun.elapsed() / events as u32);
    drop(journal);
    let begun = Instant::now();
    assert_eq!(open(&store, SESSION.into()).replay.events.len(), events + 1);
    println!("{} MB opened in {:?}", size >> 20, begun.elapsed());
}
