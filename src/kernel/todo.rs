//! What a session means to do: a list that its model keeps, for a person to see.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{error::CallError, event::Event, id::CallId, recorder::Recorder};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What, in a line without control characters.
    pub text: String,
    /// How far it is.
    pub state: State,
}

/// How far a thing to do is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not begun.
    #[default]
    Open,
    /// Worked on.
    Doing,
    /// Done.
    Done,
    /// Given up, or not wanted any more.
    Dropped,
}

/// The list of one session as its calls share it: what the journal says it is. Clones are the same
/// list.
#[derive(Clone, Debug, Default)]
pub struct Todo(Arc<Mutex<Vec<Item>>>);

impl Todo {
    /// The list as a journal left it.
    pub fn of(items: Vec<Item>) -> Self {
        Self(Arc::new(Mutex::new(items)))
    }

    /// What is on it.
    pub fn now(&self) -> Vec<Item> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes another list of it, one change at a time, recorded before it holds. Where nothing
    /// changes, nothing is recorded.
    pub fn change(
        &self,
        (recorder, call): (&Recorder, CallId),
        change: impl FnOnce(&mut Vec<Item>) -> Result<(), CallError>,
    ) -> Result<Vec<Item>, CallError> {
        let mut items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = items.clone();
        change(&mut changed)?;
        if changed != *items {
            let event = Event::TodoChanged { call, items: changed.clone() };
            recorder.append(event).map_err(super::gate::unrecorded)?;
            items.clone_from(&changed);
        }
        Ok(changed)
    }
}
