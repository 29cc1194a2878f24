use std::sync::Arc;

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    agent::{
        Cause, Project,
        testing::{Rig, call, finished, text},
        turn::exchange,
    },
    kernel::{
        event::Outcome,
        port::{ModelError, Refused},
        session::Session,
    },
};

async fn say(rig: &Rig, words: &str) -> Outcome {
    exchange(&rig.live, Cause::Words(words.into()), &Vec::new, &CancellationToken::new()).await
}

fn too_long() -> Result<Delta, ModelError> {
    Err(ModelError {
        message: "prompt is too long\nsend less".to_owned(),
        refused: Refused::TooLong,
    })
}

/// A session in which much was said and done.
async fn long() -> Rig {
    let rig = Rig::new();
    for number in 0..8 {
        let note = format!(r#"{{"text":"{}"}}"#, "x".repeat(9_000));
        rig.model.answers(vec![text("I look."), call("note", &note), finished(Stop::Calls)]);
        rig.model.answers(vec![text(&format!("Found {number}.")), finished(Stop::End)]);
        assert_eq!(say(&rig, &format!("question {number}")).await, Outcome::Done);
    }
    rig
}

fn texts(messages: &[Message]) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::User { text, .. } => {
            format!("person: {}", text.lines().next_back().unwrap_or_default())
        }
        Message::Agent(text) => format!("agent: {}", text.lines().next_back().unwrap_or_default()),
        Message::Assistant { text, calls, .. } => format!("model: {text} {}", calls.len()),
        Message::Results(results) => format!("results: {}", results.len()),
    };
    messages.iter().map(text).collect()
}

#[tokio::test]
async fn a_request_that_was_too_long_is_made_again_with_a_summary_for_the_older_part() {
    let rig = long().await;
    rig.model.takes(12_000);
    rig.model.answers(vec![text("Notes."), finished(Stop::End)]);
    rig.model.answers(vec![text("Good."), finished(Stop::End)]);
    assert_eq!(say(&rig, "and now").await, Outcome::Done);
    let requests = rig.model.requests();
    let [.., asked, went_on] = requests.as_slice() else { panic!("two requests at least") };
    assert_eq!(asked.purpose, Purpose::Summary);
    assert!(asked.tools.is_empty());
    let [Message::User { text: older, .. }] = asked.messages.as_slice() else { panic!("one text") };
    assert!(older.contains("# The person\nquestion 0\n") && older.contains("You called note with"));
    assert!(older.len() <= 12_000 / 2 * TOKEN + 100, "{}", older.len());
    assert_eq!(went_on.purpose, Purpose::Turn);
    let told = texts(&went_on.messages);
    assert_eq!(told.first().unwrap(), "person: Notes.");
    assert_eq!(told.last().unwrap(), "person: and now");
    assert!(told.len() < 8, "{told:?}");
    assert!(!told[1].starts_with("results"), "{told:?}");
}

#[tokio::test]
async fn what_the_provider_refuses_for_its_length_is_sent_once_more_and_not_for_ever() {
    let rig = long().await;
    rig.model.answers(vec![too_long()]);
    rig.model.answers(vec![text("Notes."), finished(Stop::End)]);
    rig.model.answers(vec![text("Good."), finished(Stop::End)]);
    rig.model.takes(40_000);
    assert_eq!(say(&rig, "and now").await, Outcome::Done);

    let before = rig.model.requests().len();
    for _ in 0..50 {
        rig.model.answers(vec![too_long()]);
        rig.model.answers(vec![text("Notes."), finished(Stop::End)]);
    }
    let outcome = say(&rig, "again").await;
    let Outcome::Limit { message } = outcome else { panic!("{outcome:?}") };
    assert!(message.starts_with("The conversation is longer than the model takes"), "{message}");
    let largest = message.lines().next().unwrap().split_once(" The largest part: ");
    assert!(largest.is_some_and(|(_, what)| what.ends_with(" KB.")), "{message}");
    assert!(rig.model.requests().len() - before <= 3);
}

#[tokio::test]
async fn where_nothing_older_is_it_is_said_what_is_big() {
    let rig = Rig::new();
    rig.model.answers(vec![too_long()]);
    let outcome = say(&rig, &"long ".repeat(9_000)).await;
    let Outcome::Limit { message } = outcome else { panic!("{outcome:?}") };
    assert_eq!(
        message,
        "The conversation is longer than the model takes, and there is nothing older to sum up. The \
         largest part: a message that was said, 45 KB.\n\
         Send less at once, or begin a new session; the journal keeps this one."
    );
    assert_eq!(rig.model.requests().len(), 1);
}

