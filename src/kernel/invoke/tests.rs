use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;
use schemars::JsonSchema;
use serde_json::json;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::kernel::{
    BoxFuture,
    capability::{Category, Preview, Reach},
    clock::Budget,
    event::{Decider, Envelope, VERSION},
    gate::{
        Gate, Rights,
        approval::{Answer, NotAnswered, Scope, Then, Waiting},
        law::{Law, Rules},
        subject::Subject,
    },
    port::{Env, Journal, Mark, Over, ResolvedPath, Standing, StoreError},
    registry::{Mounts, Registry},
    spec::{Limits, Mode, SessionSpec},
};

mod monitor;
mod rules;

#[derive(Default)]
struct FakeJournal(Mutex<Vec<Arc<Envelope>>>);

impl Journal for FakeJournal {
    fn append(
        &self,
        event: Event,
        shown: &dyn Fn(&Arc<Envelope>),
    ) -> Result<Arc<Envelope>, StoreError> {
        let mut lines = self.0.lock().unwrap();
        let envelope = Arc::new(Envelope {
            v: VERSION,
            seq: lines.len() as u64,
            at: jiff::Timestamp::UNIX_EPOCH,
            session: 1.into(),
            event,
        });
        lines.push(envelope.clone());
        shown(&envelope);
        Ok(envelope)
    }

    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }
}

struct NoEnv;

impl Env for NoEnv {
    fn root(&self) -> &Path {
        Path::new("/nowhere")
    }

    fn resolve_path(&self, _: &str) -> Result<ResolvedPath, CallError> {
        Err(CallError::failed("no files here"))
    }

    fn read_file<'a>(&'a self, _: &'a ResolvedPath) -> BoxFuture<'a, Result<Vec<u8>, CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }

    fn look<'a>(&'a self, _: &'a ResolvedPath) -> BoxFuture<'a, Result<Standing, CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }

    fn write_file<'a>(
        &'a self,
        _: &'a ResolvedPath,
        _: Over<'a>,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }

    fn remove_file<'a>(
        &'a self,
        _: &'a ResolvedPath,
        _: &'a Mark,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async { Err(CallError::failed("no files here")) })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Word {
    word: String,
}

struct Fixture {
    rules: Arc<Rules>,
    journal: Arc<FakeJournal>,
    waiting: Arc<Waiting>,
    mode: watch::Sender<Mode>,
    cancel: CancellationToken,
    clock: Budget,
    tools: Tools,
    asked: Mutex<tokio::sync::mpsc::UnboundedReceiver<crate::kernel::id::ApprovalId>>,
    ran: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Attended {
    Yes,
    No,
}

fn fixture(mode: Mode, attended: Attended) -> Fixture {
    limited(mode, attended, Limits::default())
}

fn limited(mode: Mode, attended: Attended, limits: Limits) -> Fixture {
    let ran: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut registry = Registry::default();
    let names = [
        ("look", Category::Read),
        ("change", Category::Write),
        ("start", Category::Execute),
        ("send", Category::External),
    ];
    for (name, category) in names {
        let ran = ran.clone();
        let subject = move |word: &str| match category {
            Category::Read | Category::Write => Subject::Path { real: format!("/nowhere/{word}") },
            Category::Execute | Category::External => Subject::Other,
        };
        let capability = Capability::define::<Word>(name, "", category)
            .subject(move |_, p| subject(&p.word))
            .preview(move |_, p| async move {
                let subject = subject(&p.word);
                if p.word == "bad" {
                    return Err(CallError::failed("not that word"));
                }
                Ok(Preview {
                    object: p.word,
                    facts: Vec::new(),
                    wider: Vec::new(),
                    reach: Reach::Workspace,
                    body: crate::kernel::capability::Body::Text { text: String::new() },
                    subject,
                })
            })
            .handler(move |permit, _, p| {
                let ran = ran.clone();
                async move {
                    assert!(permit.call() != CallId::from(0));
                    ran.lock().unwrap().push(p.word.clone());
                    if p.word == "for ever" {
                        std::future::pending::<()>().await;
                    }
                    Ok(p.word.into())
                }
            });
        registry.register(capability).unwrap();
    }
    let (asking, asked) = tokio::sync::mpsc::unbounded_channel();
    let journal = Arc::new(FakeJournal::default());
    let recorder = Recorder::new(
        journal.clone(),
        Arc::new(move |envelope| {
            if let Event::ApprovalRequested { question } = &envelope.event {
                let _ = asking.send(question.id);
            }
        }),
    );
    let waiting = Arc::new(Waiting::default());
    let rules = Arc::new(Rules::default());
    let mode = watch::Sender::new(mode);
    let cancel = CancellationToken::new();
    let clock = Budget::start(Duration::from_secs(60));
    let spec = SessionSpec {
        id: 1.into(),
        parent: None,
        path: vec!["root".to_owned()],
        workspace: "/nowhere".into(),
        model: "none".to_owned(),
        mode: *mode.borrow(),
        tools: Vec::new(),
        modules: Vec::new(),
        limits,
        instructions: String::new(),
    };
    let context = Context {
        gate: Gate::new(
            Rights::of(mode.subscribe()),
            (attended == Attended::Yes).then(|| waiting.clone()),
        )
        .with_law(Law::new(rules.clone(), Path::new("/nowhere"))),
        cancel: cancel.clone(),
        clocks: vec![clock.clone()],
        ..Context::bare(Arc::new(spec), recorder, Arc::new(NoEnv), Arc::new(Mounts::default()))
    };
    let names: Vec<String> = names.iter().map(|(name, _)| (*name).to_owned()).collect();
    let tools = registry.build(&names, context, |name| panic!("{name} is unknown"));
    let asked = Mutex::new(asked);
    Fixture { rules, journal, waiting, mode, cancel, clock, tools, asked, ran }
}

impl Fixture {
    fn call(&self, name: &str, input: Input) -> impl Future<Output = ToolResult> + Send + 'static {
        let tools = self.tools.clone();
        let request = CallRequest {
            id: CallId::fresh(),
            name: name.to_owned(),
            input,
            origin: Origin::Model,
        };
        async move { tools.invoke(request).await }
    }

