//! What comes from agents, and whom it wakes.

use pretty_assertions::assert_eq;

use super::*;

fn words(session: &Session) -> Vec<String> {
    let last = |line: String| line.lines().last().unwrap_or_default().to_owned();
    told(session).into_iter().map(last).collect()
}

#[test]
fn what_agents_say_is_told_once_in_the_next_request_and_never_as_a_person_s_words() {
    let mut session = session();
    for event in [said("go"), turn(), signal(1), signal(1)] {
        session.apply(1, &event);
    }
    let asked = session.asked();
    assert_eq!(asked, [Message::said("go")], "it came after this request");
    for event in [text("t"), answered(Stop::Calls, &[1]), started(1, None), signal(2), done(1)] {
        session.apply(1, &event);
    }
    assert_eq!(session.untold(), [1.into(), 2.into()]);
    session.apply(1, &turn());
    assert_eq!(session.untold(), []);
    let agents = |it: &&Message| matches!(it, Message::Agent(_));
    assert_eq!(session.asked().iter().filter(agents).count(), 2);
    let all = words(&session);
    assert_eq!(all, ["user: go", "assistant: t → p1", "results: p1=result 1", "> w1", "> w2"]);
    session.apply(1, &answered(Stop::End, &[]));
    session.apply(1, &turn());
    assert_eq!(words(&session), all);
}

#[test]
fn a_session_is_woken_only_when_it_rests_with_its_work_done_and_news() {
    let woken = |events: Vec<Event>| after(events).is_woken();
    let ended = |outcome| Event::ExchangeFinished { outcome };
    let begun = || vec![said("go"), turn(), answered(Stop::End, &[])];
    let with = |more: Vec<Event>| begun().into_iter().chain(more).collect::<Vec<_>>();
    assert!(!woken(with(vec![signal(1)])), "it works");
    assert!(!woken(with(vec![ended(Outcome::Done)])), "there is no news");
    assert!(woken(with(vec![signal(1), ended(Outcome::Done)])));
    assert!(woken(with(vec![ended(Outcome::Done), signal(1)])));
    let taken = Event::SignalTaken { signal: 1.into(), call: 2.into() };
    assert!(!woken(with(vec![signal(1), taken, ended(Outcome::Done)])), "a call was given it");
    let failed = Outcome::Failed { message: "f".into() };
    let limit = Outcome::Limit { message: "l".into() };
    for outcome in [Outcome::Stopped, failed, limit] {
        assert!(!woken(with(vec![ended(outcome), signal(1)])), "somebody has to speak first");
    }
    assert!(!woken(vec![signal(1)]), "nothing was ever said to it");
    let stop = Event::SignalReceived {
        signal: 3.into(),
        from: 9.into(),
        agent: vec!["a".into()],
        what: Signal::Stop,
    };
    assert!(!woken(with(vec![ended(Outcome::Done), stop])), "a stop is no news");
    let (outcome, text, usage) = (Outcome::Stopped, String::new(), Usage::default());
    let stopped = Event::SignalReceived {
        signal: 4.into(),
        from: 9.into(),
        agent: vec!["a".into()],
        what: Signal::Ended { ending: Ending { outcome, text, turns: 1, usage, worktree: None } },
    };
    let mut session = after(with(vec![ended(Outcome::Done), stopped.clone()]));
    assert!(!session.is_woken(), "who stopped it can speak");
    assert_eq!(session.untold(), [4.into()]);
    session = Session::new(SessionSpec { parent: Some(8.into()), ..session.spec });
    for event in with(vec![ended(Outcome::Done), stopped]) {
        session.apply(1, &event);
    }
    assert!(session.is_woken(), "another has the answer of this one");
}

#[test]
fn the_requests_since_somebody_spoke_count_what_woke_it_as_well() {
    let done = Event::ExchangeFinished { outcome: Outcome::Done };
    let exchange = [said("go"), turn(), answered(Stop::End, &[]), done.clone()];
    let woken = [signal(1), turn(), answered(Stop::End, &[]), done];
    let mut session = after(exchange.iter().chain(&woken).cloned());
    assert_eq!((session.turns, session.turns_since()), (2, 2));
    session.apply(1, &said("more"));
    assert_eq!((session.turns, session.turns_since()), (2, 0));
}
