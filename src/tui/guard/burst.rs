//! Keys that no fingers pressed: a paste from a terminal that marks none. Pure, like the guard.

use std::time::Duration;

use tokio::time::Instant;

use crate::tui::keymap::Key;

/// Keys this close behind each other come from no fingers, unless one is held down.
const HASTE: Duration = Duration::from_millis(5);

/// Once they are a paste, what comes as soon as this belongs to it: terminals write it in pieces.
const GOES_ON: Duration = Duration::from_millis(100);

/// So many of them are a paste.
const MANY: usize = 3;

/// How a key that writes came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Haste {
    /// Somebody pressed it, or holds it down.
    Pressed,
    /// Right behind another one.
    Behind,
    /// It is part of a paste.
    Pasted,
}

/// The keys that came right behind each other so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Burst {
    run: Option<Run>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    first: char,
    last: Instant,
    keys: usize,
    /// They are not all the same, as those of a key that is held down.
    mixed: bool,
    /// They were taken as a paste.
    pasted: bool,
}

impl Run {
    fn goes_on(&self, now: Instant) -> bool {
        now <= self.last + if self.pasted { GOES_ON } else { HASTE }
    }
}

impl Burst {
    /// Whether these keys, which came in one read, are a paste.
    pub fn is_paste(keys: &[Key]) -> bool {
        let written: Option<Vec<char>> = keys.iter().map(|key| key.writes()).collect();
        written.is_some_and(|written| {
            written.len() >= MANY && written.iter().any(|c| *c != written[0])
        })
    }

    /// A key came that writes this.
    pub fn key(&mut self, c: char, now: Instant) -> Haste {
        let run = match self.run.filter(|run| run.goes_on(now)) {
            Some(run) => {
                let mixed = run.mixed || run.first != c;
                Run { last: now, keys: run.keys + 1, mixed, ..run }
            }
            None => Run { first: c, last: now, keys: 1, mixed: false, pasted: false },
        };
        self.run = Some(run);
        match (run.keys, run.mixed) {
            (_, false) => Haste::Pressed,
            (MANY.., true) => Haste::Pasted,
            (_, true) => Haste::Behind,
        }
    }

    /// So many more keys came, and those of this run are a paste; whether it was one before.
    pub fn paste(&mut self, keys: usize, now: Instant) -> bool {
        let before = self.run.filter(|run| run.goes_on(now));
        let (first, known) = before.map_or(('\0', 0), |run| (run.first, run.keys));
        self.run = Some(Run { first, last: now, keys: known + keys, mixed: true, pasted: true });
        before.is_some_and(|run| run.pasted)
    }

    /// Something else came: what follows stands for itself.
    pub fn end(&mut self) {
        self.run = None;
    }
}
