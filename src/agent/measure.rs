//! How long a conversation is, as its model counts.

use super::{Live, context, gallery};
use crate::kernel::{message::Message, session::Session};

/// Bytes of one token, cautiously: English has more, code about as many.
pub(super) const TOKEN: usize = 3;

/// The next request in tokens: what the provider counted last with what came since, else a guess.
pub(super) fn about_tokens(live: &Live, session: &Session) -> u64 {
    let next = context::next(live, session);
    let tokens = |bytes: usize| u64::try_from(bytes / TOKEN).unwrap_or(u64::MAX);
    let all = next.system.len() + next.messages.iter().map(size).sum::<usize>();
    if session.context == 0 {
        return tokens(all);
    }
    let answer = |message: &Message| matches!(message, Message::Assistant { .. });
    let since = next.messages.iter().rev().take_while(|message| !answer(message)).map(size);
    // Some count only what they had not seen before.
    session.context.saturating_add(tokens(since.sum())).max(tokens(all / 2))
}

/// The largest part of what the model was sent, in words, since that is what to make shorter.
pub(super) fn largest(session: &Session) -> Option<String> {
    let messages = session.messages();
    let largest = messages.iter().max_by_key(|message| size(message))?;
    let what = match largest {
        Message::User { .. } => "a message that was said",
        Message::Agent(_) => "what an agent said",
        Message::Assistant { .. } => "an answer of the model",
        Message::Results(_) => "the results of one answer's calls",
    };
    Some(format!("{what}, {} KB", size(largest).div_ceil(1000)))
}

/// A message in bytes of text; a picture is as much as it is paid for.
pub(super) fn size(message: &Message) -> usize {
    message.bytes() + gallery::of(message).len() * gallery::LIKE_TEXT
}
