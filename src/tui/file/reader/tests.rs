use std::{fs, io::Write as _, os::unix::fs::symlink, os::unix::net::UnixListener};

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::tui::{file::LINE, words::grouped};

fn visit(root: &Path, name: &str) -> Visit {
    Reader::default().visit(root.to_owned(), root.join(name))
}

fn page_of(visit: &Visit, ask: Ask) -> Page {
    match visit.ask(ask) {
        Some(Read::Page(Ok(page))) => page,
        other => panic!("{other:?}"),
    }
}

fn fault(visit: &Visit) -> Fault {
    match visit.ask(Ask::Page(0)) {
        Some(Read::Page(Err(fault))) => fault,
        other => panic!("{other:?}"),
    }
}

fn count(visit: &Visit) -> u64 {
    match visit.ask(Ask::Count) {
        Some(Read::Count(_, lines)) => lines,
        other => panic!("{other:?}"),
    }
}

fn found(visit: &Visit, word: &str) -> Vec<u64> {
    match visit.ask(Ask::Find(word.to_owned())) {
        Some(Read::Found { lines, .. }) => lines,
        other => panic!("{other:?}"),
    }
}

#[test]
fn any_window_of_a_long_file_has_the_lines_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (0..200_000).map(|n| format!("line {n} of it")).collect();
    fs::write(folder.path().join("a.txt"), lines.join("\n")).unwrap();
    let visit = visit(folder.path(), "a.txt");
    for line in [0, 1, 149, 151, 63_999, 64_000, 150_000, 199_999, 5] {
        let page = page_of(&visit, Ask::Page(line));
        let first = usize::try_from(page.first).unwrap();
        assert_eq!(page.lines, lines[first..first + page.lines.len()], "around {line}");
        let there = page.first..page.first + page.lines.len() as u64;
        assert!(there.contains(&line) && page.lines.len() <= LINES, "{there:?} around {line}");
        assert!(page.first + 2 <= line || page.first == 0, "something stands above {line}");
    }
    let last = page_of(&visit, Ask::Last);
    assert!(last.ends && last.lines.last().unwrap() == "line 199999 of it");
    assert_eq!(page_of(&visit, Ask::Page(u64::MAX)), last, "behind the end is the end");
    assert_eq!(count(&visit), 200_000);
    assert_eq!(found(&visit, "LINE 19999 "), [0; 0], "a capital makes a difference");
    assert_eq!(found(&visit, "line 19999 "), [19_999]);
}

#[test]
fn the_first_window_reads_no_more_than_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("huge")).unwrap();
    (&file).write_all(b"one\ntwo\n").unwrap();
    // The rest is zeros that take no room, as one line without an end.
    file.set_len(1 << 40).unwrap();
    let huge = visit(folder.path(), "huge");
    assert!(matches!(fault(&huge), Fault::Binary(mark) if mark.size == 1 << 40));
    let mut text = b"a\n".repeat(8 << 10);
    text.extend(b"b".repeat(64));
    fs::write(folder.path().join("long"), &text).unwrap();
    let file = fs::OpenOptions::new().write(true).open(folder.path().join("long")).unwrap();
    file.set_len(1 << 40).unwrap();
    let long = visit(folder.path(), "long");
    let page = page_of(&long, Ask::Page(0));
    assert_eq!((page.first, page.lines.len(), page.ends), (0, LINES, false));
    let known = long.reader.known.lock().unwrap();
    assert_eq!(known.as_ref().unwrap().bytes, 0, "nothing had to be counted");
}

#[test]
fn a_line_that_is_too_long_says_how_much_of_it_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("one\n{}\nthree\r\n", "é".repeat(LINE));
    fs::write(folder.path().join("a"), text).unwrap();
    let page = page_of(&visit(folder.path(), "a"), Ask::Page(0));
    assert_eq!((page.lines.len(), page.ends, page.crlf), (3, true, true));
    let left = format!("é [… {} bytes more in this line; an editor shows them]", grouped(32_768));
    assert!(page.lines[1].ends_with(&left), "{}", &page.lines[1][page.lines[1].len() - 80..]);
    assert_eq!(page.lines[2], "three");
}

