//! `view_image`: shows the model a picture as people see it: of the workspace, by the same rules as any
//! file that is read, or one that the session keeps already.

use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{inside, read_subject, thousands};
use crate::kernel::{
    capability::{Capability, Category, Content},
    context::Context,
    error::{CallError, ErrorCode},
    gate::{Permit, subject::Subject, unrecorded},
    picture::{Enclosed, Picture, PictureId, pixels},
    port::{KEPT_PICTURES_BYTES, Kept},
    schema,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct View {
    /// The picture file, relative to the workspace.
    #[serde(default)]
    path: Option<String>,
    /// In its place: the id of a picture that a run made, as its result names it.
    #[serde(default)]
    picture: Option<String>,
}

pub(super) fn view_image() -> Capability {
    Capability::define::<View>(
        "view_image",
        "Shows you a picture as people see it: a PNG, JPEG, GIF or WebP file of the workspace, such as \
         a plot or a screenshot.",
        Category::Read,
    )
    .status(|view| match (&view.path, &view.picture) {
        (Some(path), _) => format!("view {path}"),
        (None, Some(_)) => "view a picture of this session".to_owned(),
        (None, None) => "view a picture".to_owned(),
    })
    .subject(|cx, view| view.path.as_ref().map_or(Subject::Other, |path| read_subject(cx, path)))
    .handler(show)
}

async fn show(_: Permit, cx: Context, view: View) -> Result<Content, CallError> {
    match (view.path, view.picture) {
        (Some(path), None) => file(&cx, &path).await,
        (None, Some(id)) => kept(&cx, &id).await,
        (Some(_), Some(_)) | (None, None) => {
            Err(schema::invalid("view_image", "give either path or picture"))
        }
    }
}

async fn file(cx: &Context, path: &str) -> Result<Content, CallError> {
    let place = inside(cx, path)?;
    let bytes = cx.env.read_file(&place).await?;
    let (shown, pictures) = (place.shown, cx.keep.pictures.clone());
    off_the_loop(move || {
        let not = |fault| CallError::failed(format!("{shown} {fault}."));
        let found = Enclosed::of(bytes, &shown).map_err(not)?;
        pixels(&found.bytes).map_err(not)?;
        let kept = match pictures {
            Some(pictures) => pictures.keep(&found.bytes).map_err(unrecorded)?,
            None => Kept::Nowhere,
        };
        match kept {
            Kept::Whole => Ok(told(found.picture)),
            Kept::TooLarge | Kept::Full => Err(CallError::failed(format!(
                "{shown} is not shown: this session keeps {} MB of pictures already, and no more.",
                KEPT_PICTURES_BYTES >> 20
            ))),
            Kept::Nowhere => Err(CallError::failed(format!(
                "{shown} is not shown: nothing keeps pictures here."
            ))),
        }
    })
    .await
}

async fn kept(cx: &Context, id: &str) -> Result<Content, CallError> {
    let id: PictureId =
        id.parse().map_err(|fault| schema::invalid("view_image.picture", &format!("{fault}")))?;
    let Some(pictures) = cx.keep.pictures.clone() else {
        return Err(CallError::failed("Nothing keeps pictures here."));
    };
    off_the_loop(move || {
        let Some(bytes) = pictures.bytes(id).map_err(unrecorded)? else {
            return Err(CallError::failed("This session keeps no picture of that id."));
        };
        let found = Picture::of(&bytes, "picture");
        found.map(told).map_err(|fault| CallError::failed(format!("It {fault}.")))
    })
    .await
}

async fn off_the_loop(
    show: impl FnOnce() -> Result<Content, CallError> + Send + 'static,
) -> Result<Content, CallError> {
    let shown = tokio::task::spawn_blocking(show).await;
    let ending = |_| CallError::new(ErrorCode::Interrupted, "Interrupted: the program is ending.");
    shown.map_err(ending)?
}

fn told(picture: Picture) -> Content {
    let bytes = thousands(usize::try_from(picture.bytes).unwrap_or(usize::MAX));
    let text = format!("{picture}, {}, {bytes} bytes", picture.format.media_type());
    Content { value: text.into(), attachments: vec![picture] }
}
