//! When a letter is an answer. Pure: every instant comes from outside.
//!
//! A letter answers only if it was on the screen as a live key, the keyboard was still before it,
//! and nothing follows at once. Everything else is somebody typing, and stays text.
//!
//! What comes right behind a paste may be the rest of it: a text that holds the mark of its own end
//! goes on as keys, if the terminal lets that through. Until the keyboard was still, those are text
//! and do nothing, and enter sends only if it stands alone.

mod burst;

use std::time::Duration;

use tokio::time::Instant;

pub use self::burst::{Burst, Haste};
use crate::kernel::id::ApprovalId;

/// How long no key may have fallen, and the question must have been in sight, before a letter
/// answers.
pub const QUIET: Duration = Duration::from_millis(400);

/// Another key this soon after a letter means that someone is typing.
pub const ALONE: Duration = Duration::from_millis(150);

/// Who looks at a held letter later than this has stood still, and may not have read yet what was
/// typed meanwhile.
const LATE: Duration = Duration::from_millis(50);

/// What became of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// It answers if nothing follows for [`ALONE`].
    Held,
    /// It is text.
    Text,
    /// It came right behind a letter that was held: both are text, that one first.
    Typing(char),
}

/// What has stood alone for long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A letter, which answers this question.
    Letter(ApprovalId, char),
    /// An enter behind a paste, which sends.
    Enter,
}

/// What an enter is, if it turns out to be text.
const ENTER: char = '\n';

/// Watches over one question at a time.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    question: Option<ApprovalId>,
    /// When the question was first drawn.
    seen: Option<Instant>,
    /// The last time anything came from the person.
    stirred: Option<Instant>,
    /// There was a paste, and the keyboard was not still for so long since.
    pasted: Option<Duration>,
    /// Keys that come faster than fingers press them.
    burst: Burst,
    /// Since when the letters are on the screen as live keys, with nothing from the person since.
    lettered: Option<Instant>,
    held: Option<Held>,
}

/// A letter that is about to answer.
#[derive(Clone, Copy, Debug)]
struct Held {
    letter: char,
    /// When it answers.
    until: Instant,
    /// Whether it has waited once more, after a look that came too late.
    again: bool,
}

impl Guard {
    /// Names the question that would be answered. Another one than before starts everything anew;
    /// the letter that was held for the old one comes back as text.
    pub fn attend(&mut self, question: Option<ApprovalId>) -> Option<char> {
        if self.question == question {
            return None;
        }
        let held = self.held.take();
        self.question = question;
        self.seen = None;
        self.lettered = None;
        held.map(|held| held.letter)
    }

    /// Whether the letters may be drawn as live keys now.
    pub fn live(&self, now: Instant) -> bool {
        self.live_from().is_some_and(|from| from <= now)
    }

    /// A frame with this question was drawn, its letters live or not.
    pub fn drawn(&mut self, question: ApprovalId, letters_live: bool, now: Instant) {
        if self.question == Some(question) {
            let seen = *self.seen.get_or_insert(now);
            self.seen = Some(seen);
            self.lettered = match self.lettered {
                Some(since) if letters_live => Some(since),
                _ => Some(now).filter(|now| letters_live && self.live(*now)),
            };
        }
    }

    /// A frame without any answerable question was drawn: what was in sight is no longer.
    pub fn hidden(&mut self) {
        self.seen = None;
        self.lettered = None;
    }

    /// Anything at all came from the person: a key, a paste, a click, the window's focus. A letter
    /// still held was typing, and comes back as text.
    pub fn stir(&mut self, now: Instant) -> Option<char> {
        self.pasted = self.pasted.filter(|patience| !self.is_still(*patience, now));
        self.stirred = Some(now);
        self.lettered = None;
        self.held.take().map(|held| held.letter)
    }

    /// A paste came.
    pub fn paste(&mut self, now: Instant) -> Option<char> {
        let held = self.stir(now);
        self.burst.end();
        self.pasted = Some(QUIET);
        held
    }

    /// So many keys came together as a paste does. One that `is_long` is nothing else; a short one may
    /// be what an input method or a slow line has gathered. Whether it goes on from what came before.
    pub fn burst(&mut self, keys: usize, is_long: bool, now: Instant) -> (Option<char>, bool) {
        let held = self.stir(now);
        let goes_on = self.burst.paste(keys, now);
        let patience = if is_long || goes_on { QUIET } else { ALONE };
        self.pasted = self.pasted.max(Some(patience));
        (held, goes_on)
    }

    /// How a key came; one that writes nothing stands for itself.
    pub fn haste(&mut self, writes: Option<char>, now: Instant) -> Haste {
        match writes {
            Some(c) => self.burst.key(c, now),
            None => {
                self.burst.end();
                Haste::Pressed
            }
        }
    }

    /// Whether the last key may have been part of a paste.
    pub fn trails(&self) -> bool {
        self.pasted.is_some()
    }

    /// An enter that may have been part of a paste: it sends if nothing follows for [`ALONE`].
    pub fn enter(&mut self, now: Instant) {
        self.hold(ENTER, now);
    }

    /// A letter of the row of keys, pressed while the question has the keys.
    pub fn press(&mut self, letter: char, now: Instant) -> Press {
        // A key may be older than the frame that was reported before it.
        let counts = self.lettered.is_some_and(|since| since <= now) && self.live(now);
        if let Some(before) = self.stir(now) {
            return Press::Typing(before);
        }
        if counts {
            self.hold(letter, now);
            return Press::Held;
        }
        Press::Text
    }

    /// A letter that answers nothing, such as one that shows the question in another way: it needs
    /// no quiet before it, but another key right behind it means typing here too.
    pub fn lean(&mut self, letter: char, now: Instant) -> Press {
        match self.stir(now) {
            Some(before) => Press::Typing(before),
            None => {
                self.hold(letter, now);
                Press::Held
            }
        }
    }

    fn hold(&mut self, letter: char, now: Instant) {
        self.held = Some(Held { letter, until: now + ALONE, again: false });
    }

    /// Whether no key fell for [`QUIET`].
    pub fn is_quiet(&self, now: Instant) -> bool {
        self.is_still(QUIET, now)
    }

    fn is_still(&self, patience: Duration, now: Instant) -> bool {
        self.stirred.is_none_or(|stirred| stirred + patience <= now)
    }

    /// The key that has stood alone for long enough, once; it counts. To be asked only when all keys
    /// that were read have been told of.
    pub fn due(&mut self, now: Instant) -> Option<Due> {
        let held = self.held?;
        if now < held.until {
            return None;
        }
        if now > held.until + LATE && !held.again {
            self.held = Some(Held { until: now + ALONE, again: true, ..held });
            return None;
        }
        self.held = None;
        if held.letter == ENTER {
            return Some(Due::Enter);
        }
        Some(Due::Letter(self.question?, held.letter))
    }

    /// The letter that is about to answer.
    pub fn holding(&self) -> Option<char> {
        self.held.map(|held| held.letter)
    }

    /// When something changes here by itself.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let live = self.live_from().filter(|from| *from > now);
        let alone = self.held.map(|held| held.until);
        [live, alone].into_iter().flatten().min()
    }

    fn live_from(&self) -> Option<Instant> {
        self.question?;
        let still = self.seen?.max(self.stirred.unwrap_or(self.seen?));
        Some(still + QUIET)
    }
}

#[cfg(test)]
mod tests;
