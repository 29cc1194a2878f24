//! Speaks with other agents for one session. Its signals are recorded by both before they count.

use std::sync::{Arc, Weak};

use tokio::time::{Instant, sleep_until};

use super::{Inner, Live, ending::send, folded};
use crate::kernel::{
    BoxFuture,
    error::{CallError, ErrorCode},
    event::{Event, Outcome},
    gate::unrecorded,
    id::{CallId, SessionId, SignalId},
    port::{Agent, AgentState, Coordinator, Finished, Until, Wait, Waited},
    schema,
    signal::{Extent, Signal},
    text,
};

/// The name by which an agent addresses the one above it.
const PARENT: &str = "parent";

/// The coordinator of one session. It does not keep the host alive.
pub(super) struct Post {
    host: Weak<Inner>,
    session: SessionId,
}

impl Post {
    pub(super) fn new(host: &Arc<Inner>, session: SessionId) -> Self {
        Self { host: Arc::downgrade(host), session }
    }

    fn host(&self) -> Result<(Arc<Inner>, Live), CallError> {
        let gone = || CallError::new(ErrorCode::Interrupted, "The program is ending.");
        let host = self.host.upgrade().ok_or_else(gone)?;
        let live = host.get(self.session).ok_or_else(gone)?;
        Ok((host, live))
    }
}

impl Coordinator for Post {
    fn wait(&self, wait: Wait) -> BoxFuture<'_, Result<Waited, CallError>> {
        Box::pin(async move {
            let (host, me) = self.host()?;
            host.wait(&me, wait).await
        })
    }

    fn send(&self, to: &str, text: String) -> Result<SessionId, CallError> {
        let (host, me) = self.host()?;
        let id = host.addressed(&me, "agents.send.to", to)?;
        let over = || CallError::failed(format!("The agent {to} is over and reads nothing more."));
        let other = host.enter(id).filter(|other| !other.live.handle.is_dismissed());
        let other = other.ok_or_else(over)?;
        let (signal, what) = (SignalId::fresh(), Signal::Words { text });
        send(&me.context.recorder, id, signal, &what).map_err(unrecorded)?;
        other.live.receive(signal, &me.context.spec, what).map_err(unrecorded)?;
        Ok(id)
    }

    fn cancel(&self, name: &str, extent: Extent) -> BoxFuture<'_, Result<Vec<String>, CallError>> {
        let name = name.to_owned();
        Box::pin(async move {
            let (host, me) = self.host()?;
            let above = me.context.spec.parent;
            let id = host.addressed(&me, "agents.cancel.name", &name)?;
            if Some(id) == above {
                let fault = "the agent above cannot be stopped from below";
                return Err(schema::invalid("agents.cancel.name", fault));
            }
            let stopped = host.cancel(&me, id, extent).map_err(unrecorded)?;
            match extent {
                Extent::One => {
                    if let Some(live) = host.get(id) {
                        live.handle.idle().await;
                    }
                }
                Extent::Subtree => {
                    host.tree.until(|tree| stopped.iter().all(|id| tree.end(*id).is_some())).await;
                }
            }
            Ok(stopped.into_iter().map(|id| host.tree.name(self.session, id)).collect())
        })
    }

    fn list(&self) -> Vec<Agent> {
        let Ok((host, _)) = self.host() else { return Vec::new() };
        let below = host.tree.below(self.session);
        below.into_iter().map(|id| host.row(self.session, id)).collect()
    }
}

impl Inner {
    /// The session that an agent means by a name.
    fn addressed(&self, me: &Live, place: &str, name: &str) -> Result<SessionId, CallError> {
        let spec = &me.context.spec;
        let above = spec.parent.filter(|_| name == PARENT);
        above.or_else(|| self.tree.find(spec.id, name)).ok_or_else(|| {
            let below = self.tree.below(spec.id).into_iter();
            let mut names: Vec<_> = below.map(|id| self.tree.name(spec.id, id)).collect();
            names.extend(spec.parent.map(|_| PARENT.to_owned()));
            let there =
                if names.is_empty() { "there is none".to_owned() } else { names.join(", ") };
            let fault =
                format!("no agent {} below this one; it can address: {there}", text::quoted(name));
            schema::invalid(place, &fault).with("available", names)
        })
    }

