//! A function's signature in Python, from the schema of its arguments.

use serde_json::Value;

/// `files.read(path: str)`: required arguments first, then the others with `= None`.
pub(super) fn of(name: &str, schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object();
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for (argument, schema) in properties.into_iter().flatten() {
        let kind = kind(schema);
        if required.contains(&argument.as_str()) {
            first.push(format!("{argument}: {kind}"));
        } else {
            let default = schema.get("default").map_or("None".to_owned(), literal);
            then.push(format!("{argument}: {kind} = {default}"));
        }
    }
    first.append(&mut then);
    format!("{name}({})", first.join(", "))
}

/// The Python type; what can be left out is not said to be `None` as well.
fn kind(schema: &Value) -> String {
    match &schema["type"] {
        Value::String(name) => named(name, schema),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.map(|name| named(name, schema)).collect::<Vec<_>>().join(" | ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => "object".to_owned(),
    }
}

fn named(name: &str, schema: &Value) -> String {
    match name {
        "string" => "str".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "boolean" => "bool".to_owned(),
        "array" => format!("list[{}]", kind(&schema["items"])),
        "object" => "dict".to_owned(),
        other => other.to_owned(),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::*;
    use crate::kernel::schema;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Run {
        cwd: Option<String>,
        argv: Vec<String>,
        #[serde(default)]
        quiet: bool,
        timeout_ms: Option<u64>,
    }

    #[test]
    fn a_schema_becomes_what_a_person_would_write() {
        assert_eq!(
            of("process.run", &schema::of::<Run>()),
            "process.run(argv: list[str], cwd: str = None, quiet: bool = False, \
             timeout_ms: int = None)"
        );
    }

    #[test]
    fn a_schema_of_no_known_form_still_gives_a_signature() {
        for schema in [Value::Null, serde_json::json!({"properties": 5, "required": "x"})] {
            assert_eq!(of("f", &schema), "f()");
        }
        let schema = serde_json::json!({"properties": {"x": true}});
        assert_eq!(of("f", &schema), "f(x: object = None)");
    }
}
