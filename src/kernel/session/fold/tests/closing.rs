//! What a crash left open is closed, once.

use pretty_assertions::assert_eq;

use super::*;

/// Closes what is open, and gives which calls were closed and whether they had begun.
pub(super) fn close(session: &mut Session) -> Vec<(CallId, bool)> {
    let close = |event: &Event| {
        let Event::CallFinished { call, result, decision: None, .. } = event else {
            panic!("{event:?}")
        };
        assert_eq!(result.error_code(), Some(ErrorCode::Interrupted));
        assert_eq!((result.ok, result.is_error), (false, true));
        (*call, result.text().contains("unknown"))
    };
    let events = session.interruptions();
    events.iter().for_each(|event| session.apply(99, event));
    assert_eq!(session.interruptions(), []);
    events.iter().map(close).collect()
}

fn closed(expected: &[(u128, bool)]) -> Vec<(CallId, bool)> {
    expected.iter().map(|(id, began)| (CallId::from(*id), *began)).collect()
}

#[test]
fn results_stand_in_the_order_of_the_calls_whatever_order_they_came_in() {
    let session = after([
        said("go"),
        turn(),
        text("yes"),
        answered(Stop::Calls, &[1, 2]),
        started(1, None),
        started(2, None),
        done(2),
        done(1),
        turn(),
        text("done"),
        answered(Stop::End, &[]),
        Event::ExchangeFinished { outcome: Outcome::Done },
    ]);
    let expected = [
        "user: go",
        "assistant: yes → p1 p2",
        "results: p1=result 1, p2=result 2",
        "assistant: done",
    ];
    assert_eq!(told(&session), expected);
    assert_eq!(
        (session.turns, session.usage),
        (2, Usage { input: 6, output: 4, ..Usage::default() })
    );
    assert_eq!(session.interruptions(), []);
    assert!(!session.is_busy());
}

#[test]
fn a_crash_at_any_moment_of_three_calls_closes_each_open_one_once() {
    let check = |events: &[Event], expected: &[(u128, bool)], results: &str| {
        let begin = [said("go"), turn(), answered(Stop::Calls, &[1, 2, 3])];
        let mut session = after(begin.iter().chain(events).cloned());
        let before = told(&session);
        assert_eq!(close(&mut session), closed(expected));
        // Written or not, the model is told the same.
        assert_eq!(told(&session), before);
        assert_eq!(before.last().unwrap(), &format!("results: {results}"));
    };
    check(
        &[],
        &[(1, false), (2, false), (3, false)],
        "p1=never began, p2=never began, p3=never began",
    );
    check(
        &[started(1, None), started(2, None), done(2)],
        &[(1, true), (3, false)],
        "p1=effect unknown, p2=result 2, p3=never began",
    );
    check(&[done(1), done(2), done(3)], &[], "p1=result 1, p2=result 2, p3=result 3");
    // A result that is there is the real one, however often another follows.
    check(&[done(1), done(2), done(3), done(2)], &[], "p1=result 1, p2=result 2, p3=result 3");
    check(
        &[asked(9, call(1, None)), resumed()],
        &[(1, false), (2, false), (3, false)],
        "p1=never began, p2=never began, p3=never began",
    );
}

#[test]
fn inner_calls_are_closed_before_the_call_they_were_made_in() {
    let mut session = after([
        said("go"),
        turn(),
        answered(Stop::Calls, &[1]),
        started(1, None),
        started(2, Some(1)),
        done(2),
        started(3, Some(1)),
        asked(9, call(4, Some(1))),
        asked(10, call(5, Some(1))),
        answer(10, Answer::Allow { scope: Scope::Once }),
        resumed(),
    ]);
    let expected = closed(&[(5, false), (4, false), (3, true), (1, true)]);
    let parents: Vec<_> = session
        .interruptions()
        .into_iter()
        .map(|event| {
            let Event::CallFinished { parent, .. } = event else { panic!("{event:?}") };
            parent
        })
        .collect();
    let inside = Some(CallId::from(1));
    assert_eq!(parents, [inside, inside, inside, None]);
    assert_eq!(close(&mut session), expected);
}

#[test]
fn a_program_of_which_no_end_is_recorded_gets_one_whether_its_call_had_a_result_or_not() {
    let runs = |id: u128| Event::ExecutionStarted {
        call: id.into(),
        program: "serve".into(),
        seal: crate::kernel::event::Seal::None,
        form: crate::kernel::port::Form::None,
        limit_ms: 1,
    };
    let status = crate::kernel::event::ExitStatus::Cancelled;
    let ends = |id: u128| Event::ExecutionFinished {
        call: id.into(),
        status: status.clone(),
        ran_ms: 0,
        excluded_ms: 0,
    };
    let begin = [said("go"), turn(), answered(Stop::Calls, &[1, 2])];
    let more = [started(1, None), runs(1), done(1), started(2, None), runs(2), runs(3), ends(3)];
    let mut session = after(begin.into_iter().chain(more));
    let events = session.interruptions();
    assert_eq!(events[..2], [ends(2), ends(1)]);
    assert!(matches!(&events[2..], [Event::CallFinished { call, .. }] if *call == 2.into()));
    events.iter().for_each(|event| session.apply(99, event));
    assert_eq!(session.interruptions(), []);
}
