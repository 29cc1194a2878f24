//! The program's own source as the tests of its shape read it: by the line, without a parser.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// One file of `src`.
pub struct Source {
    /// Its path below `src`.
    pub path: PathBuf,
    /// All of it.
    pub text: String,
}

impl Source {
    /// The room it belongs to; nothing for `main.rs` and `lib.rs`, which belong to none.
    pub fn room(&self) -> Option<String> {
        let first = Path::new(self.path.iter().next()?).file_stem()?.to_str()?;
        (!matches!(first, "main" | "lib")).then(|| first.to_owned())
    }

    /// Whether all of it is tests.
    pub fn is_tests(&self) -> bool {
        self.path.iter().any(|part| part == "tests" || part == "tests.rs")
    }

    /// What runs outside tests, without comments.
    pub fn code(&self) -> String {
        if self.is_tests() { String::new() } else { code(&self.text) }
    }
}

/// Every file of `src`, sorted.
pub fn all() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push(Source { path: path.strip_prefix(&root).unwrap().to_owned(), text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The text without its tests, which stand last, and without lines of comment.
pub fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let comment = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(comment).flat_map(|line| [line, "\n"]).collect()
}

/// The names that follow `root::` in the code, in groups as well: what of it is reached.
pub fn reached(code: &str, root: &str) -> BTreeSet<String> {
    let start = format!("{root}::");
    let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(&start)
        .filter(|(at, _)| begins(*at))
        .flat_map(|(at, _)| first_names(&code[at + start.len()..]))
        .collect()
}

/// The first name of a path, or of each path in a group.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut names, mut begin) = (0, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(name(group[begin..at].trim_start()));
                begin = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn name(path: &str) -> String {
    path.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '*').collect()
}

#[test]
fn what_is_reached_is_seen_however_it_is_written() {
    let rows = [
        ("use crate::store::Journal;", "crate", vec!["store"]),
        ("use crate::{kernel::{id, port::Env}, store};", "crate", vec!["kernel", "store"]),
        (
            "use crate::{\n    kernel::id,\n    tui::{view, state},\n};",
            "crate",
            vec!["kernel", "tui"],
        ),
        ("let x = crate::host::start();", "crate", vec!["host"]),
        ("use crate::*;", "crate", vec!["*"]),
        ("use mycrate::store;", "crate", vec![]),
        ("use std::{fmt, fs};", "std", vec!["fmt", "fs"]),
        ("::std::process::exit(1)", "std", vec!["process"]),
    ];
    for (text, root, expected) in rows {
        let seen: Vec<_> = reached(text, root).into_iter().collect();
        assert_eq!(seen, expected, "{text}");
    }
}

#[test]
fn tests_and_comments_are_no_code() {
    let text =
        "// crate::a\nuse crate::b;\n    /// crate::c\n#[cfg(test)]\nmod tests {\ncrate::d\n}\n";
    assert_eq!(code(text), "use crate::b;\n");
}

#[test]
fn the_whole_source_is_read() {
    let files = all();
    let has = |path: &str| files.iter().any(|file| file.path == Path::new(path));
    assert!(has("lib.rs") && has("kernel/gate/approval.rs") && has("modules/files/edit.rs"));
}
