use super::*;

#[test]
fn nothing_in_words_ends_the_mark_they_stand_in() {
    assert_eq!(code("a`b``c"), "``` a`b``c ```");
    assert_eq!(code("plain"), "`plain`");
    assert_eq!(inline("a *b* [c](d) \u{1b}[2Je\nf"), "a \\*b\\* \\[c\\](d) ⟨U+001B⟩\\[2Je f");
}

#[test]
fn a_block_has_a_longer_fence_than_any_in_it() {
    let mut out = Vec::new();
    let zone = TimeZone::UTC;
    let mut page = Page { zone: &zone, out: &mut out, said: 0, asked: Vec::new(), answer: None };
    page.block("```\nrm -rf\n````\nmore", "python", 3).unwrap();
    let expected = "`````python\n```\nrm -rf\n````\n… 1 line more\n`````\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
