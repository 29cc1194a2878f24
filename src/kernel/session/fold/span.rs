//! The conversation, and how far it reaches: shortened by a summary, or ended before a message. Of what a summary
//! stands for, only the words of people are kept: the rest is in the journal, for where a way back leads there.
//!
//! Of one that is longer than any request could hold, and that nobody summed up, the older part is let go in the
//! same way, with a note in its place.

use super::later::Told;
use crate::kernel::{message::Message, text};

/// What is kept of a conversation at most, in bytes: more than the models take that take most.
pub(super) const MOST: usize = 16 << 20;
/// As much is said of how one began that was let go.
const BEGINNING: usize = 4 << 10;
/// What stands in the place of what was let go.
const LET_GO: &str = "[The conversation before this is longer than any model takes. It is gone from here; the \
                      journal keeps it.]";
/// What stands between that and how it began.
const BEGAN: &str = "\n\n[It began with this:]\n\n";

/// What stands before a summary.
const SUMMARY: &str = "[The conversation before this was too long and is gone from here. This is what \
                       you wrote down of it:]\n\n";
/// What stands between it and what was said last.
const LAST_WORDS: &str = "\n\n[The last message in it, word for word:]\n\n";

/// A conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Talk {
    pub(super) messages: Vec<Message>,
    /// How much text is in them.
    bytes: usize,
    /// How many messages the first one stands for that were let go; none were if 0.
    gone: usize,
    /// How many of the first messages have no thoughts any more.
    forgotten: usize,
    /// The number from which on words were said here, and not in a file that was brought in.
    pub(super) ours: u64,
    /// The words of people in it: the number of the event, and where they stand.
    spoken: Vec<(u64, usize)>,
    /// What stood in it before each summary, oldest first.
    pub(super) summed: Vec<Summed>,
    /// The number of the last event.
    pub(super) upto: u64,
    /// The messages before which it will end again: what leads there is kept.
    returns: Vec<u64>,
    /// It went back to what a summary had stood for, and has only the words of people from there.
    lacks: bool,
}

/// Messages, where the words of people stand in them, and how many the first one stands for.
type Whole = (Vec<Message>, Vec<(u64, usize)>, usize);

/// The messages that a summary stands for, or that were let go.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Summed {
    /// The words of people among them.
    words: Vec<(u64, String)>,
    /// All of them, where they will be wanted again; and where the words stand in them.
    pub(super) whole: Option<Whole>,
}

impl Talk {
    /// One that is known to end before these messages again.
    pub(super) fn returning(returns: Vec<u64>) -> Self {
        Self { returns, ..Self::default() }
    }

    /// Whether it has less of itself than the journal.
    pub(super) fn lacks(&self) -> bool {
        self.lacks
    }

    /// Goes on with these.
    pub(super) fn take(&mut self, told: Vec<Told>) {
        for (seq, message) in told {
            if let Some(seq) = seq {
                self.spoken.push((seq, self.messages.len()));
            }
            self.push(message);
        }
    }

    /// The exchange is over, and nothing that was thought in it is told again.
    pub(super) fn forget_thoughts(&mut self) {
        for message in self.messages.iter_mut().skip(self.forgotten) {
            if let Message::Assistant { thoughts, .. } = message {
                *thoughts = Vec::new();
            }
        }
        self.forgotten = self.messages.len();
    }

    /// Goes on with this.
    pub(super) fn push(&mut self, message: Message) {
        self.bytes += message.bytes();
        self.messages.push(message);
        if self.bytes > MOST {
            self.let_go();
        }
    }

    /// How many messages the first so many of those here stand for.
    pub(super) fn stands_for(&self, first: usize) -> usize {
        if self.gone == 0 || first == 0 { first } else { self.gone + first - 1 }
    }

    /// Lets the older part go, so that there is room again. No results are parted from the calls they
    /// belong to.
    fn let_go(&mut self) {
        let (mut cut, mut kept) = (self.messages.len(), 0);
        let mut pair = false;
        while let Some(message) = self.messages[..cut].last() {
            let bytes = message.bytes();
            if kept + bytes > MOST / 2 && kept > 0 && !pair {
                break;
            }
            pair = matches!(message, Message::Results(_));
            (cut, kept) = (cut - 1, kept + bytes);
        }
        // Nothing but the note of the last time.
        if cut <= usize::from(self.gone > 0) {
            return;
        }
        let began =
            self.numbered().next().map(|(_, words)| text::cut(words, BEGINNING).into_owned());
        let began = began.map_or_else(String::new, |began| format!("{BEGAN}{began}"));
        let gone = self.stands_for(cut);
        self.put(cut, format!("{LET_GO}{began}"));
        self.gone = gone;
    }

