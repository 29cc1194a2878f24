//! `files.write` and `files.edit`: one change to one file, shown as a diff of the real bytes before
//! it is made, and made only if the file is still the one that was shown.

use std::{io, path::Path, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use similar::{ChangeTag, TextDiff};

use super::{edit::replace, inside, subject, text, thousands};
use crate::kernel::{
    capability::{Body, Capability, Category, Content, Preview, Reach},
    context::Context,
    error::CallError,
    gate::{Permit, subject::Subject},
    obeyed,
    port::ResolvedPath,
};

/// The longest old text that is shown beside the new one.
const SHOWN_BYTES: usize = 1 << 20;

/// How long a count of changed lines may take before it gets coarse.
const COUNTING: Duration = Duration::from_millis(100);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Write {
    /// The file, relative to the workspace; missing folders are made.
    path: String,
    /// Its whole new text.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// The file, relative to the workspace.
    path: String,
    /// The text to replace, exactly as it stands in the file; it must occur once.
    old: String,
    /// The text to put in its place.
    new: String,
}

pub(super) fn write() -> Capability {
    Capability::define::<Write>(
        "files.write",
        "Writes a file whole, new or over the old one.",
        Category::Write,
    )
    .status(|write| format!("write {}", write.path))
    .subject(|cx, write| subject(cx, &write.path))
    .preview(|cx, write| async move { Ok(write.change(&cx).await?.preview) })
    .handler(|permit, cx, write| async move { make(permit, &cx, write.change(&cx).await?).await })
}

pub(super) fn edit() -> Capability {
    Capability::define::<Edit>(
        "files.edit",
        "Replaces one text in a file, which must occur exactly once, and leaves every other byte \
         as it is.",
        Category::Write,
    )
    .status(|edit| format!("edit {}", edit.path))
    .subject(|cx, edit| subject(cx, &edit.path))
    .preview(|cx, edit| async move { Ok(edit.change(&cx).await?.preview) })
    .handler(|permit, cx, edit| async move { make(permit, &cx, edit.change(&cx).await?).await })
}

/// A change that could be made now.
struct Change {
    place: ResolvedPath,
    text: String,
    preview: Preview,
}

impl Write {
    async fn change(self, cx: &Context) -> Result<Change, CallError> {
        let place = cx.env.resolve_path(&self.path)?;
        let before = Before::of(cx, &place).await?;
        shown(place, before, self.text).await
    }
}

impl Edit {
    /// Only inside the workspace: what is found in a file is told before anybody is asked.
    async fn change(self, cx: &Context) -> Result<Change, CallError> {
        let place = inside(cx, &self.path)?;
        let bytes = cx.env.read_file(&place).await?;
        if bytes.len() > SHOWN_BYTES {
            return Err(CallError::failed(format!(
                "{} is too long to be shown before it is edited ({} bytes, at most {}).",
                place.shown,
                thousands(bytes.len()),
                thousands(SHOWN_BYTES),
            )));
        }
        let old = text(&place, bytes)?;
        let new = replace(&place.shown, &old, &self.old, &self.new)?;
        shown(place, Before::Text(old), new).await
    }
}

/// What is there before a write.
enum Before {
    Nothing,
    Text(String),
    /// Bytes that are no text, or too many to show: how many, and which.
    Unshown(usize, &'static str),
}

impl Before {
    async fn of(cx: &Context, place: &ResolvedPath) -> Result<Self, CallError> {
        let metadata = match tokio::fs::symlink_metadata(&place.real).await {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) => {
                return Err(CallError::failed(format!("Cannot write {}: {error}.", place.shown)));
            }
        };
        if !metadata.is_file() {
            let what = if metadata.is_dir() { "a folder" } else { "not a regular file" };
            return Err(CallError::failed(format!(
                "Cannot write {}: it is {what}. Choose another path.",
                place.shown
            )));
        }
        let length = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if length > SHOWN_BYTES {
            return Ok(Self::Unshown(length, "too many to show"));
        }
        let bytes = cx.env.read_file(place).await?;
        let length = bytes.len();
        Ok(String::from_utf8(bytes).map_or(Self::Unshown(length, "not text"), Self::Text))
    }
}

/// The change with all a person needs to judge it.
async fn shown(place: ResolvedPath, before: Before, new: String) -> Result<Change, CallError> {
    let (old, new, mut facts) = match before {
        Before::Nothing => {
            let facts = vec!["new file".to_owned(), counts(new.lines().count(), 0)];
            (None, new, facts)
        }
        Before::Unshown(bytes, why) => {
            let facts = vec![format!("replaces {} bytes, {why}", thousands(bytes))];
            (None, new, facts)
        }
        Before::Text(old) => {
            // Off the runtime's threads: two long texts take their time.
            let counted = tokio::task::spawn_blocking(move || {
                let counted = compare(&old, &new);
                (Some(old), new, vec![counted])
            });
            counted.await.map_err(|error| {
                CallError::failed(format!("{} could not be compared: {error}", place.shown))
            })?
        }
    };
    facts.push(match place.reach {
        Reach::Workspace => "in the workspace".to_owned(),
        Reach::Outside => format!("outside the workspace: {}", place.real.display()),
    });
    // To change what another program runs is to reach further than the file.
    let reach = if is_obeyed(&place) { Reach::Outside } else { place.reach };
    if reach != place.reach {
        facts.push("other programs run or obey it".to_owned());
    }
    let preview = Preview {
        object: place.shown.clone(),
        facts,
        wider: Vec::new(),
        reach,
        body: Body::Diff { old, new: new.clone() },
        subject: Subject::path(&place.real),
    };
    Ok(Change { place, text: new, preview })
}

/// Whatever the case of its letters, since some file systems do not tell them apart. Where the
/// workspace itself lies says nothing about the file.
fn is_obeyed(place: &ResolvedPath) -> bool {
    Path::new(&place.shown).iter().any(obeyed::is_obeyed)
}

fn compare(old: &str, new: &str) -> String {
    let (mut more, mut fewer) = (0, 0);
    let diff = TextDiff::configure().timeout(COUNTING).diff_lines(old, new);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => more += 1,
            ChangeTag::Delete => fewer += 1,
            ChangeTag::Equal => {}
        }
    }
    counts(more, fewer)
}

/// `+4 −2`, without the side that is nothing.
fn counts(more: usize, fewer: usize) -> String {
    match (more, fewer) {
        (0, 0) => "no change".to_owned(),
        (more, 0) => format!("+{}", thousands(more)),
        (0, fewer) => format!("−{}", thousands(fewer)),
        (more, fewer) => format!("+{} −{}", thousands(more), thousands(fewer)),
    }
}

async fn make(permit: Permit, cx: &Context, change: Change) -> Result<Content, CallError> {
    let now = &change.preview;
    let same = |seen: &Preview| {
        (&seen.object, seen.reach, &seen.body) == (&now.object, now.reach, &now.body)
    };
    if !permit.preview().is_some_and(same) {
        return Err(CallError::failed(format!(
            "{} was changed while this waited for a yes, so nothing was written. Read it again and \
             make the change anew.",
            now.object
        )));
    }
    cx.env.write_file(&change.place, change.text.as_bytes()).await?;
    Ok(format!("{}: {}", now.object, now.facts.join(", ")).into())
}
