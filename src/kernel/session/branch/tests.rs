use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::kernel::{
    capability::Category,
    change::{Before, Change},
    event::{Call, Decider, Decision, Origin, Stop},
    gate::subject::Subject,
    message::{ModelCall, Usage},
    session::{decisions::decisions, standing::Tally},
    spec::Mode,
};

fn spec(id: u128) -> SessionSpec {
    SessionSpec { workspace: "/w".into(), model: "m".into(), ..SessionSpec::sample(id) }
}

fn journal(events: Vec<Event>) -> Vec<Arc<Envelope>> {
    let all = [vec![Event::SessionStarted { spec: spec(1) }], events].concat();
    let at = jiff::Timestamp::UNIX_EPOCH;
    let envelope = |(seq, event)| Arc::new(Envelope { v: 1, seq, at, session: 1.into(), event });
    (0..).zip(all).map(envelope).collect()
}

fn exchange(words: &str, call: u128) -> Vec<Event> {
    let model_call = ModelCall {
        id: call.into(),
        provider_id: format!("p{call}"),
        name: "tool".into(),
        arguments: "{}".into(),
    };
    let (usage, calls) = (Usage::default(), vec![model_call]);
    vec![
        Event::said(words),
        Event::TurnStarted { turn: 1, model: "m".into() },
        Event::TurnFinished { stop: Stop::Calls, usage, calls, thoughts: Vec::new() },
        Event::CallStarted {
            call: Call {
                id: call.into(),
                name: "tool".into(),
                input: json!({}),
                origin: Origin::Model,
                parent: None,
            },
            category: Category::Write,
            decision: Decision::allowed(Decider::Person),
            subject: Subject::Other,
        },
        Event::ChangeBegun {
            call: call.into(),
            change: Change {
                path: "/home/me/.bashrc".into(),
                shown: "a".into(),
                before: Before::Nothing,
                after: None,
                more: 0,
                fewer: 0,
                undoes: None,
            },
        },
        Event::ChildStarted {
            call: call.into(),
            child: 77.into(),
            agent: "a".into(),
            task: "t".into(),
        },
        Event::ModeChanged { from: Mode::Default, to: Mode::Auto },
    ]
}

/// The journal that a copy up to there is.
fn made(
    events: &[Arc<Envelope>],
    upto: u64,
    spec: SessionSpec,
    origin: (SessionId, Source),
) -> Vec<Arc<Envelope>> {
    let mut branch = Branch::new(spec, upto, origin);
    let mut all = journal(Vec::new());
    all.extend(events.iter().filter_map(|envelope| branch.take(envelope)).map(Arc::new));
    for event in branch.then() {
        let last = all.last().unwrap();
        let (seq, at) = (last.seq + 1, last.at);
        all.push(Arc::new(Envelope { v: 1, seq, at, session: 2.into(), event }));
    }
    all
}

fn read(events: &[Arc<Envelope>]) -> impl Iterator<Item = Result<Arc<Envelope>, Never>> {
    events.iter().cloned().map(Ok)
}

/// Reading goes well here.
type Never = std::convert::Infallible;

#[test]
fn a_copy_in_the_middle_of_a_call_closes_it_and_goes_on() {
    let events = journal(exchange("one", 3));
    let upto = end(read(&events), Point::End).unwrap().unwrap();
    let made = made(&events, upto, spec(2), (1.into(), Source::Here));
    let names: Vec<_> = made[8..].iter().map(|envelope| envelope.event.name()).collect();
    assert_eq!(names, ["call_finished", "exchange_finished", "session_forked"]);
    let session = Session::replay(&made).unwrap();
    assert_eq!(session.interruptions(), []);
    assert!(!session.is_busy());
    assert_eq!(session.messages().len(), 3);
    assert!(made[1..].iter().all(|envelope| envelope.session == 2.into()));
}

#[test]
fn a_copy_ends_before_a_message_or_after_a_turn() {
    let finished = || Event::ExchangeFinished { outcome: Outcome::Done };
    let events = [exchange("one", 3), vec![finished()], exchange("two", 4)].concat();
    let events = journal(events);
    let check = |point, expected: Result<u64, NoSuchPoint>| {
        assert_eq!(end(read(&events), point).unwrap(), expected, "{point:?}");
    };
    check(Point::Message(1), Ok(1));
    check(Point::Message(2), Ok(9));
    check(Point::Turn(1), Ok(9));
    check(Point::Turn(2), Ok(u64::MAX));
    check(Point::End, Ok(u64::MAX));
    check(Point::Message(0), Err(NoSuchPoint::Message(0, 2)));
    check(Point::Message(3), Err(NoSuchPoint::Message(3, 2)));
    check(Point::Turn(0), Err(NoSuchPoint::Turn(0, 2)));
    check(Point::Turn(3), Err(NoSuchPoint::Turn(3, 2)));
    // Numbers are those of the conversation as it is now.
    let mut back = events.clone();
    let event = Event::ConversationRewound { to: 9 };
    back.push(Arc::new(Envelope { seq: 16, event, ..(*events[0]).clone() }));
    let none = Err(NoSuchPoint::Message(2, 1));
    assert_eq!(end(read(&back), Point::Message(2)).unwrap(), none);
}

#[test]
fn what_a_file_says_was_changed_started_or_decided_is_not_believed() {
    let events = journal(exchange("one", 3));
    let made = made(&events, 99, spec(2), (1.into(), Source::File));
    assert_eq!(Branch::new(spec(2), 99, (1.into(), Source::File)).outputs(), None);
    let names: Vec<_> = made[1..].iter().map(|envelope| envelope.event.name()).collect();
    let conversation = ["message_sent", "turn_started", "turn_finished", "call_started"];
    assert_eq!(names[..4], conversation);
    assert_eq!(names[4..], ["call_finished", "exchange_finished", "session_forked"]);
    assert_eq!(Session::replay(&made).unwrap().mode, Mode::Default);
    let mut tally = Tally::default();
    made.iter().for_each(|envelope| tally.apply(envelope));
    assert_eq!(tally, Tally::default());
    assert_eq!(decisions(&made), []);
}
