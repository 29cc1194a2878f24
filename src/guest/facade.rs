//! From the mounted modules to a Python package: real signatures, types and docstrings.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::kernel::{
    capability::Capability,
    registry::{Module, Mounts},
};

const SITE: &str = include_str!("sdk/sitecustomize.py");
const INIT: &str = include_str!("sdk/footplate/__init__.py");
const CHANNEL: &str = include_str!("sdk/footplate/_channel.py");
const ERRORS: &str = include_str!("sdk/footplate/_errors.py");
const FIGURES: &str = include_str!("sdk/footplate/_figures.py");

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// The files of the `footplate` package for one set of mounts. The folder they are put in goes
/// first on Python's path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Package {
    /// Path below that folder, and text.
    pub files: Vec<(String, String)>,
}

impl Package {
    /// Generates the package. Pure; the same mounts give the same files.
    pub fn of(mounts: &Mounts) -> Self {
        let mut files = vec![
            ("sitecustomize.py".to_owned(), SITE.to_owned()),
            ("footplate/__init__.py".to_owned(), INIT.to_owned()),
            ("footplate/_channel.py".to_owned(), CHANNEL.to_owned()),
            ("footplate/_errors.py".to_owned(), ERRORS.to_owned()),
            ("footplate/_figures.py".to_owned(), FIGURES.to_owned()),
            ("footplate/_mounted.py".to_owned(), index(mounts)),
        ];
        for module in &mounts.modules {
            let path = format!("footplate/{}.py", name(module.name));
            files.push((path, facade(module, functions(mounts, module.name))));
        }
        Self { files }
    }
}

/// The capabilities of one module, with the names of their functions.
fn functions<'a>(
    mounts: &'a Mounts,
    module: &str,
) -> impl Iterator<Item = (String, &'a Capability)> {
    mounts.capabilities.iter().filter(move |capability| capability.module() == Some(module)).map(
        |capability| {
            let function = capability.name().split_once('.').map_or("", |(_, function)| function);
            (name(function), capability.as_ref())
        },
    )
}

/// What `footplate` itself knows of all modules.
fn index(mounts: &Mounts) -> String {
    let modules: Vec<_> = mounts.modules.iter().map(|module| json!(name(module.name))).collect();
    let mut entries = Vec::new();
    for module in &mounts.modules {
        for (function, capability) in functions(mounts, module.name) {
            let parameters = Parameters::of(capability.schema());
            entries.push(json!({
                "name": capability.name(),
                "signature": format!("{}.{function}({})", name(module.name), parameters.signature()),
                "category": capability.category().name(),
                "description": capability.description(),
            }));
        }
    }
    format!(
        "MODULES = {}\nCAPABILITIES = {}\n",
        literal(&Value::Array(modules)),
        literal(&Value::Array(entries))
    )
}

fn facade<'a>(
    module: &Module,
    functions: impl Iterator<Item = (String, &'a Capability)>,
) -> String {
    let mut text = format!(
        "{}\nfrom __future__ import annotations\n\
         from footplate._channel import call as _call\n\n\
         TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from typing import Any\n",
        literal(&json!(module.summary))
    );
    for (function, capability) in functions {
        text.push_str(&definition(&function, capability));
    }
    text
}

fn definition(function: &str, capability: &Capability) -> String {
    let parameters = Parameters::of(capability.schema());
    let called = literal(&json!(capability.name()));
    let mut text = format!(
        "\n\ndef {function}({}) -> Any:\n    {}\n    _input = {{}}\n",
        parameters.signature(),
        literal(&json!(parameters.docstring(capability.description())))
    );
    for parameter in &parameters.0 {
        let (key, name) = (literal(&json!(parameter.key)), &parameter.name);
        // Writing to a String cannot fail.
        let _ = match &parameter.default {
            None => writeln!(text, "    _input[{key}] = {name}"),
            Some(Value::Null) => {
                writeln!(text, "    if {name} is not None:\n        _input[{key}] = {name}")
            }
            Some(default) => writeln!(
                text,
                "    if {name} is not None and {name} != {}:\n        _input[{key}] = {name}",
                literal(default)
            ),
        };
    }
    let _ =
        write!(text, "    return _call({called}, _input)\n\n\n{function}.capability = {called}\n");
    text
}

struct Parameters(Vec<Parameter>);

struct Parameter {
    key: String,
    name: String,
    hint: String,
    description: String,
    /// `None` where the parameter must be given.
    default: Option<Value>,
}

impl Parameters {
    /// Those that must be given first, each part in the order of the schema.
    fn of(schema: &Value) -> Self {
        let required: Vec<&str> = schema["required"]
            .as_array()
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let empty = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        let mut parameters: Vec<Parameter> = properties
            .iter()
            .map(|(key, schema)| {
                let default = match schema.get("default") {
                    _ if required.contains(&key.as_str()) => None,
                    Some(plain @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => {
                        Some(plain.clone())
                    }
                    // A list or an object would be shared between calls.
                    Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => {
                        Some(Value::Null)
                    }
                };
                Parameter {
                    key: key.clone(),
                    name: name(key),
                    hint: hint(schema),
                    description: schema["description"].as_str().unwrap_or_default().to_owned(),
                    default,
                }
            })
            .collect();
        parameters.sort_by_key(|parameter| parameter.default.is_some());
        Self(parameters)
    }

    fn signature(&self) -> String {
        let mut parts = Vec::new();
        let mut optional = false;
        for parameter in &self.0 {
            let Parameter { name, hint, default, .. } = parameter;
            if default.is_some() && !optional {
                optional = true;
                parts.push("*".to_owned());
            }
            parts.push(match default {
                None => format!("{name}: {hint}"),
                Some(Value::Null) if !hint.contains("None") && hint != "Any" => {
                    format!("{name}: {hint} | None = None")
                }
                Some(default) => format!("{name}: {hint} = {}", literal(default)),
            });
        }
        parts.join(", ")
    }

    fn docstring(&self, description: &str) -> String {
        let mut text = description.to_owned();
        let described = self.0.iter().filter(|parameter| !parameter.description.is_empty());
        for (at, Parameter { name, description, .. }) in described.enumerate() {
            let gap = if at == 0 { "\n\n" } else { "\n" };
            let _ = write!(text, "{gap}{name}: {}", description.replace('\n', " "));
        }
        text
    }
}

/// The type of a schema in Python's words; only words from here get into the source.
fn hint(schema: &Value) -> String {
    if let Some(options) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return union(options.iter().map(hint));
    }
    match &schema["type"] {
        Value::Array(types) => {
            union(types.iter().map(|one| hint(&json!({"type": one, "items": schema["items"]}))))
        }
        Value::String(one) => match one.as_str() {
            "string" => "str".to_owned(),
            "integer" => "int".to_owned(),
            "number" => "float".to_owned(),
            "boolean" => "bool".to_owned(),
            "null" => "None".to_owned(),
            "array" => format!("list[{}]", hint(&schema["items"])),
            "object" => "dict[str, Any]".to_owned(),
            _ => "Any".to_owned(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => "Any".to_owned(),
    }
}

fn union(hints: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for hint in hints {
        if hint == "Any" {
            return hint;
        }
        if !all.contains(&hint) {
            all.push(hint);
        }
    }
    // `None` reads best at the end.
    all.sort_by_key(|hint| hint == "None");
    all.join(" | ")
}

/// A name that Python takes, like this one.
fn name(text: &str) -> String {
    let mut name: String =
        text.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit() || first == '_') {
        name.insert(0, 'p');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// A JSON value as Python source. A JSON string is a Python string.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", literal(&json!(key)), literal(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
