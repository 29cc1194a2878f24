//! What a crash left open is closed, once: questions are withdrawn, calls without a result get one
//! that says so, an exchange that was going on is over.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Inner, beside::Untold, ending::send, folded, recorder, so_far::so_far, tree::End};
use crate::{
    kernel::{
        event::{Envelope, Event, Outcome},
        id::{CallId, SessionId, SignalId},
        known::{self, Seen},
        message::Usage,
        port::{Events, Kinds, Store, StoreError},
        recorder::Recorder,
        session::{Session, fold::Folding},
        signal::{Ending, Signal},
        spec::SessionSpec,
    },
    modules,
};

/// What tells of the use of a session and of the agents below it.
const USES: Kinds = &["turn_finished", "context_compacted", "call_judged", "child_started"];
/// What tells of an agent that is over, of what it sent, and of the agents below it.
const ENDS: Kinds =
    &["session_finished", "session_resumed", "session_forked", "signal_sent", "child_started"];

/// What is kept of a journal while it is read, to carry its session on.
#[derive(Default)]
pub(super) struct Past {
    folding: Folding,
    /// The agents it started itself, in order. Those in a part that was copied belong to the session
    /// it was copied from.
    pub(super) agents: Vec<SessionId>,
    pub(super) untold: Untold,
    sent: Vec<(SignalId, SessionId, Signal)>,
    /// The signals that came, from whom, and whether they told of an end.
    received: Vec<(SignalId, SessionId, bool)>,
    /// The messages before which its conversation ended again.
    returns: Vec<u64>,
    /// The calls that made worktrees, or were about to.
    pub(super) worktrees: Vec<CallId>,
    /// The files that it saw, and the workspace where their names begin.
    seen: Seen,
    workspace: PathBuf,
    /// How it ended, if nobody carried it on since.
    finished: Option<Outcome>,
}

impl Past {
    /// Takes the next event in.
    pub(super) fn take(&mut self, envelope: &Envelope) {
        self.folding.take(envelope);
        self.untold.take(&envelope.event);
        if let Event::SessionStarted { spec } = &envelope.event {
            self.workspace.clone_from(&spec.workspace);
        }
        known::seen_by(&mut self.seen, &self.workspace, &envelope.event);
        if let Event::ChildStarted { child, .. } = envelope.event {
            // Each once, whatever a journal says.
            if !self.agents.contains(&child) {
                self.agents.push(child);
            }
        } else if let Event::SessionForked { .. } = envelope.event {
            self.agents.clear();
            self.worktrees.clear();
        } else if let Event::SignalSent { signal, to, what } = &envelope.event {
            self.sent.push((*signal, *to, what.clone()));
        } else if let Event::SignalReceived { signal, from, what, .. } = &envelope.event {
            self.received.push((*signal, *from, is_end(what)));
        } else if let Event::ConversationRewound { to } = envelope.event {
            self.returns.push(to);
        } else if let Event::CallStarted { call, .. } = &envelope.event
            && call.name == modules::ADD_WORKTREE
        {
            self.worktrees.push(call.id);
        } else if let Event::SessionFinished { outcome } = &envelope.event {
            self.finished = Some(outcome.clone());
        } else if let Event::SessionResumed { .. } = &envelope.event {
            self.finished = None;
        }
    }

    /// What these events tell.
    fn read(events: Box<dyn Events>) -> Result<Self, StoreError> {
        let mut past = Self::default();
        for envelope in events {
            past.take(&*envelope?);
        }
        Ok(past)
    }

    /// The files that it saw, by their real places as far as they are there.
    pub(super) fn seen(&mut self) -> Seen {
        let seen = std::mem::take(&mut self.seen).into_iter();
        seen.map(|(path, was)| (path.canonicalize().unwrap_or(path), was)).collect()
    }

    /// What it told the one above it of its end, if it is an agent's.
    fn said(&self) -> Option<End> {
        self.sent.iter().find_map(|(signal, _, what)| match what {
            Signal::Ended { ending } => Some(End::new(*signal, ending.clone())),
            Signal::Words { .. } | Signal::Stop | Signal::Program { .. } => None,
        })
    }

    /// The session as it was left. Where it went back to what a summary had stood for, the journal is
    /// read once more for that.
    pub(super) fn session(&mut self, store: &dyn Store) -> Result<Option<Session>, StoreError> {
        let session = std::mem::take(&mut self.folding).session();
        match session {
            Some(mut session) if session.lacks() => {
                whole(store, &mut session, std::mem::take(&mut self.returns))?;
                Ok(Some(session))
            }
            whole => Ok(whole),
        }
    }
}

