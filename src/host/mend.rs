//! What a crash left open is closed, once: questions are withdrawn, calls without a result get one
//! that says so, an exchange that was going on is over.

use std::sync::{Arc, Mutex};

use super::{Inner, folded, recorder};
use crate::kernel::{
    event::{Envelope, Event, Outcome},
    id::SessionId,
    port::{Store, StoreError},
    recorder::Recorder,
    session::Session,
};

/// The agents a session started, in order.
pub(super) fn agents(events: &[Arc<Envelope>]) -> Vec<SessionId> {
    let mut agents = Vec::new();
    for envelope in events {
        if let Event::ChildStarted { child, .. } = envelope.event {
            agents.push(child);
        }
    }
    agents
}

/// The events so far of these sessions and of all agents below them, oldest first.
pub(super) fn so_far(store: &dyn Store, roots: &[SessionId]) -> Vec<Arc<Envelope>> {
    let mut wanted = roots.to_vec();
    let mut seen = Vec::new();
    let mut events = Vec::new();
    while let Some(id) = wanted.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        match store.read(id) {
            Ok(replay) => {
                wanted.extend(agents(&replay.events));
                events.extend(replay.events);
            }
            Err(error) => tracing::warn!(%error, "a session could not be read back"),
        }
    }
    // Within one session the sort keeps the order of the journal, whatever its clock did.
    events.sort_by_key(|envelope| envelope.at);
    events
}

impl Inner {
    /// Appends that the session goes on, and closes what was open.
    pub(super) fn mend(
        &self,
        recorder: &Recorder,
        session: &Mutex<Session>,
        notice: Option<String>,
    ) -> Result<(), StoreError> {
        let (questions, lost, busy) = folded(session, |session| {
            let questions: Vec<_> = session.questions.keys().copied().collect();
            (questions, session.interruptions(), session.is_busy())
        });
        for approval in questions {
            let reason = "the program ended before an answer".to_owned();
            let event = Event::ApprovalWithdrawn { approval, reason, waited_ms: 0, excluded_ms: 0 };
            recorder.append(event)?;
        }
        for event in lost {
            recorder.append(event)?;
        }
        if busy {
            let message = "Interrupted: the program ended in the middle of it. \
                           All that was shown is kept; say how to go on."
                .to_owned();
            recorder.append(Event::ExchangeFinished { outcome: Outcome::Failed { message } })?;
        }
        recorder.append(Event::SessionResumed { notice })?;
        Ok(())
    }

    /// Closes the journal of an agent that died with the program, and of the agents below it. One
    /// that cannot be opened is left as it is: another process may be writing it.
    pub(super) fn mend_agent(&self, id: SessionId) {
        let closed = self.close_agent(id);
        if let Err(error) = closed {
            tracing::warn!(%error, session = %id, "an agent's journal was left as it is");
        }
    }

    fn close_agent(&self, id: SessionId) -> Result<(), StoreError> {
        let replay = self.parts.store.read(id)?;
        for agent in agents(&replay.events) {
            self.mend_agent(agent);
        }
        let over =
            |envelope: &Arc<Envelope>| matches!(envelope.event, Event::SessionFinished { .. });
        if replay.events.last().is_some_and(over) {
            return Ok(());
        }
        let opened = self.parts.store.open(id)?;
        let Some(session) = Session::replay(&opened.replay.events) else { return Ok(()) };
        let session = Arc::new(Mutex::new(session));
        let recorder = recorder(opened.journal, &session, &self.hub);
        self.mend(&recorder, &session, opened.replay.notice)?;
        let message = "Ended with the program that ran it.".to_owned();
        recorder.append(Event::SessionFinished { outcome: Outcome::Failed { message } })?;
        Ok(())
    }
}
