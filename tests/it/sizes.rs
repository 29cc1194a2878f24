//! Small files, small structs, and names that say what a thing is.

use crate::source;

const FILE_LINES: usize = 400;
const TEST_FILE_LINES: usize = 800;
const STRUCT_FIELDS: usize = 15;

#[test]
fn no_file_is_too_long() {
    for file in source::all() {
        let most = if file.is_tests() { TEST_FILE_LINES } else { FILE_LINES };
        let lines = file.text.lines().count();
        assert!(lines <= most, "{}: {lines} lines, at most {most}", file.path.display());
    }
}

#[test]
fn no_struct_has_too_many_fields() {
    for file in source::all() {
        for (name, fields) in structs(&source::code(&file.text)) {
            assert!(
                fields <= STRUCT_FIELDS,
                "{}: {name} has {fields} fields, at most {STRUCT_FIELDS}",
                file.path.display()
            );
        }
    }
}

/// The structs with named fields, and how many those are.
fn structs(code: &str) -> Vec<(String, usize)> {
    let bodies = code.match_indices("struct ").filter_map(|(at, keyword)| {
        let rest = &code[at + keyword.len()..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let open = rest.find(['{', ';', '('])?;
        (rest[open..].starts_with('{') && !name.is_empty()).then(|| (name, fields(&rest[open..])))
    });
    bodies.collect()
}

/// The single colons directly in the braces that `body` begins with.
fn fields(body: &str) -> usize {
    let (mut depth, mut fields, mut last) = (0_usize, 0, ' ');
    for (at, c) in body.char_indices() {
        match c {
            '{' | '(' | '[' | '<' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if last == '-' => {}
            '}' | ')' | ']' | '>' => depth -= 1,
            ':' if depth == 1 && last != ':' && !body[at + 1..].starts_with(':') => fields += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        last = c;
    }
    fields
}

#[test]
fn fields_are_counted() {
    let rows = [
        ("struct A;", vec![]),
        ("struct A(u8, u8);", vec![]),
        ("pub struct A { a: u8, pub b: std::fmt::Error }", vec![("A", 2)]),
        (
            "struct A<T: Copy> {\n #[serde(default = \"x\")]\n a: Box<dyn Fn(b: T) -> T>,\n}",
            vec![("A", 1)],
        ),
        ("struct A {}\nstruct B { a: u8 }", vec![("A", 0), ("B", 1)]),
    ];
    for (code, expected) in rows {
        let seen = structs(code);
        let seen: Vec<_> = seen.iter().map(|(name, fields)| (&**name, *fields)).collect();
        assert_eq!(seen, expected, "{code}");
    }
}

/// Suffixes that say nothing.
const EMPTY_WORDS: [&str; 10] =
    ["Manager", "Helper", "Helpers", "Util", "Utils", "Service", "Data", "Info", "Impl", "Base"];

/// The names of types and modules that end in one of them.
fn empty_names(code: &str) -> Vec<String> {
    let keywords = ["struct ", "enum ", "trait ", "type ", "mod "];
    let names = keywords.iter().flat_map(|keyword| {
        code.match_indices(keyword)
            .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
            .map(|(at, keyword)| {
                let rest = &code[at + keyword.len()..];
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
            })
    });
    let empty = |name: &String| {
        EMPTY_WORDS.iter().any(|word| {
            let lower = word.to_lowercase();
            name.ends_with(word) || *name == lower || name.ends_with(&format!("_{lower}"))
        })
    };
    names.filter(empty).collect()
}

#[test]
fn names_say_what_a_thing_is() {
    for file in source::all() {
        let names = empty_names(&source::code(&file.text));
        assert!(names.is_empty(), "{}: {names:?}", file.path.display());
    }
    let code = "struct FileManager; mod utils; mod path_helper; struct Metadata; enum Impl {}";
    assert_eq!(empty_names(code), ["FileManager", "Impl", "utils", "path_helper"]);
}
