use std::{fs::File, io::Write as _, os::fd::AsFd as _};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{OptionalActions, tcgetattr, tcsetattr},
};

use super::*;
use crate::tui::{keymap::Key as Named, message::Input};

/// A terminal: what a person has of it, and what the program has.
fn terminal() -> (File, OwnedFd) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let keyboard = openpt(flags).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let tty = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut raw = tcgetattr(&tty).unwrap();
    raw.make_raw();
    tcsetattr(&tty, OptionalActions::Now, &raw).unwrap();
    (keyboard.into(), tty)
}

/// The letters that come, typed or pasted, so many of them.
async fn letters(keys: &mut mpsc::Receiver<Vec<Key>>, count: usize) -> String {
    let mut text = String::new();
    while text.len() < count {
        for key in keys.recv().await.expect("more letters") {
            match key {
                Key::Pressed(_, Input::Key(event)) => text.extend(Named::of(&event).typed()),
                Key::Pressed(_, Input::Paste(pasted)) => text.push_str(&pasted),
                other @ (Key::Pressed(..) | Key::Resized(..) | Key::Closed) => panic!("{other:?}"),
            }
        }
    }
    text
}

#[tokio::test]
async fn all_of_a_long_text_comes_without_another_key_behind_it() {
    let (mut keyboard, tty) = terminal();
    let (_reader, mut keys) = Reader::start(tty).unwrap();
    let text: String = ('a'..='z').cycle().take(62 << 10).collect();
    let pasted = text.clone();
    // The terminal takes only so much of it at once.
    let writes = thread::spawn(move || keyboard.write_all(pasted.as_bytes()).map(|()| keyboard));
    assert_eq!(letters(&mut keys, text.len()).await, text);
    drop(writes.join().unwrap());
}

#[tokio::test]
async fn the_keys_are_given_away_also_in_the_middle_of_a_paste_and_come_back() {
    let (mut keyboard, tty) = terminal();
    let other = tty.try_clone().unwrap();
    let (mut reader, mut keys) = Reader::start(tty).unwrap();
    keyboard.write_all(b"x\x1b[200~half").unwrap();
    assert_eq!(letters(&mut keys, 1).await, "x");
    reader.pause().await.unwrap();
    keyboard.write_all(b"theirs").unwrap();
    let mut theirs = [0; 6];
    assert_eq!(rustix::io::read(other.as_fd(), &mut theirs), Ok(6));
    assert_eq!(&theirs, b"theirs");
    reader.resume();
    keyboard.write_all(b" and whole\x1b[201~").unwrap();
    // In one piece, if this machine is not so slow that it seemed to have no end.
    assert_eq!(letters(&mut keys, 14).await, "half and whole");
}

#[tokio::test]
async fn a_terminal_that_is_gone_is_told_of_once() {
    let (keyboard, tty) = terminal();
    let (_reader, mut keys) = Reader::start(tty).unwrap();
    drop(keyboard);
    assert!(matches!(keys.recv().await.as_deref(), Some([Key::Closed])));
    assert!(keys.recv().await.is_none());
}
