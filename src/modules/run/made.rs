//! The pictures that a run made: kept with the session, recorded for people, and named to the model.

use crate::kernel::{
    context::Context,
    event::Event,
    id::CallId,
    picture::{Enclosed, Picture, SHOWN_TO_PEOPLE},
    port::Kept,
};

/// Keeps them, and gives those that are kept now. One that cannot be is left out: the run is no worse
/// for it.
pub(super) async fn keep(cx: &Context, pictures: Vec<Enclosed>) -> Vec<Picture> {
    let Some(keeps) = cx.keep.pictures.clone().filter(|_| !pictures.is_empty()) else {
        return Vec::new();
    };
    let kept = tokio::task::spawn_blocking(move || {
        let kept = pictures.into_iter().filter(|picture| match keeps.keep(&picture.bytes) {
            Ok(Kept::Whole) => true,
            Ok(Kept::TooLarge | Kept::Full | Kept::Nowhere) => false,
            Err(error) => {
                tracing::warn!(%error, "a picture of a run was not kept");
                false
            }
        });
        kept.map(|picture| picture.picture).collect()
    });
    // Lost with the program alone.
    kept.await.unwrap_or_default()
}

/// What the journal is told of one.
pub(super) fn event(call: CallId, picture: &Picture) -> Event {
    Event::PictureMade { call, picture: picture.clone() }
}

/// What the model is told of them, which it was not shown.
pub(super) fn told(cx: &Context, pictures: &[Picture]) -> Option<String> {
    let sees = cx.spec.tools.iter().any(|tool| tool == "view_image");
    let names: Vec<String> = pictures
        .iter()
        .map(|picture| match sees {
            true => format!("{picture} (picture={:?})", picture.id.to_string()),
            false => picture.to_string(),
        })
        .collect();
    let shown = if sees { "; view_image with that picture shows it to you" } else { "" };
    (!names.is_empty()).then(|| format!("It made {}{SHOWN_TO_PEOPLE}{shown}", names.join(", ")))
}