    /// What people said, in order, with the number of its event; what was summed up as well.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &str)> {
        let summed = self.summed.iter().flat_map(|summed| &summed.words);
        let summed = summed.map(|(seq, text)| (*seq, text.as_str()));
        summed.chain(words(&self.spoken, &self.messages))
    }

    /// Puts a summary in the place of the first messages, those that were let go counted.
    pub(super) fn compact(&mut self, summarised: usize, summary: &str) {
        // Where a damaged journal lacks messages, no result may be left without its call.
        let results = |message: &Message| matches!(message, Message::Results(_));
        let (cut, gone) = match self.gone {
            0 => (summarised, 0),
            // It stands for a part of them alone.
            gone if summarised < gone => (1, gone - summarised + 1),
            gone => (summarised - gone + 1, 0),
        };
        let mut cut = cut.min(self.messages.len());
        cut += self.messages[cut..].iter().take_while(|message| results(message)).count();
        self.put(cut, format!("{SUMMARY}{summary}"));
        self.gone = gone;
    }

    /// Puts a text in the place of the first messages here, and the person's last words with it if they
    /// are in there: nobody may paraphrase those.
    fn put(&mut self, cut: usize, mut text: String) {
        let rest = self.messages.split_off(cut);
        let messages = std::mem::replace(&mut self.messages, rest);
        let said = messages.iter().rev().find_map(|message| match message {
            Message::User { text, pictures } => Some((text.as_str(), pictures)),
            Message::Agent(_) | Message::Assistant { .. } | Message::Results(_) => None,
        });
        let is_kept = self.messages.iter().any(|message| matches!(message, Message::User { .. }));
        let mut pictures = Vec::new();
        if let Some((said, shown)) = said.filter(|_| !is_kept) {
            let said = said.rsplit_once(LAST_WORDS).map_or(said, |(_, said)| said);
            text = format!("{text}{LAST_WORDS}{said}");
            pictures.clone_from(shown);
        }
        self.messages.insert(0, Message::User { text, pictures });
        let later = self.spoken.split_off(self.spoken.partition_point(|(_, at)| *at < cut));
        let spoken = std::mem::take(&mut self.spoken);
        // The text stands where they stood.
        self.spoken = later.into_iter().map(|(seq, at)| (seq, at - cut + 1)).collect();
        let words: Vec<_> =
            words(&spoken, &messages).map(|(seq, text)| (seq, text.to_owned())).collect();
        let last = words.last().map(|(seq, _)| *seq);
        let is_wanted = self.returns.iter().any(|to| last.is_some_and(|last| last >= *to));
        let whole = is_wanted.then_some((messages, spoken, self.gone));
        self.summed.push(Summed { words, whole });
        self.weigh();
    }

    /// Looks at all messages anew, since other ones stand there.
    fn weigh(&mut self) {
        self.forgotten = 0;
        self.bytes = self.messages.iter().map(Message::bytes).sum();
    }

    /// Ends the conversation before the first message with that number or a later one. A summary that
    /// stands for such a message gives way to what it stands for.
    pub(super) fn go_back(&mut self, to: u64) {
        let reaches = |summed: &Summed| summed.words.last().is_some_and(|(seq, _)| *seq >= to);
        if let Some(first) = self.summed.iter().position(reaches) {
            let Summed { words, whole } = self.summed.swap_remove(first);
            self.summed.truncate(first);
            (self.messages, self.spoken, self.gone) = whole.unwrap_or_else(|| {
                self.lacks = true;
                let spoken = words.iter().enumerate().map(|(at, (seq, _))| (*seq, at)).collect();
                (words.into_iter().map(|(_, text)| Message::said(text)).collect(), spoken, 0)
            });
        }
        if let Some(first) = self.spoken.iter().position(|(seq, _)| *seq >= to) {
            self.messages.truncate(self.spoken[first].1);
            self.spoken.truncate(first);
        }
        self.weigh();
        self.forget_thoughts();
    }
}

fn words<'a>(
    spoken: &'a [(u64, usize)],
    messages: &'a [Message],
) -> impl Iterator<Item = (u64, &'a str)> {
    spoken.iter().filter_map(|(seq, at)| match messages.get(*at) {
        Some(Message::User { text, .. }) => Some((*seq, text.as_str())),
        Some(Message::Agent(_) | Message::Assistant { .. } | Message::Results(_)) | None => None,
    })
}
