//! A question made ready for the screen: compared, coloured, searched for what deceives. Slow for
//! large texts, so it is done off the loop, once.

use std::{path::Path, sync::Arc};

use super::{
    clean::{self, Deceits},
    diff::Diff,
    highlight,
    shell::{self, Part},
    state::waiting::{Paper, Sheet},
    words,
};
use crate::kernel::{capability::Body, gate::approval::Question};

/// Makes a question ready.
pub fn of(question: &Question) -> Paper {
    let preview = &question.preview;
    let (what, object) = match preview.body {
        Body::Diff { .. } => ("path", clean::deceits_of_name(&preview.object)),
        Body::Program { .. } | Body::Code { .. } | Body::Packages { .. } | Body::Text { .. } => {
            ("object", clean::deceits(&preview.object))
        }
    };
    let mut revealed = clean::revealed(&preview.object, &object);
    let mut deceits = Deceits::default();
    // Of a program, each argument is searched below.
    if !matches!(preview.body, Body::Program { .. }) {
        deceits.take(&object, || what.to_owned());
    }
    let revealed_line = |line: &str| clean::revealed(line, &clean::deceits(line));
    let wider = preview.wider.iter().map(|line| revealed_line(line)).collect();
    let monitor = question.monitor.as_ref().map(ToString::to_string);
    search(&mut deceits, "monitor", 1, monitor.as_deref().unwrap_or_default());
    let monitor = monitor.as_deref().map(revealed_line);
    for (at, line) in preview.wider.iter().enumerate() {
        search(&mut deceits, "beyond", at + 1, line);
    }
    let sheet = match &preview.body {
        Body::Diff { old, new, .. } => {
            let diff = Diff::new(old.as_deref(), new);
            for row in &diff.rows {
                let number = row.new_no.or(row.old_no).unwrap_or_default();
                search(&mut deceits, "line", number, &row.text);
            }
            Sheet::Diff(diff)
        }
        Body::Program { argv, cwd, limit_ms, file } => {
            for (at, argument) in argv.iter().enumerate() {
                search(&mut deceits, "arg", at, argument);
            }
            search(&mut deceits, "folder", 0, &cwd.to_string_lossy());
            let file = file.as_deref().map(Path::to_string_lossy);
            search(&mut deceits, "file", 0, file.as_deref().unwrap_or_default());
            let end = ending(file.as_deref(), &cwd.to_string_lossy(), *limit_ms);
            match shell::line(argv) {
                Some(line) => {
                    let parts = shell::split(&line.text);
                    revealed = clean::pieces(&named(parts.as_deref()));
                    Sheet::Line(parts, shell_line(&line).into_iter().chain(end).collect())
                }
                None => Sheet::Fields(program(argv).into_iter().chain(end).collect()),
            }
        }
        Body::Code { code, .. } => {
            let code = code.strip_suffix('\n').unwrap_or(code);
            for (at, line) in code.split('\n').enumerate() {
                search(&mut deceits, "line", at + 1, line);
            }
            let lines = code.split('\n').map(str::to_owned);
            Sheet::Code(0, lines.zip(highlight::highlight(code)).collect())
        }
        Body::Packages { from, asked, python, run } => {
            for (at, text) in from.iter().chain(asked).enumerate() {
                search(&mut deceits, "name", at + 1, text);
            }
            Sheet::Fields(packages(from, asked, python.as_deref(), run.as_deref()))
        }
        Body::Text { text } => {
            let text = text.strip_suffix('\n').unwrap_or(text);
            for (at, line) in text.split('\n').enumerate() {
                search(&mut deceits, "line", at + 1, line);
            }
            Sheet::Text(text.split('\n').map(str::to_owned).collect())
        }
    };
    let bytes = sheet.bytes();
    Paper { sheet: Arc::new(sheet), bytes, deceits, object: revealed, monitor, wider }
}

fn search(found: &mut Deceits, what: &str, number: usize, text: &str) {
    found.search(text, || format!("{what} {number}"));
}

/// A shell line in a few words.
fn named(parts: Option<&[Part]>) -> String {
    match parts.map(<[Part]>::len) {
        None => "a shell line".to_owned(),
        Some(count) => format!("a shell line of {}", words::count(count, "program")),
    }
}

/// The text of a line to the letter, and the shell that reads it.
fn shell_line(line: &shell::Line) -> Vec<(String, String)> {
    let text = line.text.split('\n').enumerate();
    let mut fields: Vec<_> = text.map(|(at, text)| (label(at, "exact"), text.to_owned())).collect();
    fields.push(("shell".to_owned(), self::line(&line.before)));
    let after = line.after.iter().enumerate();
    fields.extend(after.map(|(at, argument)| (label(at, "args"), quoted(argument))));
    if let Some(note) = line.before.split_last().and_then(|(_, before)| shell::wrapper(before))
        && line.before.len() > 2
    {
        fields.push(("note".to_owned(), note));
    }
    fields
}

fn program(argv: &[String]) -> Vec<(String, String)> {
    let words = argv.iter().enumerate();
    let mut fields: Vec<_> =
        words.map(|(at, argument)| (label(at, "argv"), quoted(argument))).collect();
    if let Some(note) = shell::wrapper(argv) {
        fields.push(("note".to_owned(), note));
    }
    fields
}

/// Which file it is, where it runs, and how long.
fn ending(file: Option<&str>, cwd: &str, limit_ms: u64) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    if let Some(file) = file {
        fields.push(("file".to_owned(), file.to_owned()));
    }
    fields.push(("in".to_owned(), cwd.to_owned()));
    let limit = match limit_ms {
        0 => "none".to_owned(),
        ms => format!("{} s, then it and all it started is ended", ms.div_ceil(1000)),
    };
    fields.push(("limit".to_owned(), limit));
    fields
}

/// The label of a value that takes several rows stands before the first.
fn label(at: usize, label: &str) -> String {
    if at == 0 { label.to_owned() } else { String::new() }
}

fn packages(
    from: &[String],
    asked: &[String],
    python: Option<&str>,
    run: Option<&str>,
) -> Vec<(String, String)> {
    let listed = |label: &'static str, all: &[String]| -> Vec<(String, String)> {
        let all = all.iter().enumerate();
        all.map(|(at, text)| (self::label(at, label), text.clone())).collect()
    };
    let mut fields = listed("from", from);
    fields.extend(listed("asked", asked));
    let mut add = |label: &str, text: &str| fields.push((label.to_owned(), text.to_owned()));
    add("also", "what these need; chosen after your yes, listed in the log");
    if let Some(python) = python {
        add("python", python);
    }
    add("how", "wheels only: no build code runs");
    if let Some(run) = run {
        add("then", run);
    }
    fields
}

/// A program and its arguments in one line, told apart as in the question.
pub fn line(argv: &[String]) -> String {
    argv.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
}

/// An argument as it is if nothing in it can be misread, else as a quoted text.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%^".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    let mut out = String::from("\"");
    for c in argument.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn arguments_are_quoted_where_they_could_be_misread() {
        for (argument, expected) in [
            ("--lib", "--lib"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("x;rm", "\"x;rm\""),
            ("say \"hi\"\n", "\"say \\\"hi\\\"\\n\""),
            ("C:\\x", "\"C:\\\\x\""),
        ] {
            assert_eq!(quoted(argument), expected);
        }
    }
}
