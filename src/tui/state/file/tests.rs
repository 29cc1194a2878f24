use pretty_assertions::assert_eq;

use super::*;
use crate::tui::file::FAR;

fn page(size: u64) -> Read {
    let mark = Mark { file: (1, 1), size, changed: (0, 0) };
    let lines = vec!["x".to_owned(); 600];
    Read::Page(Ok(Page { mark, first: 0, counted: true, lines, ends: false, crlf: false }))
}

#[test]
fn what_counts_for_one_file_is_asked_for_when_its_lines_are_there_and_once() {
    let (root, path, session) = (PathBuf::new(), PathBuf::new(), SessionId::from(1));
    let mut file = Viewed::of(Whose { root, path, session, under: None }, None);
    let now = Timestamp::UNIX_EPOCH;
    assert!(!file.wants_rest());
    file.came(page(7), now);
    assert_eq!((file.wants_rest(), file.wants_rest()), (true, false));
    let mark = file.mark().unwrap();
    file.came(Read::Count(mark, 900), now);
    assert_eq!(file.count, Some(900));
    file.came(page(7), now);
    assert!(!file.wants_rest(), "it is known");
    file.came(Read::Other, now);
    assert!(!file.wants_rest());
    file.came(page(8), now);
    assert!(file.wants_rest());
    file.came(Read::Count(mark, 900), now);
    assert_eq!(file.count, None, "that was of the file before");
}

#[test]
fn the_end_is_shown_before_the_lines_were_counted_and_has_its_numbers_after() {
    let (root, path, session) = (PathBuf::new(), PathBuf::new(), SessionId::from(1));
    let mut file = Viewed::of(Whose { root, path, session, under: None }, None);
    let now = Timestamp::UNIX_EPOCH;
    file.came(page(7), now);
    let mark = file.mark().unwrap();
    drop(file.laid(80));
    file.scroll(Move::End, 20);
    assert!(file.asked.last);
    let end = || {
        let lines: Vec<_> = (0..200).map(|line| format!("line {line}")).collect();
        let page = Page { mark, first: FAR, counted: false, lines, ends: true, crlf: false };
        Read::Page(Ok(page))
    };
    file.came(end(), now);
    assert_eq!((file.count, file.wants()), (None, None), "nothing else is waited for");
    let (_, index) = file.laid(80).unwrap();
    assert_eq!(file.first(&index, 20), Some(180));
    file.scroll(Move::PageUp, 20);
    file.scroll(Move::PageUp, 20);
    assert_eq!((file.top, file.wants()), ((FAR + 144, 0), None));
    file.came(Read::Count(mark, 10_000), now);
    assert_eq!((file.top, file.count, file.wants()), ((9_944, 0), Some(10_000), None));
    assert_eq!(file.page.as_ref().map(|page| page.first), Some(9_800));

    // The count may come first.
    file.asked.last = true;
    file.came(end(), now);
    assert_eq!((file.top, file.count), ((9_999, 0), Some(10_000)));
}
