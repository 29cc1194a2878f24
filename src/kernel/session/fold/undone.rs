//! What a model is told when a person took a change back: it must not build on bytes that are gone.

use crate::kernel::{change::UNDO, event::Origin, invoke::ToolResult};

/// What it is told of this call, if that took something back.
pub(super) fn note(origin: Origin, result: &ToolResult) -> Option<String> {
    let undone = origin == Origin::Person && result.name == UNDO && result.ok;
    undone.then(|| {
        format!(
            "[The person took back a change that was made here. {}. Read the file again before \
             you build on it, and do not make that change again unless you are told to.]",
            result.text()
        )
    })
}
