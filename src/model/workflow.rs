//! What stands in the place of a model where a saved script is run: it asks for that one run, and
//! then says what came of it. It uses no tokens, and its answer follows from the conversation alone, so
//! that any process can go on with it.

use serde_json::json;
use tokio::sync::mpsc;

use super::text::clean;
use crate::kernel::{
    event::Stop,
    message::{Message, Usage},
    port::{Delta, Model, ModelError, ModelRequest, Refused},
    workflow::Workflow,
};

/// Plays one script.
pub struct Playing {
    /// The arguments of the one call.
    arguments: String,
}

impl Playing {
    /// Of that script, which may run so long, in milliseconds.
    pub fn new(workflow: &Workflow, limit_ms: u64) -> Self {
        let arguments = json!({
            "code": workflow.code,
            "filename": workflow.filename(),
            "timeout_ms": limit_ms.max(1),
        });
        Self { arguments: arguments.to_string() }
    }

    fn answer(&self, request: &ModelRequest) -> Result<Vec<Delta>, ModelError> {
        let mut results = request.messages.iter().filter_map(|message| match message {
            Message::Results(results) => results.first(),
            Message::User { .. } | Message::Agent(_) | Message::Assistant { .. } => None,
        });
        let finished = |stop| Delta::Finished { stop, usage: Usage::default() };
        let Some(came) = results.next() else {
            let call = Delta::Call {
                provider_id: "run".to_owned(),
                name: "execute_code".to_owned(),
                arguments: self.arguments.clone(),
            };
            return Ok(vec![call, finished(Stop::Calls)]);
        };
        if came.result.ok {
            return Ok(vec![Delta::Text(clean(&came.result.text())), finished(Stop::End)]);
        }
        let said = came.result.content["message"].as_str().unwrap_or("The script failed.");
        Err(ModelError { message: clean(said), refused: Refused::Otherwise })
    }
}

impl Model for Playing {
    fn respond(&self, request: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>> {
        let (sender, receiver) = mpsc::channel(2);
        let answer = match self.answer(&request) {
            Ok(deltas) => deltas.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        };
        for delta in answer {
            // There is room for them, and the receiver is still here.
            let _ = sender.try_send(delta);
        }
        receiver
    }
}
