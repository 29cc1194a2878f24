//! The gate with a monitor: what its word is worth, and what becomes of a call without one.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at some events")]

mod meanwhile;

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::kernel::{
    allowance::{Allowance, Ceiling},
    gate::{
        law::{Layer, Placed},
        monitor::{Doubt, Lookout, Tier},
        policy::Runs,
        rule::{Lasting, Reading, parse},
    },
    id::ApprovalId,
    message::Usage,
    port::{Heard, Judged, Monitor, Opinion},
};

const PATIENCE: Duration = Duration::from_secs(10);

/// What the monitor of a test does.
#[derive(Clone, Debug)]
enum Part {
    Says(Opinion),
    Fails,
    Breaks,
    IsSilent,
    /// Says nothing against it, once the test says so.
    Waits(Arc<tokio::sync::Notify>),
}

struct Played {
    part: Part,
    /// At each call.
    uses: Usage,
    asked: AtomicUsize,
    seen: Mutex<Vec<Judged>>,
    dropped: AtomicUsize,
}

/// Counts the work that was given up.
struct Work<'a>(&'a Played, bool);

impl Drop for Work<'_> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Monitor for Played {
    fn judge(&self, judged: Judged) -> BoxFuture<'_, Heard> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.seen.lock().unwrap().push(judged);
        Box::pin(async move {
            let mut work = Work(self, false);
            let opinion = match &self.part {
                Part::Says(opinion) => Ok(opinion.clone()),
                Part::Fails => Err("no route\u{1b}[2J to it".to_owned()),
                Part::Breaks => panic!("as it was told to"),
                Part::IsSilent => std::future::pending().await,
                Part::Waits(word) => {
                    word.notified().await;
                    Ok(Opinion::Clear)
                }
            };
            work.1 = true;
            Heard { opinion, usage: self.uses }
        })
    }
}

fn soft() -> Part {
    Part::Says(Opinion::Soft("it is odd".to_owned()))
}

fn hard() -> Part {
    Part::Says(Opinion::Hard("it is evil".to_owned()))
}

fn clear() -> Part {
    Part::Says(Opinion::Clear)
}

fn doubt(tier: Tier, reason: &str) -> Doubt {
    Doubt { tier, reason: reason.to_owned() }
}

impl Fixture {
    fn watched(mode: Mode, attended: Attended, part: Part) -> (Self, Arc<Played>) {
        Self::using(mode, attended, part, Usage::default())
    }

    fn using(mode: Mode, attended: Attended, part: Part, uses: Usage) -> (Self, Arc<Played>) {
        let mut fixture = fixture(mode, attended);
        let played = Arc::new(Played {
            part,
            uses,
            asked: AtomicUsize::new(0),
            seen: Mutex::default(),
            dropped: AtomicUsize::new(0),
        });
        let said = || vec!["make it so".to_owned()];
        let lookout = Lookout::new(played.clone(), "judge", PATIENCE).hearing(Arc::new(said));
        let gate = fixture.tools.context.gate.clone();
        fixture.tools.context.gate = gate.with_lookout(Some(lookout));
        (fixture, played)
    }

    fn put(&self) -> Vec<crate::kernel::gate::approval::Question> {
        let lines = self.journal.lines.lock().unwrap();
        let question = |line: &Arc<Envelope>| match &line.event {
            Event::ApprovalRequested { question } => Some(question.clone()),
            _ => None,
        };
        lines.iter().filter_map(question).collect()
    }

    /// What was decided of calls that started or did not, in order.
    fn decided(&self) -> Vec<Decision> {
        let lines = self.journal.lines.lock().unwrap();
        let decision = |line: &Arc<Envelope>| match &line.event {
            Event::CallStarted { decision, .. } => Some(decision.clone()),
            Event::CallFinished { decision, .. } => decision.clone(),
            _ => None,
        };
        lines.iter().filter_map(decision).collect()
    }

    fn rule(&self, effect: &str, call: &str) {
        // An allow covers no place that it does not name.
        let place = if matches!(call, "look" | "change") { "path = \"**\"\n" } else { "" };
        let text = format!("[[{effect}]]\ncall = \"{call}\"\n{place}");
        let parsed = parse(&text, Reading { home: None, lasting: Lasting::File });
        let place = |(line, rule)| Placed::new(rule, Layer::User, "rules.toml", line);
        self.rules.replace(parsed.rules.into_iter().map(place).collect());
    }
}

