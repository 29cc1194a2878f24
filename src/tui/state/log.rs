//! What was said to the person in passing, and can be read again: each line with its time.

use std::{collections::VecDeque, path::PathBuf};

use jiff::Timestamp;

use super::filter::Filter;
use crate::{
    kernel::id::SessionId,
    tui::{theme::Mark, words},
};

/// Lines that are kept; the oldest go first.
const MOST: usize = 500;

/// The longest text of one, in bytes.
const LONGEST: usize = 4 << 10;

/// All of it, as far as it is kept.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The newest first.
    lines: VecDeque<Said>,
    /// Where this program writes for whoever looks for a fault in it; nowhere if there is none.
    pub file: Option<PathBuf>,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub at: Timestamp,
    pub kind: Kind,
    /// What is wrong in its first line, what to do in the others.
    pub text: String,
    /// The session of which it was said, where it was one.
    pub session: Option<SessionId>,
    /// How often it was said, one time after the other.
    pub times: usize,
}

/// What kind of thing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Said by the way.
    Word,
    /// Something is to be looked at.
    Warning,
    /// Something failed.
    Fault,
}

impl Kind {
    pub fn mark(self) -> Option<Mark> {
        match self {
            Self::Word => None,
            Self::Warning => Some(Mark::Warning),
            Self::Fault => Some(Mark::Failed),
        }
    }

    /// The word that a filter finds it by.
    fn word(self) -> &'static str {
        match self {
            Self::Word => "said",
            Self::Warning => "warning",
            Self::Fault => "error",
        }
    }
}

impl Log {
    /// Something was said; the same again is counted.
    pub fn put(&mut self, at: Timestamp, kind: Kind, text: &str, session: Option<SessionId>) {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        if let Some(last) = self.lines.front_mut()
            && (last.text.as_str(), last.session) == (text, session)
        {
            (last.at, last.times) = (at, last.times + 1);
            return;
        }
        self.lines.truncate(MOST - 1);
        self.lines.push_front(Said { at, kind, text: text.to_owned(), session, times: 1 });
    }

    /// Whether this was the last thing said, less than two seconds before.
    pub fn just_said(&self, at: Timestamp, text: &str, session: SessionId) -> bool {
        self.lines.front().is_some_and(|last| {
            last.text == text && last.session == Some(session) && words::seconds(last.at, at) < 2
        })
    }

    /// The lines that are shown, the newest first.
    pub fn shown(&self, filter: &Filter) -> Vec<&Said> {
        let passes = |said: &&Said| filter.passes(&format!("{} {}", said.kind.word(), said.text));
        self.lines.iter().filter(passes).collect()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_oldest_lines_go_and_what_is_said_again_is_counted() {
        let mut log = Log::default();
        for number in 0..2 * MOST {
            log.put(Timestamp::UNIX_EPOCH, Kind::Word, &format!("{number}"), None);
        }
        assert_eq!(log.count(), MOST);
        log.put(Timestamp::UNIX_EPOCH, Kind::Fault, &"é".repeat(LONGEST), None);
        log.put(Timestamp::UNIX_EPOCH, Kind::Fault, &"é".repeat(LONGEST), None);
        let shown = log.shown(&Filter::default());
        assert_eq!((shown.len(), shown[0].times, shown[0].text.len()), (MOST, 2, LONGEST));
        assert_eq!(shown[1].text, format!("{}", 2 * MOST - 1));
    }
}
