//! A line for a shell, taken apart into the programs it runs, as a person judges it.
//!
//! Written here rather than taken from a parser of a whole shell: what is shown must be certain, so
//! all that is not plain lists, pipes, redirects and substitutions is not taken apart at all. A
//! parser that guesses, or knows one shell only, would have to be asked the same.

mod program;
#[cfg(test)]
mod tests;

pub use self::program::{Line, line, wrapper};

use self::program::Word;

/// One program of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// What ties it to the one before.
    pub operator: &'static str,
    /// How many substitutions and subshells it stands in.
    pub depth: usize,
    /// Its text, to the letter.
    pub text: String,
    /// Where it writes what it prints.
    pub writes: Vec<String>,
    /// What is to be known of it: that it runs something else, and as whom.
    pub note: Option<String>,
}

/// What is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unclear;

type Certain<T> = Result<T, Unclear>;

/// Words that begin what is more than a list of programs, in any of the usual shells.
const KEYWORDS: [&str; 31] = [
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "case",
    "esac",
    "in",
    "function",
    "select",
    "coproc",
    "[[",
    "]]",
    "{",
    "}",
    "repeat",
    "foreach",
    "end",
    "nocorrect",
    "noglob",
    "always",
    "-",
    "alias",
    "unalias",
    "trap",
    "set",
];

