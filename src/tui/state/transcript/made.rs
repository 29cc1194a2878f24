//! What a call and its result are made into.

use serde_json::Value;

use crate::{
    kernel::{event::Call, id::CallId, invoke::ToolResult, picture::SHOWN_TO_PEOPLE},
    tui::cell::{Body, Cell, Code, Coloured, Effects, Fold, Progress, Reads, Script},
};

pub(super) fn code(call: &Call, progress: Progress) -> Code {
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    let source = text("code").unwrap_or_default();
    Code {
        call: call.id,
        filename: text("filename").unwrap_or("main.py").to_owned(),
        script: Script::new(source),
        colours: Coloured::Not,
        progress,
        seal: None,
        limit_ms: 0,
        ran_ms: 0,
        over: None,
        stopped: false,
        fold: Fold::Part,
        reads: Reads::default(),
        effects: Effects::default(),
        output: Vec::new(),
    }
}

/// What a call acts on, as far as its arguments tell.
pub(super) fn object(input: &Value) -> String {
    let fields = input.as_object();
    // In whatever order they were written, a place is what it acts on.
    let place = fields.and_then(|fields| fields.get("path"));
    if let Some(Value::String(place)) = place {
        return place.clone();
    }
    let first = place.or_else(|| fields.and_then(|fields| fields.values().next()));
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

/// The lines that a run printed, or why it failed. Where its pictures are shown to people, what tells the
/// model of them is left out.
pub(super) fn output_lines(result: &ToolResult, pictured: bool) -> Vec<String> {
    let text = match result.content.get("message").and_then(Value::as_str) {
        Some(message) if !result.ok => message.to_owned(),
        _ => match result.content.get("stdout").and_then(Value::as_str) {
            Some(stdout) => stdout.to_owned(),
            None => result.text(),
        },
    };
    let told = |line: &str| pictured && line.starts_with('[') && line.contains(SHOWN_TO_PEOPLE);
    let lines: Vec<_> = text.lines().filter(|line| !told(line)).collect();
    let end = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    lines[..end].iter().map(|line| (*line).to_owned()).collect()
}

/// The last lines of an output, for the cell.
pub fn tail<T: AsRef<str>>(lines: &[T]) -> Vec<String> {
    const LINES: usize = 8;
    /// More than a row has room for.
    const BYTES: usize = 8 << 10;
    let from = lines.len().saturating_sub(LINES);
    let cut = |line: &T| line.as_ref()[..line.as_ref().floor_char_boundary(BYTES)].to_owned();
    lines[from..].iter().map(cut).collect()
}

/// The script of a cell that has no colours, which it is asked for now.
pub(super) fn bare(cell: &mut Cell) -> Option<(CallId, String)> {
    let Body::Code(code) = &mut cell.body else { return None };
    (code.colours == Coloured::Not).then(|| {
        code.colours = Coloured::Soon;
        (code.call, code.script.text().to_owned())
    })
}
