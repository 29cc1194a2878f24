use super::*;

#[test]
fn a_name_is_one_line_that_can_be_seen() {
    let check = |words: &str, expected: Option<&str>| {
        assert_eq!(name(words).ok().as_deref(), expected, "{words:?}");
    };
    check("  the \t boiler\n", Some("the boiler"));
    check("Kessel — 漢字", Some("Kessel — 漢字"));
    check(" ", None);
    check("a\u{1b}[2Jb", None);
    check("a\u{202e}b", None);
    check("zero\u{200b}width", None);
    check(&"x".repeat(80), Some(&"x".repeat(80)));
    check(&"x".repeat(81), None);
}
