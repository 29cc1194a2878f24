//! What a journal tells of calls and their questions, each closed once.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

#[derive(Debug)]
pub(super) enum Closed {
    Answered(Answer, Decider),
    Withdrawn(String),
}

/// What a journal tells of calls and their questions.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The questions of each call, in order.
    asked: BTreeMap<CallId, Vec<ApprovalId>>,
    pub(super) closed: BTreeMap<ApprovalId, Closed>,
    pub(super) started: BTreeSet<CallId>,
    finished: BTreeSet<CallId>,
}

impl Told {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut told = Self::default();
        for event in events {
            match event {
                Event::ApprovalRequested { question } => {
                    let call = question.call.id;
                    assert!(!told.started.contains(&call) && !told.finished.contains(&call));
                    let earlier = told.asked.entry(call).or_default();
                    assert!(earlier.iter().all(|id| told.closed.contains_key(id)), "one at a time");
                    earlier.push(question.id);
                }
                Event::ApprovalAnswered { approval, answer, by, .. } => {
                    told.close(*approval, Closed::Answered(answer.clone(), by.clone()));
                }
                Event::ApprovalWithdrawn { approval, reason, .. } => {
                    told.close(*approval, Closed::Withdrawn(reason.clone()));
                }
                Event::CallStarted { call, decision, .. } => told.starts(call.id, &decision.by),
                Event::CallFinished { call, .. } => {
                    assert!(told.finished.insert(*call), "finished twice: {call:?}");
                }
                _ => {}
            }
        }
        told
    }

    fn close(&mut self, id: ApprovalId, how: Closed) {
        assert!(self.asked.values().flatten().any(|asked| *asked == id), "closed, never asked");
        assert!(self.closed.insert(id, how).is_none(), "closed twice: {id:?}");
    }

    /// A call begins: no question of it is open, and the last one was a yes, or an edit that could
    /// not be taken of what needs no yes any more.
    fn starts(&mut self, call: CallId, by: &Decider) {
        assert!(!self.finished.contains(&call));
        assert!(self.started.insert(call), "started twice: {call:?}");
        let Some(last) = self.asked.get(&call).and_then(|asked| asked.last()) else { return };
        let may = match &self.closed[last] {
            Closed::Answered(Answer::Allow { .. } | Answer::AllowEdited { .. }, _) => true,
            Closed::Answered(Answer::Deny { .. }, _) => false,
            Closed::Withdrawn(reason) => reason.starts_with(EDIT_REFUSED) && *by != Decider::Person,
        };
        assert!(may, "began after {:?}", self.closed[last]);
    }

    /// Those that were made to their end, and those of which the journal tells. Who left before the
    /// call had its first turn has not called.
    pub(super) fn each_call_ends_once(&self, made: Vec<CallId>) {
        let begun = self.asked.keys().chain(&self.started).copied();
        for call in made.into_iter().chain(begun) {
            assert!(self.finished.contains(&call), "{call:?} has no result");
        }
        let asked: BTreeSet<_> = self.asked.values().flatten().collect();
        assert_eq!(asked, self.closed.keys().collect(), "each question is closed");
        for (call, questions) in &self.asked {
            let Some((_, earlier)) = questions.split_last() else { continue };
            for id in earlier {
                // It came back since an edit could not be taken, or what had allowed it was gone.
                let again = match &self.closed[id] {
                    Closed::Withdrawn(reason) => reason.starts_with(EDIT_REFUSED),
                    Closed::Answered(_, by) => *by != Decider::Person,
                };
                assert!(again, "{call:?} asked again after {:?}", self.closed[id]);
            }
        }
    }

    pub(super) fn answered_by_person(&self) -> Vec<(ApprovalId, Answer)> {
        let by_person = |(id, closed): (&ApprovalId, &Closed)| match closed {
            Closed::Answered(answer, Decider::Person) => Some((*id, answer.clone())),
            Closed::Answered(..) | Closed::Withdrawn(_) => None,
        };
        self.closed.iter().filter_map(by_person).collect()
    }
}
