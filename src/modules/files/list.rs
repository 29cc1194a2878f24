//! `files.list`: what is in a folder.

use std::{fs, io, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{inside, name, subject};
use crate::kernel::{
    capability::{Capability, Category, Content},
    context::Context,
    error::CallError,
    gate::{DeniedPlaces, Permit, Tells},
    port::ResolvedPath,
};

/// The most entries that are given.
const ENTRIES: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// The folder, relative to the workspace.
    #[serde(default = "here")]
    path: String,
}

pub(in crate::modules) fn here() -> String {
    ".".to_owned()
}

pub(super) fn list() -> Capability {
    Capability::define::<List>(
        "files.list",
        "Gives what is in a folder, sorted by name: {entries: [{name, kind, size, path}], \
         left_out}. The kind is file, folder, link or other. An entry whose name is not UTF-8 has \
         escaped: true instead of a path.",
        Category::Read,
    )
    .status(|list| format!("list {}", list.path))
    .subject(|cx, list| subject(cx, &list.path))
    .handler(give)
}

#[derive(Serialize)]
struct Entry {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    escaped: bool,
}

async fn give(_: Permit, cx: Context, list: List) -> Result<Content, CallError> {
    let place = inside(&cx, &list.path)?;
    let shown = place.shown.clone();
    // A folder is read to its end in one go, so there is nothing to cancel.
    let denied = cx.gate.denied_places(&cx, "files.list", Tells::Nothing);
    let entries = tokio::task::spawn_blocking(move || entries(&place, denied.as_ref())).await;
    let mut entries = entries
        .unwrap_or_else(|error| Err(io::Error::other(error)))
        .map_err(|error| CallError::failed(format!("Cannot list {shown}: {error}.")))?;
    let left_out = entries.len().saturating_sub(ENTRIES);
    entries.truncate(ENTRIES);
    Ok(json!({ "entries": entries, "left_out": left_out }).into())
}

fn entries(place: &ResolvedPath, denied: Option<&DeniedPlaces>) -> io::Result<Vec<Entry>> {
    let mut found = fs::read_dir(&place.real)?.collect::<io::Result<Vec<_>>>()?;
    if let Some(denied) = denied {
        found.retain(|found| !denied.have(&found.path()));
    }
    found.sort_unstable_by_key(fs::DirEntry::file_name);
    Ok(found.iter().map(|found| entry(&place.shown, found)).collect())
}

fn entry(folder: &str, found: &fs::DirEntry) -> Entry {
    let (name, escaped) = name(found.file_name().as_encoded_bytes());
    // What vanished meanwhile is listed all the same, as nothing known.
    let metadata = found.metadata().ok();
    let kind = match metadata.as_ref().map(fs::Metadata::file_type) {
        Some(kind) if kind.is_file() => "file",
        Some(kind) if kind.is_dir() => "folder",
        Some(kind) if kind.is_symlink() => "link",
        Some(_) | None => "other",
    };
    let size = metadata.filter(fs::Metadata::is_file).map(|metadata| metadata.len());
    let path = Path::new(if folder == "." { "" } else { folder }).join(&name);
    let path = path.into_os_string().into_string().ok().filter(|_| !escaped);
    Entry { name, kind, size, path, escaped }
}
