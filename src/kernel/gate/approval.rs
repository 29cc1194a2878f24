//! The waiting table: one seat a question, each with its own reply channel, taken before the
//! question is visible. Answering one can reach no other, and a seat that is left is empty.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::grant::{GrantKey, Grants};
use crate::kernel::{
    capability::{Category, Preview},
    event::{Call, Decider},
    id::{ApprovalId, CallId, SessionId},
};

/// A question to a person, with all that is needed to judge it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its name.
    pub id: ApprovalId,
    /// The session that asks.
    pub session: SessionId,
    /// The agents from the root to the one that asks.
    pub path: Vec<String>,
    /// The exact call.
    pub call: Call,
    /// What the call does to the world.
    pub category: Category,
    /// The effect as a person sees it.
    pub preview: Preview,
    /// The file of the Python that asks, where it is Python.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<CallId>,
}

/// What a person says to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "said")]
pub enum Answer {
    /// Yes.
    Allow { scope: Scope },
    /// No, with words for the model if there are any.
    Deny {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
        then: Then,
    },
}

/// How far a yes reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This call.
    Once,
    /// This very call, as often as it comes in this session.
    Session,
}

/// What happens after a no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The model is told, and goes on.
    GoOn,
    /// The turn of the session that asked is stopped; others go on.
    StopTurn,
}

/// An answer came too late, or for a question that never was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nobody waits for this answer any more")]
pub struct NobodyWaits;

/// What arrives at a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// In whose name.
    pub by: Decider,
}

/// Everything that waits for a person, in all sessions of this process.
#[derive(Debug, Default)]
pub struct Waiting(Mutex<BTreeMap<ApprovalId, Entry>>);

#[derive(Debug)]
struct Entry {
    reply: oneshot::Sender<Reply>,
    key: GrantKey,
    grants: Arc<Grants>,
}

impl Waiting {
    /// Takes a seat for a question that is about to be asked.
    pub fn take_seat(self: &Arc<Self>, id: ApprovalId, key: GrantKey, grants: Arc<Grants>) -> Seat {
        let (reply, answer) = oneshot::channel();
        self.table().insert(id, Entry { reply, key, grants });
        Seat { id, answer, table: self.clone() }
    }

    /// Answers one question. A yes for the session also answers the questions of that session that
    /// ask for the very same call.
    pub fn answer(&self, id: ApprovalId, answer: Answer) -> Result<(), NobodyWaits> {
        let mut table = self.table();
        let entry = table.remove(&id).ok_or(NobodyWaits)?;
        let everywhere = answer == Answer::Allow { scope: Scope::Session };
        // The seat is removed under the same lock when its owner leaves, so a send that succeeds
        // reaches somebody who still looks.
        entry.reply.send(Reply { answer, by: Decider::Person }).map_err(|_| NobodyWaits)?;
        if !everywhere {
            return Ok(());
        }
        entry.grants.add(entry.key.clone());
        let same =
            |other: &Entry| Arc::ptr_eq(&other.grants, &entry.grants) && other.key == entry.key;
        let covered: Vec<_> =
            table.iter().filter(|(_, other)| same(other)).map(|(id, _)| *id).collect();
        for other in covered.into_iter().filter_map(|id| table.remove(&id)) {
            let answer = Answer::Allow { scope: Scope::Once };
            // One that has just left needs no answer.
            let _ = other.reply.send(Reply { answer, by: Decider::Grant });
        }
        Ok(())
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.table().len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.table().is_empty()
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<ApprovalId, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the waiting table; leaving it (by drop) withdraws the question.
#[derive(Debug)]
pub struct Seat {
    id: ApprovalId,
    answer: oneshot::Receiver<Reply>,
    table: Arc<Waiting>,
}

impl Seat {
    /// Waits for the answer. Losing this future loses nothing: it can be asked again.
    pub async fn reply(&mut self) -> Reply {
        match (&mut self.answer).await {
            Ok(reply) => reply,
            // Entries leave the table only with an answer or with this seat.
            Err(_) => std::future::pending().await,
        }
    }

    /// Leaves the seat, so that no answer comes any more; gives the one that came in time.
    pub fn leave(mut self) -> Option<Reply> {
        self.table.table().remove(&self.id);
        self.answer.try_recv().ok()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.table.table().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YES: Answer = Answer::Allow { scope: Scope::Once };

    fn seat(waiting: &Arc<Waiting>, number: u128, grants: &Arc<Grants>, name: &str) -> Seat {
        let key = GrantKey::of(name, &serde_json::Value::Null);
        waiting.take_seat(number.into(), key, grants.clone())
    }

    #[tokio::test]
    async fn each_answer_goes_to_its_own_question() {
        let (waiting, grants) = (Arc::new(Waiting::default()), Arc::default());
        let mut first = seat(&waiting, 1, &grants, "a");
        let mut second = seat(&waiting, 2, &grants, "a");
        let no = Answer::Deny { because: None, then: Then::GoOn };
        assert_eq!(waiting.answer(2.into(), no.clone()), Ok(()));
        assert_eq!(waiting.answer(1.into(), YES), Ok(()));
        assert_eq!(first.reply().await.answer, YES);
        assert_eq!(second.reply().await.answer, no);
    }

    #[tokio::test]
    async fn an_answer_comes_once_and_never_after_the_asker_left() {
        let (waiting, grants) = (Arc::new(Waiting::default()), Arc::default());
        let first = seat(&waiting, 1, &grants, "a");
        assert_eq!(waiting.answer(1.into(), YES), Ok(()));
        assert_eq!(waiting.answer(1.into(), YES), Err(NobodyWaits));
        drop(first);
        drop(seat(&waiting, 2, &grants, "a"));
        assert_eq!(waiting.answer(2.into(), YES), Err(NobodyWaits));
        assert!(waiting.is_empty());
    }

    #[test]
    fn who_leaves_takes_along_the_answer_that_is_there_and_no_later_one() {
        let (waiting, grants) = (Arc::new(Waiting::default()), Arc::default());
        let answered = seat(&waiting, 1, &grants, "a");
        assert_eq!(waiting.answer(1.into(), YES), Ok(()));
        assert_eq!(answered.leave(), Some(Reply { answer: YES, by: Decider::Person }));
        assert_eq!(seat(&waiting, 2, &grants, "a").leave(), None);
        assert_eq!(waiting.answer(2.into(), YES), Err(NobodyWaits));
    }

    #[tokio::test]
    async fn a_yes_for_the_session_answers_the_same_call_and_no_other() {
        let waiting = Arc::new(Waiting::default());
        let (grants, other_session) = (Arc::default(), Arc::default());
        let mut asked = seat(&waiting, 1, &grants, "a");
        let mut same = seat(&waiting, 2, &grants, "a");
        let _unlike = seat(&waiting, 3, &grants, "b");
        let _elsewhere = seat(&waiting, 4, &other_session, "a");
        let session = Answer::Allow { scope: Scope::Session };
        assert_eq!(waiting.answer(1.into(), session.clone()), Ok(()));
        assert_eq!(asked.reply().await, Reply { answer: session, by: Decider::Person });
        assert_eq!(same.reply().await, Reply { answer: YES, by: Decider::Grant });
        assert_eq!(waiting.len(), 2);
    }
}
