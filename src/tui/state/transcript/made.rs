//! What a call and its result are made into.

use serde_json::Value;

use crate::{
    kernel::{event::Call, invoke::ToolResult},
    tui::cell::{Code, Effects, Fold, Progress},
};

pub(super) fn code(call: &Call, progress: Progress) -> Code {
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    let source = text("code").unwrap_or_default();
    Code {
        call: call.id,
        filename: text("filename").unwrap_or("main.py").to_owned(),
        lines: source.trim_end_matches('\n').split('\n').map(str::to_owned).collect(),
        colours: Vec::new(),
        progress,
        seal: None,
        limit_ms: 0,
        ran_ms: 0,
        over: None,
        stopped: false,
        fold: Fold::Part,
        reads: 0,
        effects: Effects::default(),
        output: Vec::new(),
    }
}

/// What a call acts on, as far as its arguments tell.
pub(super) fn object(input: &Value) -> String {
    let first = input.as_object().and_then(|fields| fields.values().next());
    match first {
        Some(Value::String(text)) => text.lines().next().unwrap_or_default().to_owned(),
        Some(Value::Array(words)) => {
            let words = words.iter().filter_map(Value::as_str);
            words.collect::<Vec<_>>().join(" ")
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            String::new()
        }
    }
}

/// What a run printed, or why it failed.
pub(super) fn output_text(result: &ToolResult) -> String {
    match result.content.get("message").and_then(Value::as_str) {
        Some(message) if !result.ok => message.to_owned(),
        _ => match result.content.get("stdout").and_then(Value::as_str) {
            Some(stdout) => stdout.to_owned(),
            None => result.text(),
        },
    }
}

/// The last lines of an output, for the cell.
pub fn tail<T: AsRef<str>>(lines: &[T]) -> Vec<String> {
    const LINES: usize = 8;
    let from = lines.len().saturating_sub(LINES);
    lines[from..].iter().map(|line| line.as_ref().to_owned()).collect()
}
