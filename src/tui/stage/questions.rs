//! The things that stories are about.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::tui::{effect::Effect, ink::Brush, message::Came, sheet::Index};

use crate::kernel::{
    capability::{Body, Capability, Category, Preview, Reach},
    event::{Call, Origin},
    gate::{approval::Question, subject::Subject},
    invoke::ToolResult,
};

pub(in crate::tui) const LEX: &str = r#"from footplate import files, process

SKIP = "while self.peek() == Some(' ') {"
SKIP_TABS = "while matches!(self.peek(), Some(' ' | '\\t')) {"
COUNT = "self.line_so_far().chars().count() + 1"
COUNT_TABS = files.read("notes/column.rs")

old = files.read("src/lex.rs")
new = old.replace(SKIP, SKIP_TABS)
new = new.replace(COUNT, COUNT_TABS)
assert new != old
files.write("src/lex.rs", new)
print(process.run(["cargo", "test", "--lib", "lex"]).tail(20))
"#;

pub(in crate::tui) fn python(call: u128, filename: &str, code: &str) -> Call {
    Call {
        id: call.into(),
        name: "execute_code".into(),
        input: json!({ "code": code, "filename": filename }),
        origin: Origin::Model,
        parent: None,
    }
}

pub(in crate::tui) fn result(name: &str, ok: bool, content: Value) -> ToolResult {
    ToolResult {
        ok,
        name: name.into(),
        input: Value::Null,
        content,
        is_error: !ok,
        attachments: Vec::new(),
        duration_ms: 10,
    }
}

/// A write by line 12 of the run with call 10.
pub(in crate::tui) fn write_question(id: u128) -> Question {
    Question {
        id: id.into(),
        session: 1.into(),
        path: vec!["fix-parser".into()],
        call: Call {
            id: (id + 1000).into(),
            name: "files.write".into(),
            input: json!({ "path": "src/lex.rs", "text": "…" }),
            origin: Origin::Python { line: Some(12) },
            parent: Some(10.into()),
        },
        category: Category::Write,
        preview: Preview {
            object: "src/lex.rs".into(),
            facts: vec!["+4 −2".into(), "in the workspace".into(), "can be undone".into()],
            wider: Vec::new(),
            reach: Reach::Workspace,
            body: Body::Diff { old: Some(old_lexer()), new: new_lexer(), mark: None },
            subject: Subject::Other,
        },
        script: Some(10.into()),
        monitor: None,
    }
}

