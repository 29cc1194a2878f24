//! A yes for more than once, while it is written: the text of its rule, what it says, and what of the
//! calls so far it would have matched.

use std::path::Path;

use jiff::civil::Date;

use super::past::Past;
use crate::{
    kernel::{
        gate::{
            approval::{Question, Scope},
            rule::{Lasting, Reading, Rule, RuleFault, parse_one, propose},
        },
        id::ApprovalId,
    },
    tui::state::draft::Draft,
};

/// The form.
#[derive(Clone, Debug, PartialEq)]
pub struct Wider {
    pub question: ApprovalId,
    /// The text, saved exactly as it stands.
    pub draft: Draft,
    pub lasting: Lasting,
    /// What was offered; the text is that until somebody edits it.
    proposed: String,
    /// What the text says; nothing until it was read for the first time.
    pub says: Option<Result<Rule, RuleFault>>,
    /// The text that was read.
    read: String,
    /// The last calls so far, oldest first.
    pub past: Vec<Past>,
    /// How many others that wait it would answer, or why it would be refused; the host says so.
    pub others: Option<Result<usize, String>>,
    /// It was sent, and nothing came back yet.
    pub sent: bool,
}

impl Wider {
    /// The narrowest rule for a question; `base` is the workspace of its root session.
    pub fn new(question: &Question, base: &str) -> Self {
        let proposed = text(question, base, Lasting::Session);
        Self {
            question: question.id,
            draft: Draft::of(&proposed),
            lasting: Lasting::Session,
            proposed,
            says: None,
            read: String::new(),
            past: Vec::new(),
            others: None,
            sent: false,
        }
    }

    /// What the answer would be.
    pub fn scope(&self) -> Scope {
        let rule = self.draft.text();
        match self.lasting {
            Lasting::Session => Scope::Session { rule },
            Lasting::File => Scope::Always { rule },
        }
    }

    /// For the session becomes for always, and back: offered anew, or in the words of whoever edited
    /// it but for that line.
    pub fn switch(&mut self, question: &Question, base: &str) {
        self.lasting = match self.lasting {
            Lasting::Session => Lasting::File,
            Lasting::File => Lasting::Session,
        };
        let now = self.draft.text();
        if now == self.proposed {
            self.proposed = text(question, base, self.lasting);
            self.draft = Draft::of(&self.proposed);
        } else {
            self.draft = Draft::of(&lasting(&now, self.lasting));
        }
    }

    /// Reads the text if it is another one than before; whether it is.
    pub fn follow(&mut self, home: Option<&Path>, today: Date) -> bool {
        let text = self.draft.text();
        if self.says.is_some() && self.read == text {
            return false;
        }
        self.says = Some(parse_one(&text, Reading { home, lasting: self.lasting }));
        (self.read, self.others) = (text, None);
        self.compare(today);
        true
    }

    /// Says of each call so far whether the rule would have matched it.
    pub fn compare(&mut self, today: Date) {
        let rule = self.says.as_ref().and_then(|says| says.as_ref().ok());
        for past in &mut self.past {
            past.matched = rule.is_some_and(|rule| rule.matches(&past.case, today));
        }
    }
}

fn text(question: &Question, base: &str, lasting: Lasting) -> String {
    propose(question, base, lasting).trim_end().to_owned()
}

/// The text with another word on how long it lasts.
fn lasting(text: &str, lasting: Lasting) -> String {
    let word = match lasting {
        Lasting::Session => "\"session\"",
        Lasting::File => "\"always\"",
    };
    let is_until = |line: &str| {
        let rest = line.trim_start().strip_prefix("until");
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    match lines.iter_mut().rev().find(|line| is_until(line)) {
        Some(line) => {
            let key = line.split('=').next().unwrap_or_default().to_owned();
            let note = line.find('#').map_or("", |at| &line[at..]).to_owned();
            let gap = if note.is_empty() { "" } else { "  " };
            *line = format!("{key}= {word}{gap}{note}");
        }
        None => lines.push(format!("until  = {word}")),
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn only_the_line_that_says_how_long_is_changed() {
        let edited = "[[allow]]\ncall = \"a\" # until = x\nuntil  = \"session\"  # for now";
        let always = "[[allow]]\ncall = \"a\" # until = x\nuntil  = \"always\"  # for now";
        assert_eq!(lasting(edited, Lasting::File), always);
        assert_eq!(lasting(always, Lasting::Session), edited);
        assert_eq!(lasting("[[allow]]", Lasting::File), "[[allow]]\nuntil  = \"always\"");
    }
}
