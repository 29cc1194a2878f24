//! `todo`: what the session means to do, as a list that a person can see. It changes nothing outside
//! the session, so it is a read; the journal keeps every change, and a resumed session has its list.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::kernel::{
    capability::{Capability, Category, Content},
    context::Context,
    error::CallError,
    gate::Permit,
    registry::Module,
    schema, text,
    todo::{Item, State},
};

pub(super) const MODULE: Module = Module {
    name: "todo",
    summary: "A list of what you mean to do, which the person sees. Keep it for work of more than a \
              few steps: one item doing, others open, done or dropped.",
    load: || vec![set(), update(), list()],
};

/// The most items there are.
const ITEMS: usize = 100;
/// The most characters of one.
const CHARS: usize = 300;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Set {
    /// All items in their order, each {"text": "…", "state": "open" | "doing" | "done" |
    /// "dropped"}; an item without a state is open.
    #[schemars(length(max = 100))]
    items: Vec<Wanted>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// What is to be done, in a line.
    text: String,
    /// How far it is.
    #[serde(default)]
    state: State,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Update {
    /// Which item, from 1; one more than there are adds one.
    #[schemars(range(min = 1))]
    number: usize,
    /// How far it is now: "open", "doing", "done" or "dropped"; as it was if left out.
    #[serde(default)]
    state: Option<State>,
    /// What is to be done; as it was if left out.
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {}

fn set() -> Capability {
    Capability::define::<Set>(
        "todo.set",
        "Makes this the whole list, and gives it as todo.list does.",
        Category::Read,
    )
    .status(|set| match set.items.len() {
        0 => "empty the list".to_owned(),
        1 => "list 1 thing to do".to_owned(),
        items => format!("list {items} things to do"),
    })
    .handler(|permit, cx, wanted| async move {
        let line = |(at, wanted): (usize, Wanted)| {
            let text = line(&format!("todo.set.items[{at}].text"), &wanted.text)?;
            Ok(Item { text, state: wanted.state })
        };
        let items: Result<Vec<_>, _> = wanted.items.into_iter().enumerate().map(line).collect();
        let items = items?;
        change(&permit, &cx, |list| {
            *list = items;
            Ok(())
        })
    })
}

fn update() -> Capability {
    Capability::define::<Update>(
        "todo.update",
        "Changes one item, or adds one at the end, and gives the list as todo.list does.",
        Category::Read,
    )
    .status(|update| match update.state {
        Some(state) => format!("item {} is {}", update.number, named(state)),
        None => format!("change item {}", update.number),
    })
    .handler(|permit, cx, update| async move {
        let text = update.text.map(|text| line("todo.update.text", &text)).transpose()?;
        change(&permit, &cx, |list| {
            let there = list.len();
            match (list.get_mut(update.number - 1), text) {
                (Some(item), text) => {
                    item.state = update.state.unwrap_or(item.state);
                    item.text = text.unwrap_or_else(|| std::mem::take(&mut item.text));
                    Ok(())
                }
                (None, Some(text)) if update.number == there + 1 && there < ITEMS => {
                    list.push(Item { text, state: update.state.unwrap_or_default() });
                    Ok(())
                }
                (None, _) => Err(absent(update.number, there)),
            }
        })
    })
}

fn list() -> Capability {
    Capability::define::<List>(
        "todo.list",
        "Gives {items: [{number, text, state}]} in their order.",
        Category::Read,
    )
    .status(|_| "look at the list".to_owned())
    .handler(|_, cx, _| async move { Ok(given(&cx.notes.todo.now())) })
}

fn change(
    permit: &Permit,
    cx: &Context,
    change: impl FnOnce(&mut Vec<Item>) -> Result<(), CallError>,
) -> Result<Content, CallError> {
    let items = cx.notes.todo.change((&cx.recorder, permit.call()), change)?;
    Ok(given(&items))
}

fn given(items: &[Item]) -> Content {
    let numbered = items.iter().enumerate();
    let items: Vec<Value> = numbered
        .map(|(at, Item { text, state })| json!({ "number": at + 1, "text": text, "state": state }))
        .collect();
    json!({ "items": items }).into()
}

fn absent(number: usize, there: usize) -> CallError {
    let what = match there {
        0 => "the list is empty; make it with todo.set".to_owned(),
        ITEMS => format!("there are {ITEMS} items, and there can be no more"),
        _ => format!(
            "there is no item {number}, but 1 to {there}; a new one has number {} and a text",
            there + 1
        ),
    };
    schema::invalid("todo.update.number", &what)
}

fn named(state: State) -> &'static str {
    match state {
        State::Open => "open",
        State::Doing => "being done",
        State::Done => "done",
        State::Dropped => "dropped",
    }
}

/// A text as one clean line.
fn line(place: &str, said: &str) -> Result<String, CallError> {
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = text::shown(&line).into_owned();
    match line.chars().count() {
        0 => Err(schema::invalid(place, "it is empty")),
        1..=CHARS => Ok(line),
        long => {
            let fault = format!("it has {long} characters, at most {CHARS}; say it shorter");
            Err(schema::invalid(place, &fault))
        }
    }
}
