//! Standing yeses of one session. In memory only: they end with the process.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use serde_json::Value;

/// Exactly what was approved: the capability with these very arguments, nothing like them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GrantKey {
    name: String,
    input: String,
}

impl GrantKey {
    /// The key of a call. The same arguments in another order are another call.
    pub fn of(name: &str, input: &Value) -> Self {
        Self { name: name.to_owned(), input: input.to_string() }
    }
}

/// What a session's person has allowed until the session ends.
#[derive(Debug, Default)]
pub struct Grants(Mutex<HashSet<GrantKey>>);

impl Grants {
    /// Remembers a yes.
    pub fn add(&self, key: GrantKey) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    }

    /// Whether that very call was allowed.
    pub fn cover(&self, key: &GrantKey) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }
}
