//! `files.read`, `files.list` and the searches.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, os::unix::fs::symlink};

use serde_json::{Value, json};

use super::support::Rig;
use crate::kernel::{error::ErrorCode, spec::Mode};

#[tokio::test]
async fn a_read_gives_the_text_exactly_or_the_lines_asked_for() {
    let rig = Rig::new(Mode::Plan);
    let text = "\u{feff}a\tb\r\nsecond\nthird";
    rig.put("a.txt", text);
    rig.put("empty.txt", "");
    let rows = [
        (json!({"path": "a.txt"}), text),
        (json!({"path": "./a.txt", "from_line": 2}), "second\nthird"),
        (json!({"path": "a.txt", "from_line": 2, "lines": 1}), "second\n"),
        (json!({"path": "a.txt", "lines": 1}), "\u{feff}a\tb\r\n"),
        (json!({"path": "a.txt", "from_line": 3, "lines": u64::MAX}), "third"),
        (json!({"path": "empty.txt"}), ""),
    ];
    for (input, expected) in rows {
        let result = rig.call("files.read", input.clone()).await;
        assert_eq!((result.ok, result.content), (true, json!(expected)), "{input}");
    }
}

#[tokio::test]
async fn what_cannot_be_given_whole_and_true_is_refused() {
    let rig = Rig::new(Mode::Auto);
    rig.put("latin1.txt", b"menu\ncaf\xe9\n");
    rig.put("long.json", "x".repeat(1_100_000));
    rig.put("a.txt", "one\n");
    fs::write(rig.outside().join("private.txt"), "secret\n").unwrap();
    symlink(rig.outside(), rig.workspace().join("outbox")).unwrap();
    symlink("/proc/self/environ", rig.workspace().join("environ")).unwrap();
    for (input, expected) in [
        (json!({"path": "latin1.txt"}), "is not UTF-8 text (line 2 has the byte 0xe9)"),
        (json!({"path": "long.json"}), "1,100,000 bytes, at most 1,048,576"),
        (json!({"path": "a.txt", "from_line": 2}), "a.txt has 1 lines; there is no line 2"),
        (json!({"path": "a.txt", "from_line": 0}), "Invalid input for files.read.from_line"),
        (json!({"path": "gone.txt"}), "gone.txt"),
        (json!({"path": "outbox/private.txt"}), "must be inside the workspace"),
        (json!({"path": "../outside/private.txt"}), "must be inside the workspace"),
        (json!({"path": "environ"}), "must be inside the workspace"),
    ] {
        let result = rig.call("files.read", input).await;
        assert!(result.is_error && result.text().contains(expected), "{result:?}");
    }
    for (name, input) in [
        ("files.list", json!({"path": "outbox"})),
        ("search.text", json!({"pattern": "secret", "path": "outbox"})),
        ("search.text", json!({"pattern": "secret", "path": "gone"})),
        ("files.list", json!({"path": "a.txt"})),
    ] {
        let result = rig.call(name, input).await;
        assert_eq!(result.error_code(), Some(ErrorCode::Failed), "{result:?}");
        assert!(!result.text().contains("private.txt"));
    }
}

#[tokio::test]
async fn a_list_is_sorted_and_marks_names_that_are_not_text() {
    let rig = Rig::new(Mode::Plan);
    rig.put("sub/b.txt", "12345");
    rig.put("sub/\u{1b}[31m.txt", "");
    rig.put("sub/inner/c", "");
    symlink("b.txt", rig.workspace().join("sub/link")).unwrap();
    fs::write(rig.workspace().join("sub").join(OsStr::from_bytes(b"caf\xe9")), "x").unwrap();
    let result = rig.call("files.list", json!({"path": "sub"})).await;
    let expected = json!({
        "entries": [
            {"name": "\u{1b}[31m.txt", "kind": "file", "size": 0, "path": "sub/\u{1b}[31m.txt"},
            {"name": "b.txt", "kind": "file", "size": 5, "path": "sub/b.txt"},
            {"name": "caf\\xe9", "kind": "file", "size": 1, "escaped": true},
            {"name": "inner", "kind": "folder", "path": "sub/inner"},
            {"name": "link", "kind": "link", "path": "sub/link"},
        ],
        "left_out": 0,
    });
    assert_eq!(result.content, expected);
    let result = rig.call("files.list", json!({})).await;
    assert_eq!(result.content["entries"][0]["path"], json!("sub"));
}

