use serde_json::json;

use super::*;
use crate::kernel::{
    capability::{Body, Preview, Reach},
    event::VERSION,
    gate::{
        approval::Then,
        law::{Cited, Layer},
        monitor::{Doubt, Tier},
        rule::Effect,
        subject::Subject,
    },
    invoke::ToolResult,
    session::standing::Tally,
    spec::{Mode, SessionSpec},
};

fn journal(events: Vec<Event>) -> Vec<Arc<Envelope>> {
    let spec = SessionSpec {
        workspace: "/tally".into(),
        model: "none".to_owned(),
        ..SessionSpec::sample(1)
    };
    let all = std::iter::once(Event::SessionStarted { spec }).chain(events);
    let envelope = |(seq, event)| {
        let at = Timestamp::from_second(i64::try_from(seq).unwrap()).unwrap();
        Arc::new(Envelope { v: VERSION, seq: seq as u64, at, session: 1.into(), event })
    };
    all.enumerate().map(envelope).collect()
}

fn call(id: u128, name: &str, input: Value) -> Call {
    Call {
        id: id.into(),
        name: name.to_owned(),
        input,
        origin: Origin::Python { line: Some(7) },
        parent: None,
    }
}

fn write(id: u128) -> Call {
    call(id, "files.write", json!({ "path": "src/lex.rs", "text": "x" }))
}

fn asks(approval: u128, call: Call) -> Event {
    let question = Question {
        id: approval.into(),
        session: 1.into(),
        path: vec!["main".to_owned(), "tests".to_owned()],
        call,
        category: Category::Write,
        preview: Preview {
            object: "src/lex.rs".to_owned(),
            facts: Vec::new(),
            wider: Vec::new(),
            reach: Reach::Workspace,
            body: Body::Text { text: String::new() },
            subject: Subject::Other,
        },
        script: None,
        monitor: None,
    };
    Event::ApprovalRequested { question }
}

fn answered(approval: u128, answer: Answer, by: Decider) -> Event {
    let (waited_ms, excluded_ms) = (40_200, 40_100);
    Event::ApprovalAnswered { approval: approval.into(), answer, by, waited_ms, excluded_ms }
}

fn starts(call: Call, category: Category, by: Decider) -> Event {
    Event::CallStarted { call, category, decision: Decision::allowed(by), subject: Subject::Other }
}

fn refused(id: u128, by: Decider) -> Event {
    let result = ToolResult {
        ok: false,
        name: "process.run".to_owned(),
        input: json!({ "argv": ["git", "push"] }),
        content: Value::Null,
        is_error: true,
        attachments: Vec::new(),
        duration_ms: 0,
    };
    let origin = Origin::Model;
    let decision = Some(Decision::denied(by));
    Event::CallFinished { call: id.into(), parent: None, origin, result, decision }
}

fn cited(grant: Option<ApprovalId>, line: Option<usize>) -> Decider {
    let layer = if grant.is_some() { Layer::Session } else { Layer::User };
    let says = "git push **".to_owned();
    let rule = Cited { layer, effect: Effect::Deny, says, file: None, line, grant };
    Decider::Rule { rule: Box::new(rule) }
}

fn session_yes() -> Answer {
    Answer::Allow { scope: Scope::Session { rule: "[[allow]]".to_owned() } }
}

#[test]
fn each_decision_has_one_line_with_who_made_it_and_what_it_took() {
    let by_mode = Decider::Mode { mode: Mode::Default };
    let no = Answer::Deny { because: Some("leave it".to_owned()), then: Then::GoOn };
    let once = Answer::Allow { scope: Scope::Once };
    let events = journal(vec![
        starts(call(1, "files.read", json!({ "path": "a" })), Category::Read, by_mode),
        asks(11, write(2)),
        answered(11, no, Decider::Person),
        refused(2, Decider::Person),
        asks(12, write(3)),
        answered(12, once, Decider::Person),
        starts(write(3), Category::Write, Decider::Person),
        starts(write(4), Category::Write, cited(Some(11.into()), None)),
        refused(5, cited(None, Some(3))),
        asks(13, write(6)),
        Event::SessionResumed { notice: None },
        asks(14, write(7)),
    ]);
    let all = decisions(&events);
    let told: Vec<_> = all.iter().map(|made| (made.at.as_second(), made.verdict)).collect();
    let expected = [
        (3, Ruling::Denied),
        (6, Ruling::Allowed),
        (8, Ruling::Allowed),
        (9, Ruling::Denied),
        (11, Ruling::Withdrawn),
        (12, Ruling::Open),
    ];
    assert_eq!(told, expected);
    assert_eq!(all[0].words.as_deref(), Some("leave it"));
    assert_eq!((all[0].waited.waited_ms, all[0].waited.excluded_ms), (40_200, 40_100));
    assert_eq!((all[0].agent.join("/").as_str(), all[0].line), ("main/tests", Some(7)));
    assert_eq!((all[0].effect.as_str(), all[0].category), ("src/lex.rs", Some(Category::Write)));
    assert_eq!(all[1].scope, Some(Scope::Once));
    assert_eq!((all[2].agent.join("/").as_str(), all[2].approval), ("main", None));
    assert_eq!((all[3].effect.as_str(), all[3].category), ("git push", None));
    assert_eq!(all[4].words.as_deref(), Some("the program ended"));
}

