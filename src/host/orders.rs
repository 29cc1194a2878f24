//! What a screen may want of whole sessions: a list, a copy, a way back, another name, an end.

use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use super::{Choice, Host, Inner, Rewind, copies, mend, recorder};
use crate::{
    agent::{Ended, Handle},
    kernel::{
        error::CallError,
        event::Event,
        gate::{approval::NotAnswered, subject::Subject, unrecorded},
        id::{CallId, SessionId},
        port::{Hold, Listed, Numbered, Sequel, Store, StoreError, Whereabouts},
        session::{Said, branch::Point, fold::Folding},
        spec::Mode,
    },
};

impl Host {
    /// Says something to a session in the name of a person, who is told if nobody hears it.
    pub(super) fn say(
        &self,
        session: SessionId,
        say: impl FnOnce(&Handle) -> Result<(), Ended>,
    ) -> Result<(), NotAnswered> {
        let said = self.0.get(session).is_some_and(|live| say(&live.handle).is_ok());
        match said {
            true => Ok(()),
            false => Err(NotAnswered::Refused(
                "Not said: it does not run here any more. ↑ has your words back.".to_owned(),
            )),
        }
    }

    /// Begins a copy and carries it on here, beside the loop: a journal may be long.
    pub(super) fn fork(&self, from: SessionId, before: Option<usize>) -> Sequel {
        let host = self.clone();
        let begin = move || {
            let point = before.map_or(Point::End, Point::Message);
            let store = &*host.0.parts.store;
            let id = copies::fork(store, from, point, None)?;
            // Whoever watches already sees it from its beginning.
            for envelope in store.events(id).map_err(|error| error.to_string())? {
                host.0.hub.publish(&envelope.map_err(|error| error.to_string())?);
            }
            host.resume(id).map(drop).map_err(|error| error.to_string())
        };
        self.0.goes_on(from, "Not copied", async move {
            // Only a panic or the end of the program loses the task.
            tokio::task::spawn_blocking(begin).await.map_err(|error| error.to_string())?
        })
    }
}

/// What people said, by the numbers that copies and ways back go by.
pub(super) fn said(store: &dyn Store, id: SessionId) -> Result<Vec<Numbered>, StoreError> {
    let mut said = Said::default();
    for envelope in store.some(id, Said::KINDS)? {
        said.take(&*envelope?);
    }
    let numbered = said.all().iter().zip(1..).map(|(words, number)| {
        let text = words.text.clone();
        Numbered { number, at: words.at, text }
    });
    Ok(numbered.collect())
}

impl Inner {
    /// Records a change of mode, then makes it hold.
    pub(super) fn set_mode(&self, id: SessionId, to: Mode) -> Result<(), StoreError> {
        let Some(live) = self.get(id) else { return Ok(()) };
        let from = *live.mode.borrow();
        if from != to && live.note(Event::ModeChanged { from, to })?.is_some() {
            live.mode.send_replace(to);
        }
        Ok(())
    }

    /// The sessions of this home, and where they run.
    pub(super) fn listed(&self) -> Result<Vec<Listed>, StoreError> {
        let all = self.parts.store.list()?.into_iter();
        let roots = all.filter(|session| session.spec.parent.is_none());
        let listed = roots.filter_map(|session| {
            let id = session.spec.id;
            let place = if self.live().contains_key(&id) {
                Whereabouts::Here
            } else {
                match self.parts.store.hold(id) {
                    Ok(Hold::Held(by)) => Whereabouts::There(by),
                    Ok(Hold::Free) => Whereabouts::Free,
                    // Deleted since, or nobody can say.
                    Err(error) => {
                        tracing::debug!(%error, session = %id, "nobody knows who holds it");
                        return None;
                    }
                }
            };
            // What was begun and given up at once is nothing to go back to.
            let said = session.title.is_some() || place != Whereabouts::Free;
            said.then_some(Listed { session, place })
        });
        Ok(listed.collect())
    }

