use std::future::Future;

use pretty_assertions::assert_eq;
use tokio::time::advance;

use super::*;

fn tokens(tokens: u64) -> Ceiling {
    Ceiling { tokens: Some(tokens), ..Ceiling::default() }
}

fn usage(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

/// What a future gives if it need not wait.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut cx) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}

async fn spend(share: &Allowance, used: Usage) -> Result<(), Exhausted> {
    share.reserve(Usage::default()).await?.spend(used);
    Ok(())
}

#[tokio::test]
async fn a_request_that_would_begin_over_the_limit_is_not_made() {
    let all = Allowance::new(tokens(100), Usage::default());
    for _ in 0..4 {
        spend(&all, usage(20, 10)).await.unwrap();
    }
    let refused = all.reserve(Usage::default()).await.unwrap_err();
    assert_eq!(refused, Exhausted::Tokens { limit: 100, used: 120 });
}

#[tokio::test]
async fn requests_side_by_side_are_not_all_the_last_one() {
    let all = Allowance::new(tokens(100), Usage::default());
    spend(&all, usage(25, 5)).await.unwrap();
    let one = now(all.reserve(usage(1, 1))).expect("there is room").unwrap();
    let two = now(all.reserve(usage(1, 1))).expect("there is room").unwrap();
    let three = now(all.reserve(usage(1, 1))).expect("there is room").unwrap();
    assert!(now(all.reserve(usage(1, 1))).is_none(), "all is set aside");
    let mut waiting = Box::pin(all.reserve(usage(1, 1)));
    assert!(now(waiting.as_mut()).is_none());
    // One used less than was thought.
    one.spend(usage(1, 0));
    let four = waiting.await.unwrap();
    two.spend(usage(25, 5));
    three.spend(usage(25, 5));
    drop(four);
    spend(&all, usage(25, 5)).await.unwrap();
    assert!(spend(&all, usage(25, 5)).await.is_err());
    assert_eq!(all.used().tokens(), 121);
}

#[tokio::test]
async fn what_was_set_aside_is_free_when_nothing_came_of_it() {
    let all = Allowance::new(tokens(10), Usage::default());
    let one = all.reserve(usage(10, 0)).await.unwrap();
    assert!(now(all.reserve(usage(1, 0))).is_none());
    drop(one);
    assert!(now(all.reserve(usage(1, 0))).is_some());
}

#[tokio::test]
async fn an_agent_s_own_limit_binds_it_and_the_tree_s_binds_all() {
    let all = Allowance::new(tokens(100), Usage::default());
    let (one, two) = (all.below(tokens(30)), all.below(tokens(100)));
    spend(&one, usage(40, 0)).await.unwrap();
    assert_eq!(spend(&one, usage(1, 0)).await, Err(Exhausted::Tokens { limit: 30, used: 40 }));
    let three = one.below(tokens(90));
    assert_eq!(spend(&three, usage(1, 0)).await, Err(Exhausted::Tokens { limit: 30, used: 40 }));
    spend(&two, usage(60, 0)).await.unwrap();
    for share in [&all, &one, &two, &three] {
        let refused = spend(share, usage(1, 0)).await;
        assert_eq!(refused, Err(Exhausted::Tokens { limit: 100, used: 100 }));
    }
}

#[tokio::test]
async fn money_is_a_limit_as_well_and_what_was_used_before_counts() {
    let money = |amount: f64| Money::try_from(amount).unwrap();
    let ceiling = Ceiling { cost: Some(money(1.0)), ..Ceiling::default() };
    let before = Usage { cost: money(0.7), ..usage(1, 1) };
    let all = Allowance::new(ceiling, before);
    spend(&all, Usage { cost: money(0.31), ..usage(1, 1) }).await.unwrap();
    let refused = spend(&all, usage(1, 1)).await.unwrap_err();
    assert_eq!(refused, Exhausted::Cost { limit: money(1.0), used: money(1.01) });
    assert!(refused.to_string().starts_with("The limit of $1.00 for"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn only_work_counts_as_time_and_side_by_side_it_counts_once() {
    let minute = Duration::from_secs(60);
    let all = Allowance::new(Ceiling { minutes: Some(2), ..Ceiling::default() }, Usage::default());
    let one = all.work();
    advance(minute / 2).await;
    let two = all.below(Ceiling { minutes: Some(1), ..Ceiling::default() });
    let work = two.work();
    drop(one);
    advance(minute / 2).await;
    drop(work);
    advance(5 * minute).await;
    assert!(all.reserve(Usage::default()).await.is_ok());
    let _work = two.work();
    advance(minute / 2).await;
    assert_eq!(two.reserve(usage(1, 1)).await.unwrap_err(), Exhausted::Minutes { limit: 1 });
    assert!(all.reserve(Usage::default()).await.is_ok());
    advance(minute / 2).await;
    assert_eq!(all.reserve(usage(1, 1)).await.unwrap_err(), Exhausted::Minutes { limit: 2 });
}

#[tokio::test]
async fn without_a_limit_nothing_waits() {
    let all = Allowance::new(Ceiling::default(), Usage::default());
    assert!(!all.is_bound());
    let many: Vec<_> = (0..50).map(|_| now(all.reserve(usage(u64::MAX / 100, 1)))).collect();
    assert!(many.iter().all(Option::is_some));
    assert!(all.below(tokens(1)).is_bound());
}

#[test]
fn the_stricter_of_two_ceilings_is_the_smaller_of_each() {
    let one = Ceiling { tokens: Some(5), minutes: Some(9), ..Ceiling::default() };
    let other = Ceiling { tokens: Some(7), minutes: Some(3), ..Ceiling::default() };
    assert_eq!(one.min(other), Ceiling { tokens: Some(5), minutes: Some(3), cost: None });
}
