//! The narrowest rule that a person can be offered for a question.

use std::fmt::Write as _;

use globset::escape;
use toml::Value;

use super::{
    super::{
        approval::Question,
        subject::{Reached, Subject},
    },
    Lasting,
    pattern::agent_path,
};
use crate::kernel::port::Level;

/// The text of the narrowest rule that allows the call of a question again: the same program with the
/// same arguments, the same file, for the same agent in the same workspace (`base`, that of the root
/// session). It can be edited before it is given as the scope of an answer.
pub fn propose(question: &Question, base: &str, lasting: Lasting) -> String {
    let mut rule = Text::of(question);
    match &question.preview.subject {
        Subject::Path { real, .. } => rule.paths(&[place(base, real)]),
        Subject::Program { argv, run } => {
            // An argument that is written as a wildcard would be one.
            if argv.iter().any(|word| matches!(word.as_str(), "*" | "**")) {
                rule.text("input", &question.call.input.to_string());
            } else {
                rule.list("args", argv);
            }
            rule.bounds(base, run);
        }
        Subject::Code { seal } => {
            rule.text("input", &question.call.input.to_string());
            rule.level(*seal, " # no network");
        }
        Subject::Host { host } => rule.text("host", host),
        Subject::Other | Subject::Packages { .. } => {
            rule.text("input", &question.call.input.to_string());
        }
    }
    rule.ended(question, base, lasting)
}

/// The text of the rule for exactly the call of a question: with these very arguments, and acting on
/// the same place.
pub fn exactly(question: &Question, base: &str, lasting: Lasting) -> String {
    let mut rule = Text::of(question);
    rule.text("input", &question.call.input.to_string());
    match &question.preview.subject {
        Subject::Path { real, .. } => rule.paths(&[place(base, real)]),
        Subject::Program { argv: _, run } => rule.bounds(base, run),
        Subject::Code { seal } => rule.level(*seal, " # no network"),
        Subject::Host { .. } | Subject::Other | Subject::Packages { .. } => {}
    }
    rule.ended(question, base, lasting)
}

/// From the workspace where it is inside, every character meant as it is.
fn place(base: &str, real: &str) -> String {
    let inside = real.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'));
    escape(inside.filter(|rest| !rest.starts_with("~/")).unwrap_or(real))
}

struct Text(String);

impl Text {
    fn of(question: &Question) -> Self {
        let mut text = Self(String::from("[[allow]]\n"));
        text.text("call", &question.call.name);
        text
    }

    fn ended(mut self, question: &Question, base: &str, lasting: Lasting) -> String {
        self.text("agents", &escape(&agent_path(&question.path)));
        self.text("where", base);
        let until = match lasting {
            Lasting::Session => "session",
            Lasting::File => "always",
        };
        self.text("until", until);
        self.0
    }

    fn line(&mut self, key: &str, value: &str, note: &str) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "{key:<6} = {value}{note}");
    }

    fn text(&mut self, key: &str, text: &str) {
        self.line(key, &quoted(text), "");
    }

    fn list(&mut self, key: &str, words: &[String]) {
        let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        self.line(key, &format!("[{}]", words.join(", ")), "");
    }

    fn paths(&mut self, paths: &[String]) {
        match paths {
            [one] => self.text("path", one),
            several => self.list("path", several),
        }
    }

    fn level(&mut self, seal: Level, note: &str) {
        let note = if seal == Level::Open { "" } else { note };
        self.line("seal", &quoted(seal.name()), note);
    }

    fn bounds(&mut self, base: &str, bounds: &Reached) {
        if bounds.network {
            self.level(bounds.seal, "");
            self.line("network", "true", "");
        } else {
            self.level(bounds.seal, " # no network");
        }
        if !bounds.writes.is_empty() {
            let places: Vec<_> = bounds.writes.iter().map(|real| place(base, real)).collect();
            self.paths(&places);
        }
    }
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
