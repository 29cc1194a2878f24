//! The arguments of a call while a person edits them, a field a row.

mod kind;

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value};

use self::kind::names;
pub use self::kind::{Kind, Span, Type};
use super::draft::Draft;
use crate::{
    kernel::{
        capability::Capability,
        gate::approval::Question,
        id::{ApprovalId, CallId},
        json::Unambiguous,
    },
    tui::clean::{self, Deceits},
};

/// What is edited, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Edit {
    pub question: ApprovalId,
    pub call: CallId,
    pub fields: Vec<Field>,
    /// The field that has the keys, and the item of it.
    pub at: (usize, usize),
    /// Why it cannot run as it stands.
    pub fault: Option<String>,
    /// What in them could deceive the eye.
    pub deceits: Deceits,
    capability: Arc<Capability>,
    was: Value,
    /// The fields that are names, and not text of lines.
    names: BTreeSet<String>,
}

/// One argument.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    /// What was asked for.
    pub was: Option<Value>,
    pub kind: Kind,
    pub span: Span,
}

impl Field {
    fn of(
        name: &str,
        value: Option<&Value>,
        was: Option<&Value>,
        schema: &Value,
        span: Span,
    ) -> Self {
        let kind = Kind::of(name, value, schema);
        Self { name: name.to_owned(), was: was.cloned(), kind, span }
    }

    /// What it stands for now; nothing where it is left out.
    pub fn value(&self) -> Result<Option<Value>, String> {
        let empty = |draft: &Draft| draft.text().trim().is_empty();
        Ok(match &self.kind {
            Kind::Text(draft) if draft.is_empty() && self.was.is_none() => None,
            Kind::Text(draft) => Some(draft.text().into()),
            Kind::Items(items) if self.was.is_none() && items.iter().all(Draft::is_empty) => None,
            Kind::Items(items) => Some(items.iter().map(Draft::text).collect()),
            Kind::Word(draft, _) | Kind::Json(draft) if empty(draft) => None,
            Kind::Word(draft, kind) => Some(self.word(draft.text().trim(), *kind)?),
            Kind::Json(draft) => Some(
                json(&draft.text())
                    .map_err(|error| format!("{}: this is not JSON: {error}", self.name))?,
            ),
            Kind::Elsewhere(value, _) => Some(value.clone()),
        })
    }

    fn word(&self, word: &str, kind: Type) -> Result<Value, String> {
        match kind {
            Type::Choice => Ok(word.into()),
            Type::Bool => match word {
                "yes" | "true" => Ok(true.into()),
                "no" | "false" => Ok(false.into()),
                _ => Err(format!("{}: expected yes or no", self.name)),
            },
            Type::Number => match serde_json::from_str(word) {
                Ok(number @ Value::Number(_)) => Ok(number),
                Ok(_) | Err(_) => Err(format!("{}: expected a number", self.name)),
            },
        }
    }

    fn search(&self, found: &mut Deceits) {
        match &self.kind {
            Kind::Text(draft) if self.span == Span::Name => {
                found.take(&clean::deceits_of_name(&draft.text()), || self.name.clone());
            }
            Kind::Text(draft) | Kind::Word(draft, _) | Kind::Json(draft) => {
                found.search(&draft.text(), || self.name.clone());
            }
            Kind::Items(items) => {
                for (at, draft) in items.iter().enumerate() {
                    found.search(&draft.text(), || format!("{} {}", self.name, at + 1));
                }
            }
            Kind::Elsewhere(_, known) => found.add(known),
        }
    }

    /// Whether it is another than was asked for.
    pub fn is_changed(&self) -> bool {
        !self.value().is_ok_and(|value| value == self.was)
    }

    /// Whether it was left out, and still is.
    pub fn is_left_out(&self) -> bool {
        self.was.is_none() && self.value() == Ok(None)
    }

    /// Whether this item is another than the one that was asked for in its place.
    pub fn is_new(&self, item: usize) -> bool {
        let Kind::Items(items) = &self.kind else { return false };
        if self.is_left_out() {
            return false;
        }
        let was = self.was.as_ref().and_then(|was| was.get(item)).and_then(Value::as_str);
        items.get(item).is_some_and(|draft| was != Some(&draft.text()))
    }
}

impl Edit {
    /// The arguments of a call, those that were left out as well; nothing to edit if it has none.
    pub fn of(question: &Question, capability: Arc<Capability>) -> Option<Self> {
        let was = question.call.input.clone();
        let mut edit = Self {
            question: question.id,
            call: question.call.id,
            fields: Vec::new(),
            at: (0, 0),
            fault: None,
            deceits: Deceits::default(),
            capability,
            names: names(&was, &question.preview),
            was,
        };
        edit.fill(&edit.was.clone());
        (!edit.fields.is_empty()).then_some(edit)
    }

    /// Takes these arguments in, whoever wrote them.
    fn fill(&mut self, input: &Value) {
        let none = Map::new();
        let schema = self.capability.schema();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let input = input.as_object().unwrap_or(&none);
        let known =
            properties.keys().chain(input.keys().filter(|key| !properties.contains_key(*key)));
        self.fields = known
            .map(|name| {
                let schema = properties.get(name).unwrap_or(&Value::Null);
                Field::of(name, input.get(name), self.was.get(name), schema, self.span(name))
            })
            .collect();
        self.at = (self.at.0.min(self.fields.len().saturating_sub(1)), 0);
        self.check();
    }

