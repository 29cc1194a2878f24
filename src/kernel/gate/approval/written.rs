//! How a question stands in a journal. What a call is about to write is often one of its own arguments,
//! to the letter: then a long text stands there once.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Question;
use crate::kernel::{
    capability::{Body, Category, Preview},
    event::Call,
    gate::monitor::Doubt,
    id::{ApprovalId, CallId, SessionId},
};

/// A text that is longer does not stand there twice, in bytes.
const LONG: usize = 16 << 10;

#[derive(Serialize, Deserialize)]
pub(super) struct Written {
    id: ApprovalId,
    session: SessionId,
    path: Vec<String>,
    call: Call,
    category: Category,
    preview: Preview,
    /// The argument that is the new text of the preview, which is empty there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    new_is: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    script: Option<CallId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    monitor: Option<Doubt>,
}

impl From<Written> for Question {
    fn from(written: Written) -> Self {
        let Written { id, session, path, call, category, mut preview, new_is, script, monitor } =
            written;
        if let (Some(name), Body::Diff { new, .. }) = (new_is, &mut preview.body)
            && let Some(Value::String(text)) = call.input.get(&name)
        {
            new.clone_from(text);
        }
        Self { id, session, path, call, category, preview, script, monitor }
    }
}

impl From<Question> for Written {
    fn from(question: Question) -> Self {
        let Question { id, session, path, call, category, mut preview, script, monitor } = question;
        let mut new_is = None;
        if let (Body::Diff { new, .. }, Some(input)) = (&mut preview.body, call.input.as_object())
            && new.len() > LONG
        {
            let same = input.iter().find(|(_, value)| value.as_str() == Some(new));
            new_is = same.map(|(name, _)| name.clone());
            if new_is.is_some() {
                new.clear();
            }
        }
        Self { id, session, path, call, category, preview, new_is, script, monitor }
    }
}
