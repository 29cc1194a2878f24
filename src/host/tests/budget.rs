//! One budget for a tree of agents.

use std::time::Duration;

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::{
        allowance::Ceiling,
        error::ErrorCode,
        gate::monitor::Lookout,
        message::Usage,
        money::{Money, Price, Prices},
        port::{Heard, Judged, Monitor, Opinion},
        provider::{Api, Provider, Sees, Think},
        spec::Limits,
    },
    model::Models,
};

/// What each request uses in these scripts.
const REQUEST: u64 = 150;

fn used(turn: Value) -> Value {
    let mut turn = turn;
    turn["usage"] = json!({ "input": 100, "output": 50 });
    turn
}

/// Turns without an end.
fn works() -> Vec<Value> {
    vec![used(calls(json!([["agents.wait", {}]]))); 90]
}

/// A root, three agents and three below each of them, all of which would go on for long.
fn three_levels() -> Rig {
    let starts = |names: &[String]| {
        let starts: Vec<_> = names.iter().map(|name| start(name)).collect();
        let mut turns = vec![used(calls(json!(starts)))];
        turns.extend(works());
        turns
    };
    let mut agents = serde_json::Map::new();
    let tops = ["a", "b", "c"].map(str::to_owned);
    for top in &tops {
        let below: Vec<_> = (0..3).map(|at| format!("{top}{at}")).collect();
        agents.insert(top.clone(), json!(starts(&below)));
        agents.extend(below.into_iter().map(|name| (name, json!(works()))));
    }
    Rig::new(json!(starts(&tops)), agents.into())
}

fn limited(rig: &Rig, ceiling: Ceiling) -> SessionSpec {
    let limits = Limits { ceiling, ..Limits::default() };
    SessionSpec { limits, ..rig.spec(Mode::Default) }
}

fn tokens(tokens: u64) -> Ceiling {
    Ceiling { tokens: Some(tokens), ..Ceiling::default() }
}

fn all_tokens(rig: &Rig) -> u64 {
    let specs = rig.store.list().unwrap().into_iter().map(|session| session.spec.id);
    let events = specs.flat_map(|id| rig.journal(id));
    let used = events.filter_map(|event| match event {
        Event::TurnFinished { usage, .. } | Event::CallJudged { usage, .. } => Some(usage.tokens()),
        _ => None,
    });
    used.sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_tree_of_three_levels_stops_within_one_request_of_its_tokens() {
    let limit = 20 * REQUEST + 1;
    let rig = three_levels();
    let root = rig.go_with(limited(&rig, tokens(limit)));
    let Some(Outcome::Limit { message }) = rig.host.quiet(root).await else { panic!("no limit") };
    assert_eq!(
        message,
        "The limit of 3001 tokens for this session and its agents together is reached: 3150 are \
         used.\nBegin again with more: --max-tokens, or [limits] tokens in config.toml."
    );
    assert_eq!(all_tokens(&rig), limit - 1 + REQUEST);
    let ends = rig.journal(root).into_iter().filter_map(|event| match event {
        Event::SignalReceived { what: Signal::Ended { ending }, .. } => Some(ending),
        _ => None,
    });
    let ends: Vec<_> = ends.collect();
    assert_eq!(ends.len(), 3);
    for ending in ends {
        assert_eq!(ending.outcome, Outcome::Limit { message: message.clone() });
        let told = ending.answer("a").unwrap_err();
        assert_eq!(told.code, ErrorCode::BudgetSpent);
        assert!(told.message.starts_with("The agent a reached a limit: The limit of 3001"));
    }
    rig.host.shutdown().await;
}

#[tokio::test]
async fn a_tree_that_is_carried_on_has_used_what_it_had_used() {
    let rig = three_levels();
    let limit = 30 * REQUEST;
    let root = rig.go_with(limited(&rig, tokens(limit)));
    rig.host.quiet(root).await;
    rig.host.shutdown().await;
    let before = all_tokens(&rig);
    assert_eq!(before, limit);
    let host = host(rig.store.clone());
    host.resume(root).unwrap();
    host.send(root, "on".to_owned());
    assert!(matches!(host.quiet(root).await, Some(Outcome::Limit { .. })));
    assert_eq!(all_tokens(&rig), before, "no request was made");
    host.shutdown().await;
}

#[tokio::test]
async fn money_is_limited_only_where_the_price_of_the_model_is_known() {
    let rig = Rig::new(json!(works()), json!({}));
    let money = |amount: f64| Money::try_from(amount).unwrap();
    let ceiling = Ceiling { cost: Some(money(0.001)), ..Ceiling::default() };
    let spec = limited(&rig, ceiling);
    let house = Provider {
        name: "house".to_owned(),
        api: Api::OpenaiChat,
        base_url: "http://localhost:1/v1".to_owned(),
        api_key_env: None,
        max_tokens: None,
        context_tokens: None,
        sees: Sees::Pictures,
        think: Think::AsProvided,
        model: None,
    };
    let models = Models::new(vec![house], |_| None, Pace::Instant);
    let unknown = SessionSpec { model: "house/one".to_owned(), ..spec.clone() };
    let host = host_with(rig.store.clone(), models);
    let refused = host.start(unknown).unwrap_err().to_string();
    assert!(refused.starts_with("money is limited, and the price of house/one"), "{refused}");
    assert!(refused.contains("\nset input_per_mtok and output_per_mtok in [models.\"house/one\"]"));
    assert_eq!(rig.store.list().unwrap().len(), 0, "nothing was begun");
    // Where there is no model, as for calls by hand, nothing is spent.
    let other = Rig::new(json!([used(says("done"))]), json!({}));
    let ceiling = Ceiling { cost: Some(money(0.001)), ..Ceiling::default() };
    let by_hand = SessionSpec { model: "none".to_owned(), ..limited(&other, ceiling) };
    assert!(other.host.start(by_hand).is_ok());
    // A script takes nothing, and that is known.
    let scripted = other.host.start(limited(&other, ceiling)).unwrap();
    other.host.send(scripted, "go".to_owned());
    assert_eq!(other.host.idle(scripted).await, Some(Outcome::Done));
    let session = Session::replay(&other.store.read(scripted).unwrap().events).unwrap();
    assert_eq!((session.usage.tokens(), session.usage.cost), (REQUEST, Money::NONE));
    other.host.shutdown().await;

    let price = Price { input: money(1.0), output: money(2.0) };
    let prices: Prices = [(spec.model.clone(), price)].into();
    let models = Models::new(Vec::new(), |_| None, Pace::Instant).with_prices(prices);
    let host = host_with(rig.store.clone(), models);
    let root = host.start(spec).unwrap();
    host.send(root, "go".to_owned());
    let Some(Outcome::Limit { message }) = host.idle(root).await else { panic!("no limit") };
    let expected = "The limit of <$0.01 for this session and its agents together is reached: \
                    <$0.01 is spent.\n";
    assert!(message.starts_with(expected), "{message}");
    let session = Session::replay(&rig.store.read(root).unwrap().events).unwrap();
    assert_eq!((session.turns, session.usage.cost), (5, money(0.001)));
    host.shutdown().await;
}

/// Has nothing against any call, and uses as much as a request each time.
struct Judge;

impl Monitor for Judge {
    fn judge(&self, _: Judged) -> BoxFuture<'_, Heard> {
        let usage = Usage { input: 100, output: 50, ..Usage::default() };
        Box::pin(async move { Heard { opinion: Ok(Opinion::Clear), usage } })
    }
}

