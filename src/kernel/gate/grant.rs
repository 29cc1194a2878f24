//! Standing yeses of one session and the agents below it. In memory only: they end with the process.

use std::sync::Arc;

use tokio::sync::watch;

use super::{law::Placed, rule::Rule};
use crate::kernel::id::ApprovalId;

/// What a session's person has allowed until the session ends, each named by the question that it
/// was the answer to.
#[derive(Debug)]
pub struct Grants(watch::Sender<Arc<[Placed]>>);

impl Default for Grants {
    fn default() -> Self {
        Self(watch::Sender::new(Arc::new([])))
    }
}

impl Grants {
    /// Remembers a yes. All that waits in the session is looked at again.
    pub fn add(&self, grant: ApprovalId, rule: Rule) {
        let placed = Placed::granted(rule, grant);
        self.0.send_modify(|all| *all = all.iter().cloned().chain([placed]).collect());
    }

    /// Takes a yes back, and gives it; the next such call asks.
    pub fn revoke(&self, grant: ApprovalId) -> Option<Placed> {
        let is_meant = |placed: &Placed| placed.cited.grant == Some(grant);
        let mut revoked = None;
        self.0.send_if_modified(|all| {
            revoked = all.iter().find(|placed| is_meant(placed)).cloned();
            if revoked.is_some() {
                *all = all.iter().filter(|placed| !is_meant(placed)).cloned().collect();
            }
            revoked.is_some()
        });
        revoked
    }

    /// Those that count now.
    pub fn now(&self) -> Arc<[Placed]> {
        self.0.borrow().clone()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Arc<[Placed]>> {
        self.0.subscribe()
    }
}
