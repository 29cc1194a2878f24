//! What the README shows can be taken as it stands.

use std::fs;

use serde_json::json;

use crate::support::Place;

const README: &str = include_str!("../../README.md");

/// The example of TOML with this line.
fn example(line: &str) -> &'static str {
    let all = README.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let mut found =
        all.map(|(text, _)| text).filter(|text| text.lines().any(|it| it.starts_with(line)));
    let one = found.next().unwrap_or_else(|| panic!("no example with {line}"));
    assert_eq!(found.next(), None, "{line}");
    one
}

#[test]
fn its_examples_of_rules_and_of_a_kind_of_agent_are_read_without_a_fault() {
    let place = Place::new();
    let config = place.home().join("config");
    fs::create_dir_all(config.join("agents")).unwrap();
    fs::create_dir(place.work().join("src")).unwrap();
    for (name, text) in [
        ("rules.toml", example("[[allow]]")),
        ("agents/reviewer.toml", example("instructions =")),
        ("agents/tester.toml", ""),
    ] {
        fs::write(config.join(name), text).unwrap();
    }
    let model = place.script(&json!({ "turns": [{ "text": "That was all." }] }));
    let ran = place.run(&["exec", "--profile", "reviewer", "--model", &model, "begin"]);
    assert_eq!((ran.code(), ran.stdout().trim()), (0, "That was all."), "{}", ran.stderr());
    let ran = place.run(&["rules"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
}

#[test]
fn its_example_of_settings_is_read_without_a_fault() {
    // Models are named in it, and money is limited: what has no price cannot be used.
    let place = Place::new().with(&[("ANTHROPIC_API_KEY", "none"), ("LOCAL_KEY", "none")]);
    fs::create_dir_all(place.home().join("config")).unwrap();
    let file = place.home().join("config/config.toml");
    fs::write(file, example("[providers.local]")).unwrap();
    let ran = place.run(&["--context-report"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
}
