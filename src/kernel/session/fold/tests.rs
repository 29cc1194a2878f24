mod agents;
mod back;
mod by_hand;
mod closing;
mod long;
mod thoughts;
mod undone;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::kernel::{
    capability::{Body, Category, Preview, Reach},
    error::ErrorCode,
    event::{Call, Decider, Decision, Source, Stop},
    gate::approval::{Answer, Scope, Then},
    id::CallId,
    signal::Signal,
};

fn session() -> Session {
    Session::new(SessionSpec {
        workspace: "/w".into(),
        model: "scripted:tour".into(),
        ..SessionSpec::sample(1)
    })
}

fn after(events: impl IntoIterator<Item = Event>) -> Session {
    let events: Vec<_> = events.into_iter().collect();
    let returns = events.iter().filter_map(|event| {
        let Event::ConversationRewound { to } = event else { return None };
        Some(*to)
    });
    let talk = Talk::returning(returns.collect());
    taken(Session { talk, ..session() }, events)
}

fn taken(mut session: Session, events: impl IntoIterator<Item = Event>) -> Session {
    for (seq, event) in (1..).zip(events) {
        session.apply(seq, &event);
    }
    session
}

fn said(text: &str) -> Event {
    Event::said(text)
}

fn turn() -> Event {
    Event::TurnStarted { turn: 1, model: "m".into() }
}

fn text(text: &str) -> Event {
    Event::TextStreamed { text: text.into() }
}

fn answered(stop: Stop, calls: &[u128]) -> Event {
    let calls = calls.iter().map(|id| model_call(*id)).collect();
    let usage = Usage { input: 3, output: 2, ..Usage::default() };
    Event::TurnFinished { stop, usage, calls, thoughts: Vec::new() }
}