/// Gives a session that lacks a part of its conversation all of it, from its journal, up to where it
/// is. Blocks for the time of reading that.
fn whole(store: &dyn Store, session: &mut Session, returns: Vec<u64>) -> Result<(), StoreError> {
    let mut folding = Folding::returning(returns);
    for envelope in store.events(session.spec.id)? {
        let envelope = envelope?;
        if envelope.seq > session.upto() {
            break;
        }
        folding.take(&envelope);
    }
    if let Some(whole) = folding.session() {
        *session = whole;
    }
    Ok(())
}

/// Likewise, for a session that runs: what is appended meanwhile waits, and is taken in after it.
pub(super) fn whole_again(store: &dyn Store, session: &Mutex<Session>) -> Result<(), StoreError> {
    let id = folded(session, |session| session.lacks().then_some(session.spec.id));
    let Some(id) = id else { return Ok(()) };
    let mut past = Past::default();
    for envelope in store.events(id)? {
        past.take(&*envelope?);
    }
    let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
    whole(store, &mut session, past.returns)
}

fn is_end(what: &Signal) -> bool {
    matches!(what, Signal::Ended { .. })
}

/// What these agents used, and all below them, as far as their journals can be read.
pub(super) fn used(store: &dyn Store, agents: &[SessionId]) -> Usage {
    let mut used = Usage::default();
    for envelope in so_far(|id| store.some(id, USES), agents) {
        if let Event::TurnFinished { usage, .. }
        | Event::ContextCompacted { usage, .. }
        | Event::CallJudged { usage, .. } = &envelope.event
        {
            used += *usage;
        }
    }
    used
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
        let store = &*self.parts.store;
        let mut past = Past::read(store.some(id, ENDS)?)?;
        // Of most agents that is all: they are over, and were told of.
        if past.finished.is_none() || past.said().is_none() {
            past = Past::read(store.events(id)?)?;
        }
        for agent in &past.agents {
            all.extend(self.mend_agent(*agent));
        }
        let Some(session) = past.session(store)? else { return Ok(()) };
        let spec = Arc::new(session.spec.clone());
        let said = past.said();
        let sent = past.sent.into_iter();
        all.extend(sent.map(|(signal, to, what)| Sent { signal, from: spec.clone(), to, what }));
        let end = match (said, past.finished) {
            // Of an agent from before there were signals its starter was told in another way.
            (said, Some(outcome)) => {
                said.unwrap_or_else(|| End::new(SignalId::fresh(), session.ending(outcome)))
            }
            (said, None) => self.finish_agent(&spec, said, all)?,
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
        let mut folding = Folding::default();
        let opened = self.parts.store.open(spec.id, &mut |envelope| folding.take(envelope))?;
        let session = folding.session().unwrap_or_else(|| Session::new((**spec).clone()));
        let session = Arc::new(Mutex::new(session));
        let recorder = recorder(opened.journal, &session, &self.hub);
        self.mend(&recorder, &session, opened.notice)?;
        let end = match (said, spec.parent) {
            (Some(said), _) => said,
            (None, above) => {
                let message = "Ended with the program that ran it.".to_owned();
                let ending = folded(&session, |it| it.ending(Outcome::Failed { message })).cut();
                let ending = Ending { worktree: modules::left(spec), ..ending };
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
        (to, past): (SessionId, &Past),
        sent: Vec<Sent>,
    ) -> Result<(), StoreError> {
        for Sent { signal, from, what, .. } in sent.into_iter().filter(|sent| sent.to == to) {
            // An agent ends once, whatever became of the record of it in its own journal.
            let came = past.received.iter().any(|(known, other, ended)| {
                *known == signal || (*other == from.id && *ended && is_end(&what))
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{
        kernel::{event::Source, spec::SessionSpec},
        store::MemoryStore,
    };

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
        let journal = store.create(SessionSpec::sample(1)).unwrap();
        journal.append(child(2), &|_| {}).unwrap();
        let agent =
            store.create(SessionSpec { parent: Some(1.into()), ..SessionSpec::sample(2) }).unwrap();
        for journal in [&journal, &agent, &agent, &journal, &journal, &agent] {
            journal.append(Event::said("x"), &|_| {}).unwrap();
        }
        let all: Vec<_> = so_far(|id| store.events(id), &[1.into()]).collect();
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
        let journal = store.create(SessionSpec::sample(1)).unwrap();
        let forked = Event::SessionForked { from: 9.into(), source: Source::Here };
        for event in [child(2), forked, child(3)] {
            journal.append(event, &|_| {}).unwrap();
        }
        assert_eq!(
            Past::read(store.events(1.into()).unwrap()).unwrap().agents,
            [SessionId::from(3)]
        );
    }
}