#[tokio::test]
async fn a_refusal_for_length_after_the_summary_is_a_limit_and_no_failure() {
    // One that is near its end is summed up before it is asked, and may still be refused.
    for summary in ["Notes.", " "] {
        let rig = long().await;
        rig.model.takes(12_000);
        rig.model.answers(vec![text(summary), finished(Stop::End)]);
        rig.model.answers(vec![too_long()]);
        let outcome = say(&rig, "and now").await;
        let Outcome::Limit { message } = outcome else { panic!("{outcome:?}") };
        assert!(message.contains("begin a new session"), "{message}");
    }
}

#[tokio::test]
async fn a_summary_that_does_not_come_leaves_the_conversation_as_it_was() {
    let rig = long().await;
    let before = rig.live.session().messages();
    let tries = [
        vec![too_long(), text("never")],
        vec![text(" \n "), finished(Stop::End)],
        vec![text("half"), finished(Stop::Failed { message: "broke\nagain".to_owned() })],
    ];
    for answer in tries {
        rig.model.answers(vec![too_long()]);
        rig.model.answers(answer);
        let outcome = say(&rig, "go on").await;
        assert!(matches!(&outcome, Outcome::Limit { message } if message.contains("no summary")));
    }
    assert_eq!(rig.live.session().messages()[..before.len()], before);
}

#[tokio::test]
async fn one_message_that_is_too_long_is_not_summed_up() {
    let rig = Rig::new();
    rig.model.answers(vec![too_long()]);
    let outcome = say(&rig, &"long ".repeat(100_000)).await;
    assert!(matches!(&outcome, Outcome::Limit { message } if message.contains("nothing older")));
    assert_eq!(rig.model.requests().len(), 1);
}

#[tokio::test]
async fn a_stop_while_the_summary_is_written_stops_and_loses_nothing() {
    let rig = long().await;
    let before = rig.live.session().messages();
    rig.model.answers(vec![too_long()]);
    let hand = rig.model.answers_by_hand();
    let cancel = CancellationToken::new();
    let stop = async {
        hand.send(text("half of it")).await.unwrap();
        cancel.cancel();
    };
    let (outcome, ()) =
        tokio::join!(exchange(&rig.live, Cause::Words("go on".into()), &Vec::new, &cancel), stop);
    assert_eq!(outcome, Outcome::Stopped);
    assert_eq!(rig.live.session().messages()[..before.len()], before);
}

#[tokio::test]
async fn the_persons_last_words_are_kept_as_they_were_however_often_it_is_summed_up() {
    let rig = Rig::new();
    rig.model.takes(4_000);
    for number in 0..4 {
        let note = format!(r#"{{"text":"{}"}}"#, "x".repeat(12_000));
        rig.model.answers(vec![call("note", &note), finished(Stop::Calls)]);
        if number > 0 {
            rig.model.answers(vec![text("Notes."), finished(Stop::End)]);
        }
    }
    say(&rig, "never touch main").await;
    let summaries = rig.story().iter().filter(|one| one.starts_with("context_compacted")).count();
    assert!(summaries >= 2, "{:?}", rig.story());
    let messages = rig.live.session().messages();
    let Message::User { text: first, .. } = &messages[0] else { panic!("a summary") };
    assert!(first.ends_with("word for word:]\n\nnever touch main"), "{first}");
    assert_eq!(first.matches("never touch main").count(), 1);
}

#[tokio::test]
async fn what_the_project_says_is_read_again() {
    let mut rig = long().await;
    let texts = std::sync::Mutex::new(vec!["use spaces", "use tabs"]);
    let read = move || texts.lock().unwrap().pop().map(str::to_owned);
    rig.live.project = Arc::new(Project::new(read));
    rig.model.answers(vec![too_long()]);
    rig.model.answers(vec![text("Notes."), finished(Stop::End)]);
    assert_eq!(say(&rig, "go on").await, Outcome::Done);
    let requests = rig.model.requests();
    let of = |at: usize| requests[requests.len() - at].system.clone();
    assert!(of(3).contains("use tabs") && of(1).contains("use spaces"));
}

#[tokio::test]
async fn what_is_replayed_from_the_journal_is_the_conversation_that_went_on() {
    let rig = long().await;
    rig.model.answers(vec![too_long()]);
    rig.model.answers(vec![text("Notes."), finished(Stop::End)]);
    rig.model.answers(vec![text("Good."), finished(Stop::End)]);
    assert_eq!(say(&rig, "go on").await, Outcome::Done);
    let mut again = Session::new(rig.live.session().spec.clone());
    for (seq, event) in (1..).zip(rig.journal.events()) {
        again.apply(seq, &event);
    }
    assert_eq!(again, *rig.live.session());
}
