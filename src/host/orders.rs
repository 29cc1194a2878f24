//! What a screen may want of whole sessions: a copy, a way back, another name.

use std::sync::Arc;

use super::{Host, Inner, Rewind, copies, mend};
use crate::kernel::{
    error::CallError, event::Event, gate::approval::NotAnswered, id::SessionId,
    session::branch::Point,
};

impl Host {
    /// Says something to a session for its next step. Nothing happens if it does not run here.
    pub(super) fn steer(&self, session: SessionId, text: String) {
        if let Some(live) = self.0.get(session)
            && live.handle.steer(text).is_err()
        {
            tracing::warn!(%session, "said to a session that has ended");
        }
    }

    /// Begins a copy and carries it on here, beside the loop: a journal may be long.
    pub(super) fn fork(&self, from: SessionId, before: Option<usize>) {
        let host = self.clone();
        let begin = move || {
            let point = before.map_or(Point::End, Point::Message);
            let store = &*host.0.parts.store;
            let id = copies::fork(store, from, point, None)?;
            // Whoever watches already sees it from its beginning.
            for envelope in store.events(id).map_err(|error| error.to_string())? {
                host.0.hub.publish(&envelope.map_err(|error| error.to_string())?);
            }
            host.resume(id).map_err(|error| error.to_string())
        };
        self.0.tasks.spawn(async move {
            let begun = tokio::task::spawn_blocking(begin).await;
            if let Ok(Err(error)) = begun {
                tracing::error!(error, session = %from, "a session was not copied");
            }
        });
    }
}

impl Inner {
    pub(super) fn take_back(&self, session: SessionId, text: &str) -> Result<(), NotAnswered> {
        match self.get(session) {
            Some(live) if live.handle.take_back(text) => Ok(()),
            Some(_) | None => Err(NotAnswered::Refused(
                "Too late: that was said already. What is in the composer is a copy.".to_owned(),
            )),
        }
    }

    pub(super) fn rewind(
        self: &Arc<Self>,
        session: SessionId,
        before: usize,
    ) -> Result<(), NotAnswered> {
        let refused = |why: &str| Err(NotAnswered::Refused(why.to_owned()));
        let Some(live) = self.get(session) else {
            return refused("That session does not run here.");
        };
        if live.handle.is_busy() {
            return refused("It is at work: stop it first, then go back.");
        }
        let host = self.clone();
        self.tasks.spawn(async move {
            if let Err(error) = host.went_back(session, before).await {
                tracing::error!(%error, %session, "did not go back");
            }
        });
        Ok(())
    }

    async fn went_back(&self, session: SessionId, before: usize) -> Result<(), CallError> {
        let Some(live) = self.get(session) else { return Ok(()) };
        let store = self.parts.store.clone();
        let read = tokio::task::spawn_blocking(move || Rewind::read(&*store, session, before));
        let failed = |error: &dyn std::fmt::Display| CallError::failed(error.to_string());
        let rewind = read.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        rewind.go(&*self.parts.store, &live.context.recorder).await?;
        let store = self.parts.store.clone();
        let whole = tokio::task::spawn_blocking(move || mend::whole_again(&*store, &live.session));
        whole.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
    }

    pub(super) fn rename(&self, session: SessionId, words: &str) -> Result<(), NotAnswered> {
        let name = copies::name(words).map_err(NotAnswered::Refused)?;
        let told = match self.get(session) {
            Some(live) => {
                let event = Event::SessionNamed { name: name.clone() };
                live.context
                    .recorder
                    .append(event)
                    .and_then(|_| self.parts.store.label(session, &name))
            }
            None => copies::rename(&*self.parts.store, session, &name),
        };
        told.map_err(|error| NotAnswered::Refused(error.to_string()))
    }
}
