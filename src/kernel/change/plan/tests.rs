use proptest::prelude::*;

use super::*;
use crate::kernel::{change::Change, event::Origin, id::SessionId};

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A file with that text, or none.
fn mark(text: &str) -> Option<Mark> {
    (!text.is_empty()).then(|| Mark::of(text.as_bytes()))
}

fn now(text: &str) -> Now {
    match mark(text) {
        None => Now::Nothing,
        Some(mark) => Now::File { mark, changed: time(1000) },
    }
}

/// A change of `a` from one text to another by that call; no text is no file.
fn change(call: u128, from: &str, to: &str) -> Recorded {
    let before = match mark(from) {
        None => Before::Nothing,
        Some(mark) => Before::File { mark, mode: 0o644, kept: Kept::Whole },
    };
    Recorded {
        session: SessionId::from(1),
        agents: vec!["main".to_owned()],
        call: call.into(),
        origin: Origin::Model,
        parent: None,
        at: time(i64::try_from(call).unwrap()),
        change: Change {
            path: "/tally/a".into(),
            shown: "a".into(),
            before,
            after: mark(to),
            more: 1,
            fewer: 1,
            undoes: None,
        },
        end: End::Made,
        undone: None,
    }
}

fn planned(changes: Vec<Recorded>, chosen: &[u128], standing: Now) -> Vec<(u128, Undo)> {
    let ledger = Ledger::from(changes);
    let chosen: Vec<CallId> = chosen.iter().copied().map(CallId::from).collect();
    let at = HashMap::from([(PathBuf::from("/tally/a"), standing)]);
    let planned = plan(&ledger, |recorded| chosen.contains(&recorded.call), at);
    let short = |planned: Planned| {
        let second = planned.recorded.at.as_second();
        (u128::try_from(second).unwrap(), planned.undo)
    };
    planned.into_iter().map(short).collect()
}

fn alone(why: Why) -> Undo {
    Undo::LeaveAlone(why)
}

#[test]
fn what_would_be_done_is_told_from_the_journal_and_the_file() {
    let restore = Undo::Restore { bytes: 3 };
    let changed = || alone(Why::Changed { at: Some(time(1000)) });
    let rows = [
        (change(1, "one", "two"), now("two"), restore.clone()),
        (change(1, "", "two"), now("two"), Undo::Remove),
        (change(1, "one", ""), now(""), restore),
        (change(1, "one", "two"), now("six"), changed()),
        (change(1, "", "two"), now("six"), changed()),
        // Somebody put it back by hand: that is no undo of ours.
        (change(1, "one", "two"), now("one"), changed()),
        (change(1, "one", "two"), now(""), alone(Why::Changed { at: None })),
        (
            change(1, "one", "two"),
            Now::Unknown("it is a folder".into()),
            alone(Why::Unknown("it is a folder".into())),
        ),
    ];
    for (recorded, standing, expected) in rows {
        let seen = planned(vec![recorded.clone()], &[1], standing.clone());
        assert_eq!(seen, [(1, expected)], "{recorded:?} {standing:?}");
    }
}

#[test]
fn what_was_cut_off_is_known_by_the_file() {
    let mut cut = change(1, "one", "two");
    cut.end = End::Unknown;
    let rows = [
        ("two", Undo::Restore { bytes: 3 }),
        ("one", alone(Why::NotMade)),
        ("tw", alone(Why::Changed { at: Some(time(1000)) })),
    ];
    for (standing, expected) in rows {
        assert_eq!(planned(vec![cut.clone()], &[1], now(standing)), [(1, expected)], "{standing}");
    }
    cut.end = End::Failed;
    assert_eq!(planned(vec![cut], &[1], now("two")), [(1, alone(Why::NotMade))]);
}

#[test]
fn several_changes_of_a_file_are_undone_from_the_last_one_on() {
    let story = || vec![change(1, "", "b"), change(2, "b", "cc"), change(3, "cc", "ddd")];
    let all = [(3, Undo::Restore { bytes: 2 }), (2, Undo::Restore { bytes: 1 }), (1, Undo::Remove)];
    assert_eq!(planned(story(), &[1, 2, 3], now("ddd")), all);
    assert_eq!(planned(story(), &[2], now("ddd")), [(2, alone(Why::Later(3.into())))]);
    let changed = || alone(Why::Changed { at: Some(time(1000)) });
    let left = [(3, changed()), (2, changed()), (1, changed())];
    assert_eq!(planned(story(), &[1, 2, 3], now("theirs")), left);
}

#[test]
fn what_was_not_kept_is_left_alone_and_so_is_what_it_stands_on() {
    let mut large = change(2, "b", "cc");
    let Before::File { kept, .. } = &mut large.change.before else { panic!("it is a file") };
    *kept = Kept::TooLarge;
    let seen = planned(vec![change(1, "", "b"), large], &[1, 2], now("cc"));
    let left = [(2, alone(Why::NotKept(Kept::TooLarge))), (1, alone(Why::Later(2.into())))];
    assert_eq!(seen, left);
}

#[test]
fn words_say_what_is_touched_and_what_is_not() {
    let words = |undo: Undo| undo.words(|at| format!("{}s", at.as_second()), time(7));
    assert_eq!(words(Undo::Restore { bytes: 4102 }), "back to the 4,102 bytes of before 7s");
    let left = words(alone(Why::Changed { at: Some(time(1000)) }));
    assert_eq!(left, "left alone: another program changed it at 1000s");
}

proptest! {
    /// Whatever was written, and whatever others did between: undoing all that is undone leaves
    /// the file as it was, or never touches what another program wrote last.
    #[test]
    fn an_undo_only_ever_steps_back_along_what_was_written(
        texts in prop::collection::vec("[ab]{0,2}", 2..8),
        theirs in prop::option::of("[ab]{0,2}"),
    ) {
        let steps = texts.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]);
        let changes: Vec<_> =
            steps.map(|(at, pair)| change(at as u128 + 1, &pair[0], &pair[1])).collect();
        let chosen: Vec<u128> = (1..10).collect();
        let last = texts.last().cloned().unwrap_or_default();
        let standing = theirs.clone().unwrap_or_else(|| last.clone());
        let mut file = mark(&standing);
        for (call, undo) in planned(changes.clone(), &chosen, now(&standing)) {
            let made = changes.iter().find(|made| made.call == CallId::from(call)).unwrap();
            match undo {
                Undo::LeaveAlone(_) => {}
                Undo::Remove => {
                    prop_assert_eq!(&file, &made.change.after);
                    file = None;
                }
                Undo::Restore { .. } => {
                    prop_assert_eq!(&file, &made.change.after);
                    let Before::File { mark, .. } = &made.change.before else { panic!() };
                    file = Some(mark.clone());
                }
            }
        }
        if theirs.is_none() {
            prop_assert_eq!(file, mark(&texts[0]));
        }
    }
}
