//! The waiting table: one seat a question, each with its own reply channel, taken before the
//! question is visible. Answering one can reach no other, and a seat that is left is empty.

mod scope;
mod written;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use super::{
    law::Law,
    monitor::Doubt,
    rule::{Lasting, Rule, parse_one},
    subject::{Case, Subject},
};
use crate::kernel::{
    capability::{Category, Preview},
    event::{Call, Decider},
    id::{ApprovalId, CallId, SessionId},
};

/// A question to a person, with all that is needed to judge it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "written::Written", into = "written::Written")]
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
    pub script: Option<CallId>,
    /// Why the monitor wants it asked, where it does.
    pub monitor: Option<Doubt>,
}

/// What a person says to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "said")]
pub enum Answer {
    /// Yes.
    Allow { scope: Scope },
    /// Yes to this call with other arguments, which are looked at as those of any call are.
    AllowEdited { input: Value },
    /// No, with words for the model if there are any.
    Deny {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
        then: Then,
    },
}

/// How the withdrawal of a question begins that is put anew, since the arguments that a person
/// wrote cannot be taken; what is wrong with them follows.
pub const EDIT_REFUSED: &str = "the edit was refused: ";

/// Why a question is withdrawn that is put anew, since its file was written meanwhile and the call
/// would do something else now.
pub const CHANGED: &str = "its file was changed meanwhile";

/// What is said where a rule was saved for always while the call that asked went away.
const SAVED_FOR_NOBODY: &str =
    "The rule is saved and holds from now on, but the call that asked is gone and does nothing.";

/// How far a yes reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "scope::Written", into = "scope::Written")]
pub enum Scope {
    /// This call.
    Once,
    /// While this session runs, what the text of one `[[allow]]` covers. Without text, as in older
    /// journals, it is exactly that call.
    Session {
        /// The text, exactly as it was shown.
        rule: String,
    },
    /// From now on in every session, what that text covers: it is kept in the person's rules.
    Always {
        /// The text, exactly as it was shown.
        rule: String,
    },
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

/// Why an answer did nothing; its question still waits unless nobody does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnswered {
    /// It came too late, or for a question that never was.
    #[error("nobody waits for this answer any more")]
    NobodyWaits,
    /// It would allow what may not be allowed, or could not be kept: why, and what to do.
    #[error("{0}")]
    Refused(String),
}

/// What arrives at a seat.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// In whose name.
    pub by: Decider,
    /// What it allows while the session runs: stands once the answer is recorded.
    pub grant: Option<Rule>,
}

impl Reply {
    /// Whether it is a yes to more than the call that asks.
    pub(super) fn stands(&self) -> bool {
        match &self.answer {
            Answer::Allow { scope } => *scope != Scope::Once,
            Answer::AllowEdited { .. } | Answer::Deny { .. } => false,
        }
    }
}

/// Everything that waits for a person, in all sessions of this process.
#[derive(Debug, Default)]
pub struct Waiting {
    table: Mutex<BTreeMap<ApprovalId, Entry>>,
    /// How many changes of files were told.
    changes: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    reply: oneshot::Sender<Reply>,
    asked: Asked,
    /// Told when what the call acts on was changed.
    changed: Arc<Notify>,
    /// Told when an answer was refused, for what happened meanwhile to be looked at.
    back: Arc<Notify>,
}

/// What a standing yes to a question would be about.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What binds the session.
    pub law: Law,
    /// The call.
    pub case: Case,
    /// Why it asks whatever a rule says, if it does, in words for the person.
    pub only_once: Option<&'static str>,
    /// The rule for exactly that call.
    pub exact: String,
}

impl Waiting {
    /// Takes a seat for a question that is about to be asked.
    pub fn take_seat(self: &Arc<Self>, id: ApprovalId, asked: Asked) -> Seat {
        let (reply, answer) = oneshot::channel();
        let (changed, back) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let entry = Entry { reply, asked, changed: changed.clone(), back: back.clone() };
        self.table().insert(id, entry);
        Seat { id, answer, changed, back, table: self.clone() }
    }

    /// Tells those that wait to change the same file that somebody else may have changed it.
    pub fn changed(&self, subject: &Subject) {
        if !matches!(subject, Subject::Path { .. }) {
            return;
        }
        // First: who takes a seat from here on sees that there was one more.
        self.changes.fetch_add(1, Ordering::SeqCst);
        for entry in self.table().values().filter(|entry| entry.asked.case.subject == *subject) {
            entry.changed.notify_one();
        }
    }

    /// How many changes were told so far: for [`Seat::look_again`].
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Answers one question. A yes for the session is remembered once it is recorded, and whoever
    /// waits for what it covers is let through by it. A yes for always needs
    /// [`Waiting::answer_kept`].
    pub fn answer(&self, id: ApprovalId, answer: Answer) -> Result<(), NotAnswered> {
        let nowhere =
            |_: &str| Err("Nothing here keeps rules; say yes for this session.".to_owned());
        self.answer_kept(id, answer, nowhere)
    }

