use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(bytes: impl AsRef<[u8]>, expected: &str) {
    let bytes = bytes.as_ref();
    assert_eq!(clean(bytes), expected, "at once: {bytes:?}");
    assert_eq!(clean_by(bytes, 1), expected, "byte by byte: {bytes:?}");
}

fn clean_by(bytes: &[u8], size: usize) -> String {
    let (mut cleaner, mut out) = (Cleaner::default(), String::new());
    for part in bytes.chunks(size) {
        cleaner.push(part, &mut out);
    }
    cleaner.finish(&mut out);
    out
}

fn decoded(parts: &[&[u8]]) -> String {
    let (mut decoder, mut out) = (Decoder::default(), String::new());
    for part in parts {
        decoder.push(part, |text| out.push_str(text));
    }
    decoder.finish(&mut out);
    out
}

#[test]
fn a_character_cut_between_pieces_is_whole() {
    assert_eq!(decoded(&[b"\xe6", b"\xbc", b"\xa2!"]), "漢!");
    assert_eq!(decoded(&[b"\xf0\x9f", b"\x91\xa9x"]), "👩x");
    assert_eq!(decoded(&[b"ok \xe6\xbc"]), "ok \u{fffd}");
    assert_eq!(decoded(&[b"\xe6", b"a\xe6\xbc\xa2"]), "\u{fffd}a漢");
    assert_eq!(decoded(&[b"\xe6", b"\xe6\xbc\xa2"]), "\u{fffd}漢");
}

#[test]
fn blocks_of_long_characters_stay_whole_at_any_shift() {
    for shift in 0..3 {
        let text = format!("{}{}", &"ab"[..shift.min(2)], "漢".repeat(22_000));
        for size in [1, 4095, 4096, 65_536] {
            assert!(clean_by(text.as_bytes(), size) == text, "shifted by {shift}, read by {size}");
        }
    }
}

#[test]
fn line_ends_and_overwriting_are_those_of_a_terminal() {
    check("a\r\nb\r\r\nc", "a\nb\nc");
    check("0123456789\rabc\nnext\n", "abc3456789\nnext\n");
    check("10%\r20%\r100%\n", "100%\n");
    check("\rfetch\n", "fetch\n");
    check("abc\r", "abc");
    check("abc\x08X", "abX");
    check("\x08a", "a");
    check("漢字\rab\n", "ab字\n");
    check("漢字\ra\n", "a 字\n");
    check("ab\r漢\n", "漢\n");
    check("e\u{301}x\rE\n", "Ex\n");
    check("working\r\x1b[Kdone\n", "done\n");
    check("working\x1b[2K\rok\n", "ok\n");
    check("a\tb\rX\n", "X\tb\n");
    check("a\tb\r123\x08\x08\n", "123     b\n");
}

#[test]
fn escape_sequences_go() {
    check("a\x1b[31mred\x1b[0m", "ared");
    check("\x1b]0;title\x07x", "x");
    check("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link");
    check("\x1bP1$r0m\x1b\\y", "y");
    check("\x1b(Bz\x1b7", "z");
    check("\x1b]never ends\nstill alive", "\nstill alive");
    check("\x1b", "⟨U+001B⟩");
    check("\x1b[1\nx", "\nx");
}

#[test]
fn what_cannot_be_seen_is_shown() {
    check("a\0b\x07\x7f\u{9b}31m", "a⟨U+0000⟩b⟨U+0007⟩⟨U+007F⟩⟨U+009B⟩31m");
    check("safe\u{202e}txt.exe", "safe⟨U+202E⟩txt.exe");
    check("a\u{200b}b\u{feff}", "a⟨U+200B⟩b⟨U+FEFF⟩");
    check("a\u{200d}b", "a⟨U+200D⟩b");
    check("å漢字👩‍🔬 café می‌خواهم\t|", "å漢字👩‍🔬 café می‌خواهم\t|");
    check(b"a\xff\xfeb\x00c\xc0\xafd\n", "a\u{fffd}\u{fffd}b⟨U+0000⟩c\u{fffd}\u{fffd}d\n");
}

#[test]
fn what_is_not_text_is_counted() {
    let all: Vec<u8> = (11..=255).chain(0..=10).cycle().take(102_400).collect();
    assert_eq!(clean(&all), "[binary, 102400 bytes]\n");
    let mut mixed = b"before\n".to_vec();
    mixed.extend([0xfe; 100]);
    mixed.extend(b"\nstill alive\n");
    assert_eq!(clean(&mixed), "before\n[binary, 101 bytes]\nstill alive\n");
}

