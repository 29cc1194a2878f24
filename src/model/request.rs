//! What all wire formats need of a request: tool names and arguments that every provider takes.

use serde_json::{Map, Value, json};

use crate::kernel::registry::ToolDefinition;

/// The characters beside letters and digits that a tool's name may have on the wire.
const MARKS: [char; 2] = ['_', '-'];

/// A tool's name as it is sent: providers refuse dots.
pub(super) fn wire_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || MARKS.contains(&c) { c } else { '_' };
    let name: String = name.chars().map(plain).take(64).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// The tool that a model means by a name on the wire; the name itself if it means none of them.
pub(super) fn meant(tools: &[ToolDefinition], name: &str) -> String {
    let known = |tool: &&ToolDefinition| tool.name == name || wire_name(&tool.name) == name;
    tools.iter().find(known).map_or_else(|| name.to_owned(), |tool| tool.name.clone())
}

/// The arguments of an earlier call as the object that providers want, whatever they were.
pub(super) fn arguments(text: &str) -> Map<String, Value> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(_) | Err(_) if text.trim().is_empty() => Map::new(),
        Ok(_) | Err(_) => Map::from_iter([("arguments".to_owned(), json!(text))]),
    }
}
