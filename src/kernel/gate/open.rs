//! A question between the moment it is put and the one event that closes it.

use tokio::time::Instant;

use super::{
    approval::{Reply, Seat},
    law::Law,
    millis, unrecorded,
};
use crate::kernel::{
    clock::Hold, context::Context, error::CallError, event::Event, id::ApprovalId,
    recorder::Recorder,
};

/// A question that is visible, and the seat of whoever waits for its answer. Leaving it open, by
/// drop, withdraws it, unless a yes for more than once had come by then: that stands, and is recorded.
pub(super) struct OpenQuestion {
    pub(super) seat: Seat,
    recorder: Recorder,
    law: Law,
    id: ApprovalId,
    asked: Instant,
    holds: Vec<Hold>,
    closed: bool,
}

impl OpenQuestion {
    /// About to be asked: from here on the clocks of the asker stand still.
    pub(super) fn new(cx: &Context, law: &Law, id: ApprovalId, seat: Seat) -> Self {
        Self {
            seat,
            law: law.clone(),
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

    /// Closes it with an answer, which stands from then on.
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
        self.recorder.append(event).map_err(unrecorded)?;
        if let Some(rule) = &reply.grant {
            self.law.grants().add(self.id, rule.clone());
        }
        Ok(())
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
        if self.closed {
            return;
        }
        // The seat is empty before that is told, so that no answer comes in between.
        match self.seat.leave().filter(Reply::stands) {
            Some(reply) => {
                if let Err(error) = self.answered(&reply) {
                    // Replay folds an unanswered question to a withdrawn one.
                    tracing::warn!(%error, "an answer that nobody waited for was not recorded");
                }
            }
            None => self.withdraw("nobody waits for it any more"),
        }
    }
}