/// A host in which every call is judged and nobody is at the keys.
fn judged(store: Arc<dyn Store>, models: Models) -> Host {
    host_of(store, |parts| {
        parts.monitor = Some(Lookout::new(Arc::new(Judge), "judge", Duration::from_secs(600)));
        parts.attendance = Attendance::Alone;
        parts.models = models;
    })
}

fn unpriced() -> Models {
    Models::new(Vec::new(), |_| None, Pace::Instant)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_the_monitor_uses_counts_in_the_budget_of_the_tree_and_does_so_after_a_resume() {
    let writes = |name: &str| {
        let turn = |at: usize| used(calls(json!([write(&format!("{name}{at}"))])));
        (0..30).map(turn).collect::<Vec<_>>()
    };
    let mut turns = vec![used(calls(json!([start("a"), start("b")])))];
    turns.extend(writes("main"));
    let mut rig = Rig::new(json!(turns), json!({ "a": writes("a"), "b": writes("b") }));
    rig.host = judged(rig.store.clone(), unpriced());
    let limit = 20 * REQUEST + 1;
    let spec = SessionSpec { mode: Mode::Auto, ..limited(&rig, tokens(limit)) };
    let root = rig.go_with(spec);
    assert!(matches!(rig.host.quiet(root).await, Some(Outcome::Limit { .. })));
    rig.host.shutdown().await;
    assert_eq!(all_tokens(&rig), limit - 1 + REQUEST);
    let specs = rig.store.list().unwrap().into_iter().map(|session| session.spec.id);
    let judged_in = specs.filter(|id| {
        count(&rig.journal(*id), |event| matches!(event, Event::CallJudged { .. })) > 0
    });
    assert_eq!(judged_in.count(), 3, "in the journals of those that call");

    let host = judged(rig.store.clone(), unpriced());
    host.resume(root).unwrap();
    host.send(root, "on".to_owned());
    assert!(matches!(host.quiet(root).await, Some(Outcome::Limit { .. })));
    let result = host.call(root, "files.write", write("late")[1].to_string()).await.unwrap();
    assert_eq!(result.error_code(), Some(ErrorCode::NoApprover), "{result:?}");
    assert!(result.text().contains("The limit of 3001 tokens"), "{result:?}");
    assert_eq!(all_tokens(&rig), limit - 1 + REQUEST, "nobody was asked any more");
    host.shutdown().await;
}

#[tokio::test]
async fn money_is_limited_only_where_the_price_of_the_monitor_is_known_and_counts_it() {
    let rig = Rig::new(json!([used(calls(json!([write("f")]))), says("done")]), json!({}));
    let money = |amount: f64| Money::try_from(amount).unwrap();
    let ceiling = Ceiling { cost: Some(money(9.0)), ..Ceiling::default() };
    let spec = SessionSpec { mode: Mode::Auto, ..limited(&rig, ceiling) };
    let price = Price { input: money(1.0), output: money(2.0) };
    let own: Prices = [(spec.model.clone(), price)].into();
    let host = judged(rig.store.clone(), unpriced().with_prices(own.clone()));
    let refused = host.start(spec.clone()).unwrap_err().to_string();
    assert!(
        refused.starts_with("money is limited, and the price of judge is not set"),
        "{refused}"
    );
    let both = own.into_iter().chain([("judge".to_owned(), price)]).collect();
    let host = judged(rig.store.clone(), unpriced().with_prices(both));
    let root = host.start(spec).unwrap();
    host.send(root, "go".to_owned());
    assert_eq!(host.idle(root).await, Some(Outcome::Done));
    let session = Session::replay(&rig.store.read(root).unwrap().events).unwrap();
    assert_eq!((session.usage.tokens(), session.usage.cost), (2 * REQUEST, money(0.0004)));
    host.shutdown().await;
}
