use pretty_assertions::assert_eq;
use tokio::task::yield_now;

use super::*;
use crate::{
    agent::{
        spawn,
        testing::{Rig, call, finished, text},
    },
    kernel::event::Stop,
};

async fn until(mut seen: impl FnMut() -> bool) {
    while !seen() {
        yield_now().await;
    }
}

#[tokio::test]
async fn what_is_said_meanwhile_comes_next() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let handle = spawn(rig.live.clone());
    assert_eq!(handle.idle().await, None);
    handle.send("one").unwrap();
    handle.send("two").unwrap();
    assert!(handle.is_busy());
    until(|| rig.model.requests().len() == 1).await;
    hand.send(finished(Stop::End)).await.unwrap();
    assert_eq!(handle.idle().await, Some(Outcome::Done));
    assert!(!handle.is_busy());
    let said: Vec<_> = rig.story().into_iter().filter(|one| !one.starts_with("turn")).collect();
    assert_eq!(
        said,
        [
            "message_sent one",
            "exchange_finished done",
            "message_sent two",
            "exchange_finished done"
        ]
    );
    assert_eq!(handle.shutdown().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_interrupt_reaches_the_exchange_that_goes_on_and_no_other() {
    let rig = Rig::new();
    let _hand = rig.model.answers_by_hand();
    let handle = spawn(rig.live.clone());
    handle.interrupt();
    handle.send("one").unwrap();
    until(|| rig.model.requests().len() == 1).await;
    handle.send("two").unwrap();
    handle.interrupt();
    assert_eq!(handle.idle().await, Some(Outcome::Done));
    let ends: Vec<_> = rig.story().into_iter().filter(|one| one.starts_with("exchange")).collect();
    assert_eq!(ends, ["exchange_finished stopped", "exchange_finished done"]);
}

#[tokio::test]
async fn an_interrupt_before_the_task_has_begun_asks_nobody() {
    let rig = Rig::new();
    let handle = spawn(rig.live.clone());
    handle.send("one").unwrap();
    handle.interrupt();
    assert_eq!(handle.idle().await, Some(Outcome::Stopped));
    assert_eq!(rig.model.requests().len(), 0);
}

#[tokio::test]
async fn a_shutdown_ends_everything_and_gives_back_what_was_not_begun() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let handle = spawn(rig.live.clone());
    handle.send("one").unwrap();
    until(|| rig.model.requests().len() == 1).await;
    hand.send(text("half")).await.unwrap();
    handle.send("two").unwrap();
    assert_eq!(handle.shutdown().await, ["two"]);
    assert_eq!(rig.story().last().unwrap(), "exchange_finished stopped");
    assert_eq!(handle.send("three"), Err(Ended));
    assert_eq!(handle.idle().await, Some(Outcome::Stopped));
    assert!(hand.is_closed());
}

#[tokio::test]
async fn a_handle_that_is_dropped_stops_its_task() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let handle = spawn(rig.live.clone());
    handle.send("one").unwrap();
    until(|| rig.model.requests().len() == 1).await;
    drop(handle);
    hand.closed().await;
}

#[tokio::test]
async fn what_is_said_for_the_next_step_comes_before_the_next_request_and_after_the_calls() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    rig.model.answers(vec![text("I see."), finished(Stop::End)]);
    let handle = spawn(rig.live.clone());
    handle.send("one").unwrap();
    until(|| rig.model.requests().len() == 1).await;
    handle.send("after it").unwrap();
    handle.steer("use four").unwrap();
    handle.steer("not eight").unwrap();
    hand.send(call("echo", "{}")).await.unwrap();
    hand.send(finished(Stop::Calls)).await.unwrap();
    assert_eq!(handle.idle().await, Some(Outcome::Done));
    let story = rig.story();
    let at = |what: &str| story.iter().position(|line| line == what).unwrap();
    let called = story.iter().position(|line| line.starts_with("call_finished echo")).unwrap();
    let steps = [at("message_sent one"), called, at("message_sent use four")];
    assert!(steps.is_sorted() && at("message_sent not eight") == steps[2] + 1, "{story:?}");
    assert!(story[steps[2] + 2].starts_with("turn_started"), "{story:?}");
    assert!(at("exchange_finished done") < at("message_sent after it"), "{story:?}");
}

#[tokio::test]
async fn a_step_is_made_for_what_was_said_when_the_model_had_no_more_to_do() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let handle = spawn(rig.live.clone());
    handle.send("one").unwrap();
    until(|| rig.model.requests().len() == 1).await;
    handle.steer("and two").unwrap();
    hand.send(finished(Stop::End)).await.unwrap();
    assert_eq!(handle.idle().await, Some(Outcome::Done));
    let ends = rig.story().into_iter().filter(|line| line.starts_with("exchange_finished"));
    assert_eq!((ends.count(), rig.model.requests().len()), (1, 2));
    handle.steer("three").unwrap();
    assert_eq!(handle.idle().await, Some(Outcome::Done));
    assert_eq!(rig.model.requests().len(), 3, "where nothing goes on, it is said at once");
}

#[tokio::test]
async fn what_waits_can_be_taken_back_and_what_was_said_cannot() {
    let rig = Rig::new();
    let hand = rig.model.answers_by_hand();
    let handle = spawn(rig.live.clone());
    handle.send("one").unwrap();
    until(|| rig.model.requests().len() == 1).await;
    handle.send("two").unwrap();
    handle.steer("three").unwrap();
    assert!(handle.take_back("three") && handle.take_back("two"));
    assert!(!handle.take_back("one") && !handle.take_back("two"));
    hand.send(finished(Stop::End)).await.unwrap();
    assert_eq!(handle.idle().await, Some(Outcome::Done));
    assert_eq!(rig.model.requests().len(), 1);
}
