use schemars::JsonSchema;
use serde::Deserialize;

use super::*;
use crate::kernel::{
    capability::{Category, Content},
    registry::Registry,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is wanted")]
struct Write {
    /// How many
    /// at most.
    #[serde(default = "ten")]
    limit: u32,
    mode: Option<String>,
    /// Where "to".
    path: String,
    from: Vec<String>,
}

fn ten() -> u32 {
    10
}

fn load() -> Vec<Capability> {
    vec![
        Capability::define::<Write>("demo.import", "Does \"it\".\n\"\"\"\\", Category::Write)
            .handler(|_, _, _| async { Ok(Content::default()) }),
    ]
}

fn mounts() -> Mounts {
    let mut registry = Registry::default();
    registry.register_module(Module { name: "demo", summary: "A demo.", load }).unwrap();
    registry.mount(&["demo".to_owned()], |name| panic!("{name} is unknown"))
}

#[test]
fn a_function_has_the_signature_of_its_parameters() {
    let package = Package::of(&mounts());
    let (_, demo) = package.files.iter().find(|(path, _)| path == "footplate/demo.py").unwrap();
    assert_eq!(
        demo,
        r#""A demo."
from __future__ import annotations
from footplate._channel import call as _call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def import_(path: str, from_: list[str], *, limit: int = 10, mode: str | None = None) -> Any:
    "Does \"it\".\n\"\"\"\\\n\npath: Where \"to\".\nlimit: How many at most."
    _input = {}
    _input["path"] = path
    _input["from"] = from_
    if limit is not None and limit != 10:
        _input["limit"] = limit
    if mode is not None:
        _input["mode"] = mode
    return _call("demo.import", _input)


import_.capability = "demo.import"
"#
    );
}

#[test]
fn the_index_names_what_is_mounted() {
    let package = Package::of(&mounts());
    let (_, index) = package.files.iter().find(|(path, _)| path.ends_with("_mounted.py")).unwrap();
    assert!(index.starts_with("MODULES = [\"demo\"]\n"), "{index}");
    assert!(index.contains("\"signature\": \"demo.import_(path: str, "), "{index}");
}

#[test]
fn odd_names_become_names_of_python() {
    for (given, expected) in [
        ("path", "path"),
        ("class", "class_"),
        ("dry-run", "dry_run"),
        ("2nd", "p2nd"),
        ("_x", "p_x"),
        ("", "p"),
        ("a=1):\n import os", "a_1____import_os"),
    ] {
        assert_eq!(name(given), expected, "{given:?}");
    }
}

#[test]
fn hints_know_only_words_of_python() {
    for (schema, expected) in [
        (json!({"type": "string"}), "str"),
        (json!({"type": ["integer", "null"]}), "int | None"),
        (json!({"type": ["array", "null"], "items": {"type": "number"}}), "list[float] | None"),
        (json!({"anyOf": [{"type": "null"}, {"type": "boolean"}]}), "bool | None"),
        (json!({"type": "array"}), "list[Any]"),
        (json!({"type": "x) -> None: ..."}), "Any"),
        (json!(true), "Any"),
    ] {
        assert_eq!(hint(&schema), expected, "{schema}");
    }
}
