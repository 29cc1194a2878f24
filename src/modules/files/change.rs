//! `files.write` and `files.edit`: one change to one file, shown as a diff of the real bytes before
//! it is made, and made only if the file is still the one that was shown. What it replaces is kept
//! first, so that it can be undone.

mod preview;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use self::preview::is_obeyed;
pub(in crate::modules) use self::preview::{Shown, shown};
use super::{edit::replace, inside, subject, text, thousands};
use crate::kernel::{
    capability::{Capability, Category, Content, Preview},
    change::{Before, Change},
    context::Context,
    error::{CallError, ErrorCode},
    event::Event,
    gate::Permit,
    id::CallId,
    known::Stands,
    port::{
        Env, KEPT_FILE_BYTES, KEPT_SESSION_BYTES, Kept, Mark, Over, ResolvedPath, Seen, Standing,
    },
};

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
    .category_of(|cx, write| category(cx, &write.path))
    .preview(|cx, write| async move { Ok(write.change(&cx).await?.shown.preview) })
    .handler(|permit, cx, write| async move {
        let change = write.change(&cx).await;
        make(permit, &cx, change).await
    })
}

pub(super) fn edit() -> Capability {
    Capability::define::<Edit>(
        "files.edit",
        "Replaces one text in a file, which must occur exactly once, and leaves every other byte \
         as it is.",
        Category::Write,
    )
    .status(|edit| format!("edit {}", edit.path))
    // Whether the old text is there is told as well.
    .subject(|cx, edit| super::read_subject(cx, &edit.path))
    .category_of(|cx, edit| category(cx, &edit.path))
    .preview(|cx, edit| async move { Ok(edit.change(&cx).await?.shown.preview) })
    .handler(|permit, cx, edit| async move {
        let change = edit.change(&cx).await;
        make(permit, &cx, change).await
    })
}

/// To change what others run without being told to is to run something.
fn category(cx: &Context, path: &str) -> Category {
    match cx.env.resolve_path(path) {
        Ok(place) if is_obeyed(cx.env.root(), &place) => Category::Execute,
        // One that leads nowhere is refused with the reason.
        Ok(_) | Err(_) => Category::Write,
    }
}

/// A change that could be made now.
pub(in crate::modules) struct Possible {
    /// The files it is one of.
    pub(in crate::modules) env: Arc<dyn Env>,
    pub(in crate::modules) place: ResolvedPath,
    pub(in crate::modules) standing: Standing,
    /// The new text; none where the file goes.
    pub(in crate::modules) text: Option<String>,
    pub(in crate::modules) shown: Shown,
    /// The permissions of a new file, if not the usual ones.
    pub(in crate::modules) mode: Option<u32>,
}

impl Write {
    async fn change(self, cx: &Context) -> Result<Possible, CallError> {
        let possible = written(cx, self.path, self.text).await?;
        let place = &possible.place;
        // In place of what nobody showed to its writer. An edit names what it replaces.
        let shown = &place.shown;
        let why = match &possible.standing {
            Standing::File(seen) => match cx.notes.known.stands(&place.real, &seen.mark) {
                Stands::Same => return Ok(possible),
                Stands::Another => format!(
                    "{shown} was changed since you read it, not by you. Read it again with \
                     files.read, and keep what is new in it."
                ),
                Stands::Unsure => format!(
                    "you read {shown} before this session was carried on, and it may have been changed \
                     since. Read it again with files.read, and keep what is new in it."
                ),
            },
            // Said once: it is not known who took it away, and whether for good.
            Standing::Nothing if cx.notes.known.gone(&place.real) => format!(
                "{shown} is gone since you saw it. Where that was you or makes no difference, write it \
                 once more."
            ),
            Standing::Nothing => return Ok(possible),
        };
        Err(CallError::failed(format!("Not written: {why}")))
    }
}

/// The change that puts this text at that path, new or over what is there.
pub(in crate::modules) async fn written(
    cx: &Context,
    path: String,
    text: String,
) -> Result<Possible, CallError> {
    let place = cx.env.resolve_path(&path)?;
    let standing = cx.env.look(&place).await?;
    possible(cx, place, standing, text).await
}

impl Edit {
    /// Only inside the workspace: what is found in a file is told before anybody is asked.
    async fn change(self, cx: &Context) -> Result<Possible, CallError> {
        let place = inside(cx, &self.path)?;
        let seen = match cx.env.look(&place).await? {
            Standing::File(seen) => seen,
            Standing::Nothing => {
                let shown = place.shown;
                let message = format!(
                    "Cannot edit {shown}: it is not there. Write it with files.write, or look which \
                     files there are."
                );
                return Err(CallError::failed(message));
            }
        };
        if seen.bytes.len() > preview::SHOWN_BYTES {
            return Err(CallError::failed(format!(
                "{} is too long to be shown before it is edited ({} bytes, at most {}).",
                place.shown,
                thousands(seen.bytes.len()),
                thousands(preview::SHOWN_BYTES),
            )));
        }
        let old = text(&place, &seen.bytes)?;
        let new = replace(&place.shown, old, &self.old, &self.new)?;
        possible(cx, place, Standing::File(seen), new).await
    }
}

