//! Agents that are started by a profile.

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{
    port::Profiles,
    profile::{Known, Profile, parse},
};

/// Profiles by name, as their files would say.
struct Book(Vec<(&'static str, &'static str)>);

impl Profiles for Book {
    fn find(&self, _: &std::path::Path, name: &str) -> Result<Profile, String> {
        let known = Known { agents: vec!["b".to_owned()], ..Known::default() };
        let found = self.0.iter().find(|(known, _)| *known == name);
        let (_, text) = found.ok_or_else(|| format!("there is no profile {name:?}\nwrite one"))?;
        parse(name, text, &known)
    }
}

fn by(profile: &str) -> Value {
    json!(["agents.run", { "task": "do it", "agent": profile }])
}

#[tokio::test]
async fn an_agent_started_by_a_profile_is_narrowed_by_it_and_starts_only_whom_it_names() {
    let book = Book(vec![
        ("a", "mode = 'plan'\ninstructions = 'Look only.'\nagents = ['b']\n[limits]\nturns = 4\n"),
        ("b", "mode = 'auto'\n"),
        ("c", ""),
    ]);
    let plain = json!(["agents.run", { "task": "do it" }]);
    let turns = json!([calls(json!([by("a"), by("d")])), says("done")]);
    let of_a = json!([calls(json!([write("x"), by("c"), plain, by("b")])), says("a is done")]);
    let of_b = json!([calls(json!([write("y")])), says("b is done")]);
    let mut rig = Rig::new(turns, json!({ "a": of_a, "b": of_b }));
    rig.host = host_of(rig.store.clone(), |parts| parts.profiles = Arc::new(book));
    rig.events = rig.host.subscribe();
    let root = rig.go(Mode::Auto);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));

    let (a, b) = (rig.agent("a").await, rig.agent("b").await);
    let spec = |id| Session::replay(&rig.store.read(id).unwrap().events).unwrap().spec;
    let agents = Some(vec!["b".to_owned()]);
    let narrowed = spec(a);
    assert_eq!((narrowed.mode, narrowed.limits.turns, narrowed.agents), (Mode::Plan, 4, agents));
    assert_eq!(narrowed.instructions, "Look only.");
    assert_eq!(spec(b).mode, Mode::Plan, "its starter is in plan mode");
    for id in [a, b] {
        let result = rig.result(id, "files.write");
        assert_eq!(result.content["error"], "blocked_in_plan_mode", "{result:?}");
    }
    let results = rig.journal(a).into_iter().filter_map(|event| match event {
        Event::CallFinished { result, .. } if result.name == "agents.run" => Some(result.text()),
        _ => None,
    });
    let results: Vec<_> = results.collect();
    for refused in &results[..2] {
        assert!(refused.contains("this session may start these alone: b"), "{refused}");
    }
    assert!(results[2].contains("b is done"), "{}", results[2]);
    let unknown = rig.result(root, "agents.run").text();
    assert!(unknown.contains("agents.run.agent") && unknown.contains("no profile"), "{unknown}");
    rig.host.shutdown().await;
}
