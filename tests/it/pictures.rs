//! Pictures, from a file of the workspace to what is kept with a session.

use std::fs;

use image::{DynamicImage, ImageFormat, RgbImage};
use serde_json::json;

use crate::support::{Place, of_type};

#[test]
fn a_picture_that_the_model_looked_at_stays_with_the_session_and_goes_with_it() {
    let place = Place::new();
    let plot = place.work().join("plot.png");
    DynamicImage::ImageRgb8(RgbImage::new(31, 7))
        .save_with_format(&plot, ImageFormat::Png)
        .unwrap();
    let bytes = fs::read(&plot).unwrap();
    let look = json!({"name": "view_image", "arguments": {"path": "plot.png"}});
    let model = place.script(&json!({"turns": [
        {"text": "I look.", "calls": [look]},
        {"text": "It is black."},
    ]}));
    let ran = place.run(&["exec", "--mode", "plan", "--model", &model, "look"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());

    let journal = place.journal();
    let result = &of_type(&journal, "call_finished")[0]["result"];
    assert_eq!(result["ok"], true, "{result}");
    let picture = &result["attachments"][0];
    assert_eq!(
        (&picture["name"], &picture["width"], &picture["height"], &picture["format"]),
        (&json!("plot.png"), &json!(31), &json!(7), &json!("image/png"))
    );
    let session = journal[0]["session"].as_str().unwrap();
    let folder = place.home().join("data/sessions").join(session).join("pictures");
    let kept = folder.join(picture["id"].as_str().unwrap());
    assert_eq!(fs::read(&kept).unwrap(), bytes);

    let export = place.run(&["sessions", "export", session, "--format", "json"]);
    assert!(!export.stdout().contains("base64") && export.stdout().contains("plot.png"));
    let told = "footplate: 1 picture named there, whose files stay with the session.";
    assert!(export.stderr().contains(told), "{}", export.stderr());
    let deleted = place.run(&["sessions", "delete", session, "--yes"]);
    assert_eq!(deleted.code(), 0, "{}", deleted.stderr());
    assert!(!kept.exists());
}