impl Played {
    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn a_read_is_never_put_to_the_monitor() {
    for mode in Mode::ALL {
        let (mut fixture, played) = Fixture::watched(mode, Attended::No, hard());
        assert!(fixture.word("look", "a").await.ok);
        fixture.tools.context.gate = fixture.tools.context.gate.clone().with_runs(Runs::Asked);
        assert!(fixture.word("look", "a").await.ok);
        assert_eq!(played.asked(), 0, "{mode:?}");
    }
}

#[tokio::test]
async fn with_nothing_against_it_what_the_gate_said_stands_in_its_own_name() {
    let (fixture, played) = Fixture::watched(Mode::Auto, Attended::No, clear());
    for (count, name) in ["change", "start", "send"].into_iter().enumerate() {
        assert!(fixture.word(name, "a").await.ok);
        assert_eq!(played.asked(), count + 1);
    }
    for decision in fixture.decided() {
        assert_eq!(decision, Decision::allowed(Decider::Mode { mode: Mode::Auto }));
    }
    let seen = played.seen.lock().unwrap();
    assert_eq!((&*seen[0].call.name, seen[0].category), ("change", Category::Write));
    assert_eq!(seen[0].call.input, json!({ "word": "a" }));
    assert_eq!(
        (seen[0].agent.join("/"), &*seen[0].said),
        ("root".to_owned(), &["make it so".to_owned()][..])
    );
}

#[tokio::test]
async fn what_is_refused_or_asked_anyway_is_not_put_to_it() {
    let (fixture, played) = Fixture::watched(Mode::Plan, Attended::Yes, hard());
    let refused = fixture.word("change", "a").await;
    assert_eq!(refused.error_code(), Some(ErrorCode::BlockedInPlanMode));
    fixture.mode.send_replace(Mode::Auto);
    fixture.rule("deny", "send");
    let denied = fixture.word("send", "a").await;
    assert_eq!(denied.error_code(), Some(ErrorCode::DeniedByRule));
    fixture.mode.send_replace(Mode::Default);
    // A person's yes is the last word, also to other arguments.
    for answer in [YES, Answer::AllowEdited { input: json!({ "word": "b" }) }] {
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        fixture.waiting.answer(id, answer).unwrap();
        assert!(call.await.unwrap().ok);
    }
    assert_eq!(fixture.put()[0].monitor, None);
    assert_eq!((played.asked(), fixture.ran()), (0, vec!["a".to_owned(), "b".to_owned()]));
}

#[tokio::test]
async fn a_soft_word_asks_the_person_with_its_reason_and_for_that_call_alone() {
    let (fixture, played) = Fixture::watched(Mode::Auto, Attended::Yes, soft());
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    assert_eq!(fixture.put()[0].monitor, Some(doubt(Tier::Soft, "it is odd")));
    // Nothing that speaks for many calls speaks for this one.
    let bare = Answer::Allow { scope: Scope::Session { rule: String::new() } };
    let Err(NotAnswered::Refused(why)) = fixture.waiting.answer(id, bare) else { panic!() };
    assert!(why.contains("monitor") && why.contains("once"), "{why}");
    fixture.rule("allow", "change");
    fixture.mode.send_replace(Mode::AcceptEdits);
    tokio::task::yield_now().await;
    assert!(!call.is_finished() && fixture.waiting.len() == 1);
    fixture.waiting.answer(id, YES).unwrap();
    assert!(call.await.unwrap().ok);
    assert_eq!(fixture.decided(), [Decision::allowed(Decider::Person)]);
    let again = tokio::spawn(fixture.word("change", "a"));
    fixture.question().await;
    assert_eq!(played.asked(), 2);
    again.abort();
}

#[tokio::test]
async fn a_mode_or_a_rule_that_forbids_it_answers_its_question() {
    let (fixture, _) = Fixture::watched(Mode::Auto, Attended::Yes, soft());
    let call = tokio::spawn(fixture.word("change", "a"));
    fixture.question().await;
    fixture.mode.send_replace(Mode::Plan);
    assert_eq!(call.await.unwrap().error_code(), Some(ErrorCode::BlockedInPlanMode));
}

#[tokio::test]
async fn a_hard_word_refuses_whoever_is_there_and_the_journal_has_tier_and_reason() {
    for attended in [Attended::Yes, Attended::No] {
        let (fixture, _) = Fixture::watched(Mode::Auto, attended, hard());
        let result = fixture.word("send", "a").await;
        assert_eq!(result.error_code(), Some(ErrorCode::BlockedByMonitor));
        assert_eq!(result.content["tier"], "hard");
        assert_eq!(result.content["reason"], "it is evil");
        assert!(fixture.put().is_empty() && fixture.ran().is_empty());
        let decisions = fixture.decided();
        assert_eq!(decisions[0].by, Decider::Monitor(doubt(Tier::Hard, "it is evil")));
        assert_eq!(
            (decisions[0].allowed, decisions[0].category),
            (false, Some(Category::External))
        );
        let written = serde_json::to_value(&decisions[0]).unwrap();
        assert_eq!(
            written["by"],
            json!({ "who": "monitor", "tier": "hard", "reason": "it is evil" })
        );
    }
}

#[tokio::test]
async fn what_it_wants_asked_is_refused_where_nobody_is() {
    let (fixture, _) = Fixture::watched(Mode::Auto, Attended::No, soft());
    let result = fixture.word("change", "a").await;
    assert_eq!(result.error_code(), Some(ErrorCode::BlockedByMonitor));
    assert_eq!((&result.content["tier"], fixture.ran().len()), (&json!("soft"), 0));
    let (fixture, _) = Fixture::watched(Mode::Auto, Attended::No, Part::Fails);
    let result = fixture.word("change", "a").await;
    assert_eq!(result.error_code(), Some(ErrorCode::NoApprover));
    assert_eq!(result.content["reason"], "no route⟨U+001B⟩[2J to it");
    assert!(fixture.ran().is_empty());
}

#[tokio::test(start_paused = true)]
async fn without_a_verdict_a_person_is_asked() {
    for (part, reason) in [
        (Part::Fails, "no route⟨U+001B⟩[2J to it"),
        (Part::Breaks, "it broke"),
        (Part::IsSilent, "it said nothing within 10 s"),
    ] {
        let (fixture, played) = Fixture::watched(Mode::Auto, Attended::Yes, part);
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        assert_eq!(fixture.put()[0].monitor, Some(doubt(Tier::Failed, reason)));
        assert!(fixture.ran().is_empty());
        fixture.waiting.answer(id, YES).unwrap();
        assert!(call.await.unwrap().ok);
        assert_eq!(played.asked(), 1);
    }
}

#[tokio::test]
async fn what_it_used_is_recorded_before_the_call_begins() {
    let used = Usage { input: 900, output: 12, ..Usage::default() };
    let (fixture, _) = Fixture::using(Mode::Auto, Attended::No, clear(), used);
    assert!(fixture.word("change", "a").await.ok);
    let lines = fixture.journal.lines.lock().unwrap();
    let Event::CallJudged { call, usage } = lines[0].event else { panic!("{lines:?}") };
    assert_eq!(usage, used);
    assert!(matches!(&lines[1].event, Event::CallStarted { call: begun, .. } if begun.id == call));
}

#[tokio::test]
async fn where_all_is_used_it_is_not_asked_and_a_person_is() {
    let (mut fixture, played) = Fixture::watched(Mode::Auto, Attended::Yes, clear());
    let ceiling = Ceiling { tokens: Some(10), ..Ceiling::default() };
    let spent = Usage { input: 10, ..Usage::default() };
    let lookout = Lookout::new(played.clone(), "judge", PATIENCE);
    let lookout = lookout.within(Allowance::new(ceiling, spent), None);
    fixture.tools.context.gate = fixture.tools.context.gate.clone().with_lookout(Some(lookout));
    let call = tokio::spawn(fixture.word("change", "a"));
    fixture.question().await;
    let said =
        "The limit of 10 tokens for this session and its agents together is reached: 10 are used.";
    assert_eq!(fixture.put()[0].monitor, Some(doubt(Tier::Failed, said)));
    assert_eq!(played.asked(), 0);
    call.abort();
}

/// How far a call came, the less the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    Ran,
    Asked,
    Refused,
}

