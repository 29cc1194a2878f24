//! Sessions and events for the tests of this room.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use jiff::Timestamp;
use serde_json::json;

use super::Clock;
use crate::kernel::{
    capability::{Body, Category, Preview, Reach},
    change::{Before, Change},
    event::{Call, Decider, Decision, Event, ExitStatus, Origin, Outcome, Seal, Source, Stop},
    gate::{
        approval::{Answer, Question, Scope},
        law::{Cited, Layer},
        rule::Effect,
    },
    id::{CallId, SessionId},
    invoke::ToolResult,
    message::{Delay, ModelCall, Thought, Usage},
    picture::{Format, Picture, PictureId},
    port::{Aside, Journal, Kept, Mark, Replay, Store},
    signal::{Ending, Signal},
    spec::{Mode, SessionSpec},
    todo::{Item, State},
};

/// The session of the samples.
pub(super) const SESSION: u128 = 0x0190_0000_0000_7000_8000_0000_0000_0001;

/// A clock that goes one second a look.
pub(super) fn clock() -> Clock {
    let next = Arc::new(AtomicI64::new(1_700_000_000));
    Arc::new(move || {
        let second = next.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_second(second).expect("a second of our time")
    })
}

/// A session that was opened, with all it holds.
pub(super) struct Whole {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) replay: Replay,
}

pub(super) fn open(store: &dyn Store, session: SessionId) -> Whole {
    let mut events = Vec::new();
    let opened = store.open(session, &mut |envelope| events.push(envelope.clone())).unwrap();
    Whole { journal: opened.journal, replay: Replay { events, notice: opened.notice } }
}

pub(super) fn spec(id: SessionId) -> SessionSpec {
    SessionSpec {
        workspace: "/home/ada/engine".into(),
        model: "scripted:tour".into(),
        tools: vec!["execute_code".into()],
        modules: vec!["files".into(), "process".into()],
        ..SessionSpec::sample(id)
    }
}

pub(super) fn said(text: impl Into<String>) -> Event {
    Event::said(text)
}

pub(super) fn result(name: &str, content: serde_json::Value) -> ToolResult {
    ToolResult {
        ok: true,
        name: name.into(),
        input: json!({"path": "notes.txt"}),
        content,
        is_error: false,
        attachments: Vec::new(),
        duration_ms: 12,
    }
}

/// What the sample picture is known by: no picture is behind it.
pub(super) fn picture(bytes: &[u8]) -> Picture {
    let (id, bytes) = (PictureId::of(bytes), bytes.len() as u64);
    Picture { id, format: Format::Png, width: 640, height: 480, bytes, name: "a.png".into() }
}

/// One small story in which every type of event but the first happens that there was in the first
/// version.
pub(super) fn story() -> Vec<Event> {
    let [run, write]: [CallId; 2] = [0x11.into(), 0x12.into()];
    let refused = CallId::from(0x13);
    let write_call = Call {
        id: write,
        name: "files.write".into(),
        input: json!({"path": "notes.txt", "text": "a\u{2028}b\u{0085}c\n"}),
        origin: Origin::Python { line: Some(2) },
        parent: Some(run),
    };
    let refused_call = Call { id: refused, ..write_call.clone() };
    let question = |id: u128, call: &Call| Question {
        id: id.into(),
        session: SESSION.into(),
        path: vec!["main".into()],
        call: call.clone(),
        category: Category::Write,
        preview: Preview {
            object: "notes.txt".into(),
            facts: vec!["+1".into()],
            wider: Vec::new(),
            reach: Reach::Workspace,
            body: Body::Diff { old: None, new: "a\n".into(), mark: None },
            subject: crate::kernel::gate::subject::Subject::Other,
        },
        script: Some(run),
        monitor: None,
    };
    let by_mode = Decision::allowed(Decider::Mode { mode: Mode::Default });
    let finished = |call, parent, origin, result, decision| Event::CallFinished {
        call,
        parent,
        origin,
        result,
        decision,
    };
    let model_call = ModelCall {
        id: run,
        provider_id: "toolu_1".into(),
        name: "execute_code".into(),
        arguments: r#"{"code":"print(1)"}"#.into(),
    };
    vec![
        said("write some notes — über 漢字 🚂"),
        Event::TurnStarted { turn: 1, model: "scripted:tour".into() },
        Event::TextStreamed { text: "I shall.".into() },
        Event::TurnFinished {
            stop: Stop::Calls,
            usage: Usage { input: 10, output: 5, ..Usage::default() },
            calls: vec![model_call],
            thoughts: Vec::new(),
        },
        Event::CallStarted {
            call: Call {
                id: run,
                name: "execute_code".into(),
                input: json!({"code": "print(1)"}),
                origin: Origin::Model,
                parent: None,
            },
            category: Category::Execute,
            decision: by_mode,
            subject: crate::kernel::gate::subject::Subject::Other,
        },
        Event::ExecutionStarted {
            call: run,
            program: "main.py".into(),
            seal: Seal::None,
            form: crate::kernel::port::Form::None,
            limit_ms: 60_000,
        },
        Event::ApprovalRequested { question: question(0x21, &write_call) },
        Event::ApprovalAnswered {
            approval: 0x21.into(),
            answer: Answer::Allow { scope: Scope::Once },
            by: Decider::Person,
            waited_ms: 900,
            excluded_ms: 900,
        },
        Event::CallStarted {
            call: write_call.clone(),
            category: Category::Write,
            decision: Decision::allowed(Decider::Person),
            subject: crate::kernel::gate::subject::Subject::Other,
        },
        finished(write, Some(run), write_call.origin, result("files.write", json!({})), None),
        Event::ApprovalRequested { question: question(0x22, &refused_call) },
        Event::ApprovalWithdrawn {
            approval: 0x22.into(),
            reason: "its script ended".into(),
            waited_ms: 5,
            excluded_ms: 5,
        },
        finished(
            refused,
            Some(run),
            refused_call.origin,
            ToolResult { ok: false, is_error: true, ..result("files.write", json!("no")) },
            Some(Decision::denied(Decider::Nobody)),
        ),
        Event::ChildStarted {
            call: run,
            child: 0x31.into(),
            agent: "tester".into(),
            task: "test it".into(),
        },
        Event::OutputWritten { call: run, bytes: 2, lines: 1 },
        Event::ExecutionFinished {
            call: run,
            status: ExitStatus::Exited { code: 0 },
            ran_ms: 30,
            excluded_ms: 900,
        },
        Event::ChangeBegun {
            call: run,
            change: Change {
                path: "/tally/a.txt".into(),
                shown: "a.txt".into(),
                before: Before::File { mark: Mark::of(b"b\n"), mode: 0o644, kept: Kept::Whole },
                after: Some(Mark::of(b"a\n")),
                more: 1,
                fewer: 1,
                undoes: None,
            },
        },
        finished(run, None, Origin::Model, result("execute_code", json!("1\n")), None),
        Event::TurnStarted { turn: 2, model: "scripted:tour".into() },
        Event::TextStreamed { text: "Done.".into() },
        Event::TurnFinished {
            stop: Stop::End,
            usage: Usage { input: 20, output: 1, ..Usage::default() },
            calls: Vec::new(),
            thoughts: Vec::new(),
        },
        Event::ExchangeFinished { outcome: Outcome::Done },
        Event::ModeChanged { from: Mode::Default, to: Mode::AcceptEdits },
        Event::SessionResumed { notice: Some("the last record was unfinished".into()) },
        Event::SessionFinished { outcome: Outcome::Done },
    ]
}

