use proptest::prelude::*;

use super::*;

fn glass(size: (u16, u16)) -> (Glass, mpsc::Receiver<Vec<u8>>) {
    let (keys, typed) = mpsc::channel(1);
    (Glass::new(size, Arc::new(crate::kernel::port::Unkept), keys), typed)
}

#[test]
fn what_stands_there_is_told_in_lines_and_nothing_in_it_is_hidden() {
    let (glass, _typed) = glass((5, 20));
    glass.write(Stream::Out, "one\r\n\x1b[31mtwo\x1b[0m  \r\n漢 a\u{202e}b".as_bytes());
    let shown = glass.shown();
    assert_eq!(shown.lines[..2], ["one", "two"]);
    assert!(
        shown.lines[2].starts_with("漢 a") && !shown.lines[2].contains('\u{202e}'),
        "{shown:?}"
    );
    assert_eq!((shown.lines.len(), shown.cursor), (3, (2, 5)));
    glass.write(Stream::Out, b"\x1b[2J\x1b[H\x1b[?1h");
    let expected = Shown { lines: Vec::new(), cursor: (0, 0), application_keys: true };
    assert_eq!(glass.shown(), expected);
}

#[test]
fn what_is_not_read_is_not_typed_without_end() {
    let (glass, mut typed) = glass((5, 20));
    glass.type_in(b"a".to_vec()).unwrap();
    assert!(glass.type_in(b"b".to_vec()).unwrap_err().message.contains("does not read"));
    assert_eq!(typed.try_recv().unwrap(), b"a");
    drop(typed);
    assert!(glass.type_in(b"c".to_vec()).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_changes_without_end_is_looked_at_all_the_same() {
    let (glass, _typed) = glass((5, 20));
    let begun = Instant::now();
    glass.settled(Duration::from_millis(100), Duration::from_secs(5)).await;
    assert_eq!(begun.elapsed(), Duration::from_millis(100));
    let busy = async {
        loop {
            // The clock of the test alone.
            tokio::time::sleep_until(Instant::now() + Duration::from_millis(50)).await;
            glass.write(Stream::Out, b"x");
        }
    };
    tokio::select! {
        () = busy => {}
        () = glass.settled(Duration::from_millis(100), Duration::from_secs(5)) => {}
    }
    assert_eq!(begun.elapsed(), Duration::from_millis(5100));
}

/// Pieces of what programs send to terminals, and of what only hostile ones do.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        Just(String::new()),
        (0_u32..30).prop_map(|n| n.to_string()),
        Just("65535".to_owned()),
        Just("99999999999".to_owned())
    ];
    let sequence = (
        prop_oneof![
            Just("["),
            Just("[?"),
            Just("[>"),
            Just("[!"),
            Just("("),
            Just("]"),
            Just("P"),
            Just("#"),
            Just("")
        ],
        proptest::collection::vec(number, 0..4),
        proptest::char::range('!', '~'),
    )
        .prop_map(|(kind, numbers, last)| {
            format!("\x1b{kind}{}{last}", numbers.join(";")).into_bytes()
        });
    prop_oneof![
        4 => sequence,
        1 => proptest::collection::vec(any::<u8>(), 0..12),
        1 => "[a-z漢字👩‍👩‍👧\u{301}\u{200d}\r\n\t\u{8}]{0,12}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn nothing_that_a_program_prints_breaks_it(
        rows in 2_u16..=100,
        cols in 10_u16..=300,
        pieces in proptest::collection::vec(piece(), 0..60),
    ) {
        let (glass, _typed) = glass((rows, cols));
        for piece in pieces {
            glass.write(Stream::Out, &piece);
        }
        let shown = glass.shown();
        prop_assert!(shown.lines.len() <= usize::from(rows));
        prop_assert!(shown.lines.iter().all(|line| !line.contains(|c: char| c.is_control())));
    }
}
