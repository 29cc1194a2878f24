use pretty_assertions::assert_eq;
use tokio::task::yield_now;

use super::*;
use crate::{
    agent::{
        spawn,
        testing::{Rig, finished, text},
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
