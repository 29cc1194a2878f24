//! `footplate capabilities`: all that can be done, and what it does to the world.

use serde_json::json;

use super::{
    exit::{Exit, Failure},
    print,
};
use crate::modules;

pub(super) fn list() -> Result<Exit, Failure> {
    let all = modules::registry().all();
    let width = all.iter().map(|known| known.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for known in all {
        let (name, category) = (known.name(), known.category().name());
        let module = known.module().unwrap_or("-");
        text.push_str(&format!("{name:width$}  {category:8}  {module}\n"));
    }
    // A reader that went away has seen what it wanted.
    let _ = print::text(&text);
    Ok(Exit::Done)
}

pub(super) fn json() -> Result<Exit, Failure> {
    let all: Vec<_> = modules::registry()
        .all()
        .iter()
        .map(|known| {
            json!({
                "name": known.name(),
                "category": known.category(),
                "module": known.module(),
                "description": known.description(),
                "input_schema": known.schema(),
            })
        })
        .collect();
    let _ = print::json(&all);
    Ok(Exit::Done)
}