    fn word(&self, name: &str, word: &str) -> impl Future<Output = ToolResult> + Send + 'static {
        self.call(name, Input::Value(json!({ "word": word })))
    }

    #[expect(clippy::await_holding_lock, reason = "one test task at a time asks")]
    async fn question(&self) -> crate::kernel::id::ApprovalId {
        self.asked.lock().unwrap().recv().await.unwrap()
    }

    fn types(&self) -> Vec<String> {
        let lines = self.journal.0.lock().unwrap();
        let name = |line: &Arc<Envelope>| {
            serde_json::to_value(&line.event).unwrap()["type"].as_str().unwrap().to_owned()
        };
        lines.iter().map(name).collect()
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

const YES: Answer = Answer::Allow { scope: Scope::Once };

#[tokio::test]
async fn a_read_runs_in_every_mode_and_leaves_a_start_and_a_result() {
    for mode in Mode::ALL {
        let fixture = fixture(mode, Attended::No);
        let result = fixture.word("look", "here").await;
        assert_eq!((result.ok, result.text()), (true, "here".to_owned()));
        assert_eq!(fixture.types(), ["call_started", "call_finished"]);
    }
}

#[tokio::test]
async fn a_script_that_reads_much_gets_all_of_it_and_does_not_fill_the_journal() {
    let mut fixture = fixture(Mode::Default, Attended::No);
    let long = "å".repeat(100_000);
    for (parent, kept) in [(None, 200_000), (Some(CallId::from(7)), KEPT_BYTES + 100)] {
        fixture.tools.context.call = parent;
        let result = fixture.word("look", &long).await;
        assert_eq!(result.text(), long);
        let journal = fixture.journal.0.lock().unwrap();
        let Event::CallFinished { result, .. } = &journal.last().unwrap().event else { panic!() };
        assert!(result.text().len() <= kept, "{parent:?}: {}", result.text().len());
        assert_eq!(result.text() == long, parent.is_none());
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_said_before_anything_is_asked() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let text = |text: &str| Input::Text(text.to_owned());
    let cases = [
        (
            "gone",
            text("{}"),
            "unknown_tool",
            "There is no tool \"gone\" here. There is: look, change, start, send.",
        ),
        ("look", text("[]"), "invalid_input", "Invalid input for look: expected object"),
        ("look", text("[\"here\"]"), "invalid_input", "Invalid input for look: expected object"),
        ("look", text("\"{}\""), "invalid_input", "Invalid input for look: expected object"),
        ("look", text("null"), "invalid_input", "Invalid input for look: expected object"),
        (
            "change",
            text("{\"word\":\"a\",\"word\":\"b\"}"),
            "invalid_input",
            "Invalid input for change: the key \"word\" is there twice at line 1 column 18",
        ),
        (
            "look",
            text(""),
            "invalid_input",
            "Invalid input for look: missing required property \"word\"",
        ),
        (
            "look",
            text("{\"word\":1}"),
            "invalid_input",
            "Invalid input for look.word: expected string",
        ),
        (
            "look",
            text("{\"word\":\"a\",\"more\":1}"),
            "invalid_input",
            "Invalid input for look: unknown property \"more\"",
        ),
        ("change", text("{\"word\":\"bad\"}"), "failed", "not that word"),
    ];
    for (name, input, code, message) in cases {
        let result = fixture.call(name, input).await;
        assert!(!result.ok);
        assert_eq!(result.content["error"], code);
        assert_eq!(result.content["message"], message);
    }
    let broken = fixture.call("look", text("{\"word\": ")).await;
    let message = broken.content["message"].as_str().unwrap();
    assert!(
        message.starts_with("Invalid input for look: expected a JSON object; this is not JSON:")
    );
    let two = fixture.call("look", text("{\"word\":\"a\"} {}")).await;
    assert!(two.text().contains("this is not JSON: trailing characters"), "{two:?}");
    assert_eq!(fixture.types(), vec!["call_finished"; 12]);
}

#[tokio::test]
async fn with_nobody_to_ask_the_call_is_denied_at_once_and_the_journal_names_it() {
    let fixture = fixture(Mode::Default, Attended::No);
    let result = fixture.word("change", "a").await;
    assert_eq!(result.error_code(), Some(ErrorCode::NoApprover));
    let lines = fixture.journal.0.lock().unwrap();
    let Event::CallFinished { decision, .. } = &lines[0].event else { panic!() };
    assert_eq!(decision.as_ref().map(|decision| &decision.by), Some(&Decider::Nobody));
    assert!(fixture.ran().is_empty());
}

#[tokio::test]
async fn plan_mode_refuses_every_effect_without_a_question() {
    let fixture = fixture(Mode::Plan, Attended::Yes);
    for name in ["change", "start", "send"] {
        let result = fixture.word(name, "a").await;
        assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
    }
    assert!(fixture.ran().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_clock_stands_still_while_a_person_decides_and_the_journal_says_how_long() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    tokio::time::advance(Duration::from_secs(10)).await;
    assert!(fixture.clock.read().held);
    fixture.waiting.answer(id, YES).unwrap();
    assert!(call.await.unwrap().ok);
    assert_eq!(
        fixture.types(),
        ["approval_requested", "approval_answered", "call_started", "call_finished"]
    );
    let reading = fixture.clock.read();
    assert_eq!((reading.spent, reading.excluded), (Duration::ZERO, Duration::from_secs(10)));
    let lines = fixture.journal.0.lock().unwrap();
    let Event::ApprovalAnswered { waited_ms, excluded_ms, by, .. } = lines[1].event.clone() else {
        panic!()
    };
    assert_eq!((waited_ms, excluded_ms, by), (10_000, 10_000, Decider::Person));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_in_its_time_is_over_and_the_clock_runs_again() {
    let limits = Limits { approval_ms: Some(30_000), ..Limits::default() };
    let fixture = limited(Mode::Default, Attended::Yes, limits);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    assert!(fixture.clock.read().held);
    let result = call.await.unwrap();
    assert_eq!(result.error_code(), Some(ErrorCode::ApprovalExpired));
    assert_eq!(fixture.waiting.answer(id, YES), Err(NotAnswered::NobodyWaits));
    assert!(fixture.ran().is_empty());
    let reading = fixture.clock.read();
    assert_eq!(
        (reading.excluded, reading.held, reading.spent),
        (Duration::from_secs(30), false, Duration::ZERO)
    );
    assert_eq!(fixture.types(), ["approval_requested", "approval_withdrawn", "call_finished"]);
    let lines = fixture.journal.0.lock().unwrap();
    let withdrawn = Event::ApprovalWithdrawn {
        approval: id,
        reason: "nobody answered within 30 s".to_owned(),
        waited_ms: 30_000,
        excluded_ms: 30_000,
    };
    assert_eq!(lines[1].event, withdrawn);
    let Event::CallFinished { decision, .. } = &lines[2].event else { panic!() };
    assert_eq!(decision.as_ref().map(|decision| &decision.by), Some(&Decider::Expiry));
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_for_ever_unless_it_is_set_otherwise_and_while_nobody_can_answer() {
    for approval_ms in [None, Some(30_000)] {
        let limits = Limits { approval_ms, ..Limits::default() };
        let fixture = limited(Mode::Default, Attended::Yes, limits);
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        // With an expiry, at one stroke: the process was stopped.
        tokio::time::advance(Duration::from_secs(86_400)).await;
        tokio::task::yield_now().await;
        assert_eq!(fixture.waiting.answer(id, YES), Ok(()), "{approval_ms:?}");
        assert!(call.await.unwrap().ok);
    }
}

#[tokio::test]
async fn a_no_carries_the_words_and_stops_the_turn_only_if_told_to() {
    for then in [Then::GoOn, Then::StopTurn] {
        let fixture = fixture(Mode::Default, Attended::Yes);
        let call = tokio::spawn(fixture.word("change", "a"));
        let because = Some("leave it".to_owned());
        let id = fixture.question().await;
        fixture.waiting.answer(id, Answer::Deny { because, then }).unwrap();
        let result = call.await.unwrap();
        assert_eq!(result.error_code(), Some(ErrorCode::PermissionDenied));
        assert_eq!(result.content["feedback"], "leave it");
        assert_eq!(fixture.cancel.is_cancelled(), then == Then::StopTurn);
        assert!(fixture.ran().is_empty());
    }
}

#[tokio::test]
async fn a_yes_for_the_session_covers_that_very_call_and_nothing_like_it() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture
        .waiting
        .answer(id, Answer::Allow { scope: Scope::Session { rule: String::new() } })
        .unwrap();
    assert!(call.await.unwrap().ok);
    assert!(fixture.word("change", "a").await.ok);
    let other = tokio::spawn(fixture.word("change", "b"));
    fixture.question().await;
    other.abort();
    let another = tokio::spawn(fixture.word("start", "a"));
    fixture.question().await;
    another.abort();
}

#[tokio::test]
async fn a_question_whose_asker_is_gone_is_withdrawn_and_a_late_yes_does_nothing() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    call.abort();
    assert!(call.await.is_err());
    assert!(fixture.waiting.answer(id, YES).is_err());
    assert_eq!(fixture.types(), ["approval_requested", "approval_withdrawn", "call_finished"]);
    assert!(!fixture.clock.read().held);
    assert!(fixture.ran().is_empty());
}

#[tokio::test]
async fn a_call_cut_off_while_it_runs_has_one_result_that_says_its_effect_is_unknown() {
    let fixture = fixture(Mode::Auto, Attended::No);
    let (begun, wait) = oneshot::channel::<()>();
    let call = fixture.word("change", "for ever");
    let task = tokio::spawn(async move {
        let mut call = std::pin::pin!(call);
        let first = futures_util::poll!(&mut call);
        assert!(first.is_pending());
        let _ = begun.send(());
        call.await
    });
    wait.await.unwrap();
    task.abort();
    assert!(task.await.is_err());
    assert_eq!(fixture.types(), ["call_started", "call_finished"]);
    let lines = fixture.journal.0.lock().unwrap();
    let Event::CallFinished { result, .. } = &lines[1].event else { panic!() };
    assert_eq!(result.error_code(), Some(ErrorCode::Interrupted));
    assert!(result.content["message"].as_str().unwrap().contains("unknown"));
}

#[tokio::test]
async fn a_mode_that_permits_or_forbids_the_call_answers_its_question() {
    for (mode, ok) in [(Mode::Auto, true), (Mode::Plan, false)] {
        let fixture = fixture(Mode::Default, Attended::Yes);
        let call = tokio::spawn(fixture.word("change", "a"));
        fixture.question().await;
        fixture.mode.send_replace(mode);
        assert_eq!(call.await.unwrap().ok, ok);
        assert!(fixture.waiting.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_yes_against_a_stop_takes_effect_once_or_never_and_the_journal_says_which() {
    for _ in 0..200 {
        let fixture = fixture(Mode::Default, Attended::Yes);
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        let (waiting, cancel) = (fixture.waiting.clone(), fixture.cancel.clone());
        let yes = tokio::spawn(async move { waiting.answer(id, YES) });
        let stop = tokio::spawn(async move { cancel.cancel() });
        let (yes, stop, result) = tokio::join!(yes, stop, call);
        stop.unwrap();
        let (result, types) = (result.unwrap(), fixture.types());
        let count = |name: &str| types.iter().filter(|known| *known == name).count();
        let answered = count("approval_answered");
        assert_eq!(answered + count("approval_withdrawn"), 1, "{types:?}");
        assert_eq!((count("call_started"), count("call_finished")), (answered, 1), "{types:?}");
        assert_eq!((fixture.ran().len(), result.ok), (answered, answered == 1), "{types:?}");
        assert!(answered == 0 || yes.unwrap().is_ok(), "{types:?}");
    }
}

/// What happens to the questions of a session, in any order.
#[derive(Clone, Debug)]
enum Step {
    Ask,
    Answer(usize, bool),
    Leave(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        Just(Step::Ask),
        (0..8_usize, any::<bool>()).prop_map(|(which, yes)| Step::Answer(which, yes)),
        (0..8_usize).prop_map(Step::Leave),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_order_of_questions_answers_and_departures_gives_each_call_one_result(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let fixture = fixture(Mode::Default, Attended::Yes);
            let mut open = Vec::new();
            let (mut asked, mut allowed) = (0, 0);
            for step in steps {
                match step {
                    Step::Ask => {
                        let call = tokio::spawn(fixture.word("change", &asked.to_string()));
                        open.push((fixture.question().await, call));
                        asked += 1;
                    }
                    Step::Answer(which, yes) if which < open.len() => {
                        let (id, call) = open.remove(which);
                        let no = Answer::Deny { because: None, then: Then::GoOn };
                        fixture.waiting.answer(id, if yes { YES } else { no }).unwrap();
                        assert_eq!(call.await.unwrap().ok, yes);
                        allowed += usize::from(yes);
                    }
                    Step::Leave(which) if which < open.len() => {
                        let (id, call) = open.remove(which);
                        call.abort();
                        let _ = call.await;
                        assert!(fixture.waiting.answer(id, YES).is_err());
                    }
                    Step::Answer(..) | Step::Leave(_) => {}
                }
            }
            for (_, call) in open {
                call.abort();
                let _ = call.await;
            }
            let types = fixture.types();
            let count = |name: &str| types.iter().filter(|known| *known == name).count();
            assert_eq!(count("approval_requested"), asked);
            assert_eq!(count("approval_answered") + count("approval_withdrawn"), asked);
            assert_eq!(count("call_finished"), asked);
            assert_eq!((count("call_started"), fixture.ran().len()), (allowed, allowed));
            assert!(fixture.waiting.is_empty());
            assert!(!fixture.clock.read().held);
        });
    }
}

fn edited(word: &str) -> Answer {
    Answer::AllowEdited { input: json!({ "word": word }) }
}

#[tokio::test]
async fn an_edited_call_is_what_runs_and_what_the_journal_says_beside_what_was_asked() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture.waiting.answer(id, edited("b")).unwrap();
    let result = call.await.unwrap();
    assert_eq!((result.ok, &result.input), (true, &json!({ "word": "b" })));
    assert_eq!(fixture.ran(), ["b"]);
    let lines = fixture.journal.0.lock().unwrap();
    let Event::ApprovalRequested { question } = &lines[0].event else { panic!() };
    let Event::ApprovalAnswered { answer, .. } = &lines[1].event else { panic!() };
    let Event::CallStarted { call, decision, .. } = &lines[2].event else { panic!() };
    assert_eq!(question.call.input, json!({ "word": "a" }));
    assert_eq!(*answer, edited("b"));
    assert_eq!(
        (&call.input, decision.clone()),
        (&json!({ "word": "b" }), Decision::allowed(Decider::Person))
    );
}

#[tokio::test]
async fn an_edit_that_cannot_be_taken_is_refused_with_its_reason_and_the_question_comes_back() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    for (answer, reason) in [
        (edited("bad"), "the edit was refused: not that word"),
        (
            Answer::AllowEdited { input: json!({ "word": 1 }) },
            "the edit was refused: Invalid input for change.word: expected string",
        ),
    ] {
        let id = fixture.question().await;
        fixture.waiting.answer(id, answer).unwrap();
        loop {
            let lines = fixture.journal.0.lock().unwrap().clone();
            let said = lines.iter().find_map(|line| {
                let Event::ApprovalWithdrawn { approval, reason, .. } = &line.event else {
                    return None;
                };
                (*approval == id).then(|| reason.clone())
            });
            if let Some(said) = said {
                assert_eq!(said, reason);
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let id = fixture.question().await;
    fixture.waiting.answer(id, YES).unwrap();
    assert!(call.await.unwrap().ok);
    assert_eq!(fixture.ran(), ["a"]);
}

#[tokio::test]
async fn an_edit_does_not_get_past_plan_mode() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    // The mode changes and the answer is there before the asker looks.
    fixture.waiting.answer(id, edited("b")).unwrap();
    fixture.mode.send_replace(Mode::Plan);
    let result = call.await.unwrap();
    assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
    assert!(fixture.ran().is_empty());
}
