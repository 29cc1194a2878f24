use std::io::{BufReader, Read};

use super::*;
use crate::store::sample::{SESSION, spec};

/// A journal of one endless record, and a good one after it, which is never held as a whole.
struct Endless {
    left: usize,
    tail: &'static [u8],
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = into.len().min(self.left);
        into[..count].fill(b'x');
        self.left -= count;
        if count == 0 { self.tail.read(into) } else { Ok(count) }
    }
}

#[test]
fn a_record_that_is_too_long_is_passed_over_and_counted() {
    let session = SessionSummary {
        spec: spec(SESSION.into()),
        started: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
        title: None,
        name: None,
    };
    let tail = concat!(
        "\n",
        r#"{"v":1,"seq":1,"at":"2026-01-01T00:00:00Z","#,
        r#""session":"01900000-0000-7000-8000-000000000001","type":"message_sent","text":"boiler"}"#,
    );
    let endless = Endless { left: 5 * LONGEST, tail: tail.as_bytes() };
    let mut lines = 0;
    let mut found = |_| {
        lines += 1;
        ControlFlow::Continue(())
    };
    let mut scan =
        Scan { words: vec!["boiler".into()], go_on: &|| true, found: &mut found, too_long: 0 };
    assert!(scan.journal(&mut BufReader::new(endless), &session).unwrap().is_continue());
    assert_eq!(scan.too_long, 1);
    assert_eq!(lines, 1);
}

#[test]
fn of_a_long_line_the_part_with_the_word_is_shown() {
    let line = format!("{}BOILER{}", "é".repeat(500), "ß".repeat(500));
    let shown = around(&line, &line.to_lowercase(), &["boiler".to_owned()]);
    assert!(shown.contains("BOILER"));
    assert_eq!(shown.chars().count(), SHOWN);
}
