//! `search`: lines by pattern and files by name, with ripgrep's own engine and rules of what to
//! ignore. Links are not followed, so a search stays in the workspace. To find a line is to read it: what
//! a rule keeps from being read is not found, nor its name.

mod files;
mod text;

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::files::{inside, thousands};
use crate::kernel::{
    context::Context,
    error::CallError,
    gate::{DeniedPlaces, Tells},
    invoke::interrupted,
    port::{Env, ResolvedPath},
    registry::Module,
    schema,
};

pub(super) const MODULE: Module = Module {
    name: "search",
    summary: "Find lines by pattern and files by name, in all of the workspace at once.",
    load: || vec![text::text(), files::files()],
};

/// A file that a walk came by.
struct Found {
    real: PathBuf,
    relative: PathBuf,
    /// Not a link, pipe or device, which a search must not open.
    regular: bool,
}

/// Where one search goes, and what is kept from it.
struct Ground {
    env: Arc<dyn Env>,
    root: ResolvedPath,
    start: ResolvedPath,
    denied: Option<DeniedPlaces>,
}

impl Ground {
    fn of(cx: &Context, call: &str, path: &str) -> Result<Self, CallError> {
        Ok(Self {
            env: cx.env.clone(),
            root: inside(cx, ".")?,
            start: inside(cx, path)?,
            denied: cx.gate.denied_places(cx, call, Tells::Text),
        })
    }

    /// Visits every file at and below the start that is not ignored, holds no secrets and is not
    /// denied, sorted; gives how many places could not be read.
    fn walk(
        &self,
        cancel: &CancellationToken,
        visit: &mut dyn FnMut(Found),
    ) -> Result<u64, CallError> {
        let start = &self.start.real;
        start.symlink_metadata().map_err(|error| unsearchable(start, &error))?;
        let env = self.env.clone();
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
            // As if it were not there.
            if self.denied.iter().any(|denied| denied.have(&real)) {
                continue;
            }
            let relative = real.strip_prefix(&self.root.real).unwrap_or(&real).to_owned();
            visit(Found { real, relative, regular: kind.is_file() });
        }
        Ok(unreadable)
    }
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

/// Adds what there is to say of a result that is not all there is.
fn note(value: &mut Value, (given, what): (usize, &str), left_out: u64, unreadable: u64) {
    value["left_out"] = json!(left_out);
    if left_out > 0 {
        let more = thousands(usize::try_from(left_out).unwrap_or(usize::MAX));
        value["note"] = json!(format!(
            "These are the first {} {what}; there are {more} more. Narrow the search with path, glob \
             or pattern.",
            thousands(given),
        ));
    }
    if unreadable > 0 {
        value["unreadable"] = json!(unreadable);
    }
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
