//! From one Rust type: the JSON Schema a model is given, and the check of what it sends back.

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
    paths::{Location, LocationSegment},
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

use super::error::{CallError, ErrorCode};

/// The schema of a parameter type, with everything inlined and no `$schema` line.
pub fn of<P: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<P>().to_value();
    // The type's name says nothing to a model.
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        // Some providers want it of what takes nothing, too.
        object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// Says in one line what is wrong with `input` for the capability `name`; the first fault only.
pub fn check(name: &str, validator: &Validator, input: &Value) -> Result<(), CallError> {
    match validator.iter_errors(input).min_by_key(rank) {
        None => Ok(()),
        Some(error) => {
            Err(invalid(&format!("{name}{}", place(error.instance_path())), &fault(&error)))
        }
    }
}

/// `Invalid input for PLACE: FAULT`, to the letter of the contract.
pub fn invalid(place: &str, fault: &str) -> CallError {
    CallError::new(ErrorCode::InvalidInput, format!("Invalid input for {place}: {fault}"))
}

/// A missing property explains more than what follows from it; of the rest, the first.
fn rank(error: &ValidationError<'_>) -> usize {
    usize::from(!matches!(error.kind(), ValidationErrorKind::Required { .. }))
}

fn place(path: &Location) -> String {
    path.into_iter()
        .map(|segment| match segment {
            LocationSegment::Property(name) => format!(".{name}"),
            LocationSegment::Index(index) => format!("[{index}]"),
        })
        .collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the library's enum, with a good default")]
fn fault(error: &ValidationError<'_>) -> String {
    match error.kind() {
        // A program as one string is the likeliest slip; a shell would have split it.
        ValidationErrorKind::Type { kind } => match (types(kind), error.instance().is_string()) {
            (expected, true) if expected == "array" => {
                r#"expected array, a list such as ["a", "b"]"#.to_owned()
            }
            (expected, _) => format!("expected {expected}"),
        },
        ValidationErrorKind::Required { property } => {
            format!("missing required property {property}")
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<_> = unexpected.iter().map(|name| super::text::quoted(name)).collect();
            format!("unknown property {}", names.join(", "))
        }
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) => {
                let options: Vec<_> = options.iter().map(Value::to_string).collect();
                format!("expected one of {}", options.join(", "))
            }
            None => error.masked().to_string(),
        },
        // Masked: the value may be long, and whoever sent it has it.
        _ => error.masked().to_string(),
    }
}

/// The types that were expected; `null` goes unsaid, since leaving the property out says the same.
fn types(kind: &TypeKind) -> String {
    let names: Vec<String> = match kind {
        TypeKind::Single(one) => vec![one.to_string()],
        TypeKind::Multiple(set) => {
            set.iter().map(|one| one.to_string()).filter(|name| name != "null").collect()
        }
    };
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::kernel::capability::{Capability, Category};

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Echo {
        /// What comes back.
        #[expect(dead_code, reason = "only its schema is looked at")]
        text: String,
        #[expect(dead_code, reason = "only its schema is looked at")]
        #[serde(default)]
        #[schemars(range(min = 1))]
        times: Option<u32>,
        #[expect(dead_code, reason = "only its schema is looked at")]
        #[serde(default)]
        words: Vec<String>,
    }

    fn capability(name: &'static str) -> Capability {
        Capability::define::<Echo>(name, "Says it again.", Category::Read)
            .handler(|_, _, _| async { Ok("".into()) })
    }

    #[test]
    fn the_messages_about_bad_input_are_those_of_the_contract() {
        let rows = [
            ("echo", json!({"text": 123}), "Invalid input for echo.text: expected string"),
            ("echo", json!({"text": null}), "Invalid input for echo.text: expected string"),
            ("echo", json!({}), r#"Invalid input for echo: missing required property "text""#),
            (
                "echo",
                json!({"x": 1}),
                r#"Invalid input for echo: missing required property "text""#,
            ),
            (
                "echo",
                json!({"text": "", "x": 1}),
                r#"Invalid input for echo: unknown property "x""#,
            ),
            ("echo", json!(["text"]), "Invalid input for echo: expected object"),
            ("echo", json!("text"), "Invalid input for echo: expected object"),
            (
                "echo",
                json!({"text": "", "times": "2"}),
                "Invalid input for echo.times: expected integer",
            ),
            (
                "echo",
                json!({"text": "", "times": 0}),
                "Invalid input for echo.times: value is less than the minimum of 1",
            ),
            (
                "echo",
                json!({"text": "", "words": "ls -l"}),
                r#"Invalid input for echo.words: expected array, a list such as ["a", "b"]"#,
            ),
            (
                "files.write",
                json!({"text": "", "words": ["a", 2]}),
                "Invalid input for files.write.words[1]: expected string",
            ),
            (
                "files.write",
                json!({"text": []}),
                "Invalid input for files.write.text: expected string",
            ),
            (
                "files.write",
                json!({}),
                r#"Invalid input for files.write: missing required property "text""#,
            ),
        ];
        for (name, input, expected) in rows {
            let error = capability(name).validate(&input).expect_err(expected);
            assert_eq!((error.code, &*error.message), (ErrorCode::InvalidInput, expected));
        }
        assert_eq!(capability("echo").validate(&json!({"text": "", "times": null})), Ok(()));
    }

    #[test]
    fn a_schema_says_what_the_type_says() {
        let schema = of::<Echo>();
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(schema["required"], json!(["text"]));
        assert_eq!(schema["properties"]["text"]["description"], json!("What comes back."));
        assert_eq!(schema.get("$schema"), None);
    }
}