    async fn wait(&self, me: &Live, wait: Wait) -> Result<Waited, CallError> {
        let my = me.context.spec.id;
        let mut ids = Vec::new();
        for name in &wait.names {
            let id = self.addressed(me, "agents.wait.names", name)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        if wait.names.is_empty() {
            ids = self.tree.at_work(my);
            let untold = folded(&me.session, |session| session.untold());
            let below = self.tree.below(my).into_iter();
            let news =
                |id: &SessionId| self.tree.end(*id).is_some_and(|end| untold.contains(&end.signal));
            ids.extend(below.filter(news));
        }
        let waiting = self.tree.wait(my, wait.call, &ids).map_err(|way| self.never(&way))?;
        let seen = |id: &SessionId| self.tree.end(*id).is_some();
        let enough = || match wait.until {
            Until::Any => ids.is_empty() || ids.iter().any(seen),
            Until::All => ids.iter().all(seen),
        };
        let deadline = wait.timeout.map(|timeout| Instant::now() + timeout);
        tokio::select! {
            biased;
            () = self.tree.until(|_| enough()) => {}
            // A real timer: it is the caller's patience, and no running time.
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {}
        }
        drop(waiting);
        let (over, going): (Vec<_>, Vec<_>) = ids.into_iter().partition(seen);
        let over = over.into_iter().filter_map(|id| self.take(me, wait.call, id)).collect();
        let going = going.into_iter().map(|id| self.tree.name(my, id)).collect();
        Ok(Waited { over, going })
    }

    /// The end of an agent as the result of a call: its model is not told of it again.
    fn take(&self, me: &Live, call: CallId, id: SessionId) -> Option<Finished> {
        let end = self.tree.end(id)?;
        let signal = end.signal;
        if folded(&me.session, |session| session.untold().contains(&signal))
            && let Err(error) = me.context.recorder.append(Event::SignalTaken { signal, call })
        {
            // Told twice is better than not at all.
            tracing::warn!(%error, "that a signal was taken was not recorded");
        }
        let name = self.tree.name(me.context.spec.id, id);
        Some(Finished { name, session: id, ending: (*end.ending).clone() })
    }

    fn never(&self, way: &[SessionId]) -> CallError {
        let name = |id: &SessionId| {
            self.tree.spec(*id).map_or_else(|| id.to_string(), |spec| spec.path.join("/"))
        };
        let way: Vec<_> = way.iter().map(name).collect();
        let fault = format!(
            "it would never end, since each would wait for the next: {}. An agent is over only after \
             those it started",
            way.join(" → ")
        );
        schema::invalid("agents.wait.names", &fault).with("cycle", way)
    }

    /// Stops an agent, or its branch, in the name of `me`. Gives those that were at work.
    fn cancel(
        &self,
        me: &Live,
        id: SessionId,
        extent: Extent,
    ) -> Result<Vec<SessionId>, crate::kernel::port::StoreError> {
        let stopped = self.tree.stop(id, extent);
        for id in &stopped {
            let Some(live) = self.get(*id) else { continue };
            let signal = SignalId::fresh();
            let sent = send(&me.context.recorder, *id, signal, &Signal::Stop);
            // One that cannot be told in writing is stopped all the same: it costs, and does things.
            let inside = self.enter(*id);
            let received = inside.map(|it| it.live.receive(signal, &me.context.spec, Signal::Stop));
            live.dismiss();
            sent.and(received.unwrap_or(Ok(())))?;
        }
        Ok(stopped)
    }

    /// Stops an agent, or its branch, in the name of the person. A session that no agent started is
    /// interrupted only.
    pub(super) fn cancel_by_hand(&self, id: SessionId, extent: Extent) {
        let Some(live) = self.get(id) else { return };
        let is_root = live.context.spec.parent.is_none();
        let stopped = match (is_root, extent) {
            (false, _) => self.tree.stop(id, extent),
            (true, Extent::One) => Vec::new(),
            (true, Extent::Subtree) => {
                let branches = self.tree.at_work(id).into_iter();
                branches.flat_map(|id| self.tree.stop(id, extent)).collect()
            }
        };
        if is_root {
            live.handle.interrupt();
        }
        for live in stopped.into_iter().filter_map(|id| self.get(id)) {
            live.dismiss();
        }
    }

    fn row(&self, from: SessionId, id: SessionId) -> Agent {
        let name = self.tree.name(from, id);
        if let Some(end) = self.tree.end(id) {
            let state = match end.ending.outcome {
                Outcome::Done => AgentState::Done,
                Outcome::Stopped => AgentState::Stopped,
                Outcome::Failed { .. } => AgentState::Failed,
                Outcome::Limit { .. } => AgentState::Limit,
            };
            let (turns, usage) = (end.ending.turns, end.ending.usage);
            let tokens = usage.input + usage.output;
            return Agent { name, session: id, state, turns, tokens, waits_for: Vec::new() };
        }
        let (turns, tokens, mut waits_for, busy) = match self.get(id) {
            None => (0, 0, Vec::new(), true),
            Some(live) => {
                let busy = live.handle.is_busy();
                folded(&live.session, |session| {
                    let questions = session.questions.values();
                    let asks = questions.map(|it| {
                        format!("a person, about {} {}", it.call.name, it.preview.object)
                    });
                    let tokens = session.usage.input + session.usage.output;
                    (session.turns, tokens, asks.collect(), busy)
                })
            }
        };
        let mut others = self.tree.waits(id);
        if !busy {
            others.extend(self.tree.at_work(id));
        }
        waits_for.extend(others.into_iter().map(|id| self.tree.name(from, id)));
        let state = if waits_for.is_empty() { AgentState::Working } else { AgentState::Waiting };
        Agent { name, session: id, state, turns, tokens, waits_for }
    }
}
