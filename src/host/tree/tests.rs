use futures_util::FutureExt as _;
use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{event::Outcome, message::Usage};

fn spec(id: u128, parent: Option<u128>, path: &str) -> Arc<SessionSpec> {
    Arc::new(SessionSpec {
        parent: parent.map(SessionId::from),
        path: path.split('/').map(str::to_owned).collect(),
        workspace: "/w".into(),
        model: "scripted:test".to_owned(),
        ..SessionSpec::sample(id)
    })
}

fn end() -> End {
    let (outcome, text, usage) = (Outcome::Done, "ok".to_owned(), Usage::default());
    End::new(SignalId::fresh(), Ending { outcome, text, turns: 1, usage, worktree: None })
}

/// main › a › b, main › c, and another session.
fn tree() -> Tree {
    let tree = Tree::new();
    for (id, parent, path) in [
        (1, None, "main"),
        (2, Some(1), "main/a"),
        (3, Some(1), "main/c"),
        (4, Some(2), "main/a/b"),
        (9, None, "other"),
    ] {
        tree.add(spec(id, parent, path), None);
    }
    tree
}

fn ids(numbers: &[u128]) -> Vec<SessionId> {
    numbers.iter().map(|number| SessionId::from(*number)).collect()
}

#[test]
fn agents_are_addressed_from_where_one_stands_and_none_beside_or_above() {
    let tree = tree();
    let find = |from: u128, name: &str| tree.find(from.into(), name);
    assert_eq!(tree.below(1.into()), ids(&[2, 4, 3]));
    assert_eq!(find(1, "a"), Some(2.into()));
    assert_eq!(find(1, "a/b"), Some(4.into()));
    assert_eq!(find(2, "b"), Some(4.into()));
    assert_eq!(find(1, &SessionId::from(4).to_string()), Some(4.into()));
    for (from, name) in [(2, "c"), (2, "a"), (4, "main"), (1, "b"), (1, ""), (1, "other")] {
        assert_eq!(find(from, name), None, "{from} {name}");
    }
    assert_eq!(find(2, &SessionId::from(3).to_string()), None);
}

#[test]
fn a_wait_that_could_never_end_is_refused_with_the_way_it_goes_round() {
    let tree = tree();
    let wait = |from: u128, to: &[u128]| tree.wait(from.into(), CallId::fresh(), &ids(to));
    assert!(wait(1, &[2, 4]).is_ok() && wait(2, &[4]).is_ok());
    assert_eq!(wait(2, &[1]).err(), Some(ids(&[2, 1, 2])));
    assert_eq!(wait(4, &[1]).err(), Some(ids(&[4, 1, 2, 4])), "it is over only after its agents");
    assert_eq!(wait(4, &[4]).err(), Some(ids(&[4, 4])));
    // Two that wait for each other, whoever let them.
    let held = wait(2, &[3]).unwrap();
    assert_eq!(wait(3, &[2]).err(), Some(ids(&[3, 2, 3])));
    drop(held);
    assert!(wait(3, &[2]).is_ok());
    let _held = wait(2, &[3]).unwrap();
    tree.over(2.into(), end());
    assert!(wait(3, &[2]).is_ok(), "what is over waits for nobody");
}

#[test]
fn a_stop_of_a_branch_holds_for_what_is_started_there_afterwards() {
    let tree = tree();
    tree.over(4.into(), end());
    assert_eq!(tree.stop(2.into(), Extent::One), ids(&[2]));
    tree.add(spec(5, Some(2), "main/a/d"), None);
    assert!(tree.is_stopped(2.into()) && !tree.is_stopped(5.into()));
    assert_eq!(tree.stop(2.into(), Extent::Subtree), ids(&[2, 5]), "what is over is not stopped");
    tree.add(spec(6, Some(5), "main/a/d/e"), None);
    assert!(tree.is_stopped(6.into()) && !tree.is_stopped(3.into()));
}

#[test]
fn only_the_first_end_counts_and_whoever_waits_is_told() {
    let tree = tree();
    let mut told = Box::pin(tree.until(|tree| tree.at_work(1.into()).is_empty()));
    assert!((&mut told).now_or_never().is_none());
    let first = end();
    tree.over(2.into(), first.clone());
    tree.over(2.into(), end());
    assert_eq!(tree.end(2.into()).map(|end| end.signal), Some(first.signal));
    assert!((&mut told).now_or_never().is_none());
    tree.over(3.into(), end());
    assert!((&mut told).now_or_never().is_some());
}
