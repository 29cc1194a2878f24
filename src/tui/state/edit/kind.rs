//! How an argument is written in a row, by its schema and by what was asked for.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::Value;

use crate::{
    kernel::capability::{Body, Preview},
    tui::{clean::Deceits, state::draft::Draft},
};

/// A longer text is edited in the person's own editor.
const LONGEST: usize = 64 * 1024;

/// What a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// A name: a line end in it is one of its letters.
    Name,
    Lines,
}

/// How it is written.
#[derive(Clone, Debug)]
pub enum Kind {
    Text(Draft),
    /// A list of texts, a row each.
    Items(Vec<Draft>),
    /// A number, a yes or no, one of a few words.
    Word(Draft, Type),
    Json(Draft),
    /// Not to be written in a row: too long, or with characters that a row cannot hold; with what
    /// deceives in it, which is not looked for at each key.
    Elsewhere(Value, Deceits),
}

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Number,
    Bool,
    Choice,
}

/// Which values a schema describes; what may be left out is described as one of several.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(all)) => {
            all.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        _ => Vec::new(),
    }
}

impl Kind {
    pub(super) fn of(name: &str, value: Option<&Value>, schema: &Value) -> Self {
        let choice = schema.get("enum").is_some() || schema.get("oneOf").is_some();
        let items = schema.get("items").map(types).unwrap_or_default();
        let text = value.and_then(Value::as_str);
        match (types(schema).as_slice(), value) {
            (["integer"] | ["number"], None | Some(Value::Number(_))) => {
                Self::Word(shown(value), Type::Number)
            }
            (["boolean"], None | Some(Value::Bool(_))) => Self::Word(shown(value), Type::Bool),
            (["array"], None) if items == ["string"] => Self::Items(vec![Draft::default()]),
            (["array"], Some(Value::Array(all)))
                if items == ["string"] && all.iter().all(is_writable) =>
            {
                let drafts = all.iter().filter_map(Value::as_str).map(Draft::of);
                Self::Items(drafts.collect())
            }
            (_, None | Some(Value::String(_))) if choice => {
                Self::Word(Draft::of(text.unwrap_or_default()), Type::Choice)
            }
            (["string"], None) => Self::Text(Draft::default()),
            (_, Some(value @ Value::String(text))) if is_writable(value) => {
                Self::Text(Draft::of(text))
            }
            (_, None) => Self::Json(Draft::default()),
            (_, Some(value @ (Value::String(_) | Value::Array(_)))) if !is_writable(value) => {
                let mut found = Deceits::default();
                let texts = text.map_or_else(|| value.to_string().into(), Cow::Borrowed);
                found.search(&texts, || name.to_owned());
                Self::Elsewhere(value.clone(), found)
            }
            (_, Some(value)) => Self::Json(Draft::of(&value.to_string())),
        }
    }

    /// The text that has the keys.
    pub(super) fn draft(&mut self, item: usize) -> Option<&mut Draft> {
        match self {
            Self::Text(draft) | Self::Word(draft, _) | Self::Json(draft) => Some(draft),
            Self::Items(items) => items.get_mut(item),
            Self::Elsewhere(..) => None,
        }
    }
}

/// The arguments that are names.
pub(super) fn names(input: &Value, preview: &Preview) -> BTreeSet<String> {
    let all = input.as_object().into_iter().flatten();
    let named = all.filter(|(_, value)| value.as_str().is_some_and(|text| is_name(text, preview)));
    named.map(|(name, _)| name.clone()).collect()
}

/// Whether a text of the arguments is a name: what the effect is about, or at least nothing that it is
/// made of, and on one line.
fn is_name(text: &str, preview: &Preview) -> bool {
    let body = match &preview.body {
        Body::Diff { old, new, .. } => [Some(&**new), old.as_deref()],
        Body::Code { code: text, .. } | Body::Text { text } => [Some(&**text), None],
        Body::Program { .. } | Body::Packages { .. } => [None, None],
    };
    if text.len() > LONGEST {
        return false;
    }
    let within = body.iter().flatten().any(|body| body.contains(text));
    !text.contains('\n') && (!within || preview.object.contains(text))
}

/// A value in a row: a yes or no in words.
fn shown(value: Option<&Value>) -> Draft {
    match value {
        None => Draft::default(),
        Some(Value::Bool(true)) => Draft::of("yes"),
        Some(Value::Bool(false)) => Draft::of("no"),
        Some(value) => Draft::of(&value.to_string()),
    }
}

/// Whether a row holds it to the letter.
fn is_writable(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= LONGEST && Draft::of(text).text() == *text,
        Value::Array(all) => all.iter().all(is_writable),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}
