//! What the turns of one session do: the model is asked, waits, thinks, writes, and comes to an end.

use jiff::{SignedDuration, Timestamp};

use crate::{
    kernel::event::{Envelope, Event, Outcome, Stop},
    tui::{
        cell::ending,
        state::sessions::{Delayed, Doing, Node},
        theme::Mark,
    },
};

#[expect(clippy::wildcard_enum_match_arm, reason = "all others are told of elsewhere")]
pub(super) fn apply(node: &mut Node, envelope: &Envelope) {
    let at = envelope.at;
    // A session that is carried on was last heard of before that.
    if !matches!(&envelope.event, Event::SessionResumed { .. } | Event::SessionForked { .. }) {
        node.doing.hears(at);
    }
    let log = &mut node.transcript;
    match &envelope.event {
        Event::TurnStarted { .. } => {
            log.end_text();
            log.fold_finished();
            super::super::signals::told(node);
            if !node.doing.works() {
                node.doing = Doing::begun(at);
            }
            node.at = "answering".to_owned();
        }
        Event::AnswerDelayed(delay) => {
            let wait =
                SignedDuration::from_millis(i64::try_from(delay.wait_ms).unwrap_or(i64::MAX));
            let until = at.saturating_add(wait).unwrap_or(at);
            log.notice(Mark::Warning, delay.to_string());
            node.doing.waits(Some(Delayed { delay: delay.clone(), until }));
            return;
        }
        Event::ThinkingStreamed { text } => {
            log.thought(text, at);
            node.at = "thinking".to_owned();
        }
        Event::TextStreamed { text } => {
            log.thought_until(at);
            log.streamed(text);
            node.at = "answering".to_owned();
        }
        Event::TurnFinished { stop, usage, .. } => {
            log.thought_until(at);
            log.end_text();
            node.usage += *usage;
            node.context = usage.input + usage.output;
            match stop {
                Stop::End | Stop::Calls | Stop::Interrupted => {}
                Stop::Length => log.notice(
                    Mark::Warning,
                    "The answer was cut at the model's own limit. Ask it to go on.",
                ),
                Stop::Failed { message } => log.notice(Mark::Failed, message.clone()),
            }
        }
        Event::CompactionStarted { .. } => {
            log.end_text();
            node.at = "summarising".to_owned();
            log.notice(
                Mark::Note,
                "The conversation is too long for the model, which sums up the older part. All of it \
                 stays in the journal.",
            );
        }
        Event::ContextCompacted { summary, usage, .. } => {
            node.usage += *usage;
            node.context = 0;
            node.at = "answering".to_owned();
            log.notice(Mark::Note, format!("From here on it works from this summary:\n{summary}"));
        }
        Event::ExchangeFinished { outcome } | Event::SessionFinished { outcome } => {
            log.end_text();
            if node.doing.works()
                && let Some((mark, text)) = ending(outcome)
            {
                log.notice(mark, text);
            }
            rest(node, outcome.clone(), at);
        }
        _ => return,
    }
    // Whatever of a turn comes, the wait for it is over.
    node.doing.waits(None);
}

/// Its exchange is over.
pub(super) fn rest(node: &mut Node, outcome: Outcome, at: Timestamp) {
    if let Some(worked) = node.doing.seconds(at) {
        node.worked_s += worked;
        node.doing = Doing::Rests { outcome, since: at };
    }
    node.at.clear();
}