/// A project with something to find, to pass over and to stay away from.
fn project(rig: &Rig) {
    rig.put(".gitignore", "ignored/\n*.secret\n");
    rig.put(".git/config", "price\n");
    rig.put(".hidden.rs", "price\n");
    rig.put("ignored/i.rs", "price\n");
    rig.put("x.secret", "price\n");
    rig.put("src/lib.rs", "fn price() {}\r\nfn other() {}\n// price\n");
    rig.put("src/deep/mod.rs", "nothing\n");
    rig.put("top.rs", "let price = 5;\n");
    rig.put("nul.bin", b"price\x00");
    rig.put("latin1.txt", b"price caf\xe9\n");
    fs::write(rig.outside().join("out.rs"), "price\n").unwrap();
    symlink(rig.outside(), rig.workspace().join("outbox")).unwrap();
    symlink(rig.outside().join("out.rs"), rig.workspace().join("zlink.rs")).unwrap();
}

#[tokio::test]
async fn a_glob_finds_files_below_the_workspace_that_are_not_ignored() {
    let rig = Rig::new(Mode::Plan);
    project(&rig);
    let rows = [
        ("*.rs", json!([".hidden.rs", "src/deep/mod.rs", "src/lib.rs", "top.rs", "zlink.rs"])),
        ("src/*.rs", json!(["src/lib.rs"])),
        ("./src/**/*.rs", json!(["src/deep/mod.rs", "src/lib.rs"])),
        ("out.rs", json!([])),
        ("config", json!([])),
    ];
    for (pattern, expected) in rows {
        let result = rig.call("search.files", json!({"glob": pattern})).await;
        assert_eq!(result.content, json!({"files": expected, "left_out": 0}), "{pattern}");
    }
    fs::write(rig.workspace().join(OsStr::from_bytes(b"odd\xff.rs")), "price\n").unwrap();
    let odd = rig.call("search.files", json!({"glob": "odd*"})).await;
    assert_eq!(odd.content, json!({"files": [], "left_out": 0, "escaped": ["odd\\xff.rs"]}));
    let odd = rig.call("search.text", json!({"pattern": "price", "glob": "odd*"})).await;
    assert_eq!(odd.content["matches"][0]["path"], json!("odd\\xff.rs"));
    assert_eq!(odd.content["matches"][0]["escaped"], json!(true));
    let result = rig.call("search.files", json!({"glob": "[a"})).await;
    assert!(result.text().contains("Invalid input for search.files.glob"), "{result:?}");
}

#[tokio::test]
async fn a_grep_finds_lines_and_never_leaves_the_workspace() {
    let rig = Rig::new(Mode::Plan);
    project(&rig);
    let found =
        |path: &str, line: u64, text: &str| json!({"path": path, "line": line, "text": text});
    let rows: [(Value, Vec<Value>); 4] = [
        (
            json!({"pattern": "price", "glob": "*.rs"}),
            vec![
                found(".hidden.rs", 1, "price"),
                found("src/lib.rs", 1, "fn price() {}"),
                found("src/lib.rs", 3, "// price"),
                found("top.rs", 1, "let price = 5;"),
            ],
        ),
        (json!({"pattern": "^//", "path": "src"}), vec![found("src/lib.rs", 3, "// price")]),
        (json!({"pattern": "OTHER|nothing", "path": "src/lib.rs"}), vec![]),
        (
            json!({"pattern": "caf"}),
            vec![json!({
                "path": "latin1.txt", "line": 1, "text": "price caf\\xe9", "escaped": true,
            })],
        ),
    ];
    for (input, expected) in rows {
        let result = rig.call("search.text", input.clone()).await;
        assert_eq!(result.content, json!({"matches": expected, "left_out": 0}), "{input}");
    }
    let result = rig.call("search.text", json!({"pattern": "("})).await;
    assert!(result.text().contains("Invalid input for search.text.pattern"), "{result:?}");
}

