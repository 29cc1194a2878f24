use std::io::Write as _;

use portable_pty::{PtySize, native_pty_system};
use pretty_assertions::assert_eq;
use ratatui::layout::Size;
use rustix::{
    buffer::spare_capacity,
    event::{Timespec, epoll},
};

use super::super::{
    Terminal, Tty, Wishes,
    tests::{Fake, opened},
};

#[test]
fn the_line_is_set_again_only_while_the_screen_is_ours() {
    let fake = Fake::default();
    let size = Size::new(20, 3);
    let mut terminal =
        Terminal::enter(fake.clone(), fake.clone(), size, Wishes::default()).unwrap();
    terminal.restore().tell_again().unwrap();
    assert_eq!(fake.line(), ["raw", "raw"]);
    terminal.leave().unwrap();
    terminal.restore().tell_again().unwrap();
    assert_eq!(fake.line(), ["raw", "raw", "cooked"]);
}

/// A reader that is told of what comes only once, as the one of our keys is.
#[test]
fn a_key_that_was_told_of_and_passed_over_is_told_of_again() {
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let (tty, keys) = (Tty::new(opened(&*pair.master)).unwrap(), opened(&*pair.master));
    let size = Size::new(20, 3);
    let terminal = Terminal::enter(Fake::default(), tty, size, Wishes::default()).unwrap();
    let reader = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
    let once = epoll::EventFlags::IN | epoll::EventFlags::ET;
    epoll::add(&reader, &keys, epoll::EventData::new_u64(1), once).unwrap();
    let told = |patience: i64| {
        let mut events = Vec::with_capacity(4);
        let patience = Timespec { tv_sec: patience, tv_nsec: 0 };
        epoll::wait(&reader, spare_capacity(&mut events), Some(&patience)).unwrap()
    };
    pair.master.take_writer().unwrap().write_all(b"y").unwrap();
    assert_eq!((told(300), told(0)), (1, 0), "it is told of once");
    terminal.restore().tell_again().unwrap();
    assert_eq!(told(300), 1);
}
