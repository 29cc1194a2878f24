//! Many agents at once, each with questions of its own.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{error::ErrorCode, gate::approval::Question};

#[tokio::test]
async fn each_of_ten_agents_and_of_theirs_gets_its_own_answer_and_a_stop_above_stops_none() {
    let numbers = 0..10;
    let mut starts: Vec<_> = numbers.clone().map(|at| start(&format!("a{at}"))).collect();
    starts.push(json!(["agents.wait", {}]));
    let mut agents = serde_json::Map::new();
    for at in numbers.clone() {
        let (a, b) = (format!("a{at}"), format!("b{at}"));
        let asks = calls(json!([start(&b), write(&a)]));
        agents.insert(a.clone(), json!([asks, says("so far"), says(&format!("{a} is done"))]));
        let asks = calls(json!([write(&b)]));
        agents.insert(b.clone(), json!([asks, says(&format!("{b} is done"))]));
    }
    let mut rig = Rig::new(json!([calls(json!(starts))]), agents.into());
    let root = rig.go(Mode::Default);
    let mut questions = BTreeMap::<String, Question>::new();
    for at in numbers.clone() {
        for name in [format!("a{at}"), format!("b{at}")] {
            let question = rig.question(&name).await;
            questions.insert(name, question);
        }
    }
    for (name, question) in &questions {
        let below = format!("a{}", &name[1..]);
        let path: &[&str] =
            if name.starts_with('a') { &["main", name] } else { &["main", &below, name] };
        assert_eq!(question.path, path);
        assert_eq!(question.call.input["path"], json!(name));
    }

    rig.host.interrupt(root);
    assert_eq!(rig.rests(root).await, Outcome::Stopped);
    let is_odd = |name: &str| name.ends_with(['1', '3', '5', '7', '9']);
    let answer = |rig: &Rig, name: &str| match is_odd(name) {
        true => rig.answer(&questions[name], no(&format!("not {name}"))),
        false => rig.allow(&questions[name]),
    };
    // Those below have the last word: each of the others rests by then, and is woken.
    for at in numbers.clone() {
        answer(&rig, &format!("a{at}"));
    }
    for at in numbers.clone() {
        assert_eq!(rig.rests(questions[&format!("a{at}")].session).await, Outcome::Done);
    }
    for at in numbers.clone() {
        answer(&rig, &format!("b{at}"));
    }
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Stopped), "and it was not woken");
    for (name, question) in &questions {
        let result = rig.result(question.session, "files.write");
        assert_eq!(rig.workspace().join(name).exists(), !is_odd(name), "{name}");
        let said_no = result.text().contains(&format!("not {name}"));
        assert_eq!(said_no, is_odd(name), "{result:?}");
        let over = rig.journal(question.session);
        assert_eq!(over.last(), Some(&Event::SessionFinished { outcome: Outcome::Done }));
    }
    let journal = rig.journal(root);
    assert_eq!(count(&journal, is_end), 10, "those of its own, each once");
    let mut told = rig.told(root);
    told.sort();
    let all: Vec<_> = numbers.map(|at| format!("> a{at} is done")).collect();
    assert_eq!(told, all, "at its next request");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn only_so_many_agents_are_at_work_at_once() {
    let asks = |name: &str| json!([calls(json!([write(name)])), says("done")]);
    let mut rig = Rig::new(json!([]), json!({ "a": asks("a"), "b": asks("b") }));
    let mut spec = rig.spec(Mode::Default);
    spec.limits.agents_at_once = 1;
    let root = rig.host.start(spec).unwrap();
    let started = rig.call(root, "agents.start", start("a")[1].clone()).await;
    assert!(started.ok, "{started:?}");
    let refused = rig.call(root, "agents.start", start("b")[1].clone()).await;
    assert_eq!(refused.error_code(), Some(ErrorCode::BudgetSpent));
    assert!(refused.text().contains("as may be at once: 1."), "{refused:?}");

    let waits = { start("b")[1].clone() };
    let question = rig.question("a").await;
    let host = rig.host.clone();
    let ran = tokio::spawn(async move { host.call(root, "agents.run", waits.to_string()).await });
    rig.allow(&question);
    let question = rig.question("b").await;
    let ended = rig.journal(started.content["session"].as_str().unwrap().parse().unwrap());
    assert!(matches!(ended.last(), Some(Event::SessionFinished { .. })), "b waited for its place");
    rig.allow(&question);
    let ran = ran.await.unwrap().unwrap();
    assert_eq!(ran.content["text"], json!("done"), "{ran:?}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn agents_started_at_the_same_time_have_names_of_their_own() {
    let rig = Rig::new(json!([]), json!({ "a": [says("done")], "parent-2": [says("done")] }));
    let root = rig.host.start(rig.spec(Mode::Default)).unwrap();
    let all = (0..8).map(|_| rig.call(root, "agents.run", start("a")[1].clone()));
    let mut names: Vec<_> = futures_util::future::join_all(all)
        .await
        .into_iter()
        .map(|result| result.content["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["a", "a-2", "a-3", "a-4", "a-5", "a-6", "a-7", "a-8"]);
    let named = rig.call(root, "agents.run", start("parent")[1].clone()).await;
    assert_eq!(named.content["name"], json!("parent-2"), "that name means another");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_agent_that_outlives_the_turn_may_do_no_more_than_those_above_it_may_now() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a")])), says("started")]),
        json!({
            "a": [calls(json!([start("b")])), says("started")],
            "b": [calls(json!([write("one")])), calls(json!([write("two")])), says("b")],
        }),
    );
    let root = rig.go(Mode::Default);
    let question = rig.question("b").await;
    let (a, b) = (rig.agent("a").await, question.session);
    assert_eq!(rig.rests(a).await, Outcome::Done);
    assert_eq!(rig.rests(root).await, Outcome::Done);
    // More for the one above is no more for the one below.
    let mode = |session, mode| Command::SetMode { session, mode };
    rig.host.send_command(mode(root, Mode::Auto));
    rig.host.send_command(mode(b, Mode::Auto));
    let asked = Session::replay(&rig.store.read(b).unwrap().events).unwrap();
    assert_eq!(asked.questions.keys().collect::<Vec<_>>(), [&question.id], "a still asks");
    // Less for any above is less for all below, and answers what is open.
    rig.host.send_command(mode(root, Mode::Plan));
    rig.host.quiet(root).await;
    let results = rig.journal(b).into_iter().filter_map(|event| match event {
        Event::CallFinished { result, .. } => result.error_code(),
        _ => None,
    });
    assert_eq!(results.collect::<Vec<_>>(), [ErrorCode::BlockedInPlanMode; 2]);
    assert!(!rig.workspace().join("one").exists() && !rig.workspace().join("two").exists());
    rig.host.shutdown().await;
}
