//! A budget for a session and its agents, in the whole program.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Place, of_type, runs};

/// A script whose agent would go on for ever, each request using fifteen tokens.
fn endless() -> Value {
    let usage = json!({ "input": 10, "output": 5 });
    let code = "from footplate import agents\nagents.start('go on', name='one')\n";
    let mut script = runs(code);
    script["turns"][0]["usage"] = usage.clone();
    let call = json!({ "name": "nonesuch", "arguments": {} });
    let works = json!({ "calls": [call], "usage": usage });
    script["agents"]["one"]["turns"] = json!(vec![works; 60]);
    script
}

#[test]
fn exec_ends_with_its_limit_and_a_session_that_is_carried_on_begins_no_request() {
    let place = Place::new();
    let model = place.script(&endless());
    // The root has one request, which starts the agent; what it says next is over all.
    let ran = place.run(&["exec", "--model", &model, "--max-tokens", "31", "go"]);
    let used = |place: &Place| -> u64 {
        let journals = place.journals();
        let turns = journals.iter().flat_map(|journal| of_type(journal, "turn_finished"));
        let used = |turn: &Value| {
            turn["usage"]["input"].as_u64().unwrap() + turn["usage"]["output"].as_u64().unwrap()
        };
        turns.map(used).sum()
    };
    assert_eq!(place.journals().len(), 2, "{}", ran.stderr());
    assert_eq!(used(&place), 45, "within one request of 31");
    let ended = |outcome: &Value| outcome["outcome"]["result"] == "limit";
    let journals = place.journals();
    assert!(journals.iter().any(|one| of_type(one, "exchange_finished").into_iter().any(ended)));

    let ran = place.run(&["exec", "--continue", "on"]);
    assert_eq!(ran.code(), 4, "{}", ran.stderr());
    let said =
        "The limit of 31 tokens for this session and its agents together is reached: 45 are used.";
    assert!(ran.stderr().contains(said), "{}", ran.stderr());
    assert!(ran.stderr().contains("--max-tokens"), "{}", ran.stderr());
    assert_eq!(used(&place), 45);
}

#[test]
fn a_limit_of_money_without_a_price_is_refused_before_anything_begins() {
    let place = Place::new();
    let model = "ollama/one";
    let ran = place.run(&["exec", "--model", model, "--max-cost", "1.50", "go"]);
    assert_eq!(ran.code(), 2, "{}", ran.stderr());
    assert!(
        ran.stderr().contains("money is limited, and the price of ollama/one is not set"),
        "{}",
        ran.stderr()
    );
    assert!(ran.stderr().contains("input_per_mtok"), "{}", ran.stderr());
    assert_eq!(place.journals().len(), 0);
    let ran = place.run(&["exec", "--model", model, "--max-cost", "much", "go"]);
    assert_eq!(ran.code(), 2);
    assert!(ran.stderr().contains("expected an amount such as 2.50"), "{}", ran.stderr());
}

#[test]
fn what_a_script_takes_is_known_where_a_project_limits_money() {
    let place = Place::new();
    fs::create_dir_all(place.home().join("config")).unwrap();
    fs::write(place.home().join("config/config.toml"), "[limits]\ncost = 1.5\n").unwrap();
    let model = place.script(&json!({ "turns": [{ "text": "That was all." }] }));
    let ran = place.run(&["exec", "--model", &model, "go"]);
    assert_eq!((ran.code(), ran.stdout().trim()), (0, "That was all."), "{}", ran.stderr());
}

#[test]
fn a_flag_that_a_session_that_is_carried_on_does_not_heed_is_refused_and_not_passed_over() {
    let place = Place::new();
    let flags = [
        ["--max-tokens", "5"],
        ["--max-cost", "1"],
        ["--mode", "plan"],
        ["--model", "scripted:tour"],
    ];
    for limit in flags {
        for carried in [vec!["--continue"], vec!["--resume"]] {
            let ran = place.run(&[&["exec"], &limit[..], &carried[..], &["on"]].concat());
            assert_eq!(ran.code(), 2, "{}", ran.stderr());
            let said = "cannot be used with";
            assert!(
                ran.stderr().contains(said) && ran.stderr().contains(limit[0]),
                "{}",
                ran.stderr()
            );
        }
    }
    assert_eq!(place.journals().len(), 0);
}
