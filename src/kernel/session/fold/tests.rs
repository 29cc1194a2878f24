mod by_hand;
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
    spec::Limits,
};

fn session() -> Session {
    Session::new(SessionSpec {
        id: 1.into(),
        parent: None,
        path: vec!["main".into()],
        workspace: "/w".into(),
        model: "scripted:tour".into(),
        mode: Mode::Default,
        tools: Vec::new(),
        modules: Vec::new(),
        limits: Limits::default(),
        instructions: String::new(),
        agents: None,
        view: crate::kernel::spec::View::Whole,
        worktree: None,
        workflow: None,
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
    Event::MessageSent { text: text.into() }
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
        Message::User(text) => format!("user: {text}"),
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

/// Closes what is open, and gives which calls were closed and whether they had begun.
fn close(session: &mut Session) -> Vec<(CallId, bool)> {
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
fn going_back_ends_the_conversation_before_a_message_and_keeps_what_it_cost() {
    let exchange = |words: &str| {
        let end = Event::ExchangeFinished { outcome: Outcome::Done };
        vec![said(words), turn(), text("yes"), answered(Stop::Calls, &[1]), done(1), end]
    };
    let all: Vec<_> = [exchange("one"), exchange("two"), exchange("three")].concat();
    let back = |to| after(all.iter().cloned().chain([Event::ConversationRewound { to }]));
    let one = ["user: one", "assistant: yes → p1", "results: p1=result 1"];
    assert_eq!(told(&back(7)), one);
    assert_eq!(told(&back(6)), one, "the first message from there on");
    assert_eq!(told(&back(1)), [""; 0]);
    assert_eq!(told(&back(99)), told(&after(all.clone())));
    assert_eq!(
        (back(1).turns, back(1).usage),
        (3, Usage { input: 9, output: 6, ..Usage::default() })
    );
    assert!(!back(7).is_busy() && !back(1).is_busy());
    let mut on = back(7);
    on.apply(20, &said("other"));
    assert_eq!(on.numbered(), [(1, "one"), (20, "other")]);
}

#[test]
fn a_way_back_leads_before_a_summary_and_to_what_it_stands_for() {
    let one = |words: &str| vec![said(words), turn(), text("yes"), answered(Stop::End, &[])];
    let talk = [one("one"), one("two"), vec![summed_up(3)], one("three"), vec![summed_up(3)]];
    let all: Vec<_> = talk.concat();
    let back = |to| after(all.iter().cloned().chain([Event::ConversationRewound { to }]));
    let whole = after(all.clone());
    assert_eq!(whole.numbered(), [(1, "one"), (5, "two"), (10, "three")]);
    assert_eq!(told(&back(5)), ["user: one", "assistant: yes"], "both summaries are gone");
    assert_eq!(told(&back(1)), [""; 0]);
    let first = told(&back(10));
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first[0].contains("notes") && first[0].ends_with("two"), "{first:?}");
    assert_eq!(back(10).numbered(), [(1, "one"), (5, "two")]);
    assert_eq!(told(&back(14)), told(&whole));
    // Whoever judges by what people said hears no summary, and no file.
    assert_eq!(whole.said(), ["one", "two", "three"]);
    let forked = Event::SessionForked { from: 7.into(), source: Source::File };
    let brought_in = after(all.into_iter().chain([forked, said("here")]));
    assert_eq!(brought_in.said(), ["here"]);
}

#[test]
fn what_a_summary_stands_for_is_kept_only_where_the_way_back_to_it_is_known() {
    let one = |words: &str| vec![said(words), turn(), text("yes"), answered(Stop::End, &[])];
    let talk = [one("one"), one("two"), one("three"), vec![summed_up(5)]].concat();
    let live = taken(session(), talk.clone());
    assert_eq!(live.numbered(), [(1, "one"), (5, "two"), (9, "three")]);
    assert!(live.talk.summed[0].whole.is_none() && !live.lacks());

    let back = Event::ConversationRewound { to: 9 };
    let all = talk.into_iter().chain([back]);
    let live = taken(session(), all.clone());
    assert!(live.lacks(), "the answers are in the journal alone");
    assert_eq!(told(&live), ["user: one", "user: two"]);
    assert_eq!(live.upto(), 14);
    let read_again = after(all);
    assert!(!read_again.lacks());
    let whole = ["user: one", "assistant: yes", "user: two", "assistant: yes"];
    assert_eq!(told(&read_again), whole);
    assert_eq!(read_again.numbered(), live.numbered());
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
                Message::User(_) | Message::Agent(_) => prop_assert!(wanted.is_empty()),
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
        let told = messages.iter().filter(|it| matches!(it, Message::User(_))).count();
        prop_assert!(summed || told == said.len());
        let mut closed: Vec<_> = close(&mut session).into_iter().map(|(id, _)| id).collect();
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
    assert_eq!(asked, [Message::User("go".into())], "it came after this request");
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