async fn possible(
    cx: &Context,
    place: ResolvedPath,
    standing: Standing,
    text: String,
) -> Result<Possible, CallError> {
    if let Some(executor) = &cx.executor {
        executor.check_write(&place.real, cx.env.root())?;
    }
    if place.real.to_str().is_none() {
        return Err(CallError::failed(format!(
            "{} leads to a name that is not UTF-8, which could not be recorded. Use Python for it.",
            place.shown
        )));
    }
    let env = cx.env.clone();
    let shown = shown((cx, &*env), &place, &standing, &text).await?;
    Ok(Possible { env, place, standing, text: Some(text), shown, mode: None })
}

/// Makes a change that was shown and approved, if it would still be that one.
pub(in crate::modules) async fn make(
    permit: Permit,
    cx: &Context,
    possible: Result<Possible, CallError>,
) -> Result<Content, CallError> {
    let approved = permit.preview().ok_or_else(|| CallError::failed("Nothing was shown of it."))?;
    let possible = possible.map_err(|_| no_longer(&approved.object))?;
    let now = &possible.shown.preview;
    let same = |seen: &Preview| {
        (&seen.object, seen.reach, &seen.body) == (&now.object, now.reach, &now.body)
    };
    if !same(approved) {
        return Err(no_longer(&approved.object));
    }
    let Possible { env, place, standing, text, shown, mode } = possible;
    let (over, before) = match &standing {
        Standing::Nothing => (Over::Nothing { mode }, Before::Nothing),
        Standing::File(seen) => {
            let kept = keep(cx, permit.call(), seen).await?;
            let before = Before::File { mark: seen.mark.anywhere(), mode: seen.mode, kept };
            (Over::File(&seen.mark), before)
        }
    };
    let undo = match &before {
        Before::Nothing => None,
        Before::File { kept, .. } => Some(*kept),
    };
    let change = Change {
        path: place.real.clone(),
        shown: place.shown.clone(),
        before,
        after: text.as_ref().map(|text| Mark::of(text.as_bytes())),
        more: shown.more,
        fewer: shown.fewer,
        undoes: None,
    };
    let begun = Event::ChangeBegun { call: permit.call(), change };
    cx.recorder.append(begun).map_err(|error| unkept(&error))?;
    // Of what another put there an edit shows no more than it names.
    let whole = match &over {
        Over::File(mark) => cx.notes.known.stands(&place.real, mark) == Stands::Same,
        Over::Nothing { .. } => true,
    };
    match (&text, over) {
        (Some(text), over) => env.write_file(&place, over, text.as_bytes()).await?,
        (None, Over::File(mark)) => env.remove_file(&place, mark).await?,
        (None, Over::Nothing { .. }) => return Err(no_longer(&place.shown)),
    }
    match &text {
        Some(text) if whole => cx.notes.known.saw(&place.real, text.as_bytes()),
        Some(_) => {}
        None => {
            cx.notes.known.gone(&place.real);
        }
    }
    let facts = shown.facts.join(", ");
    let undo = match undo {
        None | Some(Kept::Whole) => String::new(),
        Some(Kept::TooLarge) => {
            format!(
                "; cannot be undone: more than {} bytes were there",
                kept_bytes(KEPT_FILE_BYTES)
            )
        }
        Some(Kept::Full) => {
            let most = kept_bytes(KEPT_SESSION_BYTES);
            format!("; cannot be undone: this session keeps {most} bytes already")
        }
        Some(Kept::Nowhere) => "; cannot be undone".to_owned(),
    };
    Ok(format!("{}: {facts}{undo}", shown.preview.object).into())
}

fn kept_bytes(bytes: u64) -> String {
    thousands(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Keeps what stands there.
async fn keep(cx: &Context, call: CallId, seen: &Seen) -> Result<Kept, CallError> {
    let Some(keep) = cx.keep.replaced.clone() else { return Ok(Kept::Nowhere) };
    let bytes = seen.bytes.clone();
    let kept = tokio::task::spawn_blocking(move || keep(call, &bytes)).await;
    let ending = |_| CallError::new(ErrorCode::Interrupted, "Interrupted: the program is ending.");
    kept.map_err(ending)?.map_err(|error| unkept(&error))
}

fn unkept(error: &dyn std::fmt::Display) -> CallError {
    CallError::failed(format!(
        "Nothing was written, since what it replaces could not be kept: {error}"
    ))
}

fn no_longer(shown: &str) -> CallError {
    CallError::failed(format!(
        "Not written: {shown} is no longer the file you saw. Read it again and make the change anew."
    ))
}
