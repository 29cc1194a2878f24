//! Two workstations over one home, each on its own screen.

use serde_json::json;

use crate::{
    support::{Place, of_type},
    terminal::App,
};

const SIZE: (u16, u16) = (40, 120);
const F2: &str = "\x1bOQ";

#[test]
fn one_watches_what_the_other_does_and_goes_on_with_it_once_that_one_has_quit() {
    let place = Place::new();
    let says = |text: &str| json!({ "text": text });
    let turns = ["First words.", "Second words.", "Third words."].map(says);
    let model = place.script(&json!({ "turns": turns }));
    let mut one = App::start(&place, SIZE, &["--model", &model, "begin it"]);
    one.wait_for("First words.");

    let mut two = App::start(&place, SIZE, &["--model", &model]);
    two.wait_for("Say what you want done");
    two.press(F2);
    two.wait_for(&format!("open in process {}", one.pid()));
    two.press("\r");
    two.wait_for("t take over when it lets go");
    two.press("\r");
    two.wait_until("the words of the other, read only", |screen| {
        screen.contains("First words.") && screen.contains("read only: process")
    });

    one.press("go on");
    one.wait_for("› go on");
    one.press("\r");
    two.wait_for("Second words.");

    two.press("and then");
    two.wait_for("› and then");
    two.press("\r");
    two.wait_for("Read only: process");
    assert_eq!(of_type(&place.journal(), "message_sent").len(), 2, "nothing was said to it");

    two.press(F2);
    two.wait_for("r resume");
    two.press("r");
    two.wait_for("Taken over as soon as process");
    let before = place.journal();
    one.press("\x11");
    assert!(one.ended().success());
    two.wait_for("Carried on here.");
    two.wait_for("› and then");
    two.press("\r");
    two.wait_for("Third words.");

    let journal = place.journal();
    assert_eq!(journal[..before.len()], before, "what the first wrote stays as it is");
    let numbers: Vec<_> = journal.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(of_type(&journal, "session_resumed").len(), 1);
    let said = of_type(&journal, "message_sent");
    assert_eq!(said.last().unwrap()["text"], "and then");
}
