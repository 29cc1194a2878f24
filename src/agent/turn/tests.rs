use std::sync::{Arc, Mutex, atomic::Ordering};

use pretty_assertions::assert_eq;
use tokio::{task::yield_now, time::advance};

use super::*;
use crate::{
    agent::{
        Gallery,
        testing::{Rig, call, finished, text},
    },
    kernel::{
        gate::approval::{Answer, Then},
        message::{Delay, Message},
        picture::PictureId,
        port::{ModelError, Pictures, Refused},
        session::Session,
    },
};

async fn say(rig: &Rig, words: &str) -> Outcome {
    exchange(&rig.live, Cause::Words(words.into()), &Vec::new, &CancellationToken::new()).await
}

fn go() -> Cause {
    Cause::Words("go".into())
}

/// Lets other tasks run until `seen` holds.
async fn until(mut seen: impl FnMut() -> bool) {
    while !seen() {
        yield_now().await;
    }
}

fn results(rig: &Rig) -> Vec<(CallId, String)> {
    let finished = |event| {
        let Event::CallFinished { call, result, .. } = event else { return None };
        Some((call, result.text()))
    };
    rig.journal.events().into_iter().filter_map(finished).collect()
}

#[tokio::test]
async fn an_exchange_goes_on_until_the_model_calls_nothing_more() {
    let rig = Rig::new();
    rig.model.answers(vec![
        text("I look. "),
        call("note", r#"{"text":"a"}"#),
        call("note", r#"{"text":"b"}"#),
        finished(Stop::Calls),
    ]);
    rig.model.answers(vec![text("Done."), finished(Stop::End)]);
    assert_eq!(say(&rig, "go").await, Outcome::Done);
    assert_eq!(
        rig.story(),
        [
            "message_sent go",
            "turn_started",
            "text_streamed I look.",
            "turn_finished calls note,note",
            "call_started note",
            "call_finished note ok",
            "call_started note",
            "call_finished note ok",
            "turn_started",
            "text_streamed Done.",
            "turn_finished end",
            "exchange_finished done",
        ]
    );
    let requests = rig.model.requests();
    assert_eq!(requests.iter().map(|request| request.turn).collect::<Vec<_>>(), [0, 1]);
    let Some(Message::Results(given)) = requests[1].messages.last() else { panic!("no results") };
    assert_eq!(given.iter().map(|one| one.result.text()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(rig.live.session().usage, Usage { input: 20, output: 10, ..Usage::default() });
}

#[tokio::test]
async fn a_call_that_makes_no_sense_comes_back_as_a_result() {
    let rig = Rig::new();
    rig.model.answers(vec![
        call("nonesuch", "{}"),
        call("note", "{half"),
        call("note", "[1]"),
        call("note", r#"{"text":5}"#),
        finished(Stop::Calls),
    ]);
    assert_eq!(say(&rig, "go").await, Outcome::Done);
    let texts: Vec<_> = rig.story().into_iter().filter(|one| one.contains("finished n")).collect();
    assert_eq!(
        texts,
        [
            "call_finished nonesuch unknown_tool",
            "call_finished note invalid_input",
            "call_finished note invalid_input",
            "call_finished note invalid_input",
        ]
    );
    assert_eq!(rig.model.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn many_small_pieces_are_few_events_and_the_same_text() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let cancel = CancellationToken::new();
    let speak = async {
        for number in 0..300 {
            hand.send(text(&format!("{number} "))).await.unwrap();
            advance(Duration::from_millis(1)).await;
        }
        hand.send(finished(Stop::End)).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(exchange(&rig.live, go(), &Vec::new, &cancel), speak);
    assert_eq!(outcome, Outcome::Done);
    let pieces: Vec<_> = rig
        .journal
        .events()
        .into_iter()
        .filter_map(|event| {
            let Event::TextStreamed { text } = event else { return None };
            Some(text)
        })
        .collect();
    assert!((2..=12).contains(&pieces.len()), "{}", pieces.len());
    let whole: String = (0..300).map(|number| format!("{number} ")).collect();
    assert_eq!(pieces.concat(), whole);
}

#[tokio::test(start_paused = true)]
async fn text_is_recorded_while_the_model_pauses() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let cancel = CancellationToken::new();
    let watch = async {
        hand.send(text("one ")).await.unwrap();
        hand.send(text("two")).await.unwrap();
        until(|| hand.capacity() == 1).await;
        advance(PIECE).await;
        until(|| rig.story().contains(&"text_streamed two".to_owned())).await;
        hand.send(finished(Stop::End)).await.unwrap();
    };
    tokio::join!(exchange(&rig.live, go(), &Vec::new, &cancel), watch);
}

#[tokio::test]
async fn a_provider_that_fails_ends_the_exchange_and_is_not_asked_again() {
    let failure =
        || ModelError { message: "no luck\ntry later".to_owned(), refused: Refused::Otherwise };
    for answer in [
        vec![Err(failure())],
        vec![finished(Stop::Failed { message: "no luck\ntry later".to_owned() })],
        vec![text("half"), call("note", "{}"), Err(failure())],
    ] {
        let rig = Rig::new();
        rig.model.answers(answer);
        let outcome = say(&rig, "go").await;
        assert_eq!(outcome, Outcome::Failed { message: "no luck\ntry later".to_owned() });
        assert_eq!(rig.model.requests().len(), 1);
        assert_eq!(results(&rig), []);
    }
}

#[tokio::test]
async fn a_wait_for_the_provider_is_recorded_when_it_begins() {
    let rig = Rig::new();
    let delay = Delay { why: "529 overloaded".to_owned(), wait_ms: 1_000, next: 2, of: 3 };
    let answer = vec![Ok(Delta::Delayed(delay.clone())), text("fine"), finished(Stop::End)];
    rig.model.answers(answer);
    assert_eq!(say(&rig, "go").await, Outcome::Done);
    let told = rig.journal.events().into_iter();
    let told: Vec<_> = told.filter(|event| matches!(event, Event::AnswerDelayed(_))).collect();
    assert_eq!(told, [Event::AnswerDelayed(delay)]);
}

#[tokio::test]
async fn a_stream_that_just_ends_is_a_failure() {
    let rig = Rig::new();
    rig.model.answers(vec![text("half"), call("note", r#"{"text":"a"}"#)]);
    assert!(matches!(say(&rig, "go").await, Outcome::Failed { .. }));
    assert_eq!(results(&rig), []);
}

#[tokio::test]
async fn at_the_models_limit_of_length_no_call_is_made() {
    let rig = Rig::new();
    rig.model.answers(vec![call("note", r#"{"text":"a"}"#), finished(Stop::Length)]);
    assert!(matches!(say(&rig, "go").await, Outcome::Limit { .. }));
    assert_eq!(results(&rig), []);
    assert_eq!(rig.model.requests().len(), 1);
}

#[tokio::test]
async fn an_exchange_ends_at_the_limit_of_turns() {
    let rig = Rig::new();
    for _ in 0..9 {
        rig.model.answers(vec![call("note", r#"{"text":"a"}"#), finished(Stop::Calls)]);
    }
    let Outcome::Limit { message } = say(&rig, "go").await else { panic!("no limit") };
    assert!(message.starts_with("The limit of 5 model requests"), "{message}");
    assert_eq!(rig.model.requests().len(), 5);
    // The limit is one message's: the next one has its own.
    say(&rig, "on").await;
    assert!(rig.model.requests().len() > 5);
}

#[tokio::test]
async fn a_stop_while_the_model_writes_keeps_the_text_and_hangs_up() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let cancel = CancellationToken::new();
    let stop = async {
        hand.send(text("half")).await.unwrap();
        until(|| rig.story().contains(&"text_streamed half".to_owned())).await;
        cancel.cancel();
        hand.closed().await;
    };
    let (outcome, ()) = tokio::join!(exchange(&rig.live, go(), &Vec::new, &cancel), stop);
    assert_eq!(outcome, Outcome::Stopped);
    assert_eq!(
        rig.story()[2..],
        ["text_streamed half", "turn_finished interrupted", "exchange_finished stopped"]
    );
}

#[tokio::test]
async fn a_stop_during_a_call_ends_it_and_gives_every_call_one_result() {
    let rig = Rig::new();
    rig.model.answers(vec![
        call("wait", "{}"),
        call("note", r#"{"text":"never"}"#),
        call("wait", "{}"),
        finished(Stop::Calls),
    ]);
    let cancel = CancellationToken::new();
    let stop = async {
        until(|| rig.story().contains(&"call_started wait".to_owned())).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(exchange(&rig.live, go(), &Vec::new, &cancel), stop);
    assert_eq!(outcome, Outcome::Stopped);
    assert_eq!(
        rig.story()[3..],
        [
            "call_started wait",
            "call_finished wait interrupted",
            "call_finished note interrupted",
            "call_finished wait interrupted",
            "exchange_finished stopped",
        ]
    );
    let mut ids: Vec<_> = results(&rig).into_iter().map(|(id, _)| id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_listen_is_cut_off_after_a_while() {
    let rig = Rig::new();
    rig.model.answers(vec![call("stuck", "{}"), finished(Stop::Calls)]);
    let cancel = CancellationToken::new();
    let stop = async {
        until(|| rig.story().contains(&"call_started stuck".to_owned())).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(exchange(&rig.live, go(), &Vec::new, &cancel), stop);
    assert_eq!(outcome, Outcome::Stopped);
    assert!(rig.story().contains(&"call_finished stuck interrupted".to_owned()));
}

#[tokio::test]
async fn no_and_stop_ends_the_exchange_and_a_plain_no_does_not() {
    for (then, expected, requests) in
        [(Then::StopTurn, Outcome::Stopped, 1), (Then::GoOn, Outcome::Done, 2)]
    {
        let rig = Rig::new();
        rig.model.answers(vec![call("write", "{}"), finished(Stop::Calls)]);
        let cancel = CancellationToken::new();
        let answer = async {
            until(|| !rig.live.session().questions.is_empty()).await;
            let question = *rig.live.session().questions.keys().next().unwrap();
            rig.waiting.answer(question, Answer::Deny { because: None, then }).unwrap();
        };
        let (outcome, ()) = tokio::join!(exchange(&rig.live, go(), &Vec::new, &cancel), answer);
        assert_eq!(outcome, expected);
        assert_eq!(rig.model.requests().len(), requests);
        assert!(rig.story().contains(&"call_finished write permission_denied".to_owned()));
    }
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_done() {
    // The message, the start of the turn, the text, its end.
    for (full_at, requests) in [(1, 0), (2, 0), (3, 1), (4, 1)] {
        let rig = Rig::new();
        rig.model.answers(vec![text("x"), call("note", r#"{"text":"a"}"#), finished(Stop::Calls)]);
        rig.journal.full_at.store(full_at, Ordering::SeqCst);
        let Outcome::Failed { message } = say(&rig, "go").await else { panic!("went on") };
        assert!(message.starts_with("cannot write journal: disk full\n"), "{message}");
        assert_eq!(rig.model.requests().len(), requests, "full at {full_at}");
        assert_eq!(results(&rig), []);
    }
}

#[tokio::test]
async fn the_journal_tells_the_whole_session() {
    let rig = Rig::new();
    rig.model.answers(vec![
        text("a"),
        call("note", r#"{"text":"b"}"#),
        call("nonesuch", ""),
        finished(Stop::Calls),
    ]);
    rig.model.answers(vec![text("c"), finished(Stop::End)]);
    say(&rig, "go").await;
    let mut told = Session::new(crate::agent::testing::spec());
    for (seq, event) in (1..).zip(rig.journal.events()) {
        told.apply(seq, &event);
    }
    assert_eq!(told, *rig.live.session());
}

/// Keeps pictures, as long as it is told to.
struct Shelf(Kept, Mutex<Vec<Vec<u8>>>);

impl Pictures for Shelf {
    fn keep(&self, bytes: &[u8]) -> Result<Kept, StoreError> {
        self.1.lock().unwrap().push(bytes.to_vec());
        Ok(self.0)
    }

    fn bytes(&self, picture: PictureId) -> Result<Option<Vec<u8>>, StoreError> {
        let kept = self.1.lock().unwrap();
        Ok(kept.iter().find(|bytes| PictureId::of(bytes) == picture).cloned())
    }
}

fn shown() -> Words {
    let mut png = std::io::Cursor::new(Vec::new());
    let pixels = image::DynamicImage::ImageRgb8(image::RgbImage::new(3, 2));
    pixels.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let picture = Enclosed::of(png.into_inner(), "a.png").unwrap();
    Words { text: "see [picture a.png 3x2]".into(), pictures: vec![picture] }
}

#[tokio::test]
async fn a_picture_that_was_shown_is_kept_first_and_reaches_the_model_also_after_a_replay() {
    let mut rig = Rig::new();
    let shelf = Arc::new(Shelf(Kept::Whole, Mutex::default()));
    rig.live.gallery = Gallery::new(shelf.clone());
    let words = shown();
    let picture = words.pictures[0].picture.clone();
    let said = Cause::Words(words);
    exchange(&rig.live, said, &Vec::new, &CancellationToken::new()).await;
    let first = &rig.journal.events()[0];
    let Event::MessageSent { pictures, .. } = first else { panic!("{first:?}") };
    assert_eq!(*pictures, std::slice::from_ref(&picture));
    let request = &rig.model.requests()[0];
    assert_eq!(request.pictures.keys().collect::<Vec<_>>(), [&picture.id]);

    let mut replayed = Session::new(rig.live.session().spec.clone());
    for (at, event) in rig.journal.events().iter().enumerate() {
        replayed.apply(at as u64, event);
    }
    let Some(Message::User { pictures, .. }) = replayed.messages().into_iter().next() else {
        panic!("no words")
    };
    assert_eq!(pictures, [picture]);
}

#[tokio::test]
async fn words_about_a_picture_that_cannot_be_kept_are_recorded_and_nobody_is_asked() {
    let mut rig = Rig::new();
    rig.live.gallery = Gallery::new(Arc::new(Shelf(Kept::Full, Mutex::default())));
    let said = Cause::Words(shown());
    let outcome = exchange(&rig.live, said, &Vec::new, &CancellationToken::new()).await;
    let Outcome::Limit { message } = outcome else { panic!("{outcome:?}") };
    assert!(message.starts_with("a.png 3x2 was not kept: this session keeps 256 MB"), "{message}");
    assert_eq!(rig.journal.events()[0], Event::said("see [picture a.png 3x2]"));
    assert!(rig.model.requests().is_empty());
}
