use crossterm::event::{KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

const NONE: KeyModifiers = KeyModifiers::NONE;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

/// What comes of these bytes, and of nothing behind them.
fn read(bytes: &[u8]) -> Vec<Event> {
    let mut decoder = Decoder::default();
    let mut events = decoder.take(bytes);
    if decoder.patience().is_some() {
        events.extend(decoder.rested());
    }
    assert_eq!(decoder.patience(), None);
    events
}

fn c(c: char) -> Event {
    key(KeyCode::Char(c), NONE)
}

#[test]
fn keys_are_what_terminals_send_for_them() {
    for (bytes, code, modifiers) in [
        ("a", KeyCode::Char('a'), NONE),
        ("Ä", KeyCode::Char('Ä'), SHIFT),
        ("全", KeyCode::Char('全'), NONE),
        ("\r", KeyCode::Enter, NONE),
        ("\n", KeyCode::Char('j'), CTRL),
        ("\t", KeyCode::Tab, NONE),
        ("\0", KeyCode::Char(' '), CTRL),
        ("\x03", KeyCode::Char('c'), CTRL),
        ("\x1c", KeyCode::Char('4'), CTRL),
        ("\x7f", KeyCode::Backspace, NONE),
        ("\x1b", KeyCode::Esc, NONE),
        ("\x1bx", KeyCode::Char('x'), ALT),
        ("\x1b\r", KeyCode::Enter, ALT),
        ("\x1b\x7f", KeyCode::Backspace, ALT),
        ("\x1b[", KeyCode::Char('['), ALT),
        ("\x1b[A", KeyCode::Up, NONE),
        ("\x1bOA", KeyCode::Up, NONE),
        ("\x1b[1;3D", KeyCode::Left, ALT),
        ("\x1b[1;2A", KeyCode::Up, SHIFT),
        ("\x1b\x1b[D", KeyCode::Left, ALT),
        ("\x1b[Z", KeyCode::BackTab, SHIFT),
        ("\x1b[5~", KeyCode::PageUp, NONE),
        ("\x1b[3;5~", KeyCode::Delete, CTRL),
        ("\x1bOP", KeyCode::F(1), NONE),
        ("\x1b[[A", KeyCode::F(1), NONE),
        ("\x1b[11~", KeyCode::F(1), NONE),
        ("\x1b[24~", KeyCode::F(12), NONE),
        ("\x1b[1;2R", KeyCode::F(3), SHIFT),
        ("\x1b[13;2u", KeyCode::Enter, SHIFT),
        ("\x1b[27u", KeyCode::Esc, NONE),
        ("\x1b[106;5u", KeyCode::Char('j'), CTRL),
        ("\x1b[27;5;106~", KeyCode::Char('j'), CTRL),
        ("\x1b[9;2u", KeyCode::BackTab, SHIFT),
        ("\x1b[57414u", KeyCode::Enter, NONE),
    ] {
        assert_eq!(read(bytes.as_bytes()), [key(code, modifiers)], "{bytes:?}");
    }
    let released = KeyEvent::new_with_kind(KeyCode::Char('a'), NONE, KeyEventKind::Release);
    assert_eq!(read(b"\x1b[97;1:3u"), [Event::Key(released)]);
    assert_eq!(read(b"\x1b\x1b"), [plain(KeyCode::Esc), plain(KeyCode::Esc)]);
    assert_eq!(read(b"\x1b[I\x1b[O"), [Event::FocusGained, Event::FocusLost]);
}

#[test]
fn a_mouse_is_where_it_says_and_never_outside_of_a_window_by_less_than_nothing() {
    let mouse =
        |kind, column, row| [Event::Mouse(MouseEvent { kind, column, row, modifiers: NONE })];
    let (left, right) = (MouseButton::Left, MouseButton::Right);
    assert_eq!(read(b"\x1b[<0;40;36M"), mouse(MouseEventKind::Down(left), 39, 35));
    assert_eq!(read(b"\x1b[<2;1;1m"), mouse(MouseEventKind::Up(right), 0, 0));
    assert_eq!(read(b"\x1b[<32;3;4M"), mouse(MouseEventKind::Drag(left), 2, 3));
    assert_eq!(read(b"\x1b[<65;0;0M"), mouse(MouseEventKind::ScrollDown, 0, 0));
    assert_eq!(read(b"\x1b[M !!"), mouse(MouseEventKind::Down(left), 0, 0));
    assert_eq!(read(b"\x1b[M \0\0"), mouse(MouseEventKind::Down(left), 0, 0));
    assert_eq!(read(b"\x1b[<0;99999;1M\x1b[<35;1;1M\x1b[<m"), []);
}

#[test]
fn nothing_of_what_is_not_known_is_taken_for_letters() {
    for bytes in [
        "\x1b[?62;22c",
        "\x1b[>1;2c",
        "\x1b[12;40R",
        "\x1b[?1u",
        "\x1b[48;24;80t",
        "\x1b[201~",
        "\x1b[ q",
        "\x1b[57441;2u",
        "\x1b[;;;;~",
        "\x1bOz",
        "\x1b[99999999999~",
    ] {
        assert_eq!(read(format!("a{bytes}b").as_bytes()), [c('a'), c('b')], "{bytes:?}");
    }
    // What begins in the middle of another one counts.
    assert_eq!(read(b"\x1b[1\x1b[A"), [plain(KeyCode::Up)]);
    assert_eq!(read(b"a\xff\xc3(b\xe5\x85"), [c('a'), c('('), c('b')]);
}

#[test]
fn a_paste_is_one_however_it_comes() {
    let paste = |text: &str| Event::Paste(text.to_owned());
    assert_eq!(read(b"\x1b[200~a\r\x1b[A\x1b[201~x"), [paste("a\r\x1b[A"), c('x')]);
    assert_eq!(read(b"\x1b[200~a\x1b[201~\x1b[200~\x1b[201~"), [paste("a"), paste("")]);
    assert_eq!(read(b"\x1b\x1b[200~a\x1b[201~"), [plain(KeyCode::Esc), paste("a")]);
    // One that has no end is over when nothing comes.
    assert_eq!(read(b"\x1b[200~a\xff"), [paste("a\u{fffd}")]);
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<&[u8]> = vec![
        b"\x1b[200~",
        b"\x1b[201~",
        b"\x1b[",
        b"\x1bO",
        b"\x1b",
        b"[M",
        b"[<0;1;",
        b"M",
        b"A",
        b"~",
        b"1;2",
        "全".as_bytes(),
        b"y",
        b"\r",
    ];
    prop_oneof![
        prop::sample::select(known).prop_map(<[u8]>::to_vec),
        prop::collection::vec(any::<u8>(), 0..6),
    ]
}

proptest! {
    #[test]
    fn where_bytes_are_cut_makes_no_difference(
        pieces in prop::collection::vec(piece(), 0..12), cut in any::<prop::sample::Index>(),
    ) {
        let whole = pieces.concat();
        let at = cut.index(whole.len() + 1);
        let mut decoder = Decoder::default();
        let mut events = decoder.take(&whole[..at]);
        events.extend(decoder.take(&whole[at..]));
        let mut once = Decoder::default();
        prop_assert_eq!(events, once.take(&whole));
        prop_assert_eq!(decoder.rested(), once.rested());
        prop_assert_eq!(decoder.patience(), None);
    }
}
