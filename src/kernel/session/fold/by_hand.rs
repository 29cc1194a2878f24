//! What a model is told of Python that a person ran by hand: what they both talk about now.

use crate::kernel::{error::ErrorCode, event::Origin, id::CallId, invoke::ToolResult};

/// The longest script, and the longest text of what came of it, in bytes; the journal has all of it.
const SHOWN: usize = 8 << 10;

/// What it is told of this call, if that ran such Python.
pub(super) fn note(origin: Origin, parent: Option<CallId>, result: &ToolResult) -> Option<String> {
    let ran = match result.error_code() {
        None => true,
        Some(ErrorCode::Failed | ErrorCode::BudgetSpent | ErrorCode::Interrupted) => true,
        Some(
            ErrorCode::UnknownTool
            | ErrorCode::InvalidInput
            | ErrorCode::PermissionDenied
            | ErrorCode::BlockedInPlanMode
            | ErrorCode::BlockedByMonitor
            | ErrorCode::DeniedByRule
            | ErrorCode::NoApprover
            | ErrorCode::ApprovalExpired,
        ) => false,
    };
    let code = result.input.get("code")?.as_str()?;
    let by_hand = origin == Origin::Person && parent.is_none() && result.name == "execute_code";
    if !by_hand || !ran {
        return None;
    }
    let text = result.text();
    let message = result.content.get("message").and_then(serde_json::Value::as_str);
    let (came, text) = match message {
        Some(message) if !result.ok => ("It did not end well:", message),
        _ => ("It printed:", text.as_str()),
    };
    let (code, text) = (cut(code.trim_end()), cut(text.trim_end()));
    Some(format!("[The person ran this Python here by hand:]\n{code}\n[{came}]\n{text}"))
}

fn cut(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(SHOWN);
    format!("{}\n[… {} bytes more, not shown to you]", &text[..end], text.len() - end)
}
