//! Ten thousand calls that wait at once.

use tokio::task::JoinHandle;

use super::{rules::session, *};

const MANY: usize = 10_000;

/// A session in which that many wait, and the names of their questions.
async fn crowd(fixture: &Fixture) -> (Vec<JoinHandle<ToolResult>>, Vec<ApprovalId>) {
    let mut calls = Vec::with_capacity(MANY);
    let mut asked = Vec::with_capacity(MANY);
    for _ in 0..MANY {
        calls.push(tokio::spawn(fixture.word("change", "docs/a")));
        asked.push(fixture.question().await);
    }
    assert_eq!(fixture.waiting.len(), MANY);
    (calls, asked)
}

/// How often each type of event is in the journal.
fn counts(fixture: &Fixture) -> [usize; 5] {
    let types = fixture.types();
    [
        "approval_requested",
        "approval_answered",
        "approval_withdrawn",
        "call_started",
        "call_finished",
    ]
    .map(|name| types.iter().filter(|known| *known == name).count())
}

#[tokio::test]
async fn one_yes_answers_ten_thousand_once_each_and_each_looks_at_the_rules_only_a_few_times() {
    let looked = Arc::new(AtomicUsize::new(0));
    let counting = looked.clone();
    let today = move || {
        counting.fetch_add(1, Ordering::Relaxed);
        jiff::civil::Date::MIN
    };
    let rules = Rules::new(Arc::new(today), None);
    let fixture = ruled(rules, Mode::Default, Attended::Yes, Limits::default());
    let (calls, asked) = crowd(&fixture).await;
    let before = looked.load(Ordering::Relaxed);
    fixture.waiting.answer(asked[MANY / 2], session("docs/*")).unwrap();
    for call in calls {
        assert!(call.await.unwrap().ok);
    }
    assert_eq!(counts(&fixture), [MANY, MANY, 0, MANY, MANY]);
    let by_person = |(_, _, by): &&(_, _, Decider)| *by == Decider::Person;
    assert_eq!(fixture.answers().iter().filter(by_person).count(), 1);
    assert!(fixture.waiting.is_empty());
    // Not once more for each of the others.
    let most = 8 * MANY;
    let looks = looked.load(Ordering::Relaxed) - before;
    assert!(looks <= most, "{looks} looks");
}

#[tokio::test]
async fn one_stop_withdraws_ten_thousand_and_a_late_yes_to_any_does_nothing() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let (calls, asked) = crowd(&fixture).await;
    fixture.cancel.cancel();
    for call in calls {
        assert_eq!(call.await.unwrap().error_code(), Some(ErrorCode::Interrupted));
    }
    assert_eq!(counts(&fixture), [MANY, 0, MANY, 0, MANY]);
    for id in asked {
        assert_eq!(fixture.waiting.answer(id, YES), Err(NotAnswered::NobodyWaits));
    }
    assert!(fixture.ran().is_empty() && !fixture.clock.read().held);
}

#[tokio::test]
async fn each_that_waits_is_answered_by_its_own_answer() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let (calls, asked) = crowd(&fixture).await;
    let no = Answer::Deny { because: None, then: Then::GoOn };
    for (at, id) in asked.iter().enumerate().rev() {
        let answer = if at % 3 == 0 { YES } else { no.clone() };
        fixture.waiting.answer(*id, answer).unwrap();
    }
    for (at, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().ok, at % 3 == 0, "{at}");
    }
    let yes = MANY.div_ceil(3);
    assert_eq!(counts(&fixture), [MANY, MANY, 0, yes, MANY]);
}

#[tokio::test]
async fn a_call_that_waits_takes_little_room() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = fixture.word("change", "a");
    let room = size_of_val(&call);
    assert!(room <= 8 << 10, "{room} bytes for one call");
}