#[tokio::test]
async fn results_are_bounded_and_say_how_many_are_left_out() {
    let rig = Rig::new(Mode::Plan);
    rig.put("many.txt", "price\n".repeat(250));
    rig.put("wide/long.txt", format!("wide {}\n", "é".repeat(1_000)));
    for number in 0..1_010 {
        rig.put(&format!("d/{number:04}.x"), "");
    }
    let grep = rig.call("search.text", json!({"pattern": "price"})).await;
    assert_eq!(grep.content["matches"].as_array().map(Vec::len), Some(200));
    assert_eq!(grep.content["left_out"], json!(50));
    let note = "These are the first 200 lines that match; there are 50 more. Narrow the search with \
                path, glob or pattern.";
    assert_eq!(grep.content["note"], json!(note));
    let wide = rig.call("search.text", json!({"pattern": "wide"})).await;
    let line = &wide.content["matches"][0];
    assert_eq!(line["text"].as_str().map(|text| text.chars().count()), Some(400));
    assert_eq!((&line["cut"], line.get("escaped")), (&json!(true), None));
    let glob = rig.call("search.files", json!({"glob": "*.x"})).await;
    assert_eq!(glob.content["files"].as_array().map(Vec::len), Some(1_000));
    assert_eq!(glob.content["left_out"], json!(10));
    let best = rig.call("search.files", json!({"name": "x"})).await;
    assert_eq!(best.content["files"].as_array().map(Vec::len), Some(50));
    let around = json!({"pattern": "price", "context": 20});
    let around = rig.call("search.text", around).await;
    assert_eq!(around.content["matches"].as_array().map(Vec::len), Some(200));
}

#[tokio::test]
async fn a_search_gives_the_lines_around_each_line_once() {
    let rig = Rig::new(Mode::Plan);
    rig.put("a.txt", "1\n2\nhit\n4\n5\n6\nhit\nhit\n9\n");
    rig.put("b.txt", "hit (a|b)\r\nend");
    let input = json!({"pattern": "hit", "context": 1, "path": "a.txt"});
    let result = rig.call("search.text", input).await;
    let found = |line: u64, before: Value, after: Value| {
        let mut found = json!({"path": "a.txt", "line": line, "text": "hit"});
        for (name, lines) in [("before", before), ("after", after)] {
            if lines != json!([]) {
                found[name] = lines;
            }
        }
        found
    };
    let expected = json!([
        found(3, json!(["2"]), json!(["4"])),
        found(7, json!(["6"]), json!([])),
        found(8, json!([]), json!(["9"])),
    ]);
    assert_eq!(result.content["matches"], expected);
    let plain = json!({"pattern": "(a|b)", "literal": true, "context": 2});
    let result = rig.call("search.text", plain).await;
    let expected = json!([{"path": "b.txt", "line": 1, "text": "hit (a|b)", "after": ["end"]}]);
    assert_eq!(result.content["matches"], expected);
    let result = rig.call("search.text", json!({"pattern": "a", "context": 21})).await;
    assert!(result.text().contains("Invalid input for search.text.context"), "{result:?}");
}

#[tokio::test]
async fn a_file_is_found_by_what_one_remembers_of_its_name() {
    let rig = Rig::new(Mode::Plan);
    project(&rig);
    for (input, expected) in [
        (json!({"name": "LIB"}), json!(["src/lib.rs"])),
        (json!({"name": "rs", "path": "src/deep"}), json!(["src/deep/mod.rs"])),
        (json!({"name": "top rs"}), json!(["top.rs"])),
        (json!({"name": "lib", "glob": "*.py"}), json!([])),
        (json!({"name": "srmd"}), json!(["src/deep/mod.rs"])),
        (json!({"name": "config"}), json!([])),
    ] {
        let result = rig.call("search.files", input.clone()).await;
        assert_eq!(result.content, json!({"files": expected, "left_out": 0}), "{input}");
    }
    for (input, expected) in [
        (json!({}), "give a glob such as"),
        (json!({"name": " "}), "Invalid input for search.files.name: it is empty"),
        (json!({"name": "x", "path": "outbox"}), "must be inside the workspace"),
    ] {
        let result = rig.call("search.files", input).await;
        assert!(result.text().contains(expected), "{result:?}");
    }
}

#[tokio::test]
async fn a_search_that_is_stopped_ends() {
    let rig = Rig::new(Mode::Plan);
    project(&rig);
    rig.context.cancel.cancel();
    for (name, input) in
        [("search.text", json!({"pattern": "price"})), ("search.files", json!({"glob": "*"}))]
    {
        let result = rig.call(name, input).await;
        assert_eq!(result.error_code(), Some(ErrorCode::Interrupted), "{result:?}");
    }
}
