//! What a person does by hand in a session that is here: a call of their own, through the same gate as its
//! model's. It goes on beside the exchange, and is stopped with it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::Inner;
use crate::kernel::{
    event::Origin,
    gate::approval::NotAnswered,
    id::{CallId, SessionId},
    invoke::{CallRequest, Input},
};

/// The tool that runs Python.
const PYTHON: &str = "execute_code";
/// The file that what is typed stands in.
const FILE: &str = "by_hand.py";

/// What a person started by hand in one session.
#[derive(Default)]
pub(super) struct Hand {
    stop: Mutex<CancellationToken>,
    runs: TaskTracker,
}

impl Hand {
    /// Cancelled when what goes on now is stopped.
    fn token(&self) -> CancellationToken {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).child_token()
    }

    /// Stops what goes on now.
    pub(super) fn stop(&self) {
        let mut token = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *token).cancel();
    }

    /// Waits until what goes on now has ended.
    pub(super) async fn rests(&self) {
        self.runs.close();
        self.runs.wait().await;
    }
}

impl Inner {
    /// Runs a script in a session, beside whatever goes on there. What comes of it is in the journal.
    pub(super) fn run_by_hand(
        self: &Arc<Self>,
        session: SessionId,
        code: String,
    ) -> Result<(), NotAnswered> {
        // The session is not over before its result is there.
        let inside = self.enter(session).filter(|it| !it.live.handle.is_dismissed());
        let Some(inside) = inside else {
            return Err(NotAnswered::Refused("That session does not run here.".to_owned()));
        };
        let live = inside.live.clone();
        let names = [PYTHON.to_owned()];
        let tools = self.parts.registry.build(&names, live.context.clone(), |_| {});
        let tools = tools.until(live.hand.token());
        let request = CallRequest {
            id: CallId::fresh(),
            name: PYTHON.to_owned(),
            input: Input::Value(json!({ "code": code, "filename": FILE })),
            origin: Origin::Person,
        };
        let run = live.hand.runs.token();
        self.tasks.spawn(async move {
            let _goes_on = (inside, run);
            // Its result is an event, like that of any call.
            let _ = tools.invoke(request).await;
        });
        Ok(())
    }
}
