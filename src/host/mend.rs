//! What a crash left open is closed, once: questions are withdrawn, calls without a result get one
//! that says so, an exchange that was going on is over.

use std::sync::{Arc, Mutex};

use super::{Inner, ending::send, folded, recorder, tree::End};
use crate::kernel::{
    event::{Envelope, Event, Outcome},
    id::{SessionId, SignalId},
    port::{Store, StoreError},
    recorder::Recorder,
    session::Session,
    signal::Signal,
    spec::SessionSpec,
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

    /// Closes the journal of an agent that died with the program, and of the agents below it, and
    /// gives what they sent. One that cannot be opened is left as it is: another process may be
    /// writing it.
    pub(super) fn mend_agent(&self, id: SessionId) -> Vec<Sent> {
        let mut sent = Vec::new();
        if let Err(error) = self.close_agent(id, &mut sent) {
            tracing::warn!(%error, session = %id, "an agent's journal was left as it is");
        }
        sent
    }

    fn close_agent(&self, id: SessionId, all: &mut Vec<Sent>) -> Result<(), StoreError> {
        let replay = self.parts.store.read(id)?;
        for agent in agents(&replay.events) {
            all.extend(self.mend_agent(agent));
        }
        let Some(session) = Session::replay(&replay.events) else { return Ok(()) };
        let spec = Arc::new(session.spec.clone());
        let sent = signals(&spec, &replay.events);
        let said = sent.iter().find_map(|sent| match &sent.what {
            Signal::Ended { ending } => Some(End::new(sent.signal, ending.clone())),
            Signal::Words { .. } | Signal::Stop | Signal::Program { .. } => None,
        });
        all.extend(sent);
        let last = replay.events.last().map(|envelope| &envelope.event);
        let end = match (said, last) {
            // Of an agent from before there were signals its starter was told in another way.
            (said, Some(Event::SessionFinished { outcome })) => {
                said.unwrap_or_else(|| End::new(SignalId::fresh(), session.ending(outcome.clone())))
            }
            (said, _) => self.finish_agent(&spec, said, all)?,
        };
        self.tree.add(spec, Some(end));
        Ok(())
    }

    /// Ends the session of an agent that died with the program. `said` is what it told the one above
    /// it of its end, if it came to that.
    fn finish_agent(
        &self,
        spec: &Arc<SessionSpec>,
        said: Option<End>,
        all: &mut Vec<Sent>,
    ) -> Result<End, StoreError> {
        let opened = self.parts.store.open(spec.id)?;
        let session = Session::replay(&opened.replay.events);
        let session =
            Arc::new(Mutex::new(session.unwrap_or_else(|| Session::new((**spec).clone()))));
        let recorder = recorder(opened.journal, &session, &self.hub);
        self.mend(&recorder, &session, opened.replay.notice)?;
        let end = match (said, spec.parent) {
            (Some(said), _) => said,
            (None, above) => {
                let message = "Ended with the program that ran it.".to_owned();
                let ending = folded(&session, |it| it.ending(Outcome::Failed { message })).cut();
                let end = End::new(SignalId::fresh(), ending.clone());
                if let Some(to) = above {
                    let (signal, what) = (end.signal, Signal::Ended { ending });
                    send(&recorder, to, signal, &what)?;
                    all.push(Sent { signal, from: spec.clone(), to, what });
                }
                end
            }
        };
        recorder.append(Event::SessionFinished { outcome: end.ending.outcome.clone() })?;
        Ok(end)
    }

    /// Gives a session what was sent to it and had not come when the program ended. It is not woken:
    /// its model reads that once somebody speaks.
    pub(super) fn deliver(
        &self,
        recorder: &Recorder,
        events: &[Arc<Envelope>],
        sent: Vec<Sent>,
    ) -> Result<(), StoreError> {
        let Some(to) = events.first().map(|envelope| envelope.session) else { return Ok(()) };
        for Sent { signal, from, what, .. } in sent.into_iter().filter(|sent| sent.to == to) {
            let is_ended = |what: &Signal| matches!(what, Signal::Ended { .. });
            // An agent ends once, whatever became of the record of it in its own journal.
            let came = events.iter().any(|envelope| {
                let Event::SignalReceived { signal: known, from: other, what: had, .. } =
                    &envelope.event
                else {
                    return false;
                };
                *known == signal || (*other == from.id && is_ended(had) && is_ended(&what))
            });
            if !came {
                let (agent, from) = (from.path.clone(), from.id);
                recorder.append(Event::SignalReceived { signal, from, agent, what })?;
            }
        }
        Ok(())
    }
}

/// A signal as its sender has it.
pub(super) struct Sent {
    signal: SignalId,
    from: Arc<SessionSpec>,
    to: SessionId,
    what: Signal,
}

fn signals(from: &Arc<SessionSpec>, events: &[Arc<Envelope>]) -> Vec<Sent> {
    let mut all = Vec::new();
    for envelope in events {
        if let Event::SignalSent { signal, to, what } = &envelope.event {
            all.push(Sent { signal: *signal, from: from.clone(), to: *to, what: what.clone() });
        }
    }
    all
}
