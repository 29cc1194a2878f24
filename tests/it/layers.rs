//! Who may import whom. The map is in `src/lib.rs`; here it is held.

use std::path::Path;

use crate::source::{self, Source, reached};

/// What each room may import beside itself. `host` may all but the last two, and `cli` everything.
const MAY_IMPORT: [(&str, &[&str]); 13] = [
    ("kernel", &[]),
    ("store", &["kernel"]),
    ("model", &["kernel"]),
    ("modules", &["kernel"]),
    ("agent", &["kernel"]),
    ("config", &["kernel"]),
    ("guest", &["kernel"]),
    ("telemetry", &["kernel"]),
    ("executor", &["kernel", "guest"]),
    ("tui", &["kernel", "config"]),
    ("host", &HOST),
    ("cli", &CLI),
    ("mcp", &["kernel"]),
];

const HOST: [&str; 10] = [
    "kernel",
    "store",
    "model",
    "modules",
    "agent",
    "config",
    "guest",
    "telemetry",
    "executor",
    "mcp",
];

const CLI: [&str; 12] = [
    "kernel",
    "store",
    "model",
    "modules",
    "agent",
    "config",
    "guest",
    "telemetry",
    "executor",
    "mcp",
    "tui",
    "host",
];

fn may_import(room: &str) -> &'static [&'static str] {
    let known = MAY_IMPORT.iter().find(|(name, _)| *name == room);
    known.unwrap_or_else(|| panic!("{room} is in no row of the table")).1
}

fn is_room(name: &str) -> bool {
    MAY_IMPORT.iter().any(|(room, _)| *room == name)
}

/// The rooms that a file outside `room` may not see, but this one does.
fn trespasses(room: &str, depth: usize, code: &str) -> Vec<String> {
    // As many `super`s as the file is deep lead to the crate's root, by the back door.
    let back_door = vec!["super"; depth].join("::");
    let mut seen = reached(code, "crate");
    seen.extend(reached(code, &back_door).into_iter().filter(|name| is_room(name)));
    let allowed = |name: &String| name == room || may_import(room).contains(&&**name);
    seen.into_iter().filter(|name| !name.is_empty() && !allowed(name)).collect()
}

/// What the files break, each with the files it breaks it in.
fn broken(files: &[Source], rule: impl Fn(&Source) -> Vec<String>) -> Vec<String> {
    let told = |file: &Source| {
        let path = file.path.display().to_string();
        rule(file).into_iter().map(move |fault| format!("{path}: {fault}")).collect::<Vec<_>>()
    };
    files.iter().flat_map(told).collect()
}

#[test]
fn each_room_imports_only_what_it_may() {
    let faults = broken(&source::all(), |file| {
        let Some(room) = file.room() else { return Vec::new() };
        trespasses(&room, file.path.iter().count(), &file.code())
    });
    assert!(faults.is_empty(), "rooms that may not be imported:\n{}", faults.join("\n"));
}

#[test]
fn every_room_has_its_row_in_the_table() {
    for file in source::all() {
        if let Some(room) = file.room() {
            assert!(is_room(&room), "{room} is in no row of the table");
        }
    }
}

#[test]
fn a_trespass_is_seen() {
    let rows = [
        ("kernel", 2, "use crate::store::Journal;", vec!["store"]),
        ("kernel", 2, "use crate::kernel::id;", vec![]),
        ("tui", 2, "use crate::{host, kernel::id};", vec!["host"]),
        ("tui", 2, "use super::super::host::Host;", vec!["host"]),
        ("tui", 2, "use super::state::State;", vec![]),
        ("store", 1, "use super::model::Model;", vec!["model"]),
        ("host", 1, "use crate::{agent, cli};", vec!["cli"]),
        ("cli", 2, "use crate::{tui, host, store};", vec![]),
    ];
    for (room, depth, code, expected) in rows {
        assert_eq!(trespasses(room, depth, code), expected, "{room}: {code}");
    }
}

/// Names of the standard library and tokio that reach outside.
const OUTSIDE: [&str; 3] = ["fs", "net", "process"];

fn reaches_outside(code: &str) -> Vec<String> {
    let of = |root: &str| {
        let outside = reached(code, root).into_iter().filter(|name| OUTSIDE.contains(&&**name));
        outside.map(|name| format!("{root}::{name}")).collect::<Vec<_>>()
    };
    ["std", "tokio"].iter().flat_map(|root| of(root)).collect()
}

#[test]
fn the_kernel_touches_no_file_socket_or_process() {
    let faults = broken(&source::all(), |file| match file.path.starts_with("kernel") {
        true => reaches_outside(&file.code()),
        false => Vec::new(),
    });
    assert!(faults.is_empty(), "the kernel does no I/O:\n{}", faults.join("\n"));
    assert_eq!(
        reaches_outside("use std::{fs, io}; tokio::net::lookup_host(\"a\")"),
        ["std::fs", "tokio::net"]
    );
}

/// What makes a screen's step depend on more than the state it is given.
const IMPURE: [&str; 12] = [
    "async fn",
    "async move",
    "async {",
    ".await",
    "tokio::",
    "std::fs",
    "std::env",
    "std::net",
    "Instant::now",
    "SystemTime",
    "Timestamp::now",
    "Zoned::now",
];

fn impure(code: &str) -> Vec<String> {
    let mut found: Vec<String> =
        IMPURE.iter().filter(|word| code.contains(**word)).map(|word| (*word).to_owned()).collect();
    let grouped = reached(code, "std");
    found.extend(
        ["fs", "env", "net"]
            .iter()
            .filter(|name| grouped.contains(**name))
            .map(|name| format!("std::{{{name}}}")),
    );
    found
}

fn is_step(path: &Path) -> bool {
    ["tui/update", "tui/view", "tui/lines", "tui/update.rs", "tui/view.rs", "tui/lines.rs"]
        .iter()
        .any(|step| path.starts_with(step))
}

#[test]
fn update_and_view_depend_on_the_state_alone() {
    let faults = broken(&source::all(), |file| match is_step(&file.path) {
        true => impure(&file.code()),
        false => Vec::new(),
    });
    assert!(faults.is_empty(), "a step of the screen reads the outside:\n{}", faults.join("\n"));
    assert_eq!(impure("let now = Instant::now();"), ["Instant::now"]);
    assert_eq!(impure("use std::{env, fmt};"), ["std::{env}"]);
    assert!(is_step(Path::new("tui/view/inbox.rs")) && !is_step(Path::new("tui/app.rs")));
}
