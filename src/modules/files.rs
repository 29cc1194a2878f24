//! `files`: the text files of the workspace. Reading stays inside it; writing elsewhere asks. No
//! byte outside an edit is ever changed, and nothing that is not text is passed off as text.

mod change;
mod edit;
mod list;

use schemars::JsonSchema;
use serde::Deserialize;

pub(super) use self::{
    change::{Possible, Shown, make, shown, written},
    list::here,
};

use crate::kernel::{
    capability::{Capability, Category, Content, Reach},
    context::Context,
    error::CallError,
    gate::{Permit, subject::Subject},
    port::ResolvedPath,
    registry::Module,
};

pub(super) const MODULE: Module = Module {
    name: "files",
    summary: "Read, list, write and edit the files of the workspace.",
    load: || vec![read(), change::write(), change::edit(), list::list()],
};

/// The most text that one read gives back; it becomes a line of the journal.
const READ_BYTES: usize = 1 << 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Read {
    /// The file, relative to the workspace.
    path: String,
    /// The first line to give, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    from_line: Option<u64>,
    /// How many lines to give; all if left out.
    #[serde(default)]
    #[schemars(range(min = 1))]
    lines: Option<u64>,
}

fn read() -> Capability {
    Capability::define::<Read>(
        "files.read",
        "Gives the text of a file, or some lines of it, exactly as it is.",
        Category::Read,
    )
    .status(|read| format!("read {}", read.path))
    .subject(|cx, read| read_subject(cx, &read.path))
    .handler(give)
}

async fn give(_: Permit, cx: Context, read: Read) -> Result<Content, CallError> {
    let place = inside(&cx, &read.path)?;
    let bytes = cx.env.read_file(&place).await?;
    cx.notes.known.saw(&place.real, &bytes);
    let part = lines(&place, text(&place, &bytes)?, read.from_line.unwrap_or(1), read.lines)?;
    if part.len() > READ_BYTES {
        return Err(CallError::failed(format!(
            "{} is too long to give at once ({} bytes, at most {}). Ask for a part with from_line \
             and lines, or open it in Python.",
            place.shown,
            thousands(part.len()),
            thousands(READ_BYTES),
        )));
    }
    Ok(part.into())
}

/// Some lines of a text, with their ends.
fn lines<'a>(
    place: &ResolvedPath,
    text: &'a str,
    from: u64,
    count: Option<u64>,
) -> Result<&'a str, CallError> {
    let index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    // Where each line begins, and the end of the text.
    let starts = || std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts().nth(index(from - 1)).filter(|start| *start < text.len() || from == 1);
    let Some(start) = start else {
        return Err(CallError::failed(format!(
            "{} has {} lines; there is no line {from}.",
            place.shown,
            text.lines().count()
        )));
    };
    let end = count.and_then(|count| starts().nth(index((from - 1).saturating_add(count))));
    Ok(&text[start..end.unwrap_or(text.len())])
}

/// The real place of a path that is only read: it must be inside the workspace, and no place of
/// secrets.
pub(super) fn inside(cx: &Context, path: &str) -> Result<ResolvedPath, CallError> {
    let place = cx.env.resolve_path(path)?;
    match place.reach {
        Reach::Workspace if cx.env.is_secret(&place.real) => Err(CallError::failed(format!(
            "{path} holds secrets, such as keys or passwords, and is shown to no model. Go on \
             without it, or ask the person for what you need of it."
        ))),
        Reach::Workspace => Ok(place),
        Reach::Outside => Err(CallError::failed(format!(
            "{path} is {}, outside the workspace. A file must be inside the workspace to be read.",
            place.real.display()
        ))),
    }
}

/// What a call on that path acts on, where it tells nothing of what stands in it.
pub(super) fn subject(cx: &Context, path: &str) -> Subject {
    cx.env.resolve_path(path).map_or(Subject::Other, |place| Subject::path(&place.real))
}

/// The same where it tells some of that.
pub(super) fn read_subject(cx: &Context, path: &str) -> Subject {
    cx.env.resolve_path(path).map_or(Subject::Other, |place| Subject::read(&place.real))
}

/// The bytes as text, whole and unchanged, or why they are none.
fn text<'a>(place: &ResolvedPath, bytes: &'a [u8]) -> Result<&'a str, CallError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = error.valid_up_to();
        let line = bytes[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        CallError::failed(format!(
            "{} is not UTF-8 text (line {line} has the byte 0x{:02x}), so it was left alone. \
             Open it in Python with its own encoding, or as bytes.",
            place.shown, bytes[good],
        ))
    })
}

/// A name as text; what is not UTF-8 in it is written as `\xNN`, and `true` says so.
pub(super) fn name(bytes: &[u8]) -> (String, bool) {
    let mut text = String::with_capacity(bytes.len());
    let mut escaped = false;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            escaped = true;
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    (text, escaped)
}

/// `12,345`.
pub(super) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