/// The programs of a line in the order in which they stand; nothing where that is not certain.
pub fn split(text: &str) -> Option<Vec<Part>> {
    let mut reader = Reader { text, at: 0, parts: Vec::new() };
    reader.list("", 0, false).ok()?;
    (!reader.parts.is_empty()).then_some(reader.parts)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    parts: Vec<Part>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        self.at += if there { token.len() } else { 0 };
        there
    }

    /// Blanks, and lines that go on in the next.
    fn blanks(&mut self) {
        while self.take(" ") || self.take("\t") || self.take("\\\n") {}
    }

    /// Programs up to the end, or to the bracket that closes.
    fn list(&mut self, first: &'static str, depth: usize, closes: bool) -> Certain<()> {
        const DEEPEST: usize = 8;
        if depth > DEEPEST {
            return Err(Unclear);
        }
        let mut operator = first;
        // Whether something has to follow.
        let mut wants = true;
        loop {
            self.blanks();
            while !matches!(operator, "" | ";" | "&") && self.take("\n") {
                self.blanks();
            }
            match self.peek() {
                None if closes || (wants && !operator.is_empty()) => return Err(Unclear),
                None => return Ok(()),
                Some(')') if closes && !wants => {
                    self.next();
                    return Ok(());
                }
                Some('\n') => {
                    self.next();
                    continue;
                }
                Some(_) => {}
            }
            self.command(operator, depth)?;
            self.blanks();
            (operator, wants) = match self.peek() {
                None | Some(')') => (";", false),
                Some('\n') => (";", false),
                Some(';') => {
                    self.next();
                    if matches!(self.peek(), Some(';' | '&' | '|')) {
                        return Err(Unclear);
                    }
                    (";", false)
                }
                Some('&') if self.take("&&") => ("&&", true),
                Some('&') => {
                    self.next();
                    if matches!(self.peek(), Some('!' | '|' | '&' | ';' | '>')) {
                        return Err(Unclear);
                    }
                    ("&", false)
                }
                Some('|') if self.take("||") => ("||", true),
                Some('|') if self.take("|&") => ("|&", true),
                Some('|') => {
                    self.next();
                    ("|", true)
                }
                Some(_) => return Err(Unclear),
            };
        }
    }

    /// One program with its arguments and redirects, or a subshell.
    fn command(&mut self, operator: &'static str, depth: usize) -> Certain<()> {
        let (start, place) = (self.at, self.parts.len());
        let (mut words, mut writes): (Vec<Word>, Vec<String>) = Default::default();
        let mut end = start;
        if self.take("(") {
            if self.peek() == Some('(') {
                return Err(Unclear);
            }
            // What its redirects say is said of the subshell as a whole, which has no row.
            self.list(if operator.is_empty() { "(" } else { operator }, depth + 1, true)?;
            self.blanks();
            let over = matches!(self.peek(), None | Some('\n' | ';' | '&' | '|' | ')'));
            return if over { Ok(()) } else { Err(Unclear) };
        }
        self.parts.push(Part { operator, depth, ..Part::default() });
        loop {
            self.blanks();
            match self.peek() {
                None | Some('\n' | ';' | '|' | ')') => break,
                Some('&') if self.rest().starts_with("&>") => self.redirect(&mut writes, depth)?,
                Some('&') => break,
                Some('(' | '#') => return Err(Unclear),
                Some('<' | '>') => self.redirect(&mut writes, depth)?,
                Some('0'..='9') if self.numbered() => self.redirect(&mut writes, depth)?,
                Some(_) => {
                    let word = self.word(depth)?;
                    let first = words.iter().all(Word::assigns);
                    if first && KEYWORDS.contains(&word.raw.as_str()) {
                        return Err(Unclear);
                    }
                    // The negation of a pipe runs nothing.
                    if !(first && word.raw == "!") {
                        words.push(word);
                    }
                }
            }
            end = self.at;
        }
        if words.is_empty() && writes.is_empty() {
            return Err(Unclear);
        }
        program::tee(&words, &mut writes);
        let part = &mut self.parts[place];
        part.text = self.text[start..end].to_owned();
        part.writes = writes;
        part.note = program::note(&words, matches!(operator, "|" | "|&"));
        Ok(())
    }

    /// Whether digits stand right before a redirect.
    fn numbered(&self) -> bool {
        self.rest().trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>'])
    }

    fn redirect(&mut self, writes: &mut Vec<String>, depth: usize) -> Certain<()> {
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.next();
        }
        const OPERATORS: [(&str, bool); 10] = [
            ("&>>", true),
            ("&>", true),
            (">>", true),
            (">|", true),
            (">&", true),
            ("<>", true),
            ("<&", false),
            ("<<", false),
            (">", true),
            ("<", false),
        ];
        let found = OPERATORS.into_iter().find(|(operator, _)| self.rest().starts_with(operator));
        let Some((operator, is_write)) = found else { return Err(Unclear) };
        self.take(operator);
        // A text in the line itself, or a program in the place of a file.
        if operator == "<<" || matches!(self.peek(), Some('(' | '>' | '<' | '&' | '|' | '!')) {
            return Err(Unclear);
        }
        self.blanks();
        let target = self.word(depth)?;
        if target.raw.is_empty() {
            return Err(Unclear);
        }
        let copies = operator == ">&"
            && target.raw.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
        let value = target.value.as_deref();
        if is_write && !copies && value != Some("/dev/null") {
            writes.push(target.shown());
        }
        Ok(())
    }

    /// One word, quotes and all. Substitutions in it have rows of their own.
    fn word(&mut self, depth: usize) -> Certain<Word> {
        let start = self.at;
        let mut value = Some(String::new());
        let push = |value: &mut Option<String>, c: char| {
            if let Some(value) = value {
                value.push(c);
            }
        };
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.next();
                    let end = self.rest().find('\'').ok_or(Unclear)?;
                    if let Some(value) = &mut value {
                        value.push_str(&self.text[self.at..self.at + end]);
                    }
                    self.at += end + 1;
                }
                '"' => {
                    self.next();
                    loop {
                        match self.peek().ok_or(Unclear)? {
                            '"' => break,
                            '`' => return Err(Unclear),
                            '$' => self.expansion(&mut value, depth)?,
                            '\\' => {
                                self.next();
                                match self.next().ok_or(Unclear)? {
                                    '\n' => {}
                                    c @ ('"' | '\\' | '$' | '`') => push(&mut value, c),
                                    c => {
                                        push(&mut value, '\\');
                                        push(&mut value, c);
                                    }
                                }
                            }
                            c => {
                                self.next();
                                push(&mut value, c);
                            }
                        }
                    }
                    self.next();
                }
                '\\' => {
                    self.next();
                    match self.next().ok_or(Unclear)? {
                        '\n' => {}
                        c => push(&mut value, c),
                    }
                }
                '`' => return Err(Unclear),
                '$' => self.expansion(&mut value, depth)?,
                '*' | '?' | '[' | '{' => {
                    self.next();
                    value = None;
                }
                '~' if self.at == start => {
                    self.next();
                    value = None;
                }
                c => {
                    self.next();
                    push(&mut value, c);
                }
            }
        }
        Ok(Word { raw: self.text[start..self.at].to_owned(), value })
    }

    /// What stands behind a dollar sign.
    fn expansion(&mut self, value: &mut Option<String>, depth: usize) -> Certain<()> {
        self.next();
        match self.peek() {
            Some('(') => {
                self.next();
                if self.peek() == Some('(') {
                    return Err(Unclear);
                }
                *value = None;
                self.list("$(", depth + 1, true)
            }
            Some('{') => {
                let plain = |c: char| c.is_ascii_alphanumeric() || "_:-+=?#%/.,*@!^".contains(c);
                self.next();
                let end = self.rest().find(|c| !plain(c)).ok_or(Unclear)?;
                if end == 0 || !self.rest()[end..].starts_with('}') {
                    return Err(Unclear);
                }
                self.at += end + 1;
                *value = None;
                Ok(())
            }
            // Other quotes, which only some shells know.
            Some('\'' | '"' | '[') => Err(Unclear),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.next();
                }
                *value = None;
                Ok(())
            }
            Some('0'..='9' | '@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                self.next();
                *value = None;
                Ok(())
            }
            Some(_) | None => {
                if let Some(value) = value {
                    value.push('$');
                }
                Ok(())
            }
        }
    }
}