pub(in crate::tui) fn program_question(id: u128, session: u128, path: &[&str]) -> Question {
    Question {
        id: id.into(),
        session: session.into(),
        path: path.iter().map(|part| (*part).to_owned()).collect(),
        call: Call {
            id: (id + 1000).into(),
            name: "process.run".into(),
            input: json!({ "argv": ["cargo", "test", "--lib", "lex"] }),
            origin: Origin::Python { line: Some(7) },
            parent: Some(20.into()),
        },
        category: Category::Execute,
        preview: Preview {
            object: "cargo test --lib lex".into(),
            facts: vec!["workspace seal".into(), "no network".into()],
            wider: Vec::new(),
            reach: Reach::Outside,
            body: Body::Program {
                argv: ["cargo", "test", "--lib", "lex", "a b; rm"].map(str::to_owned).to_vec(),
                cwd: "/home/me/tally".into(),
                limit_ms: 120_000,
                file: Some("/home/me/.cargo/bin/cargo".into()),
            },
            subject: Subject::Other,
        },
        script: Some(20.into()),
        monitor: None,
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Run {
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
    #[serde(default)]
    network: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Write {
    path: String,
    text: String,
}

/// What is called in these stories.
pub(in crate::tui) fn capability(name: &str) -> Option<Capability> {
    match name {
        "process.run" => Some(
            Capability::define::<Run>("process.run", "", Category::Execute)
                .handler(|_, _, _| async { Ok("".into()) }),
        ),
        "files.write" => Some(
            Capability::define::<Write>("files.write", "", Category::Write)
                .handler(|_, _, _| async { Ok("".into()) }),
        ),
        _ => None,
    }
}

/// A line for a shell, by the run with call 20.
pub(in crate::tui) fn shell_question(id: u128, line: &str) -> Question {
    let mut question = program_question(id, 1, &["fix-parser"]);
    question.call.input = json!({ "argv": ["bash", "-lc", line] });
    question.preview.object = "bash".into();
    question.preview.body = Body::Program {
        argv: ["bash", "-lc", line].map(str::to_owned).to_vec(),
        cwd: "/home/me/tally".into(),
        limit_ms: 120_000,
        file: Some("/usr/bin/bash".into()),
    };
    question
}

pub(in crate::tui) fn code_question(id: u128) -> Question {
    Question {
        id: id.into(),
        session: 1.into(),
        path: vec!["fix-parser".into()],
        call: python(10, "main.py", LEX),
        category: Category::Execute,
        preview: Preview {
            object: "main.py".into(),
            facts: vec!["13 lines".into(), "unsealed".into()],
            wider: vec!["open: not sealed, it can do what you can".into()],
            reach: Reach::Outside,
            body: Body::Code { filename: "main.py".into(), code: LEX.into() },
            subject: Subject::Other,
        },
        script: None,
        monitor: None,
    }
}

/// What the run with call 10 wants before it begins.
pub(in crate::tui) fn packages_question(id: u128) -> Question {
    Question {
        id: id.into(),
        session: 1.into(),
        path: vec!["fix-parser".into()],
        call: Call {
            id: (id + 1000).into(),
            name: "install_packages".into(),
            input: json!({ "requirements": ["matplotlib", "pandas>=2.2"] }),
            origin: Origin::Python { line: Some(1) },
            parent: Some(10.into()),
        },
        category: Category::External,
        preview: Preview {
            object: "install packages".into(),
            facts: vec!["leaves this computer".into()],
            wider: Vec::new(),
            reach: Reach::Outside,
            body: Body::Packages {
                from: vec!["PyPI".into()],
                asked: vec!["matplotlib".into(), "pandas>=2.2".into()],
                python: Some(">=3.11".into()),
                run: Some("sealed, no network".into()),
            },
            subject: Subject::Other,
        },
        script: Some(10.into()),
        monitor: None,
    }
}

fn lexer(skip: &str, count: &str) -> String {
    let mut text: String = (1..40).map(|n| format!("// line {n}\n")).collect();
    text.push_str("    /// Skips blanks; a line end is not one.\n");
    text.push_str("    fn skip_blank(&mut self) {\n");
    text.push_str(skip);
    text.push_str("            self.bump();\n        }\n");
    text.extend((45..106).map(|n| format!("// line {n}\n")));
    text.push_str("    fn column(&self) -> usize {\n");
    text.push_str(count);
    text.push_str("    }\n}\n");
    text
}

fn old_lexer() -> String {
    lexer(
        "        while self.peek() == Some(' ') {\n",
        "        self.line_so_far().chars().count() + 1\n",
    )
}

fn new_lexer() -> String {
    lexer(
        "        while matches!(self.peek(), Some(' ' | '\\t')) {\n",
        "        self.line_so_far().chars().fold(1, |at, c| match c {\n            '\\t' => at + TAB - (at - 1) % TAB,\n            _ => at + 1 })\n",
    )
}

/// What is made of a long text beside the loop.
pub(in crate::tui) fn made_ready(effect: Effect) -> Option<Came> {
    if let Effect::LayOut(question, sheet, shape) = effect {
        return Some(Came::LaidOut(question, Arc::new(Index::of(&sheet, shape))));
    }
    if let Effect::LayOutChange(call, sheet, shape) = effect {
        return Some(Came::ChangeLaidOut(call, Arc::new(Index::of(&sheet, shape))));
    }
    let Effect::Find(question, sheet, index, word, marks) = effect else { return None };
    let hits = index.find(&sheet, &word, Brush::of_text(marks));
    Some(Came::Found(question, index, word, hits))
}
