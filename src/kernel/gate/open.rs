//! A question between the moment it is put and the one event that closes it.

use tokio::time::Instant;

use super::{approval::Reply, millis, unrecorded};
use crate::kernel::{
    clock::Hold, context::Context, error::CallError, event::Event, id::ApprovalId,
    recorder::Recorder,
};

/// A question that is visible; leaving it open, by drop, withdraws it.
pub(super) struct OpenQuestion {
    recorder: Recorder,
    id: ApprovalId,
    asked: Instant,
    holds: Vec<Hold>,
    closed: bool,
}

impl OpenQuestion {
    /// About to be asked: from here on the clocks of the asker stand still.
    pub(super) fn new(cx: &Context, id: ApprovalId) -> Self {
        Self {
            recorder: cx.recorder.clone(),
            id,
            asked: Instant::now(),
            holds: cx.clocks.iter().map(|clock| clock.hold()).collect(),
            closed: false,
        }
    }

    fn waited(&self) -> (u64, u64) {
        let waited = millis(self.asked.elapsed());
        (waited, if self.holds.is_empty() { 0 } else { waited })
    }

    /// Closes it with an answer.
    pub(super) fn answered(&mut self, reply: &Reply) -> Result<(), CallError> {
        self.closed = true;
        let (waited_ms, excluded_ms) = self.waited();
        let event = Event::ApprovalAnswered {
            approval: self.id,
            answer: reply.answer.clone(),
            by: reply.by.clone(),
            waited_ms,
            excluded_ms,
        };
        self.recorder.append(event).map(drop).map_err(unrecorded)
    }

    /// Closes it without one.
    pub(super) fn withdraw(&mut self, reason: &str) {
        self.closed = true;
        let (waited_ms, excluded_ms) = self.waited();
        let (approval, reason) = (self.id, reason.to_owned());
        let event = Event::ApprovalWithdrawn { approval, reason, waited_ms, excluded_ms };
        if let Err(error) = self.recorder.append(event) {
            // Replay folds an unanswered question to a withdrawn one, so nothing is lost.
            tracing::warn!(%error, "a withdrawn question was not recorded");
        }
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        if !self.closed {
            self.withdraw("nobody waits for it any more");
        }
    }
}
