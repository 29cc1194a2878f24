//! What a crash left open is closed, once: questions are withdrawn, calls without a result get one
//! that says so, an exchange that was going on is over.

use std::sync::{Arc, Mutex};

use super::{Inner, ending::send, folded, recorder, tree::End};
use crate::kernel::{
    event::{Envelope, Event, Outcome},
    id::{SessionId, SignalId},
    message::Usage,
    port::{Store, StoreError},
    recorder::Recorder,
    session::Session,
    signal::Signal,
    spec::SessionSpec,
};

/// The agents a session started itself, in order. Those in a part that was copied belong to the
/// session it was copied from.
pub(super) fn agents(events: &[Arc<Envelope>]) -> Vec<SessionId> {
    let mut agents = Vec::new();
    for envelope in events {
        if let Event::ChildStarted { child, .. } = envelope.event {
            agents.push(child);
        } else if let Event::SessionForked { .. } = envelope.event {
            agents.clear();
        }
    }
    agents
}

/// What these agents used, and all below them, as far as their journals can be read.
pub(super) fn used(store: &dyn Store, agents: &[SessionId]) -> Usage {
    let mut used = Usage::default();
    for envelope in so_far(store, agents) {
        if let Event::TurnFinished { usage, .. } | Event::ContextCompacted { usage, .. } =
            &envelope.event
        {
            used += *usage;
        }
    }
    used
}

/// The events so far of these sessions and of all agents below them, oldest first.
pub(super) fn so_far(store: &dyn Store, roots: &[SessionId]) -> Vec<Arc<Envelope>> {
    let mut wanted = roots.to_vec();
    let mut seen = Vec::new();
    let mut events: Vec<(jiff::Timestamp, Arc<Envelope>)> = Vec::new();
    while let Some(id) = wanted.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        match store.read(id) {
            Ok(replay) => {
                wanted.extend(agents(&replay.events));
                let mut latest = jiff::Timestamp::MIN;
                // A clock that was set back must not turn a journal around.
                events.extend(replay.events.into_iter().map(|envelope| {
                    latest = latest.max(envelope.at);
                    (latest, envelope)
                }));
            }
            Err(error) => tracing::warn!(%error, "a session could not be read back"),
        }
    }
    // Of one journal, no event comes before the one above it: the sort keeps that order.
    events.sort_by_key(|(at, _)| *at);
    events.into_iter().map(|(_, envelope)| envelope).collect()
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{
        kernel::{
            event::Source,
            spec::{Limits, Mode, SessionSpec},
        },
        store::MemoryStore,
    };

    fn spec(id: u128) -> SessionSpec {
        SessionSpec {
            id: id.into(),
            parent: None,
            path: vec!["main".to_owned()],
            workspace: "/w".into(),
            model: "none".to_owned(),
            mode: Mode::Default,
            tools: Vec::new(),
            modules: Vec::new(),
            limits: Limits::default(),
            instructions: String::new(),
            agents: None,
            view: Default::default(),
            workflow: None,
        }
    }

    fn child(child: u128) -> Event {
        let (agent, task) = ("a".to_owned(), "t".to_owned());
        Event::ChildStarted { call: 1.into(), child: child.into(), agent, task }
    }

    /// Goes forwards, far backwards and forwards again.
    fn jumping() -> crate::store::Clock {
        let looks = AtomicUsize::new(0);
        Arc::new(move || {
            let seconds = [900, 20, 2_000_000_000, 30, 901, 10];
            let second = seconds[looks.fetch_add(1, Ordering::Relaxed) % seconds.len()];
            jiff::Timestamp::from_second(second).unwrap()
        })
    }

    #[test]
    fn whatever_the_clock_does_events_come_in_the_order_of_their_journal() {
        let store = MemoryStore::with_clock(jumping());
        let journal = store.create(spec(1)).unwrap();
        journal.append(child(2), &|_| {}).unwrap();
        let agent = store.create(SessionSpec { parent: Some(1.into()), ..spec(2) }).unwrap();
        for journal in [&journal, &agent, &agent, &journal, &journal, &agent] {
            journal.append(Event::MessageSent { text: "x".into() }, &|_| {}).unwrap();
        }
        let all = so_far(&store, &[1.into()]);
        assert_eq!(all.len(), 9);
        for id in [SessionId::from(1), SessionId::from(2)] {
            let of = all.iter().filter(|envelope| envelope.session == id);
            let numbers: Vec<_> = of.map(|envelope| envelope.seq).collect();
            assert!(numbers.is_sorted(), "{numbers:?}");
        }
    }

    #[test]
    fn the_agents_of_a_part_that_was_copied_belong_to_the_other_session() {
        let store = MemoryStore::new();
        let journal = store.create(spec(1)).unwrap();
        let forked = Event::SessionForked { from: 9.into(), source: Source::Here };
        for event in [child(2), forked, child(3)] {
            journal.append(event, &|_| {}).unwrap();
        }
        assert_eq!(agents(&store.read(1.into()).unwrap().events), [SessionId::from(3)]);
    }
}