    /// Deletes a session that runs nowhere, with its agents.
    pub(super) fn delete(&self, id: SessionId) -> Result<(), NotAnswered> {
        let refused = |why: String| NotAnswered::Refused(why);
        if self.get(id).is_some() {
            return Err(refused("It runs here: quit first, then delete it.".to_owned()));
        }
        let store = &*self.parts.store;
        let family = copies::family(store, &[id]).map_err(|error| refused(error.to_string()))?;
        store.delete(&family).map_err(|error| refused(error.to_string()))?;
        self.watches.leave(id);
        Ok(())
    }

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
    ) -> Result<Sequel, NotAnswered> {
        let refused = |why: &str| Err(NotAnswered::Refused(why.to_owned()));
        let Some(live) = self.get(session) else {
            return refused("That session does not run here.");
        };
        if live.handle.is_busy() {
            return refused("It is at work: stop it first, then go back.");
        }
        let host = self.clone();
        Ok(self.goes_on(session, "Did not go back", async move {
            host.went_back(session, before).await.map_err(|error| error.message)
        }))
    }

    async fn went_back(&self, session: SessionId, before: usize) -> Result<(), CallError> {
        let Some(live) = self.get(session) else { return Ok(()) };
        let store = self.parts.store.clone();
        let read = tokio::task::spawn_blocking(move || Rewind::read(&*store, session, before));
        let failed = |error: &dyn std::fmt::Display| CallError::failed(error.to_string());
        let rewind = read.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        let (store, recorder) = (&*self.parts.store, &live.context.recorder);
        rewind.go(store, recorder, &|id| self.enter(id)).await?;
        let store = self.parts.store.clone();
        let whole = tokio::task::spawn_blocking(move || mend::whole_again(&*store, &live.session));
        whole.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
    }

    pub(super) fn rename(&self, session: SessionId, words: &str) -> Result<(), NotAnswered> {
        let name = copies::name(words).map_err(NotAnswered::Refused)?;
        let told = match self.get(session) {
            Some(live) => match live.note(Event::SessionNamed { name: name.clone() }) {
                Ok(Some(_)) => self.parts.store.label(session, &name),
                Ok(None) => {
                    let late = "Too late: it is over just now, and keeps its name.".to_owned();
                    return Err(NotAnswered::Refused(late));
                }
                Err(error) => Err(error),
            },
            None => copies::rename(&*self.parts.store, session, &name),
        };
        told.map_err(|error| NotAnswered::Refused(error.to_string()))
    }

    /// Goes on with what takes its time, whoever waits for it; why nothing came of it is in the log as
    /// well.
    pub(super) fn goes_on(
        &self,
        session: SessionId,
        fails: &'static str,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) -> Sequel {
        let (tell, told) = oneshot::channel();
        self.tasks.spawn(async move {
            let came = work.await.map_err(|why| {
                tracing::error!(why, %session, "{fails}");
                format!("{fails}: {why}")
            });
            // Mostly somebody waits.
            let _ = tell.send(came);
        });
        // Only the end of the program loses the task.
        Box::pin(async { told.await.unwrap_or(Ok(())) })
    }

    /// Undoes what these calls wrote. What came of it is in the journal of the session that wrote, or
    /// of the root session, which is opened for it where it does not run.
    pub(super) async fn undo(
        &self,
        session: SessionId,
        calls: Vec<CallId>,
    ) -> Result<(), CallError> {
        let changes = self.changes(session).await?;
        let recorder = match self.get(changes.root) {
            Some(live) => live.context.recorder,
            None => {
                let mut folding = Folding::default();
                let opened = self.parts.store.open(changes.root, &mut |it| folding.take(it));
                let opened = opened.map_err(unrecorded)?;
                let session =
                    folding.session().ok_or_else(|| CallError::failed("It has no description."))?;
                recorder(opened.journal, &Arc::new(Mutex::new(session)), &self.hub)
            }
        };
        let store = &*self.parts.store;
        let all =
            changes.undo(store, &recorder, &|id| self.enter(id), &Choice::Calls(calls)).await?;
        if let Some(waiting) = &self.waiting {
            for undone in &all {
                waiting.changed(&Subject::path(&undone.planned.recorded.change.path));
            }
        }
        Ok(())
    }
}
