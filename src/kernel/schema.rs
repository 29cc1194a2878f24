//! From one Rust type: the JSON Schema a model is given, and the check of what it sends back.

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
    paths::{Location, LocationSegment},
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

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
        ValidationErrorKind::Type { kind } => format!("expected {}", types(kind)),
        ValidationErrorKind::Required { property } => {
            format!("missing required property {property}")
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<_> = unexpected.iter().map(|name| format!("{name:?}")).collect();
            format!("unknown property {}", names.join(", "))
        }
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) => {
                let options: Vec<_> = options.iter().map(Value::to_string).collect();
                format!("expected one of {}", options.join(", "))
            }
            None => error.to_string(),
        },
        _ => error.to_string(),
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
