use proptest::prelude::*;

use super::*;

#[test]
fn what_has_not_ended_waits() {
    let check = |bytes: &[u8], rest: &[u8]| {
        assert_eq!(
            whole(bytes),
            bytes.len() - rest.len(),
            "{:?}",
            bytes.escape_ascii().to_string()
        );
        assert!(bytes.ends_with(rest));
    };
    check(b"", b"");
    check(b"plain\n", b"");
    check(b"progress\r", b"\r");
    check(b"line\r\n", b"");
    check("é".as_bytes(), b"");
    check(b"\xc3", b"\xc3");
    check(b"a\xe6\xbc", b"\xe6\xbc");
    check(b"a\xf0\x9f\x9a", b"\xf0\x9f\x9a");
    check(b"a\xff\xfe", b"");
    check(b"a\xbc\xbc\xbc\xbc", b"");
    check(b"a\x1b", b"\x1b");
    check(b"a\x1b[", b"\x1b[");
    check(b"a\x1b[38;5;1", b"\x1b[38;5;1");
    check(b"a\x1b[38;5;1m", b"");
    check(b"a\x1b[3\n", b"");
    check(b"a\x1b[3\x1b[", b"\x1b[");
    check(b"\x1b]0;title", b"\x1b]0;title");
    check(b"\x1b]0;title\x07", b"");
    check(b"\x1b]0;title\x1b", b"\x1b]0;title\x1b");
    check(b"\x1b]0;title\x1b\\", b"");
    check(b"\x1bPdata", b"\x1bPdata");
    check(b"\x1b(", b"\x1b(");
    check(b"\x1b(B", b"");
    check(b"\x1b7\xc3", b"\xc3");
    check(b"\x1b\x1b", b"\x1b");
    let endless = [b"\x1b]", &[b'x'; HELD_MAX][..]].concat();
    check(&endless, b"");
}

proptest! {
    #[test]
    fn waiting_is_bounded(bytes in any::<Vec<u8>>()) {
        prop_assert!(bytes.len() - whole(&bytes) <= HELD_MAX);
    }

    #[test]
    fn text_is_cut_at_characters_only(text in "[a-zé漢🚂\r\n]{0,20}", at in 0.0..1.0_f64) {
        let at = (at * (text.len() + 1) as f64) as usize;
        let cut = whole(&text.as_bytes()[..at]);
        prop_assert!(text.is_char_boundary(cut));
        prop_assert!(at - cut < 4);
    }
}
