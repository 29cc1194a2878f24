//! The terminal, asked how it shows pictures: as the screen asks it, but waited for.

use std::{
    io::{self, IsTerminal as _, Write as _, stdin},
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::time::Instant;

use crate::tui::{
    picture::{Finder, Told},
    terminal::{LineMode as _, Tty},
};

/// The longest that an answer is waited for.
const PATIENCE: Duration = Duration::from_millis(400);
/// More than all answers together.
const MOST: usize = 4096;
/// What every terminal answers, so that it is known when nothing more comes.
const LAST: &[u8] = b"\x1b[c";

/// Asks, where there is any use in it, and tells the finder. Blocks for a moment; keys that are
/// pressed meanwhile are lost.
pub(super) fn ask(finder: &mut Finder) -> io::Result<()> {
    let Some(question) = finder.question() else { return Ok(()) };
    if !stdin().is_terminal() {
        return Ok(());
    }
    let mut tty = Tty::stdout()?;
    tty.raw()?;
    let heard = tty
        .write_all(&[&question, LAST].concat())
        .and_then(|()| tty.flush())
        .and_then(|()| hear(finder.is_within_tmux()));
    tty.cooked()?;
    Told::heard(&heard?).iter().for_each(|told| finder.told(told));
    Ok(())
}

/// What comes until the last answer, or as long as anybody waits. tmux gives the last answer itself,
/// before the terminal around it has given any.
fn hear(to_the_end: bool) -> io::Result<Vec<u8>> {
    let until = Instant::now() + PATIENCE;
    let mut heard = Vec::new();
    while heard.len() < MOST && (to_the_end || !is_last(&heard)) {
        let left = until.saturating_duration_since(Instant::now());
        let wait = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
        let input = stdin();
        let mut watched = [PollFd::new(&input, PollFlags::IN)];
        if left.is_zero() || poll(&mut watched, Some(&wait))? == 0 {
            break;
        }
        let mut part = [0; 512];
        match rustix::io::read(&input, &mut part)? {
            0 => break,
            length => heard.extend_from_slice(&part[..length]),
        }
    }
    Ok(heard)
}

fn is_last(heard: &[u8]) -> bool {
    let begin = heard.windows(3).rposition(|part| part == b"\x1b[?");
    begin.is_some_and(|begin| heard[begin..].contains(&b'c'))
}