/// Makes one call, and says how far it came before any person said a word.
async fn came(fixture: &Fixture, name: &str) -> Came {
    let call = tokio::spawn(fixture.word(name, "a"));
    let abort = call.abort_handle();
    let came = tokio::select! {
        biased;
        _ = fixture.question() => Came::Asked,
        result = call => if result.unwrap().ok { Came::Ran } else { Came::Refused },
    };
    abort.abort();
    came
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn with_a_monitor_of_any_verdict_no_call_comes_further(
        mode in proptest::sample::select(Mode::ALL.to_vec()),
        attended in proptest::sample::select(vec![Attended::Yes, Attended::No]),
        runs in proptest::sample::select(vec![Runs::BySeal, Runs::Asked]),
        rule in proptest::option::of(proptest::sample::select(vec!["allow", "ask", "deny"])),
        name in proptest::sample::select(vec!["look", "change", "start", "send"]),
        part in proptest::sample::select(vec![
            clear(), soft(), hard(), Part::Fails, Part::IsSilent,
        ]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let with = |mut fixture: Fixture| {
                fixture.tools.context.gate = fixture.tools.context.gate.clone().with_runs(runs);
                if let Some(effect) = rule {
                    fixture.rule(effect, name);
                }
                fixture
            };
            let alone = came(&with(fixture(mode, attended)), name).await;
            let (fixture, played) = Fixture::watched(mode, attended, part.clone());
            let watched = came(&with(fixture), name).await;
            assert!(watched >= alone, "{alone:?} became {watched:?}");
            // It is heard exactly where nobody else would have said no, and its word counts there.
            let heard = alone == Came::Ran && name != "look";
            assert_eq!(played.asked(), usize::from(heard));
            if heard {
                let without_verdict = match attended {
                    Attended::Yes => Came::Asked,
                    Attended::No => Came::Refused,
                };
                let expected = match part {
                    Part::Says(Opinion::Clear) | Part::Waits(_) => Came::Ran,
                    Part::Says(Opinion::Hard(_)) => Came::Refused,
                    Part::Says(Opinion::Soft(_)) | Part::Fails | Part::Breaks | Part::IsSilent => {
                        without_verdict
                    }
                };
                assert_eq!(watched, expected);
            }
        });
    }
}
