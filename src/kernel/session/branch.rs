//! How a session begins as a copy of another: what is carried over, and what never is.

use std::sync::Arc;

use super::Session;
use crate::kernel::{
    event::{Envelope, Event, Outcome, Source},
    id::SessionId,
    spec::SessionSpec,
    text,
};

/// Up to where a session is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// All there is.
    End,
    /// Before that message of a person in the conversation as it is now, counted from 1.
    Message(usize),
    /// After that request to the model and the calls it led to, counted from 1.
    Turn(usize),
}

/// There is no such place in a session; how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchPoint {
    /// No such message.
    #[error("there is no message {0}: {count} said", count = text::were(*.1))]
    Message(usize, usize),
    /// No such turn.
    #[error("there is no turn {0}: {count} taken", count = text::were(*.1))]
    Turn(usize, usize),
}

/// A new session that begins as a copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Its description.
    pub spec: SessionSpec,
    /// What stands there after that, with the numbers and times it had.
    pub copied: Vec<Arc<Envelope>>,
    /// What comes next: what was open is closed, and where all of it is from.
    pub then: Vec<Event>,
    /// The session whose outputs it keeps as well.
    pub outputs: Option<SessionId>,
}

/// The number before which a copy ends.
pub fn end(events: &[Arc<Envelope>], point: Point) -> Result<u64, NoSuchPoint> {
    let all = events.last().map_or(0, |last| last.seq + 1);
    match point {
        Point::End => Ok(all),
        Point::Message(number) => {
            let said = Session::replay(events).map(|session| numbers(&session));
            let said = said.unwrap_or_default();
            let found = number.checked_sub(1).and_then(|at| said.get(at));
            found.copied().ok_or(NoSuchPoint::Message(number, said.len()))
        }
        Point::Turn(number) => {
            let turns: Vec<_> = events
                .iter()
                .filter(|envelope| matches!(envelope.event, Event::TurnStarted { .. }))
                .map(|envelope| envelope.seq)
                .collect();
            match turns.get(number) {
                _ if number == 0 || number > turns.len() => {
                    Err(NoSuchPoint::Turn(number, turns.len()))
                }
                Some(next) => Ok(before_what_led_to(events, *next)),
                None => Ok(all),
            }
        }
    }
}

/// A turn that a person's message led to comes after that message; so does the end of a copy before it.
fn before_what_led_to(events: &[Arc<Envelope>], turn: u64) -> u64 {
    let before = events.iter().rev().skip_while(|envelope| envelope.seq >= turn);
    let said = before.take_while(|it| matches!(it.event, Event::MessageSent { .. }));
    said.last().map_or(turn, |first| first.seq)
}

fn numbers(session: &Session) -> Vec<u64> {
    session.numbered().into_iter().map(|(seq, _)| seq).collect()
}

/// The beginning of the session `spec` as a copy of these events, up to that number.
pub fn branch(
    events: &[Arc<Envelope>],
    upto: u64,
    spec: SessionSpec,
    (from, source): (SessionId, Source),
) -> Branch {
    let mut session = Session::new(spec.clone());
    let mut copied = Vec::new();
    for envelope in events.iter().take_while(|envelope| envelope.seq < upto) {
        if let Some(event) = carried(&envelope.event, source) {
            session.apply(envelope.seq, &event);
            copied.push(Arc::new(Envelope { session: spec.id, event, ..**envelope }));
        }
    }
    let then = closing(&session, from, source);
    let outputs = match source {
        Source::Here => Some(from),
        Source::File => None,
    };
    Branch { spec, copied, then, outputs }
}

fn closing(session: &Session, from: SessionId, source: Source) -> Vec<Event> {
    let reason = "it was asked in the session this one was copied from".to_owned();
    let withdrawn = session.questions.keys().map(|approval| Event::ApprovalWithdrawn {
        approval: *approval,
        reason: reason.clone(),
        waited_ms: 0,
        excluded_ms: 0,
    });
    let ended = session.is_busy().then(|| {
        let message = "Not carried on here: this session began as a copy in the middle of it. \
                       Say how to go on."
            .to_owned();
        Event::ExchangeFinished { outcome: Outcome::Failed { message } }
    });
    let mut then: Vec<_> = withdrawn.collect();
    then.extend(session.interruptions());
    then.extend(ended);
    then.push(Event::SessionForked { from, source });
    then
}

/// What a copy takes over of an event. From a file, it is the conversation alone: nothing that would
/// make a file be changed, a session be opened or a question be seen as answered.
fn carried(event: &Event, source: Source) -> Option<Event> {
    match event {
        // The copy has a description, a name and an end of its own, and what the other said to others
        // is not said again.
        Event::SessionStarted { .. }
        | Event::SignalSent { .. }
        | Event::SessionNamed { .. }
        | Event::SessionFinished { .. } => None,
        Event::MessageSent { .. }
        | Event::ConversationRewound { .. }
        | Event::TurnStarted { .. }
        | Event::TextStreamed { .. }
        | Event::ThinkingStreamed { .. }
        | Event::TurnFinished { .. }
        | Event::CompactionStarted { .. }
        | Event::ContextCompacted { .. }
        | Event::ExchangeFinished { .. }
        | Event::CallStarted { .. }
        | Event::CallFinished { .. } => Some(event.clone()),
        Event::SessionResumed { .. }
        | Event::SessionForked { .. }
        | Event::ApprovalRequested { .. }
        | Event::ApprovalAnswered { .. }
        | Event::ApprovalWithdrawn { .. }
        | Event::ExecutionStarted { .. }
        | Event::OutputWritten { .. }
        | Event::PutAside { .. }
        | Event::ExecutionFinished { .. }
        | Event::ChangeBegun { .. }
        | Event::ModeChanged { .. }
        | Event::RuleRevoked { .. }
        | Event::SignalReceived { .. }
        | Event::SignalTaken { .. }
        | Event::TodoChanged { .. }
        | Event::ChildStarted { .. } => match source {
            Source::Here => Some(event.clone()),
            Source::File => None,
        },
    }
}

#[cfg(test)]
mod tests;
