//! What a script says of itself in a comment block (PEP 723): the packages it wants, and which
//! Python. Read before it runs; a fault is told by its line, and nothing is installed or run.
//! Settings of installers in such a block are refused and not passed over: they choose who is asked
//! for code, which is for a person to choose.

mod requirement;

use serde::Deserialize;
use toml::Spanned;

use crate::kernel::{
    error::{CallError, ErrorCode},
    port::{Packages, Wanted},
    setting::twice,
};

/// Requirements of one script.
const MOST: usize = 100;
/// Bytes of a block.
const LONGEST: usize = 64 << 10;

const OPENING: &str = "# /// script";

/// The packages that a script wants, if it wants any or says which Python.
pub fn wanted(code: &str) -> Result<Option<Wanted>, CallError> {
    let Some(block) = block(code)? else { return Ok(None) };
    if block.text.len() > LONGEST {
        return Err(fault(block.line, "the block is longer than 64 KiB"));
    }
    let said: Said = toml::from_str(&block.text).map_err(|error| {
        let line = error.span().map_or(block.line, |span| block.line_at(span.start));
        let twice = twice(&block.text, &error).map(|(what, _)| what);
        let what = error.message().lines().next().unwrap_or("this is no TOML");
        fault(line, twice.as_deref().unwrap_or(what))
    })?;
    if let Some(uv) = said.tool.and_then(|tool| tool.uv) {
        let what = "settings of uv in a script are not obeyed, since they choose who is asked for \
                    packages; take [tool.uv] out, a person sets that for their own uv";
        return Err(fault(block.line_at(uv.span().start), what));
    }
    let requires_python = said.requires_python.map(|versions| {
        let line = block.line_at(versions.span().start);
        (line, versions.into_inner())
    });
    let requirements = said.dependencies.unwrap_or_default().into_iter().map(|one| {
        let line = block.line_at(one.span().start);
        (line, one.into_inner())
    });
    let packages = check(requirements, requires_python)
        .map_err(|(line, what)| fault(line.unwrap_or(block.line), &what))?;
    Ok((packages != Packages::default()).then_some(Wanted { packages, line: block.line }))
}

/// The same packages in the one order and spelling in which they are known, if all of them may be
/// asked for.
pub fn checked(packages: &Packages) -> Result<Packages, CallError> {
    let requirements = packages.requirements.iter().map(|one| (0, one.clone()));
    let requires_python = packages.requires_python.clone().map(|versions| (0, versions));
    check(requirements, requires_python).map_err(|(_, what)| {
        let what = format!("{what}.\nName packages, as in \"six>=1.16\".");
        CallError::new(ErrorCode::InvalidInput, what)
    })
}

/// The block as TOML reads it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Said {
    dependencies: Option<Vec<Spanned<String>>>,
    requires_python: Option<Spanned<String>>,
    tool: Option<Tool>,
}

/// The tables of other tools are theirs.
#[derive(Deserialize)]
struct Tool {
    uv: Option<Spanned<toml::Table>>,
}

type Lined = (u32, String);

fn check(
    requirements: impl Iterator<Item = Lined>,
    requires_python: Option<Lined>,
) -> Result<Packages, (Option<u32>, String)> {
    let mut names = Vec::new();
    for (line, text) in requirements {
        if names.len() == MOST {
            return Err((Some(line), format!("more than {MOST} requirements")));
        }
        if let Err(why) = requirement::check(&text) {
            let text: String = text.chars().take(100).collect();
            return Err((Some(line), format!("{text:?} cannot be required: {why}")));
        }
        names.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    names.sort();
    names.dedup();
    let requires_python = match requires_python {
        Some((_, versions)) if versions.trim().is_empty() => None,
        Some((line, versions)) => {
            if let Err(why) = requirement::check_versions(&versions) {
                return Err((Some(line), format!("requires-python {versions:?}: {why}")));
            }
            Some(versions.trim().to_owned())
        }
        None => None,
    };
    Ok(Packages { requirements: names, requires_python })
}

fn fault(line: u32, what: &str) -> CallError {
    let what = format!("Line {line}, in the `{OPENING}` block: {what}. Nothing was run.");
    CallError::new(ErrorCode::InvalidInput, what).with("line", line)
}

/// The text of a block, and the line of the script that opens it.
struct Block {
    text: String,
    line: u32,
}

impl Block {
    /// The line of the script where this byte of the text stands.
    fn line_at(&self, byte: usize) -> u32 {
        let before = self.text.as_bytes().iter().take(byte).filter(|byte| **byte == b'\n').count();
        self.line + 1 + u32::try_from(before).unwrap_or(0)
    }
}

/// The one block of its kind. The reference grammar of PEP 723, line by line: it opens with
/// `# /// TYPE`, goes on as long as lines are comments, and the last of those that says `# ///`
/// closes it. What is never closed is no block.
fn block(code: &str) -> Result<Option<Block>, CallError> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = None;
    let mut at = 0;
    while at < lines.len() {
        let is_comment = |line: &&&str| **line == "#" || line.starts_with("# ");
        let length = lines[at + 1..].iter().take_while(is_comment).count();
        let inner = &lines[at + 1..=at + length];
        let close = inner.iter().rposition(|line| *line == "# ///").filter(|close| *close > 0);
        let (Some(kind), Some(close)) = (kind(lines[at]), close) else {
            at += 1;
            continue;
        };
        if kind == "script" {
            let line = u32::try_from(at + 1).unwrap_or(u32::MAX);
            if found.is_some() {
                return Err(fault(line, "there is one already, and a script has one"));
            }
            let text =
                inner[..close].iter().map(|line| line.get(2..).unwrap_or("")).collect::<Vec<_>>();
            found = Some(Block { text: text.join("\n"), line });
        }
        at += close + 2;
    }
    Ok(found)
}

/// What kind of block a line opens, if it opens one.
fn kind(line: &str) -> Option<&str> {
    let kind = line.strip_prefix("# /// ")?;
    let is_of_kind = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (!kind.is_empty() && kind.chars().all(is_of_kind)).then_some(kind)
}

#[cfg(test)]
mod tests;
