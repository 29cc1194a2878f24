//! Calls that go on: which of them may have taken effect, and what a person made of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{edit, failure};
use crate::kernel::{
    event::{Call, Event, ExitStatus, Origin},
    id::CallId,
    invoke::{ToolResult, interrupted},
};

/// What is known of calls that the model has no answer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Begun {
    /// Those that were asked about or began, and have no result: any depth.
    open: BTreeMap<CallId, OpenCall>,
    /// The calls of which a program runs; it may outlast them.
    runs: BTreeSet<CallId>,
    /// What a person made of calls before saying yes, for the model, by its own call.
    edited: Vec<(CallId, String)>,
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq)]
struct OpenCall {
    /// Whether it may have taken effect.
    began: bool,
    name: String,
    input: Value,
    origin: Origin,
    parent: Option<CallId>,
}

impl Begun {
    pub(super) fn began(&mut self, call: &Call) {
        self.open.insert(call.id, OpenCall::of(call, true));
    }

    pub(super) fn asked(&mut self, call: &Call) {
        self.open.entry(call.id).or_insert_with(|| OpenCall::of(call, false));
    }

    pub(super) fn finished(&mut self, call: CallId) {
        self.open.remove(&call);
    }

    pub(super) fn runs(&mut self, call: CallId) {
        self.runs.insert(call);
    }

    pub(super) fn ran(&mut self, call: CallId) {
        self.runs.remove(&call);
    }

    /// A person said yes to other arguments.
    pub(super) fn edited(&mut self, call: &Call, input: &Value) {
        let root = self.root_of(call);
        self.edited.push((root, edit::note(call, input)));
    }

    /// The result of a call by the model, as it is told.
    pub(super) fn told(&mut self, result: &ToolResult, call: CallId) -> ToolResult {
        edit::told(result, call, &mut self.edited)
    }

    pub(super) fn is_open(&self, call: CallId) -> bool {
        self.open.contains_key(&call)
    }

    pub(super) fn may_have_taken_effect(&self, call: CallId) -> bool {
        self.open.get(&call).is_some_and(|open| open.began)
    }

    /// The ends of all of them, programs and inner ones first. How long a program ran is not known.
    pub(super) fn lost(&self) -> impl Iterator<Item = Event> {
        let runs = self.runs.iter().rev().map(|call| Event::ExecutionFinished {
            call: *call,
            status: ExitStatus::Cancelled,
            ran_ms: 0,
            excluded_ms: 0,
        });
        runs.chain(self.open.iter().rev().map(|(id, call)| {
            lost(*id, &call.name, call.input.clone(), call.parent, call.origin, call.began)
        }))
    }

    /// The call by the model in which this one was made.
    fn root_of(&self, call: &Call) -> CallId {
        let (mut root, mut parent) = (call.id, call.parent);
        while let Some(above) = parent {
            (root, parent) = (above, self.open.get(&above).and_then(|open| open.parent));
        }
        root
    }
}

impl OpenCall {
    fn of(call: &Call, began: bool) -> Self {
        Self {
            began,
            name: call.name.clone(),
            input: call.input.clone(),
            origin: call.origin,
            parent: call.parent,
        }
    }
}

/// The end of a call that was cut off; `began` says whether it may have taken effect.
pub(super) fn lost(
    call: CallId,
    name: &str,
    input: Value,
    parent: Option<CallId>,
    origin: Origin,
    began: bool,
) -> Event {
    let result = failure(name, input, &interrupted(began));
    Event::CallFinished { call, parent, origin, result, decision: None }
}
