//! What a model is told of a call that a person edited before saying yes.

use serde_json::Value;

use crate::kernel::{
    event::{Call, Origin},
    id::CallId,
    invoke::ToolResult,
    message::LONGEST_RESULT,
    text,
};

/// A longer value is cut here, with a note.
const SHOWN: usize = 400;
/// Room for a note on what was left out.
const NOTE: usize = 128;

/// Which call it was, and what it ran with instead.
pub(super) fn note(call: &Call, input: &Value) -> String {
    let place = match call.origin {
        Origin::Python { line: Some(line) } => format!("{} in line {line}", call.name),
        Origin::Python { line: None } | Origin::Model | Origin::Person => call.name.clone(),
    };
    let none = serde_json::Map::new();
    let (old, new) = (call.input.as_object().unwrap_or(&none), input.as_object().unwrap_or(&none));
    let changed = new.iter().filter(|(name, value)| old.get(*name) != Some(value));
    let mut says: Vec<_> =
        changed.map(|(name, value)| format!("{name} = {}", cut(&value.to_string()))).collect();
    let left_out = old.keys().filter(|name| !new.contains_key(*name));
    says.extend(left_out.map(|name| format!("without {name}")));
    format!(
        "[The person edited {place} before saying yes. It ran with {}; the rest as you asked.]",
        says.join(", ")
    )
}

fn cut(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(SHOWN);
    format!("{}… ({} bytes in all)", &text[..end], text.len())
}

/// The result as the model reads it, of a long one its head and its tail; behind it, what was edited in
/// the call or in its script. The arguments are those it gave itself, and are not kept a second time.
pub(super) fn told(
    result: &ToolResult,
    call: CallId,
    edited: &mut Vec<(CallId, String)>,
) -> ToolResult {
    let ToolResult { ok, is_error, duration_ms, .. } = *result;
    let mut result = ToolResult {
        ok,
        name: result.name.clone(),
        input: Value::Null,
        content: kept(result),
        is_error,
        attachments: result.attachments.clone(),
        duration_ms,
    };
    let notes: Vec<_> =
        edited.extract_if(.., |(of, _)| *of == call).map(|(_, note)| note).collect();
    if notes.is_empty() {
        return result;
    }
    let notes = notes.join("\n");
    if let (true, Some(message)) = (result.is_error, result.content.get_mut("message")) {
        *message = format!("{}\n{notes}", message.as_str().unwrap_or_default()).into();
    } else {
        result.content = format!("{}\n{notes}", result.text()).into();
    }
    result
}

fn kept(result: &ToolResult) -> Value {
    if result.text_len() <= LONGEST_RESULT {
        return result.content.clone();
    }
    // With its note, it is no longer than a model is given, and not cut once more.
    Value::String(text::cut(&result.text(), LONGEST_RESULT - NOTE).into_owned())
}
