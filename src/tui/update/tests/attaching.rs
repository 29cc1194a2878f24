//! Pictures that go with what is written.

use pretty_assertions::assert_eq;

use super::{composing::resting, draft, toast};
use crate::{
    kernel::{
        command::Command,
        event::{Event, Outcome},
    },
    tui::{
        attach::{Attached, Because, Unread, Wanted},
        effect::Effect,
        message::{Came, Input, Message},
        stage::{Stage, attached},
        state::composer::When,
    },
};

fn paste(stage: &mut Stage, text: &str) {
    stage.send(Message::Input(stage.now(), Input::Paste(text.into())));
}

/// The pictures that are to be read since it was last asked.
fn wanted(stage: &mut Stage) -> Vec<Wanted> {
    let reads = |effect| if let Effect::ReadPicture(wanted) = effect { Some(wanted) } else { None };
    std::mem::take(&mut stage.effects).into_iter().filter_map(reads).collect()
}

fn came(stage: &mut Stage, wanted: Wanted, read: Result<Attached, Unread>) {
    stage.send(Message::Came(Came::Picture(wanted, read)));
}

/// What was sent: its words, and the names of its pictures.
fn said(stage: &mut Stage) -> Vec<(String, Vec<String>)> {
    let sends = |effect| {
        let Effect::Send(Command::Send { words, .. } | Command::Steer { words, .. }) = effect
        else {
            return None;
        };
        let names = words.pictures.into_iter().map(|it| it.picture.name).collect();
        Some((words.text, names))
    };
    std::mem::take(&mut stage.effects).into_iter().filter_map(sends).collect()
}

#[test]
fn a_picture_that_is_dropped_stands_in_the_draft_by_its_name_and_goes_with_the_words() {
    let mut stage = resting();
    stage.types("see ");
    paste(&mut stage, "'/tmp/a b.png' ");
    assert_eq!(draft(&stage), "see '/tmp/a b.png' ", "words, until it is read");
    let wanted = wanted(&mut stage);
    assert_eq!(wanted[0].named.path.to_str(), Some("/tmp/a b.png"));
    came(&mut stage, wanted[0].clone(), Ok(attached("a b.png")));
    assert!(stage.screen().contains("see [picture a b.png 2x1]"), "{}", stage.screen());
    assert!(stage.screen().contains("enter sends, with 1 picture"), "{}", stage.screen());
    stage.types("twice");
    stage.wait(1_000);
    stage.key("enter");
    let words = "see [picture a b.png 2x1] twice".to_owned();
    assert_eq!(said(&mut stage), [(words, vec!["a b.png".to_owned()])]);
    // What was said can be said again, with the picture.
    stage.key("up");
    assert_eq!(draft(&stage), "see @/tmp/a b.png twice");
}

#[test]
fn words_of_before_come_back_with_their_pictures() {
    let mut stage = resting();
    let picture = attached("a.png").enclosed.picture;
    let text = "see [picture a.png 2x1], please".to_owned();
    stage.event(
        1.into(),
        Event::MessageSent { text: text.clone(), pictures: vec![picture.clone()] },
    );
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    stage.types("/rewind");
    stage.wait(1_000);
    stage.key("enter");
    let wanted = wanted(&mut stage).remove(0);
    assert_eq!(wanted.because, Because::Said(1.into(), picture.id));
    came(&mut stage, wanted, Ok(attached("a.png")));
    assert_eq!(draft(&stage), text);
    stage.wait(1_000);
    stage.key("enter");
    assert_eq!(said(&mut stage), [(text, vec!["a.png".to_owned()])]);
}

#[test]
fn a_paste_that_is_no_picture_stays_as_it_was_pasted() {
    for (unread, says) in [
        (Unread::NotThere, None),
        (Unread::Other("is no picture".into()), Some("Not attached: a.png is no picture.")),
    ] {
        let mut stage = resting();
        paste(&mut stage, "/tmp/a.png");
        let wanted = wanted(&mut stage).remove(0);
        came(&mut stage, wanted, Err(unread));
        assert_eq!(
            (draft(&stage).as_str(), toast(&stage)),
            ("/tmp/a.png", says.unwrap_or("").into())
        );
        stage.wait(1_000);
        stage.key("enter");
        assert_eq!(said(&mut stage), [("/tmp/a.png".to_owned(), vec![])]);
    }
    let mut stage = resting();
    paste(&mut stage, "look at /tmp/a.png");
    paste(&mut stage, &"/tmp/a.png\n".repeat(9));
    assert_eq!(wanted(&mut stage), [], "words, and what is folded away");
}

