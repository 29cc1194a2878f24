use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn what_cannot_be_seen_is_shown_as_its_code() {
    for (input, expected) in [
        ("plain", "plain"),
        ("", ""),
        ("a\u{202e}b", "a⟨U+202E⟩b"),
        ("\u{1b}[2J", "⟨U+001B⟩[2J"),
        ("a\r\nb", "a⟨U+000D⟩⟨U+000A⟩b"),
        ("a\0\u{7f}\u{9b}", "a⟨U+0000⟩⟨U+007F⟩⟨U+009B⟩"),
        ("a\u{200b}b\u{feff}", "a⟨U+200B⟩b⟨U+FEFF⟩"),
        ("tag\u{e0041}", "tag⟨U+E0041⟩"),
        ("l\u{2028}m\u{2029}", "l⟨U+2028⟩m⟨U+2029⟩"),
        ("a\u{10eeee}\u{305}", "a⟨U+10EEEE⟩⟨U+0305⟩"),
        ("\u{301}x", "⟨U+0301⟩x"),
        ("e\u{301}", "e\u{301}"),
        ("👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3}", "👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3}"),
        ("a\u{200d}b", "a⟨U+200D⟩b"),
        ("a\u{fe0f}", "a⟨U+FE0F⟩"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("\ta\t全\tb", "        a       全      b"),
    ] {
        assert_eq!(shown(input), expected, "{input:?}");
    }
}

#[test]
fn what_is_hidden_without_a_screen_is_hidden_on_it_and_the_other_way_round() {
    // Whether a variant is honest is seen by what it stands behind.
    let variant = |c: char| matches!(c, '\u{fe00}'..='\u{fe0f}');
    for c in ('\0'..=char::MAX).filter(|c| !variant(*c)) {
        let coded = crate::kernel::text::shown(&c.to_string()) != c.to_string();
        let unassigned = matches!(c, '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}');
        assert_eq!(deceit::invisible(c).is_some() || unassigned, coded, "{c:?}");
    }
}

#[test]
fn a_heap_of_marks_is_not_drawn_over_its_neighbours() {
    let heap: String = std::iter::once('a').chain(std::iter::repeat_n('\u{301}', 40)).collect();
    assert_eq!(shown(&heap).matches("⟨U+0301⟩").count(), 32);
}

#[test]
fn text_that_only_looks_like_a_code_is_no_escape() {
    assert_eq!(pieces("⟨U+202E⟩"), [Piece { text: "⟨U+202E⟩".into(), escape: false }]);
    let escapes: Vec<bool> = pieces("a\u{202e}b").iter().map(|piece| piece.escape).collect();
    assert_eq!(escapes, [false, true, false]);
}

#[test]
fn tabs_stop_in_cells() {
    for (input, column, stop, expected) in [
        ("a\tb", 0, 4, "a   b"),
        ("全\tb", 0, 4, "全  b"),
        ("\tb", 3, 4, " b"),
        ("\tb", 4, 4, "    b"),
        ("a\tb", 0, 0, "a b"),
        ("no tab", 9, 8, "no tab"),
    ] {
        assert_eq!(expand_tabs(input, column, stop), expected, "{input:?} from {column}");
    }
}

#[test]
fn widths_and_cuts() {
    for (input, cells, expected) in [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("全角字", 6, "全角字"),
        ("全角字", 5, "全角…"),
        ("全角字", 4, "全…"),
        ("全角", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
        ("👩\u{200d}👧x", 2, "…"),
        ("e\u{301}fgh", 2, "e\u{301}…"),
    ] {
        assert_eq!(truncate(input, cells), expected, "{input:?} in {cells}");
        assert!(width(&truncate(input, cells)) <= cells);
        assert_eq!(width(&pad(input, cells)), cells);
        assert_eq!(width(&pad_left(input, cells)), cells);
    }
    assert_eq!(width("a全👩\u{200d}👧🇩🇪"), 1 + 2 + 2 + 2);
}

#[test]
fn deceits_are_found_and_named() {
    let check = |text: &str, expected: &[(usize, &str)]| {
        let found: Vec<_> = deceits(text).iter().map(|one| (one.at, one.why)).collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check("src/auth.py", &[]);
    check("two\nlines\r\n\tand a tab", &[]);
    check("naïve café 全角 ok", &[]);
    check("Привет, о мир", &[]);
    check("src/\u{430}uth.py", &[(4, "Cyrillic, looks like a")]);
    check("\u{441}\u{43e}", &[(0, "Cyrillic, looks like c"), (2, "Cyrillic, looks like o")]);
    check("guest\u{202e} ", &[(5, "turns the text after it right to left")]);
    check("a\u{a0}b", &[(1, "a space that is not a plain space")]);
    check("x\rrm", &[(1, "moves what follows over what stood before")]);
    check("ｒｍ", &[(0, "a wide form of a plain sign"), (3, "a wide form of a plain sign")]);
}

#[test]
fn the_question_shows_each_deceit_as_its_code() {
    let path = "src/\u{430}uth.py";
    let text: String = revealed(path, &deceits(path)).into_iter().map(|p| p.text).collect();
    assert_eq!(text, "src/⟨U+0430⟩uth.py");
    // Positions of another text are ignored where they would cut a character.
    revealed("全", &[Deceit { at: 1, char: 'x', why: "" }, Deceit { at: 99, char: 'x', why: "" }]);
}

proptest! {
    #[test]
    fn nothing_controls_the_terminal(text in "\\PC*|[\\x00-\\x{2100}\\x{1b}\\x{e0001}]*") {
        let shown = shown(&text);
        prop_assert!(!shown.contains(char::is_control));
        let hides = shown.contains(['\u{202e}', '\u{2028}', '\u{200b}', '\u{feff}']);
        prop_assert!(!hides);
    }

    #[test]
    fn cuts_keep_their_width(text in "\\PC*", cells in 0usize..20) {
        let text = shown(&text).into_owned();
        prop_assert!(width(&truncate(&text, cells)) <= cells);
        prop_assert_eq!(width(&pad(&text, cells)), cells);
    }

    #[test]
    fn clusters_are_the_text(text in "\\PC*|[ -~\\x{300}\\x{1f468}\\x{200d}]*") {
        let again: String = clusters(&text).map(|(cluster, _)| cluster).collect();
        prop_assert_eq!(&again, &text);
        let pieces: Vec<&str> = clusters(&text).map(|(cluster, _)| cluster).collect();
        let graphemes: Vec<&str> = text.graphemes(true).collect();
        prop_assert_eq!(pieces, graphemes);
    }
}
