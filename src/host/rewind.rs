//! Going back: the conversation by an event that is appended, the files by taking back what was
//! written since. The files come first: cut off in between, the same command goes on.

use std::collections::HashSet;

use super::{Changes, Choice, Undone, changes::Here};
use crate::kernel::{
    change::{Planned, Undo, Why},
    error::CallError,
    event::Event,
    gate::unrecorded,
    id::{CallId, SessionId},
    port::{Kinds, Store, StoreError},
    recorder::Recorder,
    session::{Said, Words},
    text,
};

/// What tells of it: what was said, written and started.
const WANTED: Kinds = &["message_sent", "conversation_rewound", "change_begun", "child_started"];

/// A way back to before a message.
pub struct Rewind {
    /// The number of the message's event.
    pub to: u64,
    /// What it says.
    pub text: String,
    changes: Changes,
    calls: Vec<CallId>,
}

/// Why there is no way back.
#[derive(Debug, thiserror::Error)]
pub enum NoWayBack {
    /// The journal.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No such message; how many there are.
    #[error("there is no message {0}: {count} said", count = text::were(*.1))]
    Message(usize, usize),
    /// It is an agent of that session.
    #[error("it is an agent: go back in session {}", .0.short())]
    Agent(SessionId),
}

impl Rewind {
    /// The way back to before that message of the conversation as it is now, counted from 1. Blocks
    /// for the time of reading the journals.
    pub fn read(store: &dyn Store, session: SessionId, number: usize) -> Result<Self, NoWayBack> {
        let mut said = Said::default();
        let (mut written, mut started) = (Vec::new(), Vec::new());
        for envelope in store.some(session, WANTED)? {
            let envelope = envelope?;
            said.take(&envelope);
            if let Event::ChangeBegun { call, change } = &envelope.event
                && change.undoes.is_none()
            {
                written.push((envelope.seq, *call));
            } else if let Event::ChildStarted { child, .. } = envelope.event {
                started.push((envelope.seq, child));
            }
        }
        let found = said.numbered(number).cloned();
        let Words { seq: to, text, .. } =
            found.ok_or(NoWayBack::Message(number, said.all().len()))?;
        let changes = Changes::read(store, session)?;
        if changes.root != session {
            return Err(NoWayBack::Agent(changes.root));
        }
        let since = |seq: u64| seq >= to;
        let own: HashSet<_> =
            written.into_iter().filter(|(seq, _)| since(*seq)).map(|(_, call)| call).collect();
        let agents: HashSet<_> =
            started.into_iter().filter(|(seq, _)| since(*seq)).map(|(_, child)| child).collect();
        let meant = changes.all().filter(|recorded| {
            let agent = changes.below(recorded.session);
            own.contains(&recorded.call) || agent.is_some_and(|agent| agents.contains(&agent))
        });
        let calls = meant.map(|recorded| recorded.call).collect();
        Ok(Self { to, text, changes, calls })
    }

    /// What would become of the files, in the order in which it would be done. Nothing is said of
    /// what is as it was already.
    pub async fn plan(&self) -> Result<Vec<Planned>, CallError> {
        let mut plan = self.changes.plan(&self.choice()).await?;
        plan.retain(is_news);
        Ok(plan)
    }

    /// Goes back, and says what became of each file. `recorder` is that of the session, `here` as for
    /// [`Changes::undo`].
    pub async fn go(
        &self,
        store: &dyn Store,
        recorder: &Recorder,
        here: Here<'_>,
    ) -> Result<Vec<Undone>, CallError> {
        let calls = self.plan().await?.iter().map(|planned| planned.recorded.call).collect();
        let undone = self.changes.undo(store, recorder, here, &Choice::Calls(calls)).await?;
        recorder.append(Event::ConversationRewound { to: self.to }).map_err(unrecorded)?;
        recorder.sync().await.map_err(unrecorded)?;
        Ok(undone)
    }

    fn choice(&self) -> Choice {
        Choice::Calls(self.calls.clone())
    }
}

fn is_news(planned: &Planned) -> bool {
    !matches!(planned.undo, Undo::LeaveAlone(Why::Undone | Why::NotMade))
}
