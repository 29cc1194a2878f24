//! Starts agents for one session: a child is a session like any other, narrowed.

use std::sync::{Arc, Weak};

use tokio::sync::oneshot;

use super::{Inner, Live, bring_up::Parent, folded};
use crate::{
    agent,
    executor::Workspace,
    kernel::{
        BoxFuture,
        error::{CallError, ErrorCode},
        event::{Event, Outcome},
        id::SessionId,
        port::{ChildAnswer, ChildRequest, Factory},
    },
};

/// The factory of one session. It does not keep the host alive.
pub(super) struct Nursery {
    host: Weak<Inner>,
    parent: SessionId,
}

impl Nursery {
    pub(super) fn new(host: &Arc<Inner>, parent: SessionId) -> Self {
        Self { host: Arc::downgrade(host), parent }
    }
}

impl Factory for Nursery {
    fn run_child(&self, request: ChildRequest) -> BoxFuture<'_, Result<ChildAnswer, CallError>> {
        Box::pin(async move {
            let gone = || CallError::new(ErrorCode::Interrupted, "The program is ending.");
            let host = self.host.upgrade().ok_or_else(gone)?;
            let parent = host.get(self.parent).ok_or_else(gone)?;
            let answer = host.start_child(&parent, request)?;
            drop(host);
            // The child has a task of its own: it goes on if nobody waits for this any more.
            answer.await.map_err(|_| gone())?
        })
    }
}

impl Inner {
    fn start_child(
        self: &Arc<Self>,
        parent: &Live,
        request: ChildRequest,
    ) -> Result<oneshot::Receiver<Result<ChildAnswer, CallError>>, CallError> {
        let mode = *parent.mode.borrow();
        let siblings = folded(&parent.session, |session| session.children.clone());
        let mut spec = agent::child_spec(&parent.context.spec, mode, &request, |name| {
            siblings.iter().any(|taken| taken == name)
        })?;
        let unusable = |error: std::io::Error| {
            CallError::failed(format!("The workspace cannot be opened any more: {error}."))
        };
        let workspace = Workspace::new(&parent.context.spec.workspace).map_err(unusable)?;
        spec.workspace = workspace.make_folder(&spec.workspace)?;
        let inherited = Parent {
            rights: Some(parent.context.gate.rights().clone()),
            waiting: parent.context.gate.waiting().cloned(),
            clocks: request.clocks,
            law: Some(parent.context.gate.law().clone()),
        };
        let (child, name) = (spec.id, spec.agent().to_owned());
        parent
            .context
            .recorder
            .append(Event::ChildStarted {
                call: request.call,
                child,
                agent: name,
                task: request.task.clone(),
            })
            .map_err(|error| CallError::failed(error.to_string()))?;
        let live =
            self.begin(spec, inherited).map_err(|error| CallError::failed(error.to_string()))?;
        live.handle.send(request.task).map_err(|error| CallError::failed(error.to_string()))?;
        let (answered, answer) = oneshot::channel();
        let host = self.clone();
        self.tasks.spawn(async move {
            let outcome = live.handle.idle().await.unwrap_or(Outcome::Stopped);
            let result = answer_of(&live, child, &outcome);
            if let Err(error) = live.context.recorder.append(Event::SessionFinished { outcome }) {
                tracing::warn!(%error, "the end of an agent was not recorded");
            }
            host.live().remove(&child);
            live.handle.shutdown().await;
            // Whoever waited may be gone.
            let _ = answered.send(result);
        });
        Ok(answer)
    }
}

fn answer_of(live: &Live, child: SessionId, outcome: &Outcome) -> Result<ChildAnswer, CallError> {
    let text = folded(&live.session, |session| session.last_text().to_owned());
    let name = live.context.spec.agent();
    match outcome {
        Outcome::Done => Ok(ChildAnswer { session: child, text }),
        Outcome::Stopped => Err(CallError::new(
            ErrorCode::Interrupted,
            format!("The agent {name} was stopped by a person. Its last words: {text}"),
        )),
        Outcome::Failed { message } => {
            Err(CallError::failed(format!("The agent {name} failed: {message}")))
        }
        Outcome::Limit { message } => Err(CallError::new(
            ErrorCode::BudgetSpent,
            format!("The agent {name} reached a limit: {message}"),
        )),
    }
}
