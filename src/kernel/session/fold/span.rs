//! The conversation, and how far it reaches: shortened by a summary, or ended before a message. What a summary
//! stands for is kept, since a way back may lead there.

use std::sync::Arc;

use super::later::Told;
use crate::kernel::message::Message;

/// What stands before a summary.
const SUMMARY: &str = "[The conversation before this was too long and is gone from here. This is what \
                       you wrote down of it:]\n\n";
/// What stands between it and what was said last.
const LAST_WORDS: &str = "\n\n[The last message in it, word for word:]\n\n";

/// A conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Talk {
    pub(super) messages: Vec<Message>,
    /// The number from which on words were said here, and not in a file that was brought in.
    pub(super) ours: u64,
    /// The words of people in it: the number of the event, and where they stand.
    spoken: Vec<(u64, usize)>,
    /// What stood in it before each summary, oldest first.
    summed: Vec<Arc<Summed>>,
}

/// The messages that a summary stands for.
#[derive(Debug, PartialEq)]
struct Summed {
    messages: Vec<Message>,
    /// The words of people among them.
    spoken: Vec<(u64, usize)>,
}

impl Talk {
    /// Goes on with these.
    pub(super) fn take(&mut self, told: Vec<Told>) {
        for (seq, message) in told {
            if let Some(seq) = seq {
                self.spoken.push((seq, self.messages.len()));
            }
            self.messages.push(message);
        }
    }

    /// What people said, in order, with the number of its event; what was summed up as well.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &str)> {
        let summed = self.summed.iter().flat_map(|summed| words(&summed.spoken, &summed.messages));
        summed.chain(words(&self.spoken, &self.messages))
    }

    /// Puts a summary in the place of the first messages, and the person's last words with it if they
    /// are in there: nobody may paraphrase those.
    pub(super) fn compact(&mut self, summarised: usize, summary: &str) {
        // Where a damaged journal lacks messages, no result may be left without its call.
        let results = |message: &Message| matches!(message, Message::Results(_));
        let mut cut = summarised.min(self.messages.len());
        cut += self.messages[cut..].iter().take_while(|message| results(message)).count();
        let rest = self.messages.split_off(cut);
        let messages = std::mem::replace(&mut self.messages, rest);
        let said = messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(text.as_str()),
            Message::Agent(_) | Message::Assistant { .. } | Message::Results(_) => None,
        });
        let mut text = format!("{SUMMARY}{summary}");
        let is_kept = self.messages.iter().any(|message| matches!(message, Message::User(_)));
        if let Some(said) = said.filter(|_| !is_kept) {
            let said = said.rsplit_once(LAST_WORDS).map_or(said, |(_, said)| said);
            text = format!("{text}{LAST_WORDS}{said}");
        }
        self.messages.insert(0, Message::User(text));
        let later = self.spoken.split_off(self.spoken.partition_point(|(_, at)| *at < cut));
        let spoken = std::mem::take(&mut self.spoken);
        // The summary stands where they stood.
        self.spoken = later.into_iter().map(|(seq, at)| (seq, at - cut + 1)).collect();
        self.summed.push(Arc::new(Summed { messages, spoken }));
    }

    /// Ends the conversation before the first message with that number or a later one. A summary that
    /// stands for such a message gives way to what it stands for.
    pub(super) fn go_back(&mut self, to: u64) {
        let reaches =
            |summed: &Arc<Summed>| summed.spoken.last().is_some_and(|(seq, _)| *seq >= to);
        if let Some(first) = self.summed.iter().position(reaches) {
            let whole = self.summed[first].clone();
            self.summed.truncate(first);
            self.messages.clone_from(&whole.messages);
            self.spoken.clone_from(&whole.spoken);
        }
        if let Some(first) = self.spoken.iter().position(|(seq, _)| *seq >= to) {
            self.messages.truncate(self.spoken[first].1);
            self.spoken.truncate(first);
        }
    }
}

fn words<'a>(
    spoken: &'a [(u64, usize)],
    messages: &'a [Message],
) -> impl Iterator<Item = (u64, &'a str)> {
    spoken.iter().filter_map(|(seq, at)| match messages.get(*at) {
        Some(Message::User(text)) => Some((*seq, text.as_str())),
        Some(Message::Agent(_) | Message::Assistant { .. } | Message::Results(_)) | None => None,
    })
}