#[test]
fn what_the_monitor_held_back_says_so_also_where_a_person_or_a_rule_spoke_before() {
    let doubt = |tier| Doubt { tier, reason: "it is odd".to_owned() };
    let by_monitor = |id, tier| {
        let refused = refused(id, Decider::Monitor(doubt(tier)));
        let Event::CallFinished { call, parent, origin, result, decision } = refused else {
            unreachable!()
        };
        let category = Some(Category::External);
        let decision = decision.map(|decision| Decision { category, ..decision });
        Event::CallFinished { call, parent, origin, result, decision }
    };
    let Event::ApprovalRequested { mut question } = asks(11, write(2)) else { unreachable!() };
    question.monitor = Some(doubt(Tier::Failed));
    let once = || Answer::Allow { scope: Scope::Once };
    let events = journal(vec![
        by_monitor(1, Tier::Soft),
        Event::ApprovalRequested { question },
        answered(11, once(), Decider::Person),
        asks(12, write(3)),
        answered(12, once(), cited(None, None)),
        by_monitor(3, Tier::Hard),
    ]);
    // As it comes back from a file.
    let events: Vec<Arc<Envelope>> = serde_json::from_value(json!(events)).unwrap();
    let all = decisions(&events);
    let told: Vec<_> = all.iter().map(|made| (made.verdict, made.category)).collect();
    let expected = [
        (Ruling::Denied, Some(Category::External)),
        (Ruling::Allowed, Some(Category::Write)),
        (Ruling::Allowed, Some(Category::Write)),
        (Ruling::Denied, Some(Category::External)),
    ];
    assert_eq!(told, expected);
    assert_eq!(all[0].by, Some(Decider::Monitor(doubt(Tier::Soft))));
    assert_eq!((&all[1].by, &all[1].monitor), (&Some(Decider::Person), &Some(doubt(Tier::Failed))));
    assert_eq!(all[3].by, Some(Decider::Monitor(doubt(Tier::Hard))));
}

#[test]
fn rules_are_counted_and_yeses_stand_until_they_are_taken_back_or_the_program_ends() {
    let tally = |events: Vec<Event>| {
        let mut tally = Tally::default();
        for envelope in journal(events) {
            tally.apply(&envelope);
        }
        tally
    };
    let given = || {
        vec![
            asks(11, write(2)),
            answered(11, session_yes(), Decider::Person),
            starts(write(2), Category::Write, Decider::Person),
            starts(write(3), Category::Write, cited(Some(11.into()), None)),
            refused(4, cited(None, Some(3))),
            // A question that a rule answers is one hit, where its call begins.
            asks(12, write(5)),
            answered(12, Answer::Allow { scope: Scope::Once }, cited(Some(11.into()), None)),
            starts(write(5), Category::Write, cited(Some(11.into()), None)),
            refused(6, cited(None, Some(9))),
        ]
    };
    let live = tally(given());
    let [standing] = live.grants() else { panic!("{:?}", live.grants()) };
    assert_eq!((standing.grant, standing.given.as_second()), (11.into(), 2));
    let used = live.used_grant(11.into()).unwrap();
    assert_eq!((used.hits, used.last.as_second()), (2, 8));
    let Decider::Rule { rule } = cited(None, Some(12)) else { unreachable!() };
    let used = live.used(&rule).unwrap();
    assert_eq!((used.hits, used.last.as_second()), (2, 9), "its line has moved");

    let Decider::Rule { rule } = cited(Some(11.into()), None) else { unreachable!() };
    let ends = [Event::RuleRevoked { rule: *rule }, Event::SessionResumed { notice: None }];
    for end in ends {
        let mut events = given();
        events.push(end);
        let ended = tally(events);
        assert!(ended.grants().is_empty());
        assert_eq!(ended.used_grant(11.into()).unwrap().hits, 2, "what it did is not undone");
    }
}

fn ends(id: u128, ok: bool, content: Value) -> Event {
    let input = json!({ "path": "src/lex.rs", "text": "x" });
    let result = ToolResult {
        ok,
        name: "files.write".to_owned(),
        input,
        content,
        is_error: !ok,
        attachments: Vec::new(),
        duration_ms: 0,
    };
    let origin = Origin::Model;
    Event::CallFinished { call: id.into(), parent: None, origin, result, decision: None }
}

#[test]
fn what_was_allowed_and_what_came_of_it_are_two_things() {
    let once = || Answer::Allow { scope: Scope::Once };
    let yes = |approval: u128, id: u128| {
        vec![
            asks(approval, write(id)),
            answered(approval, once(), Decider::Person),
            starts(write(id), Category::Write, Decider::Person),
        ]
    };
    let gone = json!({ "error": "failed", "message": "Not written: it changed.\nRead it again." });
    let cut = json!({ "error": "interrupted", "message": "Interrupted." });
    let mut events = [yes(11, 2), yes(12, 3), yes(13, 4), yes(14, 5)].concat();
    events.extend([ends(2, true, json!("written")), ends(3, false, gone), ends(4, false, cut)]);
    let all = decisions(&journal(events));
    assert!(all.iter().all(|made| made.verdict == Ruling::Allowed));
    let outcomes: Vec<_> = all.iter().map(|made| made.outcome.clone()).collect();
    let failed = Outcome::Failed { because: "Not written: it changed.".to_owned() };
    assert_eq!(outcomes, [Some(Outcome::Done), Some(failed), Some(Outcome::Unknown), None]);
    let words: Vec<_> = outcomes.iter().flatten().map(Outcome::words).collect();
    assert_eq!(words[1].as_deref(), Some("failed: Not written: it changed."));
    assert_eq!(words[0], None);
}

#[test]
fn a_yes_to_other_arguments_names_what_was_really_done() {
    let other = json!({ "path": "src/other.rs", "text": "x" });
    let events = journal(vec![
        asks(11, write(2)),
        answered(11, Answer::AllowEdited { input: other.clone() }, Decider::Person),
        starts(call(2, "files.write", other), Category::Write, Decider::Person),
    ]);
    let all = decisions(&events);
    assert_eq!((all[0].effect.as_str(), all[0].words.as_deref()), ("src/other.rs", Some(EDITED)));
}
