//! How a session begins as a copy of another: what is carried over, and what never is.

use std::{collections::HashMap, sync::Arc};

use super::{Said, Session};
use crate::kernel::{
    event::{Envelope, Event, Outcome, Source},
    id::SessionId,
    port::Kinds,
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

/// The types of events that tell where a copy ends.
pub const ENDS: Kinds =
    &["message_sent", "conversation_rewound", "turn_started", "exchange_finished"];

/// The number before which a copy ends, told by the events of those types at least. Of what comes,
/// nothing but words of people is kept.
pub fn end<E>(
    events: impl IntoIterator<Item = Result<Arc<Envelope>, E>>,
    point: Point,
) -> Result<Result<u64, NoSuchPoint>, E> {
    let mut said = Said::default();
    // The first of the messages that lead to the next turn, and the turns so far.
    let (mut led, mut turns) = (None, 0);
    for envelope in events {
        let envelope = envelope?;
        match point {
            Point::End => break,
            Point::Message(_) => said.take(&envelope),
            Point::Turn(number) => {
                if let Event::MessageSent { .. } = envelope.event {
                    led = led.or(Some(envelope.seq));
                } else if let Event::TurnStarted { .. } = envelope.event {
                    turns += 1;
                    if number > 0 && turns > number {
                        // It comes after the message that led to it; so does the end of a copy before it.
                        return Ok(Ok(led.unwrap_or(envelope.seq)));
                    }
                    led = None;
                } else if let Event::ExchangeFinished { .. } | Event::ConversationRewound { .. } =
                    envelope.event
                {
                    led = None;
                }
            }
        }
    }
    Ok(match point {
        Point::Message(number) => match said.numbered(number) {
            Some(words) => Ok(words.seq),
            None => Err(NoSuchPoint::Message(number, said.all().len())),
        },
        Point::Turn(number) if number == 0 || number > turns => {
            Err(NoSuchPoint::Turn(number, turns))
        }
        Point::Turn(_) | Point::End => Ok(u64::MAX),
    })
}

/// A session that begins as a copy, while it is made: event by event, of which none is kept.
#[derive(Clone, Debug)]
pub struct Branch {
    /// What it is by now.
    session: Session,
    upto: u64,
    from: SessionId,
    source: Source,
    /// What agents are called here that came with it.
    agents: HashMap<SessionId, SessionId>,
}

impl Branch {
    /// The beginning of the session `spec` as a copy of another, up to that number.
    pub fn new(spec: SessionSpec, upto: u64, (from, source): (SessionId, Source)) -> Self {
        Self { session: Session::new(spec), upto, from, source, agents: HashMap::new() }
    }

    /// With agents that are copied as well, by their names there, with their names here.
    #[must_use]
    pub fn with_agents(self, agents: HashMap<SessionId, SessionId>) -> Self {
        Self { agents, ..self }
    }

    /// Its description.
    pub fn spec(&self) -> &SessionSpec {
        &self.session.spec
    }

    /// What stands there of the next event of the other, with the number and time it had; nothing if it
    /// is not carried over.
    pub fn take(&mut self, envelope: &Envelope) -> Option<Envelope> {
        if envelope.seq >= self.upto {
            return None;
        }
        let event = if let Event::ChildStarted { call, child, agent, task } = &envelope.event
            && let Some(child) = self.agents.get(child)
        {
            let (agent, task) = (agent.clone(), task.clone());
            Event::ChildStarted { call: *call, child: *child, agent, task }
        } else {
            carried(&envelope.event, self.source)?
        };
        self.session.apply(envelope.seq, &event);
        Some(Envelope { session: self.session.spec.id, event, ..*envelope })
    }

    /// What comes after all of that: what was open is closed, and where all of it is from.
    pub fn then(&self) -> Vec<Event> {
        closing(&self.session, self.from, self.source)
    }

    /// The session whose outputs it keeps as well.
    pub fn outputs(&self) -> Option<SessionId> {
        match self.source {
            Source::Here => Some(self.from),
            Source::File => None,
        }
    }
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
        | Event::AnswerDelayed(_)
        | Event::CompactionStarted { .. }
        | Event::ContextCompacted { .. }
        | Event::ExchangeFinished { .. }
        | Event::CallStarted { .. }
        | Event::CallFinished { .. } => Some(event.clone()),
        Event::SessionResumed { .. }
        | Event::SessionForked { .. }
        | Event::CallJudged { .. }
        | Event::ApprovalRequested { .. }
        | Event::ApprovalAnswered { .. }
        | Event::ApprovalWithdrawn { .. }
        | Event::ExecutionStarted { .. }
        | Event::OutputWritten { .. }
        | Event::PutAside { .. }
        | Event::ExecutionFinished { .. }
        | Event::PictureMade { .. }
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
