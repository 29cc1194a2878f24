//! `search.text`: lines by a regular expression, with what stands around them.

use std::io;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Found, Ground, matcher, note, searching};
use crate::{
    kernel::{
        capability::{Capability, Category, Content},
        context::Context,
        error::CallError,
        gate::Permit,
        schema,
    },
    modules::files::{here, name, subject},
};

/// The most lines that are found.
const MATCHES: usize = 200;
/// The most lines that are given around them, in all.
const AROUND: usize = 2_000;
/// The most characters of one line.
const LINE_CHARS: usize = 400;
/// The most memory that one file's longest line may take.
const LINE_BYTES: usize = 16 << 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Text {
    /// A regular expression, matched within one line; `(?i)` in front ignores case.
    pattern: String,
    /// The folder or file to search, relative to the workspace.
    #[serde(default = "here")]
    path: String,
    /// Which files to search, as in search.files; all if left out.
    #[serde(default)]
    glob: Option<String>,
    /// How many lines to give before and after each one found.
    #[serde(default)]
    #[schemars(range(max = 20))]
    context: usize,
    /// Whether the pattern is a plain text and no regular expression.
    #[serde(default)]
    literal: bool,
}

pub(super) fn text() -> Capability {
    Capability::define::<Text>(
        "search.text",
        "Finds lines and gives {matches: [{path, line, text, before, after}], left_out}, sorted by \
         path; before and after are lists of lines, where context was asked for. Binary files and \
         what ignore files name are passed over.",
        Category::Read,
    )
    .status(|search| format!("search {} in {}", search.pattern, search.path))
    .subject(|cx, search| subject(cx, &search.path))
    .handler(find)
}

async fn find(_: Permit, cx: Context, wanted: Text) -> Result<Content, CallError> {
    let regex = RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .fixed_strings(wanted.literal)
        .build(&wanted.pattern)
        .map_err(|error| schema::invalid("search.text.pattern", &error.to_string()))?;
    let glob = wanted.glob.map(|glob| matcher("search.text.glob", &glob)).transpose()?;
    let ground = Ground::of(&cx, "search.text", &wanted.path)?;
    let found = searching(&cx, move |cancel| {
        let mut search = Search::new(regex, wanted.context);
        let unreadable = ground.walk(cancel, &mut |found| {
            let wanted = glob.as_ref().is_none_or(|glob| glob.is_match(&found.relative));
            if found.regular && wanted {
                search.file(&found, cancel);
            }
        })?;
        let unreadable = unreadable + search.unreadable;
        let given = (search.matches.len(), "lines that match");
        let mut value = json!({ "matches": search.matches });
        note(&mut value, given, search.left_out, unreadable);
        Ok(value)
    });
    Ok(found.await?.into())
}

/// A line that was found.
#[derive(Serialize)]
struct Match {
    path: String,
    line: u64,
    text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    /// Whether bytes that are not UTF-8 are written as `\xNN`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    escaped: bool,
    /// Whether the line goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// A line as it is given: whether it has bytes that are not UTF-8, and whether it goes on.
struct Line {
    text: String,
    escaped: bool,
    cut: bool,
}

impl Line {
    fn of(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let (mut text, escaped) = name(beginning(bytes));
        let end = text.char_indices().nth(LINE_CHARS).map(|(at, _)| at);
        if let Some(end) = end {
            text.truncate(end);
        }
        Self { text, escaped, cut: end.is_some() }
    }
}

/// All of a line that can be shown, not cut within a character: none is longer than four bytes.
fn beginning(line: &[u8]) -> &[u8] {
    let end = 4 * (LINE_CHARS + 1);
    let Some(window) = line.get(end - 3..=end) else { return line };
    let whole = window.iter().rposition(|byte| byte & 0xc0 != 0x80);
    &line[..whole.map_or(end, |at| end - 3 + at)]
}

struct Search {
    regex: RegexMatcher,
    searcher: Searcher,
    matches: Vec<Match>,
    /// How many more lines may be given around those that match.
    around: usize,
    left_out: u64,
    unreadable: u64,
}

impl Search {
    fn new(regex: RegexMatcher, context: usize) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(LINE_BYTES))
            .build();
        Self { regex, searcher, matches: Vec::new(), around: AROUND, left_out: 0, unreadable: 0 }
    }

    fn file(&mut self, found: &Found, cancel: &CancellationToken) {
        let path = name(found.relative.as_os_str().as_encoded_bytes());
        let lines = Lines {
            path,
            before: Vec::new(),
            matches: &mut self.matches,
            around: &mut self.around,
            left_out: &mut self.left_out,
            cancel,
        };
        if self.searcher.search_path(&self.regex, &found.real, lines).is_err() {
            self.unreadable += 1;
        }
    }
}

/// Takes the lines of one file as they are found.
struct Lines<'a> {
    path: (String, bool),
    /// Lines before a match that has not come yet.
    before: Vec<String>,
    matches: &'a mut Vec<Match>,
    around: &'a mut usize,
    left_out: &'a mut u64,
    cancel: &'a CancellationToken,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let before = std::mem::take(&mut self.before);
        if self.matches.len() == MATCHES {
            *self.left_out += 1;
            return Ok(!self.cancel.is_cancelled());
        }
        let Line { text, escaped, cut } = Line::of(found.bytes());
        let (path, odd_path) = self.path.clone();
        let line = found.line_number().unwrap_or_default();
        let escaped = escaped || odd_path;
        self.matches.push(Match { path, line, text, before, after: Vec::new(), escaped, cut });
        Ok(!self.cancel.is_cancelled())
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        if *self.around == 0 || *self.left_out > 0 {
            return Ok(true);
        }
        let line = || Line::of(around.bytes()).text;
        let more = self.matches.len() < MATCHES;
        match (around.kind(), self.matches.last_mut()) {
            (SinkContextKind::Before, _) if more => self.before.push(line()),
            (SinkContextKind::After, Some(last)) => last.after.push(line()),
            (SinkContextKind::Before | SinkContextKind::After | SinkContextKind::Other, _) => {
                return Ok(true);
            }
        }
        *self.around -= 1;
        Ok(true)
    }
}
