//! What happened while nobody looked: gathered from the events as they come, and told when somebody is
//! back.
//!
//! Nobody looks while the window is not in front. A terminal that tells of that is believed; with one
//! that never did, nobody looks when no key was pressed for [`IDLE`].

use std::{cmp::Reverse, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;

use super::Moment;
use crate::{
    kernel::id::{ApprovalId, CallId, SessionId},
    tui::theme::Mark,
};

/// After so long without a key nobody looks, where the terminal tells nothing.
pub const IDLE: Duration = Duration::from_secs(5 * 60);

/// Work that goes on again within this time had not ended.
const PAUSE: Duration = Duration::from_secs(2);

/// More is counted, and not kept one by one.
const MOST: usize = 60;

/// Whether somebody looks, and what happened since somebody did.
#[derive(Clone, Debug, Default)]
pub struct Away {
    front: Front,
    /// The last sign of a person.
    last: Option<Moment>,
    gathered: Vec<News>,
    /// What is told now, until it was read.
    pub told: Option<Told>,
    /// All work has ended, and this is when to say so.
    rings: Option<Instant>,
}

/// Where the window is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Front {
    /// The terminal has said nothing of it.
    #[default]
    Untold,
    Here,
    Behind,
}

/// What is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// When somebody looked last before, and when again.
    pub from: Timestamp,
    pub until: Timestamp,
    /// What needs attention first, then the newest.
    pub news: Vec<News>,
    /// So many more that were not kept.
    pub more: usize,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    pub at: Timestamp,
    pub what: What,
    pub session: SessionId,
    pub mark: Mark,
    pub text: String,
}

/// What it is about, which is where one goes to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A question waits.
    Asks(ApprovalId),
    /// A question is gone, and its call with it.
    Gone(ApprovalId, CallId),
    /// The work of a session ended.
    Ended,
    /// A program that ran long, or was ended.
    Program(CallId),
    /// Something that a call did.
    Call(CallId),
    /// Files were changed.
    Changed,
}

impl News {
    /// Whether both are about the same thing, so that the later one counts.
    fn is_of(&self, what: What, session: SessionId) -> bool {
        match (self.what, what) {
            (What::Asks(one) | What::Gone(one, _), What::Asks(other) | What::Gone(other, _)) => {
                one == other
            }
            (What::Ended, What::Ended) => self.session == session,
            (one, other) => one == other,
        }
    }

    /// What needs attention comes first.
    fn rank(&self) -> (u8, Reverse<Timestamp>) {
        let rank = match (self.what, self.mark) {
            (What::Asks(_), _) => 0,
            (What::Changed, _) => 4,
            (_, Mark::Failed | Mark::Limit | Mark::Denied | Mark::Warning) => 1,
            (What::Gone(..), _) => 2,
            (What::Ended | What::Program(_) | What::Call(_), _) => 3,
        };
        (rank, Reverse(self.at))
    }
}

impl Away {
    /// Somebody is there from now on.
    pub fn begun(now: Moment) -> Self {
        Self { last: Some(now), ..Self::default() }
    }

    /// Whether the window is known not to be in front.
    pub fn is_behind(&self) -> bool {
        self.front == Front::Behind
    }

    /// Whether nobody looks now.
    pub fn nobody(&self, now: Instant) -> bool {
        match self.front {
            Front::Here => false,
            Front::Behind => true,
            Front::Untold => {
                self.last.is_some_and(|last| now.saturating_duration_since(last.at) >= IDLE)
            }
        }
    }

    /// Since when nobody gave a sign.
    pub fn since(&self) -> Option<Timestamp> {
        self.last.map(|last| last.wall)
    }

    /// The window went behind another. What happened before was seen.
    pub fn left(&mut self, now: Moment) {
        if self.front != Front::Behind && !self.nobody(now.at) {
            self.gathered.clear();
            self.last = Some(now);
        }
        self.front = Front::Behind;
    }

    /// A sign of a person: whether nobody looked before it. Then [`Away::tell`] is due.
    pub fn sign(&mut self, now: Moment, fronted: bool) -> bool {
        let nobody = self.nobody(now.at);
        if fronted || self.front == Front::Behind {
            self.front = Front::Here;
        }
        self.rings = None;
        if !nobody {
            self.gathered.clear();
            self.last = Some(now);
        }
        nobody
    }

    /// Tells what was gathered, with what was not read yet.
    pub fn tell(&mut self, now: Moment) {
        let from = self.last.replace(now).map_or(now.wall, |last| last.wall);
        let news = std::mem::take(&mut self.gathered);
        if news.is_empty() {
            return;
        }
        let told =
            self.told.get_or_insert(Told { from, until: now.wall, news: Vec::new(), more: 0 });
        told.until = now.wall;
        for one in news {
            put(&mut told.news, one);
        }
        told.news.sort_by_key(News::rank);
        told.more += told.news.len().saturating_sub(MOST);
        told.news.truncate(MOST);
    }

    /// Something happened. It is gathered whether somebody looks or not: that is known only later.
    pub fn happened(&mut self, news: News) {
        put(&mut self.gathered, news);
        if self.gathered.len() > 2 * MOST {
            // The least of them are never shown.
            self.gathered.sort_by_key(News::rank);
            self.gathered.truncate(MOST + 1);
        }
    }

    /// It is no news any more.
    pub fn over(&mut self, what: What, session: SessionId) {
        self.gathered.retain(|news| !news.is_of(what, session));
        self.read(|news| news.is_of(what, session));
    }

    /// Takes from what is told what was read.
    pub fn read(&mut self, is_read: impl Fn(&News) -> bool) {
        if let Some(told) = &mut self.told {
            told.news.retain(|news| !is_read(news));
        }
        self.told.take_if(|told| told.news.is_empty());
    }

    /// Nobody works any more, or somebody does.
    pub fn at_work(&mut self, before: usize, now: usize, at: Instant) {
        if now > 0 {
            self.rings = None;
        } else if before > 0 && self.nobody(at) {
            self.rings = Some(at + PAUSE);
        }
    }

    /// Whether it is time to say that all work has ended; said once.
    pub fn rings(&mut self, now: Instant) -> bool {
        self.rings.take_if(|at| *at <= now).is_some()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.rings
    }
}

/// The later news of one thing counts.
fn put(all: &mut Vec<News>, news: News) {
    all.retain(|known| !known.is_of(news.what, news.session));
    all.push(news);
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;
    use pretty_assertions::assert_eq;

    use super::*;

    fn news(second: i64, what: What, mark: Mark) -> News {
        let at = Timestamp::UNIX_EPOCH + second.seconds();
        News { at, what, session: 1.into(), mark, text: String::new() }
    }

    #[test]
    fn what_was_gathered_is_bounded_and_what_needs_attention_stays() {
        let now = Moment { at: Instant::now(), wall: Timestamp::UNIX_EPOCH };
        let mut away = Away::begun(now);
        away.left(now);
        away.happened(news(0, What::Asks(7.into()), Mark::Needs));
        for second in 1..1_000 {
            let call = CallId::from(second as u128);
            away.happened(news(second, What::Program(call), Mark::Done));
            assert!(away.gathered.len() <= 2 * MOST);
        }
        assert!(away.sign(now, true));
        away.tell(now);
        let told = away.told.unwrap();
        assert_eq!(told.news.len(), MOST);
        assert_eq!(told.news[0].what, What::Asks(7.into()));
        assert_eq!(told.news[1].at, Timestamp::UNIX_EPOCH + 999.seconds(), "then the newest");
        assert!(told.more > 0);
    }
}
