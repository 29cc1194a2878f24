//! `files.glob` and `files.grep`: files by name and lines by pattern, with ripgrep's own engine and
//! rules of what to ignore. Links are not followed, so a search stays in the workspace.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, sinks::Bytes};
use ignore::WalkBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{inside, list::here, name, subject};
use crate::kernel::{
    capability::{Capability, Category, Content},
    context::Context,
    error::CallError,
    gate::{DeniedPlaces, Permit},
    invoke::interrupted,
    port::{Env, ResolvedPath},
    schema,
};

/// The most files that a glob gives.
const FILES: usize = 1_000;
/// The most lines that a grep gives.
const MATCHES: usize = 200;
/// The most characters of one line.
const LINE_CHARS: usize = 400;
/// The most memory that one file's longest line may take.
const LINE_BYTES: usize = 16 << 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Glob {
    /// Which files: `*.rs` in every folder, `src/*.rs` in that one, `src/**/*.rs` at any depth in it.
    pattern: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Grep {
    /// A regular expression, matched within one line; `(?i)` in front ignores case.
    pattern: String,
    /// The folder or file to search, relative to the workspace.
    #[serde(default = "here")]
    path: String,
    /// Which files to search, as in files.glob; all if left out.
    #[serde(default)]
    glob: Option<String>,
}

pub(super) fn glob() -> Capability {
    Capability::define::<Glob>(
        "files.glob",
        "Finds files by name and gives {files: [path], left_out}, sorted; what ignore files name \
         is passed over. Names that are not UTF-8 are listed apart, as escaped.",
        Category::Read,
    )
    .status(|glob| format!("glob {}", glob.pattern))
    .subject(|cx, _| subject(cx, "."))
    .handler(find_files)
}

pub(super) fn grep() -> Capability {
    Capability::define::<Grep>(
        "files.grep",
        "Finds lines by a regular expression and gives {matches: [{path, line, text}], left_out}, \
         sorted by path; binary files and what ignore files name are passed over.",
        Category::Read,
    )
    .status(|grep| format!("grep {} in {}", grep.pattern, grep.path))
    .subject(|cx, grep| subject(cx, &grep.path))
    .handler(find_lines)
}

async fn find_files(_: Permit, cx: Context, glob: Glob) -> Result<Content, CallError> {
    let matcher = matcher("files.glob.pattern", &glob.pattern)?;
    let (root, env) = (inside(&cx, ".")?, cx.env.clone());
    let denied = cx.gate.denied_places(&cx, "files.glob");
    let found = searching(&cx, move |cancel| {
        let mut files = Vec::new();
        let mut escaped = Vec::new();
        let mut left_out = 0_u64;
        let unreadable = walk(&env, (&root, &root.real), cancel, &mut |found| {
            if !matcher.is_match(&found.relative) || found.is_denied(denied.as_ref()) {
                return;
            }
            let (name, unlike) = name(found.relative.as_os_str().as_encoded_bytes());
            match (files.len() + escaped.len() < FILES, unlike) {
                (true, false) => files.push(name),
                (true, true) => escaped.push(name),
                (false, _) => left_out += 1,
            }
        })?;
        let mut value = json!({ "files": files, "left_out": left_out });
        if !escaped.is_empty() {
            value["escaped"] = json!(escaped);
        }
        if unreadable > 0 {
            value["unreadable"] = json!(unreadable);
        }
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
    /// Whether bytes that are not UTF-8 are written as `\xNN`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    escaped: bool,
    /// Whether the line goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl Match {
    fn new(path: &Path, line: u64, bytes: &[u8]) -> Self {
        let (path, odd_path) = name(path.as_os_str().as_encoded_bytes());
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let (mut text, odd_text) = name(beginning(bytes));
        let end = text.char_indices().nth(LINE_CHARS).map(|(at, _)| at);
        if let Some(end) = end {
            text.truncate(end);
        }
        Self { path, line, text, escaped: odd_path || odd_text, cut: end.is_some() }
    }
}

/// All of a line that can be shown, not cut within a character: none is longer than four bytes.
fn beginning(line: &[u8]) -> &[u8] {
    let end = 4 * (LINE_CHARS + 1);
    let Some(window) = line.get(end - 3..=end) else { return line };
    let whole = window.iter().rposition(|byte| byte & 0xc0 != 0x80);
    &line[..whole.map_or(end, |at| end - 3 + at)]
}

async fn find_lines(_: Permit, cx: Context, grep: Grep) -> Result<Content, CallError> {
    let regex = RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .build(&grep.pattern)
        .map_err(|error| schema::invalid("files.grep.pattern", &error.to_string()))?;
    let glob = grep.glob.map(|glob| matcher("files.grep.glob", &glob)).transpose()?;
    let (root, env) = (inside(&cx, ".")?, cx.env.clone());
    let start = inside(&cx, &grep.path)?;
    let denied = cx.gate.denied_places(&cx, "files.grep");
    let found = searching(&cx, move |cancel| {
        let mut search = Search::new(regex);
        let unreadable = walk(&env, (&root, &start.real), cancel, &mut |found| {
            let wanted = glob.as_ref().is_none_or(|glob| glob.is_match(&found.relative));
            if found.regular && wanted && !found.is_denied(denied.as_ref()) {
                search.file(&found, cancel);
            }
        })?;
        let mut value = json!({ "matches": search.matches, "left_out": search.left_out });
        if unreadable + search.unreadable > 0 {
            value["unreadable"] = json!(unreadable + search.unreadable);
        }
        Ok(value)
    });
    Ok(found.await?.into())
}

struct Search {
    regex: RegexMatcher,
    searcher: Searcher,
    matches: Vec<Match>,
    left_out: u64,
    unreadable: u64,
}

impl Search {
    fn new(regex: RegexMatcher) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .heap_limit(Some(LINE_BYTES))
            .build();
        Self { regex, searcher, matches: Vec::new(), left_out: 0, unreadable: 0 }
    }

    fn file(&mut self, found: &Found, cancel: &CancellationToken) {
        let (matches, left_out) = (&mut self.matches, &mut self.left_out);
        let sink = Bytes(|line, bytes| {
            if matches.len() < MATCHES {
                matches.push(Match::new(&found.relative, line, bytes));
            } else {
                *left_out += 1;
            }
            Ok(!cancel.is_cancelled())
        });
        if self.searcher.search_path(&self.regex, &found.real, sink).is_err() {
            self.unreadable += 1;
        }
    }
}

/// A file that a walk came by.
struct Found {
    real: PathBuf,
    relative: PathBuf,
    /// Not a link, pipe or device, which a search must not open.
    regular: bool,
}

impl Found {
    /// Whether a rule keeps it from who searches: as if it were not there.
    fn is_denied(&self, denied: Option<&DeniedPlaces>) -> bool {
        denied.is_some_and(|denied| denied.have(&self.real))
    }
}

/// Visits every file at and below `start` that is not ignored and holds no secrets, sorted; gives how
/// many places could not be read.
fn walk(
    env: &Arc<dyn Env>,
    (root, start): (&ResolvedPath, &Path),
    cancel: &CancellationToken,
    visit: &mut dyn FnMut(Found),
) -> Result<u64, CallError> {
    start.symlink_metadata().map_err(|error| unsearchable(start, &error))?;
    let env = env.clone();
    let entries = WalkBuilder::new(start)
        .hidden(false)
        // What is ignored depends on the project, not on who sits here.
        .git_global(false)
        .require_git(false)
        .sort_by_file_name(OsStr::cmp)
        .filter_entry(move |entry| {
            entry.depth() == 0 || (entry.file_name() != ".git" && !env.is_secret(entry.path()))
        })
        .build();
    let mut unreadable = 0;
    for entry in entries {
        if cancel.is_cancelled() {
            return Err(interrupted(false));
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        let real = entry.into_path();
        let relative = real.strip_prefix(&root.real).unwrap_or(&real).to_owned();
        visit(Found { real, relative, regular: kind.is_file() });
    }
    Ok(unreadable)
}

fn unsearchable(start: &Path, error: &io::Error) -> CallError {
    CallError::failed(format!("Cannot search {}: {error}.", start.display()))
}

/// A pattern without a slash names files in every folder, as in an ignore file.
fn matcher(place: &str, pattern: &str) -> Result<GlobMatcher, CallError> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let anywhere = if pattern.contains('/') { "" } else { "**/" };
    GlobBuilder::new(&format!("{anywhere}{pattern}"))
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| schema::invalid(place, &error.kind().to_string()))
}

/// Searches on a thread that may block; dropping the future ends it at the next file.
async fn searching<T: Send + 'static>(
    cx: &Context,
    search: impl FnOnce(&CancellationToken) -> Result<T, CallError> + Send + 'static,
) -> Result<T, CallError> {
    let cancel = cx.cancel.child_token();
    let _ends_it = cancel.clone().drop_guard();
    tokio::task::spawn_blocking(move || search(&cancel))
        .await
        .unwrap_or_else(|error| Err(CallError::failed(format!("The search broke: {error}"))))
}
