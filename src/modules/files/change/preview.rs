//! What a person sees of a change: the diff of the real bytes, where the file really is, and what
//! else there is to know of it.

use std::{path::Path, time::Duration};

use similar::{ChangeTag, TextDiff};

use super::super::thousands;
use crate::kernel::{
    capability::{Body, Preview, Reach},
    context::Context,
    error::CallError,
    gate::subject::Subject,
    obeyed,
    port::{Env, KEPT_FILE_BYTES, Mark, ResolvedPath, Standing},
    text,
};

/// The longest old text that is shown beside the new one.
pub(super) const SHOWN_BYTES: usize = 1 << 20;

/// How long a count of changed lines may take before it gets coarse.
const COUNTING: Duration = Duration::from_millis(100);

/// A change as it is shown.
pub(in crate::modules) struct Shown {
    pub(in crate::modules) preview: Preview,
    /// Its facts, without what is only a promise.
    pub(super) facts: Vec<String>,
    pub(super) more: u64,
    pub(super) fewer: u64,
}

impl Shown {
    /// Says one thing more of it to who decides.
    pub(in crate::modules) fn say(&mut self, fact: &str) {
        self.preview.facts.push(fact.to_owned());
    }
}

/// What stands there, as far as it is shown.
enum Old {
    Nothing,
    Text(String),
    /// How many bytes, and why they are not shown.
    Unshown(usize, &'static str),
}

/// The change with all a person needs to judge it.
pub(in crate::modules) async fn shown(
    (cx, env): (&Context, &dyn Env),
    place: &ResolvedPath,
    standing: &Standing,
    new: &str,
) -> Result<Shown, CallError> {
    let (old, mark, names) = match standing {
        Standing::Nothing => (Old::Nothing, None, 1),
        Standing::File(seen) => {
            let old = match std::str::from_utf8(&seen.bytes) {
                _ if env.is_secret(&place.real) => {
                    Old::Unshown(seen.bytes.len(), "which hold secrets")
                }
                _ if seen.bytes.len() > SHOWN_BYTES => {
                    Old::Unshown(seen.bytes.len(), "too many to show")
                }
                Ok(text) => Old::Text(text.to_owned()),
                Err(_) => Old::Unshown(seen.bytes.len(), "not text"),
            };
            (old, Some(seen.mark.clone()), seen.names)
        }
    };
    let (old, (more, fewer), mut facts) = match old {
        Old::Nothing => {
            let more = new.lines().count();
            (None, (more, 0), vec!["new file".to_owned(), counts(more, 0)])
        }
        Old::Unshown(bytes, why) => {
            let facts = vec![format!("replaces {} bytes, {why}", thousands(bytes))];
            (None, (new.lines().count(), 0), facts)
        }
        Old::Text(old) => {
            // Off the runtime's threads: two long texts take their time.
            let new = new.to_owned();
            let counted = tokio::task::spawn_blocking(move || (compare(&old, &new), old));
            let (counted, old) = counted.await.map_err(|error| {
                CallError::failed(format!("{} could not be compared: {error}", place.shown))
            })?;
            (Some(old), counted, vec![counts(counted.0, counted.1)])
        }
    };
    facts.push(match place.reach {
        Reach::Workspace => "in the workspace".to_owned(),
        Reach::Outside => format!("outside the workspace: {}", place.real.display()),
    });
    let mut reach = place.reach;
    if names > 1 {
        // Where the others are cannot be known.
        reach = Reach::Outside;
        facts.push(format!("it has {names} names (hard links) and changes under all of them"));
    }
    if is_obeyed(env.root(), place) {
        reach = Reach::Outside;
        facts.push("other programs run or obey it".to_owned());
    }
    let mut shown = facts.clone();
    // The file that is meant may be another.
    let (base, name) = match place.real.strip_prefix(env.root()) {
        Ok(name) => (env.root(), name),
        Err(_) => (Path::new("/"), place.real.strip_prefix("/").unwrap_or(&place.real)),
    };
    if let Some(other) = text::looks_like(name, |name| base.join(name).symlink_metadata().is_ok()) {
        shown.insert(0, format!("its name looks like {}, which is there", other.display()));
    }
    if let Some(undo) = undo(cx, mark.as_ref()) {
        shown.push(undo.to_owned());
    }
    let preview = Preview {
        object: place.shown.clone(),
        facts: shown,
        wider: Vec::new(),
        reach,
        body: Body::Diff { old, new: new.to_owned(), mark },
        subject: Subject::path(&place.real),
    };
    Ok(Shown { preview, facts, more: more as u64, fewer: fewer as u64 })
}

fn undo(cx: &Context, mark: Option<&Mark>) -> Option<&'static str> {
    match (&cx.keep.replaced, mark) {
        (None, Some(_)) => None,
        (Some(_), Some(mark)) if mark.bytes > KEPT_FILE_BYTES => Some("cannot be undone"),
        (Some(_) | None, _) => Some("can be undone"),
    }
}

/// Whatever the case of its letters, since some file systems do not tell them apart. Where the
/// workspace itself lies says nothing about the file.
pub(super) fn is_obeyed(root: &Path, place: &ResolvedPath) -> bool {
    // An environment of Python may have any name.
    let environment = |folder: &Path| folder.join("pyvenv.cfg").is_file();
    let around = place.real.ancestors().skip(1).take_while(|folder| *folder != root);
    Path::new(&place.shown).iter().any(obeyed::is_obeyed)
        || place.real.ends_with("pyvenv.cfg")
        || (place.reach == Reach::Workspace && around.into_iter().any(environment))
}

fn compare(old: &str, new: &str) -> (usize, usize) {
    let (mut more, mut fewer) = (0, 0);
    let diff = TextDiff::configure().timeout(COUNTING).diff_lines(old, new);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => more += 1,
            ChangeTag::Delete => fewer += 1,
            ChangeTag::Equal => {}
        }
    }
    (more, fewer)
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