#[test]
fn a_picture_comes_too_late_for_words_that_were_changed_or_belong_to_another_session() {
    let mut stage = resting();
    paste(&mut stage, "/tmp/a.png");
    let first = wanted(&mut stage).remove(0);
    stage.key("backspace");
    came(&mut stage, first.clone(), Ok(attached("a.png")));
    assert_eq!(draft(&stage), "/tmp/a.pn");
    came(&mut stage, first, Ok(attached("a.png")));
    assert_eq!(draft(&stage), "/tmp/a.pn");
}

#[test]
fn enter_waits_for_pictures_that_the_words_name_and_sends_once() {
    let mut stage = resting();
    stage.types("compare @a.png with @gone.png ");
    stage.key("enter");
    let wanted = wanted(&mut stage);
    let paths: Vec<_> = wanted.iter().map(|it| it.named.path.to_str().unwrap()).collect();
    assert_eq!(paths, ["a.png", "gone.png"]);
    assert_eq!(stage.state.composer.looks.sends, Some(When::AfterTurn));
    stage.key("enter");
    assert_eq!(stage.effects, [], "it is asked for once");
    came(&mut stage, wanted[0].clone(), Ok(attached("a.png")));
    assert_eq!(said(&mut stage), []);
    came(&mut stage, wanted[1].clone(), Err(Unread::NotThere));
    let words = "compare [picture a.png 2x1] with @gone.png ".to_owned();
    assert_eq!(said(&mut stage), [(words, vec!["a.png".to_owned()])]);
    assert_eq!(toast(&stage), "Not attached: gone.png is not there.");
    assert_eq!((draft(&stage).as_str(), &stage.state.composer.looks), ("", &Default::default()));
}

#[test]
fn one_message_has_no_more_pictures_than_a_model_is_shown_at_once() {
    let mut stage = resting();
    let paths: Vec<_> = (1..=9).map(|at| format!("/tmp/{at}.png")).collect();
    paste(&mut stage, &paths.join(" "));
    for wanted in wanted(&mut stage) {
        let name = wanted.named.path.file_name().unwrap().to_str().unwrap().to_owned();
        came(&mut stage, wanted, Ok(attached(&name)));
    }
    assert_eq!(stage.state.composer.draft.pictures(), 8);
    assert!(draft(&stage).ends_with("[picture 8.png 2x1] /tmp/9.png"), "{}", draft(&stage));
    assert_eq!(toast(&stage), "At most 8 pictures go with one message.");
}

#[test]
fn python_by_hand_has_an_at_of_its_own() {
    let mut stage = resting();
    stage.types("!a @b.png");
    stage.key("enter");
    assert_eq!(wanted(&mut stage), []);
}

#[test]
fn a_command_attaches_a_file_to_what_is_written_next() {
    let mut stage = resting();
    stage.types("/attach shots/a.png");
    stage.key("enter");
    let wanted = wanted(&mut stage).remove(0);
    assert_eq!(wanted.named.path.to_str(), Some("shots/a.png"));
    stage.types("see ");
    came(&mut stage, wanted, Ok(attached("a.png")));
    assert_eq!(draft(&stage), "see [picture a.png 2x1]");
    stage.key("backspace");
    stage.key("enter");
    assert_eq!(said(&mut stage), [("see ".to_owned(), vec![])]);
    stage.types("/attach");
    stage.key("enter");
    assert!(toast(&stage).contains("/attach takes a picture file"), "{}", toast(&stage));
}

#[test]
fn words_that_wait_come_back_with_their_pictures() {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.wait(1_000);
    stage.types("/attach a.png");
    stage.key("enter");
    let wanted = wanted(&mut stage).remove(0);
    came(&mut stage, wanted, Ok(attached("a.png")));
    stage.key("enter");
    let words = ("[picture a.png 2x1]".to_owned(), vec!["a.png".to_owned()]);
    assert_eq!(said(&mut stage), std::slice::from_ref(&words));
    stage.key("up");
    assert_eq!(draft(&stage), words.0);
    stage.effects.clear();
    stage.key("enter");
    assert_eq!(said(&mut stage), [words]);
}
