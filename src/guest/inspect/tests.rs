use super::*;
use crate::kernel::{
    capability::{Capability, Category, Content},
    registry::{Module, Registry},
};

fn load() -> Vec<Capability> {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    vec![
        Capability::define::<Nothing>("files.read", "Reads.", Category::Read)
            .handler(|_, _, _: Nothing| async { Ok(Content::default()) }),
    ]
}

fn mounts() -> Mounts {
    let mut registry = Registry::default();
    registry.register_module(Module { name: "files", summary: "Files.", load }).unwrap();
    registry.mount(&["files".to_owned()], |name| panic!("{name} is unknown"))
}

#[track_caller]
fn accepted(code: &str) {
    assert_eq!(check(code, &mounts()), Ok(()), "{code}");
}

#[track_caller]
fn refused(code: &str, expected: &str) {
    let error = check(code, &mounts()).expect_err(code);
    assert_eq!(error.message, expected, "{code}");
}

#[test]
fn python_is_accepted() {
    accepted("");
    accepted("print('hello')\n");
    accepted("match x:\n    case [1, *rest] if rest: pass\n    case _: print(f'{x!r:>{10}}')\n");
    accepted("async def f[T](x: T, /, *, y=1) -> T:\n    async with a as b, c: yield (z := x)\n");
    accepted("try:\n    pass\nexcept* ValueError as e:\n    raise\n");
    accepted("print(f'{'nested'}', \"é漢👩‍🔬\")\r\n");
    accepted("type X = int\n");
}

#[test]
fn a_syntax_error_is_told_with_its_line() {
    let expected = "Syntax error in line 2: this is not Python:\n    x = = 1\nNothing was run.";
    refused("a = 1\nx = = 1\n", expected);
    let error = check("ok = 1\nprint((1, 2)\n", &mounts()).expect_err("an open bracket");
    assert!(error.message.starts_with("Syntax error in line 2: "), "{error}");
    assert_eq!(error.code, ErrorCode::InvalidInput);
    refused("a\0b", "line 1: a NUL character, which Python does not take.");
}

#[test]
fn mounted_modules_are_imported_in_any_form() {
    accepted("import footplate\nimport footplate.files\nimport footplate.files as f, os\n");
    accepted("from footplate import files, batch, Denied as No\nfrom footplate import *\n");
    accepted("from footplate.files import read as r\nfrom footplate.files import (read,)\n");
    accepted("from . import footplate\nimport footplates.web\nfrom other import footplate\n");
    accepted("try:\n    from footplate import web\nexcept ImportError:\n    web = None\n");
}

#[test]
fn an_import_that_is_not_mounted_is_refused_by_name() {
    let web = "Line 1: footplate has no module \"web\" here. There is: files. Nothing was run.";
    refused("from footplate import web", web);
    refused("from footplate import files, web as w", web);
    refused("from footplate.web import get", web);
    refused("from footplate.web import *", web);
    refused("import os, footplate.web as x", web);
    let inner = "def f():\n    from footplate import (\n        files,\n        web,\n    )\n";
    refused(inner, &web.replace("Line 1", "Line 2"));
    refused(
        "from footplate.files import wrte",
        "Line 1: footplate.files has no function \"wrte\". There is: read. Nothing was run.",
    );
    let error = check("import footplate.x", &Mounts::default()).expect_err("nothing is mounted");
    assert_eq!(error.code, ErrorCode::UnknownTool);
}

#[test]
fn deep_nesting_does_no_harm() {
    let deep = format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    // Whether Python would take it is not the point.
    let _ = check(&deep, &mounts());
}
