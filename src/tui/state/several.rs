//! Several questions of one script, answered together: each once, by its own name.

use std::collections::BTreeSet;

use super::waiting::{Queue, Waiting};
use crate::kernel::id::{ApprovalId, CallId};

/// What is chosen among the questions of a script.
#[derive(Clone, Debug, Default)]
pub struct Several {
    /// The call that runs the script.
    pub script: Option<CallId>,
    pub chosen: BTreeSet<ApprovalId>,
    /// The one that is looked at from the list, to which one comes back.
    pub looked_at: Option<ApprovalId>,
    /// How many went while the list was open.
    pub gone: usize,
    /// Answers that are on their way.
    pub batch: Option<Batch>,
}

/// Answers that were given together.
#[derive(Clone, Debug)]
pub struct Batch {
    /// `Yes, once` or `No`.
    pub says: &'static str,
    pub left: BTreeSet<ApprovalId>,
    pub done: usize,
    pub late: usize,
}

/// What became of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    Done,
    /// It had ended before.
    Late,
}

impl Queue {
    /// The questions of the script whose list it is, in the order in which they wait.
    pub fn of_script(&self) -> Vec<&Waiting> {
        let script = self.several.script;
        let mine = |waiting: &&Waiting| script.is_some() && waiting.question.script == script;
        self.ordered().into_iter().filter(mine).collect()
    }

    /// Why this one cannot be chosen with those that are, if it cannot.
    pub fn why_not_chosen(&self, waiting: &Waiting) -> Option<&'static str> {
        let kind = self.several.chosen.iter().next().and_then(|id| self.get(*id));
        if !waiting.end_seen {
            Some("see it first")
        } else if waiting.deceives() {
            Some("hidden text: alone")
        } else if kind.is_some_and(|kind| kind.question.category != waiting.question.category) {
            Some("another kind: alone")
        } else {
            None
        }
    }
}

impl Several {
    /// One went, whoever answered it.
    pub fn forget(&mut self, waiting: &Waiting) {
        self.chosen.remove(&waiting.question.id);
        self.looked_at.take_if(|id| *id == waiting.question.id);
        if self.script.is_some() && waiting.question.script == self.script {
            self.gone += 1;
        }
    }

    /// Takes in what became of an answer that was given with others; the words for those so far, and
    /// whether they are all.
    pub fn settle(&mut self, id: ApprovalId, settled: Settled) -> Option<(String, bool)> {
        let batch = self.batch.as_mut()?;
        if !batch.left.remove(&id) {
            return None;
        }
        match settled {
            Settled::Done => batch.done += 1,
            Settled::Late => batch.late += 1,
        }
        let late = match batch.late {
            0 => String::new(),
            late => format!(" {late} had ended before."),
        };
        let said = format!("{} to {}.{late}", batch.says, batch.done);
        let all = batch.left.is_empty();
        if all {
            self.batch = None;
        }
        Some((said, all))
    }
}