#[test]
fn a_line_without_end_is_handed_on_in_parts() {
    let (mut cleaner, mut out) = (Cleaner::default(), String::new());
    for _ in 0..100 {
        cleaner.push(&[b'y'; 1000], &mut out);
    }
    assert!(out.len() > 60_000, "{} bytes were handed on", out.len());
    cleaner.push(b"\rz\n", &mut out);
    cleaner.finish(&mut out);
    assert_eq!(out, format!("{}\nz\n", "y".repeat(100_000)));
}

#[test]
fn a_progress_bar_is_one_line_however_often_it_is_drawn() {
    let frame = |n: u32| format!("{n:>4}/2000 [{:<80}] █ e\u{301}", "#".repeat(n as usize / 25));
    for start in ["\r", "\x1b[2K\r", "\x1b[1G\x1b[K", "\x08".repeat(100).as_str()] {
        let frames: String = (0..=2000).map(|n| format!("{start}{}", frame(n))).collect();
        for size in [7, 4096, frames.len()] {
            let seen = clean_by(frames.as_bytes(), size);
            assert!(seen == frame(2000), "{start:?} by {size}: {} bytes", seen.len());
        }
    }
}

#[test]
fn lines_that_are_drawn_anew_are_there_once() {
    check("a\nb\n\x1b[2Ax\ny\n", "x\ny\n");
    check("one\ntwo\n\x1b[1A\x1b[2Kthree\n", "one\nthree\n");
    check("a\nb\x1b[F\x1b[Jc", "c");
    check("a\nb\nc\x1b[2A\r1\x1b[2B3", "1\nb\nc3");
    check("ab\ncd\x1bMX\n", "abX\ncd");
    check("a\nb\x1b[A\x1b[5E!\n", "a\n!\n");
    check("\x1b[3Aa\n\x1b[9Ab\n", "b\n");
    // A line grows by what is written on it alone.
    check("a\nlong\x1b[AX\n", "aX\nlong");
    for (bars, size) in [(1, 11), (4, 7), (40, 4096)] {
        let drawn = |frame: u32| -> String {
            (0..bars).map(|bar| format!("\r{bar}: {frame}/500 █\x1b[K\n")).collect()
        };
        let frames: String = (0..=500).map(|n| drawn(n) + &format!("\x1b[{bars}A")).collect();
        let text = format!("before\n{frames}\x1b[{bars}Bafter\n");
        let expected: String = (0..bars).map(|bar| format!("{bar}: 500/500 █\n")).collect();
        let seen = clean_by(text.as_bytes(), size);
        assert!(seen == format!("before\n{expected}after\n"), "{bars} bars by {size}: {seen}");
    }
}

#[test]
fn what_lies_far_above_stays_as_it_is_in_whatever_pieces_it_came() {
    let lines: String = (0..300).map(|n| format!("line {n}\n")).collect();
    let wide: String = (0..300).map(|n| format!("{n} {}\n", "w".repeat(n * 7))).collect();
    let long = format!("{}{}\n{lines}", &wide[..9_000], "x".repeat(20_000));
    for lines in [lines.clone(), lines.replace("99", "é"), wide.clone(), long] {
        let text = format!("{lines}\x1b[250A\rabc\n\x1b[2B\rdef\n");
        let whole = clean(text.as_bytes());
        assert_eq!(whole.lines().count(), lines.lines().count());
        assert!(whole.contains("abc") && whole.contains("def"));
        for size in [7, 100, 1 << 10, 5000, 40_000] {
            assert!(clean_by(text.as_bytes(), size) == whole, "by {size}: {}", &lines[..20]);
        }
    }
}

#[test]
fn little_is_kept_of_lines_that_can_still_change() {
    let attacks = [
        "\x1b[9999A\x1b[9999B".to_owned(),
        format!("{}\n\x1b[A", "x".repeat(16_000)),
        format!("{}\x1b[A\n", "\t".repeat(9_000)),
        format!("{}\n", "y".repeat(16_384)),
        format!("é{}\x1b[2A\r", "\n".repeat(300)),
    ];
    for attack in &attacks {
        let (mut cleaner, mut out) = (Cleaner::default(), String::new());
        let mut came = 0;
        for _ in 0..200 {
            cleaner.push(attack.as_bytes(), &mut out);
            came += attack.len();
            let before = out.len();
            assert!(before <= 8 * came, "{attack:.20}: {before} bytes of {came}");
        }
        let kept = out.len();
        cleaner.finish(&mut out);
        assert!(out.len() - kept <= 64 << 10, "{attack:.20}: {} bytes", out.len() - kept);
    }
}