#[test]
fn what_is_no_text_or_not_there_or_elsewhere_says_so_and_nothing_is_waited_for() {
    let outside = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(outside.path().join("secret"), "x").unwrap();
    symlink(outside.path().join("secret"), root.join("link")).unwrap();
    symlink(outside.path(), root.join("away")).unwrap();
    symlink(root.join("gone"), root.join("dangling")).unwrap();
    fs::write(root.join("zeros"), b"a\0b").unwrap();
    fs::create_dir(root.join("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), 0o600.into()).unwrap();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let real = outside.path().canonicalize().unwrap().join("secret");
    assert_eq!(fault(&visit(root, "link")), Fault::Outside(real.clone()));
    assert_eq!(fault(&visit(root, "away/secret")), Fault::Outside(real.clone()));
    assert!(fault(&visit(root, "link")).to_string().contains("Nothing of that is shown"));
    for gone in ["gone", "dangling", "zeros/x"] {
        assert_eq!(fault(&visit(root, gone)), Fault::Gone, "{gone}");
    }
    assert!(matches!(fault(&visit(root, "zeros")), Fault::Binary(_)));
    assert_eq!(fault(&visit(root, "folder")), Fault::Folder);
    assert_eq!(fault(&visit(root, "pipe")), Fault::Special);
    assert_eq!(fault(&visit(root, "socket")), Fault::Special);
    // Named by its own place it is somebody's wish.
    let named = Reader::default().visit(root.to_owned(), real);
    assert_eq!(page_of(&named, Ask::Page(0)).lines, ["x"]);
}

#[test]
fn a_file_that_was_changed_is_another_one_and_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    fs::write(&file, "one\ntwo\n").unwrap();
    let visit = visit(folder.path(), "a");
    let page = page_of(&visit, Ask::Page(0));
    assert_eq!(count(&visit), 2);
    assert_eq!(visit.ask(Ask::Look(Some(page.mark))), None);
    fs::write(&file, "three\n").unwrap();
    assert_eq!(visit.ask(Ask::Look(Some(page.mark))), Some(Read::Other));
    assert_eq!(page_of(&visit, Ask::Page(1)).lines, ["three"]);
    assert_eq!(count(&visit), 1);
    fs::remove_file(&file).unwrap();
    assert_eq!(visit.ask(Ask::Look(Some(page.mark))), Some(Read::Other));
    assert_eq!(visit.ask(Ask::Look(None)), None, "that it is gone is known");
}

#[test]
fn nothing_more_is_read_of_a_file_that_was_left() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "one\n").unwrap();
    let reader = Reader::default();
    let left = reader.visit(folder.path().to_owned(), folder.path().join("a"));
    reader.open();
    assert_eq!(left.ask(Ask::Count), None);
    assert_eq!(left.ask(Ask::Page(0)), None);
}

proptest! {
    #[test]
    fn lines_are_counted_and_found_wherever_they_end(
        lines in proptest::collection::vec("[abA\r]{0,3}|é", 0..40), ends: bool, from in 0..50u64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut text = lines.join("\n");
        if ends {
            text.push('\n');
        }
        fs::write(folder.path().join("a"), &text).unwrap();
        let visit = visit(folder.path(), "a");
        let expected: Vec<&str> = text.lines().collect();
        let page = page_of(&visit, Ask::Page(from));
        prop_assert_eq!(&page.lines, &expected);
        prop_assert_eq!((page.first, page.ends), (0, true));
        prop_assert_eq!(count(&visit), expected.len() as u64);
        for word in ["ab", "A", "é"] {
            let fold = |text: &str| {
                if word == "A" { text.to_owned() } else { text.to_lowercase() }
            };
            let numbers = (0..).zip(&expected).filter(|(_, line)| fold(line).contains(word));
            let numbers: Vec<u64> = numbers.map(|(number, _)| number).collect();
            prop_assert_eq!(found(&visit, word), numbers);
        }
    }
}

#[test]
fn the_end_of_a_vast_file_is_there_before_its_lines_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vast.log");
    let block = "some words of a line\n".repeat(10_000);
    let mut file = fs::File::create(&path).unwrap();
    let blocks = usize::try_from(LONG).unwrap() / block.len() + 2;
    for _ in 0..blocks {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.write_all(b"the very end").unwrap();
    let visit = visit(folder.path(), "vast.log");
    let last = page_of(&visit, Ask::Last);
    assert!(visit.reader.known.lock().unwrap().is_none(), "nothing was counted for it");
    assert_eq!((last.counted, last.ends, last.first >= FAR), (false, true, true));
    assert_eq!(last.lines.last().unwrap(), "the very end");
    assert_eq!(last.lines[0], "some words of a line");
    let all = count(&visit);
    assert_eq!(all, blocks as u64 * 10_000 + 1);
    let counted = page_of(&visit, Ask::Last);
    assert!(counted.counted && counted.first + counted.lines.len() as u64 == all);
    // One line that is longer than what is read of the end is counted as ever.
    fs::write(&path, vec![b'x'; usize::try_from(LONG).unwrap() + 1]).unwrap();
    let long = page_of(&visit, Ask::Last);
    assert!(long.counted && long.first == 0);
}