/// What there is since: rules and what is said of them, what was put aside, signals, copies and ways
/// back, and what there is to do.
pub(super) fn since() -> Vec<Event> {
    let rule = Cited {
        layer: Layer::Session,
        effect: Effect::Allow,
        says: "files.write notes.txt".into(),
        file: None,
        line: None,
        grant: Some(0x21.into()),
    };
    let text = "[[allow]]\ncall = \"files.write\"\npath = \"notes.txt\"\n";
    let answered = |scope| Event::ApprovalAnswered {
        approval: 0x21.into(),
        answer: Answer::Allow { scope },
        by: Decider::Rule { rule: Box::new(rule.clone()) },
        waited_ms: 1,
        excluded_ms: 1,
    };
    vec![
        Event::ThinkingStreamed { text: "Is it the valve?".into() },
        Event::TurnFinished {
            stop: Stop::Calls,
            usage: Usage { input: 10, output: 5, ..Usage::default() },
            calls: Vec::new(),
            thoughts: vec![Thought {
                from: "anthropic/m".into(),
                kind: "thinking".into(),
                signature: "c2ln".into(),
                streamed: 16,
                words: Some("Is it the valve?\r".into()),
                after_text: 1,
                after_calls: 1,
            }],
        },
        answered(Scope::Session { rule: text.into() }),
        answered(Scope::Always { rule: text.into() }),
        Event::RuleRevoked { rule },
        Event::AnswerDelayed(Delay { why: "529".into(), wait_ms: 1_000, next: 2, of: 3 }),
        Event::CompactionStarted { summarised: 3 },
        Event::ContextCompacted {
            summarised: 3,
            summary: "it began".into(),
            usage: Usage { input: 9, output: 2, ..Usage::default() },
        },
        Event::CallJudged {
            call: 0x11.into(),
            usage: Usage { input: 7, output: 1, ..Usage::default() },
        },
        Event::SessionForked { from: 0x41.into(), source: Source::Here },
        Event::SessionNamed { name: "the boiler".into() },
        Event::ConversationRewound { to: 1 },
        Event::PutAside {
            call: 0x11.into(),
            things: vec![Aside { was: ".envrc".into(), now: Some("/kept/.envrc".into()) }],
        },
        Event::SignalSent {
            signal: 0x41.into(),
            to: 0x31.into(),
            what: Signal::Words { text: "look twice".into() },
        },
        Event::SignalSent { signal: 0x42.into(), to: 0x31.into(), what: Signal::Stop },
        Event::SignalReceived {
            signal: 0x43.into(),
            from: 0x31.into(),
            agent: vec!["main".into(), "tester".into()],
            what: Signal::Ended {
                ending: Ending {
                    outcome: Outcome::Limit { message: "too many".into() },
                    text: "all is well".into(),
                    turns: 2,
                    usage: Usage { input: 20, output: 1, ..Usage::default() },
                    worktree: None,
                },
            },
        },
        Event::MessageSent {
            text: "see [picture a.png 640x480]".into(),
            pictures: vec![picture(b"said")],
        },
        Event::PictureMade { call: 0x11.into(), picture: picture(b"made") },
        Event::SignalTaken { signal: 0x43.into(), call: 0x11.into() },
        Event::TodoChanged {
            call: 0x11.into(),
            items: vec![Item { text: "read the lexer".into(), state: State::Doing }],
        },
    ]
}