    /// As [`Waiting::answer`]; `keep` saves the text of a yes for always, once it is sure that it may
    /// be said, and gives its words if it cannot.
    pub fn answer_kept(
        &self,
        id: ApprovalId,
        answer: Answer,
        keep: impl FnOnce(&str) -> Result<(), String>,
    ) -> Result<(), NotAnswered> {
        // Out of the table while it is answered, so that nothing else answers it; back by drop.
        let entry = self.table().remove(&id).ok_or(NotAnswered::NobodyWaits)?;
        let mut claim = Claim { table: self, id, entry: Some(entry) };
        let Some(entry) = &claim.entry else { return Err(NotAnswered::NobodyWaits) };
        let mut gone = NotAnswered::NobodyWaits;
        let mut grant = None;
        let answer = match answer {
            Answer::Allow { scope: Scope::Session { rule } } => {
                let text = if rule.is_empty() { entry.asked.exact.clone() } else { rule };
                grant = Some(entry.asked.rule(&text, Lasting::Session)?);
                Answer::Allow { scope: Scope::Session { rule: text } }
            }
            Answer::Allow { scope: Scope::Always { rule: text } } => {
                entry.asked.rule(&text, Lasting::File)?;
                if entry.reply.is_closed() {
                    return Err(NotAnswered::NobodyWaits);
                }
                keep(&text).map_err(NotAnswered::Refused)?;
                gone = NotAnswered::Refused(SAVED_FOR_NOBODY.to_owned());
                Answer::Allow { scope: Scope::Always { rule: text } }
            }
            once @ (Answer::Allow { scope: Scope::Once }
            | Answer::AllowEdited { .. }
            | Answer::Deny { .. }) => once,
        };
        let Some(entry) = claim.entry.take() else { return Err(NotAnswered::NobodyWaits) };
        entry.reply.send(Reply { answer, by: Decider::Person, grant }).map_err(|_| gone)
    }

    /// What a yes of that reach would come to, without saying it: how many others that wait it would
    /// answer, or why it would be refused.
    pub fn consider(&self, id: ApprovalId, scope: &Scope) -> Result<usize, NotAnswered> {
        let table = self.table();
        let asked = &table.get(&id).ok_or(NotAnswered::NobodyWaits)?.asked;
        let (text, lasting) = match scope {
            Scope::Once => return Ok(0),
            Scope::Session { rule } if rule.is_empty() => (&asked.exact, Lasting::Session),
            Scope::Session { rule } => (rule, Lasting::Session),
            Scope::Always { rule } => (rule, Lasting::File),
        };
        let rule = asked.rule(text, lasting)?;
        let reached = |other: &Asked| {
            let there = lasting == Lasting::File || other.law.shares_grants(&asked.law);
            there && other.only_once.is_none() && other.law.why_not(&rule, &other.case).is_none()
        };
        let others = table.iter().filter(|(other, entry)| **other != id && reached(&entry.asked));
        Ok(others.count())
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
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asked {
    /// The rule of a standing yes, if it may be said.
    fn rule(&self, text: &str, lasting: Lasting) -> Result<Rule, NotAnswered> {
        let refused = |why: String| Err(NotAnswered::Refused(why));
        if let Some(why) = self.only_once {
            return refused(why.to_owned());
        }
        let rule = match parse_one(text, self.law.reading(lasting)) {
            Ok(rule) => rule,
            Err(fault) => return refused(format!("Not saved: {fault}")),
        };
        match self.law.why_not(&rule, &self.case) {
            Some(why) => refused(format!("Not saved: {why}.")),
            None => Ok(rule),
        }
    }
}

/// A question that is being answered.
struct Claim<'a> {
    table: &'a Waiting,
    id: ApprovalId,
    entry: Option<Entry>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut table = self.table.table();
        if let Some(entry) = self.entry.take().filter(|entry| !entry.reply.is_closed()) {
            entry.back.notify_one();
            table.insert(self.id, entry);
        }
    }
}

/// A place in the waiting table; leaving it (by drop) withdraws the question.
#[derive(Debug)]
pub struct Seat {
    id: ApprovalId,
    answer: oneshot::Receiver<Reply>,
    changed: Arc<Notify>,
    back: Arc<Notify>,
    table: Arc<Waiting>,
}

impl Seat {
    /// Waits for the answer; nothing if one was refused, so that who could not give the seat up
    /// meanwhile can now. Losing this future loses nothing: it can be asked again.
    pub async fn reply(&mut self) -> Option<Reply> {
        tokio::select! {
            biased;
            // Entries leave the table only with an answer or with this seat.
            Ok(reply) = &mut self.answer => Some(reply),
            () = self.back.notified() => None,
        }
    }

    /// Told each time that what the call acts on may have been changed.
    pub(super) fn changed(&self) -> Arc<Notify> {
        self.changed.clone()
    }

    /// Has it looked at again what was looked at when there had been so many changes, if there were
    /// more before the seat was taken.
    pub(super) fn look_again(&self, changes: u64) {
        if self.table.changes() != changes {
            self.changed.notify_one();
        }
    }

    /// Gives the seat up, unless somebody is just answering: then their answer counts, and comes, or
    /// is refused.
    pub(super) fn give_up(&self) -> bool {
        self.table.table().remove(&self.id).is_some()
    }

    /// Leaves: no answer is taken from here on. Gives the one that had come and was not looked at.
    pub(super) fn leave(&mut self) -> Option<Reply> {
        // First, so that whoever is just answering does not put the question back.
        self.answer.close();
        self.table.table().remove(&self.id);
        self.answer.try_recv().ok()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests;
