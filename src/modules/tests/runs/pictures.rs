//! The pictures of a run: kept, told of, and named to the model.

use std::{
    io::Cursor,
    sync::{Arc, Mutex},
};

use super::*;
use crate::kernel::{
    picture::{Enclosed, PictureId},
    port::{Kept, Pictures, StoreError},
};

/// Keeps the first, and has no room for another.
#[derive(Default)]
struct Album(Mutex<Vec<PictureId>>);

impl Pictures for Album {
    fn keep(&self, bytes: &[u8]) -> Result<Kept, StoreError> {
        let mut kept = self.0.lock().unwrap();
        if !kept.is_empty() {
            return Ok(Kept::Full);
        }
        kept.push(PictureId::of(bytes));
        Ok(Kept::Whole)
    }

    fn bytes(&self, _: PictureId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }
}

fn picture(shade: u8, name: &str) -> Enclosed {
    let mut bytes = Vec::new();
    let pixels = image::RgbImage::from_pixel(4, 2, image::Rgb([shade, 0, 0]));
    pixels.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    Enclosed::of(bytes, name).unwrap()
}

fn rig(tools: &[&str]) -> Rig {
    let pictures = vec![picture(1, "plot.png"), picture(2, "more.png")];
    let mut rig = Rig::new(Mode::Auto).with_executor(Box::new(move |job| {
        let ended =
            Ended { pictures: pictures.clone(), ..ended(ExitStatus::Exited { code: 0 }, "done\n") };
        Box::pin(async move {
            (job.notice)(Notice::Started(Seal::None, Form::None));
            Ok(ended)
        })
    }));
    rig.context.keep.pictures = Some(Arc::new(Album::default()));
    let mut spec = (*rig.context.spec).clone();
    spec.tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
    rig.context.spec = Arc::new(spec);
    rig
}

#[tokio::test]
async fn a_picture_that_is_kept_is_told_of_before_the_run_ends() {
    let rig = rig(&["execute_code"]);
    let result = rig.call("execute_code", json!({"code": "plot()"})).await;
    assert_eq!(result.content, json!("done\n\n[It made plot.png 4x2, shown to people.]"));
    assert_eq!(
        story(&rig),
        [
            "call_started",
            "execution_started",
            "picture_made",
            "execution_finished",
            "call_finished"
        ]
    );
    let told: Vec<_> = lines(&rig).iter().map(|line| line["picture"]["name"].clone()).collect();
    assert_eq!(told[2], json!("plot.png"));
}

#[tokio::test]
async fn a_model_that_can_look_at_pictures_is_told_how() {
    let rig = rig(&["execute_code", "view_image"]);
    let result = rig.call("execute_code", json!({"code": "plot()"})).await;
    let id = picture(1, "plot.png").picture.id;
    let told = format!(
        "done\n\n[It made plot.png 4x2 (picture=\"{id}\"), shown to people; view_image with that \
         picture shows it to you.]"
    );
    assert_eq!(result.content, json!(told));
}
