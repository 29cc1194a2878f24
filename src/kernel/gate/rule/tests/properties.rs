//! What holds of any rules, calls and modes.

use proptest::prelude::*;

use super::*;
use crate::kernel::{
    capability::{Category, Reach},
    gate::{
        law::{Layer, Placed, judge},
        policy::{Runs, Verdict, ruled, strictest},
    },
    spec::Mode,
};

/// A few words that meet often enough.
fn some_rule() -> impl Strategy<Value = Rule> {
    let effect = prop_oneof![Just("allow"), Just("ask"), Just("deny")];
    let keys = prop_oneof![
        Just("call = \"files.write\"\npath = \"a\""),
        Just("call = \"files.*\"\npath = \"*\""),
        Just("call = \"files.write\"\npath = \"b/**\""),
        Just("call = \"process.run\"\nargs = [\"ls\", \"**\"]"),
        Just("call = \"process.run\"\nargs = [\"ls\"]\nseal = \"open\"\nnetwork = true"),
        Just("call = \"process.*\"\nargs = [\"rg\", \"*\"]\npath = \"b\""),
        Just("call = \"execute_code\"\nseal = \"workspace\""),
    ];
    let agents = prop_oneof![Just(""), Just("\nagents = \"main\""), Just("\nagents = \"main/**\"")];
    (effect, keys, agents)
        .prop_map(|(effect, keys, agents)| rule(effect, &format!("{keys}{agents}")))
}

fn some_case() -> impl Strategy<Value = Case> {
    let seal = prop_oneof![Just(Level::Sealed), Just(Level::Workspace), Just(Level::Open)];
    let writes =
        prop_oneof![Just(vec![]), Just(vec!["/tally/b"]), Just(vec!["/tally/a", "/tally/b"])];
    let argv = prop_oneof![Just(vec!["ls"]), Just(vec!["ls", "x"]), Just(vec!["rg", "x"])];
    let programs = (argv, seal, any::<bool>(), writes)
        .prop_map(|(argv, seal, network, writes)| run(&argv, seal, network, &writes));
    let files = prop_oneof![Just("/tally/a"), Just("/tally/b/c"), Just("/other/a")]
        .prop_map(|real| file("files.write", real));
    let agents = prop_oneof![Just(vec!["main"]), Just(vec!["main", "x"]), Just(vec!["other"])];
    (prop_oneof![programs, files], agents)
        .prop_map(|(case, agent)| Case { agent: words(&agent), ..case })
}

fn placed(rules: &[Rule]) -> Vec<Placed> {
    let layers = [Layer::Admin, Layer::User, Layer::Project, Layer::Session];
    let place = |(at, rule): (usize, &Rule)| Placed::new(rule.clone(), layers[at % 4], "f", at + 1);
    rules.iter().enumerate().map(place).collect()
}

fn verdict(rules: &[Placed], case: &Case, mode: Mode, least: Verdict) -> Verdict {
    let (by_mode, _) = strictest([mode], Category::Execute, Reach::Outside);
    ruled(by_mode, least, judge(rules, case, TODAY).map(|(effect, _)| effect))
}

fn some_mode() -> impl Strategy<Value = Mode> {
    proptest::sample::select(Mode::ALL.to_vec())
}

fn some_least() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Allow), Just(Runs::Asked.least(Category::Execute))]
}

proptest! {
    #[test]
    fn the_order_of_rules_and_layers_makes_no_difference(
        (rules, shuffled) in proptest::collection::vec(some_rule(), 0..6)
            .prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
        case in some_case(), mode in some_mode(), least in some_least(),
    ) {
        prop_assert_eq!(
            verdict(&placed(&rules), &case, mode, least),
            verdict(&placed(&shuffled), &case, mode, least),
        );
    }

    #[test]
    fn a_deny_or_an_ask_never_widens_and_an_allow_only_what_it_covers(
        mut rules in proptest::collection::vec(some_rule(), 0..6), added in some_rule(),
        case in some_case(), mode in some_mode(), least in some_least(),
    ) {
        let before = verdict(&placed(&rules), &case, mode, least);
        let covered = added.matches(&case, TODAY);
        let effect = added.effect();
        rules.push(added);
        let after = verdict(&placed(&rules), &case, mode, least);
        prop_assert!(effect == Effect::Allow || after >= before);
        prop_assert!(covered || after == before);
        // Nor what a mode, a setting or another rule forbids.
        prop_assert!(after >= before || before == Verdict::Ask && least == Verdict::Allow);
    }

    #[test]
    fn a_narrower_mode_never_widens(
        rules in proptest::collection::vec(some_rule(), 0..6), case in some_case(),
        one in some_mode(), other in some_mode(), least in some_least(),
    ) {
        let rules = placed(&rules);
        let by_mode = |mode| strictest([mode], Category::Execute, Reach::Outside).0;
        let (wide, narrow) = if by_mode(one) <= by_mode(other) { (one, other) } else { (other, one) };
        prop_assert!(
            verdict(&rules, &case, narrow, least) >= verdict(&rules, &case, wide, least)
        );
    }

    #[test]
    fn a_child_with_the_same_rules_is_denied_and_asked_whatever_its_parent_is(
        rules in proptest::collection::vec(some_rule(), 0..6), case in some_case(),
    ) {
        let narrowing: Vec<_> = placed(&rules).into_iter()
            .filter(|placed| placed.rule.effect() != Effect::Allow).collect();
        let mut child = case.clone();
        child.agent.push("child".to_owned());
        let of = |case: &Case| judge(&narrowing, case, TODAY).map(|(effect, _)| effect);
        prop_assert!(of(&child) >= of(&case));
    }
}
