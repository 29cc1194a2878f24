//! The calls of a run in the order in which they were made, each found by its name.

use std::{collections::BTreeMap, ops::Deref};

use serde::{Deserialize, Serialize};

use super::Nested;
use crate::kernel::id::CallId;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Nested>", into = "Vec<Nested>")]
pub struct Effects {
    made: Vec<Nested>,
    places: BTreeMap<CallId, usize>,
}

impl Effects {
    pub fn push(&mut self, nested: Nested) {
        self.places.insert(nested.call, self.made.len());
        self.made.push(nested);
    }

    pub fn find(&self, call: CallId) -> Option<&Nested> {
        self.made.get(*self.places.get(&call)?)
    }

    pub fn find_mut(&mut self, call: CallId) -> Option<&mut Nested> {
        self.made.get_mut(*self.places.get(&call)?)
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Nested> {
        self.made.iter_mut()
    }
}

impl From<Vec<Nested>> for Effects {
    fn from(made: Vec<Nested>) -> Self {
        let places = made.iter().enumerate().map(|(at, nested)| (nested.call, at)).collect();
        Self { made, places }
    }
}

impl From<Effects> for Vec<Nested> {
    fn from(effects: Effects) -> Self {
        effects.made
    }
}

impl Deref for Effects {
    type Target = [Nested];

    fn deref(&self) -> &[Nested] {
        &self.made
    }
}