#[test]
fn marks_without_end_on_one_letter_are_handed_on_in_parts() {
    let (mut cleaner, mut out) = (Cleaner::default(), String::new());
    cleaner.push(b"a\re", &mut out);
    (0..100).for_each(|_| cleaner.push("\u{301}".repeat(1000).as_bytes(), &mut out));
    assert!(out.len() > 150_000, "{} bytes were handed on", out.len());
}

#[test]
fn head_and_tail_are_kept_with_the_count_of_the_rest() {
    let mut kept = Kept::new(Bounds { head: 16, tail: 16 });
    kept.push("short\n");
    assert_eq!(kept.render(), "short\n");
    for number in 0..100 {
        kept.push(&format!("line {number}\n"));
    }
    assert_eq!(
        kept.render(),
        "short\nline 0\n[… 767 bytes, 97 lines left out …]\nline 98\nline 99\n"
    );
}

#[test]
fn head_and_tail_are_cut_between_characters() {
    let mut kept = Kept::new(Bounds { head: 4, tail: 4 });
    kept.push(&"漢".repeat(10));
    kept.push("é");
    kept.push("字");
    assert_eq!(kept.render(), "漢\n[… 29 bytes left out …]\n字");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_do_not_matter(bytes in noise(), size in 1_usize..50) {
        prop_assert_eq!(clean_by(&bytes, size), clean(&bytes));
    }

    #[test]
    fn what_is_drawn_is_what_a_terminal_shows(text in drawing(), size in 1_usize..30) {
        let mut terminal = vt100::Parser::new(80, 250, 0);
        terminal.process(text.replace('\n', "\r\n").as_bytes());
        let shown = terminal.screen().contents();
        let cleaned = clean_by(text.as_bytes(), size);
        let trimmed = |text: &str| {
            let lines: Vec<_> = text.lines().map(|line| line.trim_end().to_owned()).collect();
            lines.join("\n").trim_end().to_owned()
        };
        prop_assert_eq!(trimmed(&cleaned), trimmed(&shown), "{:?}", text);
    }

    #[test]
    fn nothing_unseen_comes_out(bytes in noise()) {
        let text = clean(&bytes);
        prop_assert!(
            text.chars().all(|char| matches!(char, '\n' | '\t') || !char.is_control()),
            "{:?}", text
        );
    }

    #[test]
    fn clean_text_is_left_alone(text in "[ -~\n\té漢]{0,300}") {
        prop_assert_eq!(clean(text.as_bytes()), text);
    }

    #[test]
    fn kept_text_never_exceeds_its_bounds(parts in prop::collection::vec(".{0,40}", 0..20)) {
        let mut kept = Kept::new(Bounds { head: 30, tail: 20 });
        parts.iter().for_each(|part| kept.push(part));
        let all = parts.concat();
        let text = kept.render();
        // The head may end a few bytes early, between two characters.
        if all.len() <= 47 {
            prop_assert_eq!(text, all);
        } else {
            prop_assert!(text.len() < 150);
        }
    }
}

#[test]
fn many_plain_lines_are_handed_on_as_they_are_whatever_stands_between_them() {
    let plain = "a line of output\twith some words in it\n".repeat(60);
    for odd in ["", "é\n", "\r", "\x1b[1mb\x1b[0m\n", "\0\x01\n", "no end", "漢", "a\x08b\n"] {
        let text = format!("{plain}{odd}{plain}{odd}{plain}");
        let by_line: String = clean_by(text.as_bytes(), 7);
        for size in [100, 1 << 10, 1500, text.len()] {
            assert_eq!(clean_by(text.as_bytes(), size), by_line, "{odd:?} in pieces of {size}");
        }
    }
    assert_eq!(clean_by(plain.as_bytes(), plain.len()), plain);
}

fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        "\\PC{0,20}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "\r", "\n", "\x08", "\x1b[", "\x1b]", "\x1b\\", "\x1b[2K", "\t", "\u{200d}", "2D", "G",
            "\x1b[A", "\x1b[3A", "\x1b[B", "\x1b[2F", "\x1b[E", "\x1b[J", "\x1bM",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// Lines that are written, and written over from some line above on.
fn drawing() -> impl Strategy<Value = String> {
    let step = prop_oneof![
        4 => "[a-z]{1,5}",
        1 => "[é漢 ]{1,3}",
        3 => Just("\n".to_owned()),
        1 => prop::sample::select(vec!["\r", "\x1b[K", "\r\x1b[2K", "\r\x1b[J", "\x08"])
            .prop_map(str::to_owned),
        2 => (1..6).prop_map(|up| format!("\x1b[{up}A\r")),
        1 => (1..6).prop_map(|up| format!("\x1b[{up}F")),
    ];
    prop::collection::vec(step, 0..60).prop_map(|steps| steps.concat())
}