    fn span(&self, name: &str) -> Span {
        if self.names.contains(name) { Span::Name } else { Span::Lines }
    }

    /// The arguments as they stand.
    pub fn input(&self) -> Result<Value, String> {
        let mut input = Map::new();
        for field in &self.fields {
            if let Some(value) = field.value()? {
                input.insert(field.name.clone(), value);
            }
        }
        Ok(Value::Object(input))
    }

    /// How many are changed.
    pub fn changed(&self) -> usize {
        self.fields.iter().filter(|field| field.is_changed()).count()
    }

    /// Checks them as a call's are, and looks for what deceives.
    pub fn check(&mut self) {
        self.deceits = Deceits::default();
        for field in &self.fields {
            field.search(&mut self.deceits);
        }
        let checked = self
            .input()
            .and_then(|input| self.capability.validate(&input).map_err(|error| error.message));
        self.fault = checked.err();
    }

    /// The text that has the keys.
    pub fn draft(&mut self) -> Option<&mut Draft> {
        let (field, item) = self.at;
        self.fields.get_mut(field)?.kind.draft(item)
    }

    /// Goes to the next field, or to the one before.
    pub fn step(&mut self, forward: bool) {
        let count = self.fields.len().max(1);
        let by = if forward { 1 } else { count - 1 };
        self.at = ((self.at.0 + by) % count, 0);
    }

    /// Goes to the next row, or to the one before.
    pub fn row(&mut self, forward: bool) {
        let items = |field: Option<&Field>| match field.map(|field| &field.kind) {
            Some(Kind::Items(items)) => items.len(),
            _ => 1,
        };
        let (field, item) = self.at;
        match (forward, item) {
            (true, item) if item + 1 < items(self.fields.get(field)) => self.at.1 += 1,
            (false, 1..) => self.at.1 -= 1,
            (true, _) => self.step(true),
            (false, _) => {
                self.step(false);
                self.at.1 = items(self.fields.get(self.at.0)).saturating_sub(1);
            }
        }
    }

    /// enter: another item, another line, or the next field.
    pub fn enter(&mut self) {
        let (field, item) = self.at;
        let is_name = self.fields.get(field).is_some_and(|field| field.span == Span::Name);
        match self.fields.get_mut(field).map(|field| &mut field.kind) {
            Some(Kind::Items(items)) => {
                items.insert((item + 1).min(items.len()), Draft::default());
                self.at.1 = (item + 1).min(items.len() - 1);
            }
            Some(Kind::Text(draft) | Kind::Json(draft)) if !is_name => {
                draft.edit(crate::tui::keymap::Edit::NewLine);
            }
            Some(Kind::Text(_) | Kind::Json(_) | Kind::Word(..) | Kind::Elsewhere(..)) | None => {
                self.step(true);
            }
        }
    }

    /// Takes an empty item out; false where there is none.
    pub fn drop_item(&mut self) -> bool {
        let (field, item) = self.at;
        match self.fields.get_mut(field).map(|field| &mut field.kind) {
            Some(Kind::Items(items)) if items.get(item).is_some_and(Draft::is_empty) => {
                items.remove(item);
                self.at.1 = item.saturating_sub(1);
                true
            }
            Some(_) | None => false,
        }
    }

    /// What an editor is given: a text as it is, all else as JSON.
    pub fn text(&self, field: Option<usize>) -> String {
        let value = match field.and_then(|at| self.fields.get(at)) {
            Some(field) => match field.value() {
                Ok(Some(Value::String(text))) => return text,
                Ok(value) => value.unwrap_or_default(),
                Err(_) => field.was.clone().unwrap_or_default(),
            },
            None => self.input().unwrap_or_else(|_| self.was.clone()),
        };
        serde_json::to_string_pretty(&value).unwrap_or_default()
    }

    /// Takes in what came back from it.
    pub fn take(&mut self, at: Option<usize>, text: &str) -> Result<(), String> {
        let json = |text: &str| {
            json(text).map_err(|error| format!("Not taken: this is not JSON: {error}"))
        };
        let Some(at) = at else {
            let input = json(text)?;
            if !input.is_object() {
                return Err("Not taken: the arguments are one JSON object.".to_owned());
            }
            self.fill(&input);
            return Ok(());
        };
        let Some(field) = self.fields.get(at) else { return Ok(()) };
        let value = match field.value() {
            Ok(Some(Value::String(_))) => Value::String(text.to_owned()),
            Ok(_) | Err(_) => json(text)?,
        };
        let none = Value::Null;
        let schema = self.capability.schema().get("properties");
        let schema = schema.and_then(|all| all.get(&field.name)).unwrap_or(&none);
        let value = Some(&value).filter(|value| !value.is_null());
        self.fields[at] =
            Field::of(&field.name, value, field.was.as_ref(), schema, self.span(&field.name));
        self.at = (at, 0);
        self.check();
        Ok(())
    }
}

/// Text that means one thing: a key that is there twice is not silently the last of them.
fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).map(|Unambiguous(value)| value)
}