fn model_call(id: u128) -> ModelCall {
    let (provider_id, arguments) = (format!("p{id}"), format!(r#"{{"n":{id}}}"#));
    ModelCall { id: id.into(), provider_id, name: "tool".into(), arguments }
}

fn call(id: u128, parent: Option<u128>) -> Call {
    let origin = if parent.is_some() { Origin::Python { line: None } } else { Origin::Model };
    let parent = parent.map(CallId::from);
    Call { id: id.into(), name: "tool".into(), input: json!({"n": id as u64}), origin, parent }
}

fn started(id: u128, parent: Option<u128>) -> Event {
    let decision = Decision::allowed(Decider::Person);
    Event::CallStarted {
        call: call(id, parent),
        category: Category::Read,
        decision,
        subject: crate::kernel::gate::subject::Subject::Other,
    }
}

fn done(id: u128) -> Event {
    let result = ToolResult {
        ok: true,
        name: "tool".into(),
        input: json!({}),
        content: json!(format!("result {id}")),
        is_error: false,
        attachments: Vec::new(),
        duration_ms: 1,
    };
    let (call, origin) = (id.into(), Origin::Model);
    Event::CallFinished { call, parent: None, origin, result, decision: None }
}

fn asked(approval: u128, call: Call) -> Event {
    let preview = Preview {
        object: "x".into(),
        facts: Vec::new(),
        wider: Vec::new(),
        reach: Reach::Workspace,
        body: Body::Text { text: "x".into() },
        subject: crate::kernel::gate::subject::Subject::Other,
    };
    let question = Question {
        id: approval.into(),
        session: 1.into(),
        path: vec!["main".into()],
        call,
        category: Category::Write,
        preview,
        script: None,
        monitor: None,
    };
    Event::ApprovalRequested { question }
}

fn answer(approval: u128, answer: Answer) -> Event {
    let (approval, by) = (approval.into(), Decider::Person);
    Event::ApprovalAnswered { approval, answer, by, waited_ms: 1, excluded_ms: 1 }
}

fn summed_up(summarised: usize) -> Event {
    Event::ContextCompacted { summarised, summary: "notes".into(), usage: Usage::default() }
}

fn resumed() -> Event {
    Event::SessionResumed { notice: None }
}

/// The conversation in one line a message.
fn told(session: &Session) -> Vec<String> {
    let line = |message: &Message| match message {
        Message::User { text, .. } => format!("user: {text}"),
        Message::Agent(text) => format!("agent: {text}"),
        Message::Assistant { text, calls, .. } => {
            let calls: Vec<_> = calls.iter().map(|call| call.provider_id.as_str()).collect();
            format!(
                "assistant: {text}{}{}",
                if calls.is_empty() { "" } else { " → " },
                calls.join(" ")
            )
        }
        Message::Results(results) => {
            let of = |result: &CallResult| {
                let what = match result.result.error_code() {
                    Some(_) if result.result.text().contains("unknown") => "effect unknown".into(),
                    Some(_) => "never began".into(),
                    None => result.result.text(),
                };
                format!("{}={what}", result.provider_id)
            };
            format!("results: {}", results.iter().map(of).collect::<Vec<_>>().join(", "))
        }
    };
    session.messages().iter().map(line).collect()
}

#[test]
fn a_question_is_open_until_it_is_answered_withdrawn_or_its_process_died() {
    let begin = [said("go"), turn(), answered(Stop::Calls, &[1]), asked(9, call(1, None))];
    let check = |event: Option<Event>, open: usize| {
        let session = after(begin.iter().cloned().chain(event));
        assert_eq!(session.questions.len(), open);
    };
    check(None, 1);
    check(Some(answer(8, Answer::Allow { scope: Scope::Once })), 1);
    check(Some(answer(9, Answer::Allow { scope: Scope::Session { rule: String::new() } })), 0);
    check(Some(answer(9, Answer::Deny { because: None, then: Then::GoOn })), 0);
    let (approval, reason) = (9.into(), "gone".into());
    let gone = Event::ApprovalWithdrawn { approval, reason, waited_ms: 1, excluded_ms: 1 };
    check(Some(gone), 0);
    check(Some(resumed()), 0);
}

#[test]
fn an_answer_that_did_not_end_well_says_so_to_the_model() {
    let failed = Stop::Failed { message: "overloaded; try again".into() };
    let check = |written: &str, stop: Option<Stop>, expected: &[&str]| {
        let written = (!written.is_empty()).then(|| text(written));
        let end = stop.map_or_else(resumed, |stop| answered(stop, &[]));
        let begin = [said("go"), turn()].into_iter().chain(written);
        assert_eq!(told(&after(begin.chain([end]))), expected);
    };
    check("half", Some(Stop::End), &["user: go", "assistant: half"]);
    let cut = "assistant: half\n[cut off at the model's limit of length]";
    check("half", Some(Stop::Length), &["user: go", cut]);
    let stopped = "assistant: half\n[stopped by the person]";
    check("half", Some(Stop::Interrupted), &["user: go", stopped]);
    let off = "assistant: half\n[cut off: the provider failed]";
    check("half", Some(failed.clone()), &["user: go", off]);
    check("half", None, &["user: go", "assistant: half\n[cut off: the program ended]"]);
    // Nothing was said: no empty message, which some providers refuse.
    for stop in [Some(Stop::End), Some(Stop::Interrupted), Some(failed), None] {
        check("", stop, &["user: go"]);
    }
}

#[test]
fn what_is_said_during_an_answer_comes_after_it_and_its_results() {
    let begin = [said("go"), turn()];
    let check = |events: &[Event], expected: &[&str]| {
        assert_eq!(told(&after(begin.iter().chain(events).cloned())), expected);
    };
    let all = ["user: go", "assistant: yes → p1", "results: p1=result 1", "user: wait"];
    let rest = [text("yes"), answered(Stop::Calls, &[1]), started(1, None), done(1)];
    for place in 0..=rest.len() {
        let mut events = rest.to_vec();
        events.insert(place, said("wait"));
        check(&events, &all);
        events.push(turn());
        check(&events, &all);
    }
    check(&[said("wait")], &["user: go", "user: wait"]);
    check(&[resumed(), said("again")], &["user: go", "user: again"]);
}

#[test]
fn a_session_is_busy_from_a_message_to_the_end_of_its_exchange() {
    let check = |events: &[Event], busy| assert_eq!(after(events.to_vec()).is_busy(), busy);
    let end = Event::ExchangeFinished { outcome: Outcome::Done };
    check(&[], false);
    check(&[said("go")], true);
    check(&[said("go"), turn(), text("a")], true);
    check(&[said("go"), turn(), end.clone()], false);
    check(&[said("go"), turn(), end, said("on")], true);
}

#[test]
fn only_a_journal_that_starts_with_its_spec_is_a_session() {
    assert_eq!(Session::replay(&[]), None);
    let envelope = Envelope {
        v: 1,
        seq: 0,
        at: jiff::Timestamp::UNIX_EPOCH,
        session: 1.into(),
        event: said("go"),
    };
    assert_eq!(Session::replay(&[Arc::new(envelope)]), None);
}

fn any_event() -> impl Strategy<Value = Event> {
    let id = 1_u128..6;
    prop_oneof![
        Just(said("s")),
        Just(turn()),
        Just(text("t")),
        Just(resumed()),
        Just(Event::ExchangeFinished { outcome: Outcome::Done }),
        proptest::sample::subsequence(vec![1, 2, 3, 4, 5], 0..4)
            .prop_map(|calls| answered(Stop::Calls, &calls)),
        Just(Event::SessionForked { from: 7.into(), source: Source::Here }),
        (0_u64..40).prop_map(|to| Event::ConversationRewound { to }),
        (0_usize..9).prop_map(summed_up),
        id.clone().prop_map(|id| started(id, None)),
        id.clone().prop_map(|id| asked(id, call(id, None))),
        id.clone().prop_map(signal),
        id.clone().prop_map(|id| Event::SignalTaken { signal: id.into(), call: id.into() }),
        id.prop_map(done),
    ]
}

proptest! {
    /// Journals lose lines; what is left must still make requests that providers accept.
    #[test]
    fn whatever_is_left_of_a_journal_each_call_has_one_result_in_order(
        events in proptest::collection::vec(any_event(), 0..40),
    ) {
        let mut session = after(events.clone());
        let messages = session.messages();
        let mut wanted: Vec<String> = Vec::new();
        for message in &messages {
            match message {
                Message::Results(results) => {
                    let got: Vec<_> = results.iter().map(|it| it.provider_id.clone()).collect();
                    prop_assert_eq!(&got, &wanted);
                    prop_assert!(!got.is_empty());
                    wanted.clear();
                }
                Message::User { .. } | Message::Agent(_) => prop_assert!(wanted.is_empty()),
                Message::Assistant { calls, text, .. } => {
                    prop_assert!(wanted.is_empty());
                    prop_assert!(!text.is_empty() || !calls.is_empty());
                    wanted = calls.iter().map(|call| call.provider_id.clone()).collect();
                }
            }
        }
        prop_assert!(wanted.is_empty());
        let mut said = Vec::new();
        for (seq, event) in (1_u64..).zip(&events) {
            if let Event::ConversationRewound { to } = event {
                said.retain(|said| said < to);
            } else if let Event::MessageSent { .. } = event {
                said.push(seq);
            }
        }
        let numbers: Vec<_> = session.numbered().into_iter().map(|(seq, _)| seq).collect();
        prop_assert_eq!(&numbers, &said);
        let summed = events.iter().any(|event| matches!(event, Event::ContextCompacted { .. }));
        let told = messages.iter().filter(|it| matches!(it, Message::User { .. })).count();
        prop_assert!(summed || told == said.len());
        let mut closed: Vec<_> = closing::close(&mut session).into_iter().map(|(id, _)| id).collect();
        let all = closed.len();
        closed.sort();
        closed.dedup();
        prop_assert_eq!(closed.len(), all);
    }
}

fn signal(id: u128) -> Event {
    let what = Signal::Words { text: format!("w{id}") };
    Event::SignalReceived { signal: id.into(), from: 9.into(), agent: vec!["a".into()], what }
}

/// What is told of agents, without the words of ours about it.

#[test]
fn the_model_is_told_that_its_call_was_edited_however_deep_it_was() {
    let edited = |approval: u128, input| answer(approval, Answer::AllowEdited { input });
    let mut session = session();
    for event in [
        turn(),
        answered(Stop::Calls, &[1]),
        started(1, None),
        asked(9, call(2, Some(1))),
        edited(9, json!({"n": 3, "more": "x".repeat(500)})),
        started(2, Some(1)),
        done(2),
        done(1),
        turn(),
    ] {
        session.apply(1, &event);
    }
    let told = told(&session).join("\n");
    let cut = format!("more = \"{}… (502 bytes in all)", "x".repeat(399));
    let note = format!(
        "result 1\n[The person edited tool before saying yes. It ran with n = 3, {cut}; the rest as you asked.]"
    );
    assert!(told.contains(&note), "{told}");
}
