//! Whether the wide yes is on offer. To rules there is no other yes.

use super::{About, Waiting};

/// Why the wide yes is not on offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOffered {
    /// Something hides in the text, or looks like what it is not.
    HiddenText,
    /// It would be refused: the monitor judges each call.
    Monitor,
    /// Not all of the text was there to be read.
    EndUnseen,
}

impl Waiting {
    /// Whether anything in it could deceive the eye.
    pub fn deceives(&self) -> bool {
        self.paper.as_ref().is_some_and(|paper| paper.deceits.count > 0)
    }

    /// Why the wide yes is not on offer, if it is not.
    pub fn why_not_wider(&self) -> Option<NotOffered> {
        if self.deceives() {
            return Some(NotOffered::HiddenText);
        }
        match self.about {
            About::Call if self.question.monitor.is_some() => Some(NotOffered::Monitor),
            About::Call | About::Rules(_) => (!self.end_seen).then_some(NotOffered::EndUnseen),
        }
    }

    /// The same in the words of the screen.
    pub fn not_offered(&self) -> Option<&'static str> {
        let why = self.why_not_wider()?;
        Some(match (&self.about, why) {
            (About::Call, NotOffered::HiddenText) => "wider: not with hidden text",
            (About::Call, NotOffered::EndUnseen) => "wider: when end seen",
            (About::Call | About::Rules(_), NotOffered::Monitor) => "wider: not past the monitor",
            (About::Rules(_), NotOffered::HiddenText) => "yes: not with hidden text",
            (About::Rules(_), NotOffered::EndUnseen) => "yes: when end seen",
        })
    }
}
