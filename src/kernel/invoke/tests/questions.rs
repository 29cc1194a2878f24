//! A question from the moment it is put until it is closed.

use super::{
    rules::{placed, session, table},
    *,
};
use crate::kernel::{capability::Body, gate::approval::CHANGED};

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
    let lines = fixture.journal.lines.lock().unwrap();
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
    let lines = fixture.journal.lines.lock().unwrap();
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

#[tokio::test]
async fn a_yes_that_comes_after_plan_mode_or_a_rule_that_denies_does_nothing() {
    for (plan, code) in [(true, ErrorCode::BlockedInPlanMode), (false, ErrorCode::DeniedByRule)] {
        let fixture = fixture(Mode::Default, Attended::Yes);
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        // All of it before the asker looks.
        if plan {
            fixture.mode.send_replace(Mode::Plan);
        } else {
            fixture.rules.replace(placed(&table("deny", "change", "a")));
        }
        fixture.waiting.answer(id, YES).unwrap();
        assert_eq!(call.await.unwrap().error_code(), Some(code));
        assert_eq!(fixture.types(), ["approval_requested", "approval_answered", "call_finished"]);
        assert!(fixture.ran().is_empty());
    }
}

#[tokio::test]
async fn what_a_mode_let_through_is_asked_again_if_that_was_over_before_it_began() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let first = fixture.question().await;
    fixture.journal.busy.send_replace(true);
    fixture.mode.send_replace(Mode::Auto);
    while fixture.answers().is_empty() {
        tokio::task::yield_now().await;
    }
    // Its answer is on the way to the disk.
    fixture.mode.send_replace(Mode::Default);
    fixture.journal.busy.send_replace(false);
    let second = fixture.question().await;
    assert_ne!(first, second);
    fixture.waiting.answer(second, YES).unwrap();
    assert!(call.await.unwrap().ok);
}

#[tokio::test]
async fn a_yes_for_the_session_stands_also_if_the_call_is_gone_before_it_hears_of_it() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    assert_eq!(fixture.waiting.answer(id, session("a")), Ok(()));
    call.abort();
    assert!(call.await.is_err());
    assert_eq!(fixture.types(), ["approval_requested", "approval_answered", "call_finished"]);
    assert_eq!(fixture.answers(), [(id, session("a"), Decider::Person)]);
    assert!(fixture.word("change", "a").await.ok);
    assert_eq!(fixture.ran(), ["a"]);
}

#[tokio::test]
async fn a_yes_that_cannot_be_recorded_does_nothing_and_does_not_stand() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture.journal.full.store(true, Ordering::SeqCst);
    fixture.waiting.answer(id, session("a")).unwrap();
    let result = call.await.unwrap();
    assert_eq!(result.error_code(), Some(ErrorCode::Failed));
    assert!(result.text().contains("could not be recorded"), "{}", result.text());
    fixture.journal.full.store(false, Ordering::SeqCst);
    let again = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture.waiting.answer(id, YES).unwrap();
    assert!(again.await.unwrap().ok);
    assert_eq!(fixture.ran(), ["a"]);
}

/// What ends a question by itself, while an answer to it is being saved that is then refused.
#[tokio::test(start_paused = true)]
async fn what_happens_while_an_answer_is_refused_is_not_lost() {
    for expires in [false, true] {
        let limits = Limits { approval_ms: Some(5_000), ..Limits::default() };
        let fixture = limited(Mode::Default, Attended::Yes, limits);
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        let always = Answer::Allow { scope: Scope::Always { rule: table("allow", "change", "a") } };
        let (waiting, runtime) = (fixture.waiting.clone(), tokio::runtime::Handle::current());
        let (saving, saves) = oneshot::channel();
        let (fail, failed) = std::sync::mpsc::channel::<()>();
        let refused = runtime.spawn_blocking(move || {
            waiting.answer_kept(id, always, |_| {
                saving.send(()).unwrap();
                failed.recv().unwrap();
                Err("the disk is full".to_owned())
            })
        });
        saves.await.unwrap();
        if expires {
            // In steps, or it would be time in which this process was stopped.
            for _ in 0..60 {
                tokio::time::advance(Duration::from_millis(100)).await;
                tokio::task::yield_now().await;
            }
        } else {
            fixture.mode.send_replace(Mode::Auto);
        }
        // The asker looks, and cannot leave.
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
        assert!(!call.is_finished());
        fail.send(()).unwrap();
        assert!(matches!(refused.await.unwrap(), Err(NotAnswered::Refused(_))));
        let code = expires.then_some(ErrorCode::ApprovalExpired);
        assert_eq!(call.await.unwrap().error_code(), code);
    }
}

/// The questions that wait, by the word they are about, and what stands in the file.
fn open_questions(fixture: &Fixture) -> Vec<(ApprovalId, String, String)> {
    let events = fixture.events();
    let closed = |id: ApprovalId| {
        events.iter().any(|event| {
            let answered =
                matches!(event, Event::ApprovalAnswered { approval, .. } if *approval == id);
            let gone =
                matches!(event, Event::ApprovalWithdrawn { approval, .. } if *approval == id);
            answered || gone
        })
    };
    let open = events.iter().filter_map(|event| {
        let Event::ApprovalRequested { question } = event else { return None };
        let Body::Text { text } = &question.preview.body else { return None };
        let open = (question.id, question.preview.object.clone(), text.clone());
        (!closed(question.id)).then_some(open)
    });
    open.collect()
}

#[tokio::test]
async fn a_question_whose_file_is_written_meanwhile_goes_and_comes_again_with_what_it_would_do_now()
{
    let fixture = fixture(Mode::Default, Attended::Yes);
    let mut calls = Vec::new();
    for word in ["file", "file", "file", "file2"] {
        calls.push(tokio::spawn(fixture.word("change", word)));
        fixture.question().await;
    }
    let before = open_questions(&fixture);
    fixture.waiting.answer(before[0].0, YES).unwrap();
    // The other two of that file ask anew, and the one of another file goes on as it was.
    for _ in 0..2 {
        fixture.question().await;
    }
    let after = open_questions(&fixture);
    let told = |(_, word, text): &(ApprovalId, String, String)| format!("{word}:{text}");
    let all: Vec<_> = after.iter().map(told).collect();
    assert_eq!(all, ["file2:", "file:x", "file:x"]);
    assert_eq!(after[0].0, before[3].0);
    let reasons = fixture.events().into_iter().filter_map(|event| {
        let Event::ApprovalWithdrawn { reason, .. } = event else { return None };
        Some(reason)
    });
    assert_eq!(reasons.collect::<Vec<_>>(), [CHANGED, CHANGED]);
    // A yes to what is no longer asked does nothing.
    for old in &before[1..3] {
        let late = fixture.waiting.answer(old.0, YES);
        assert_eq!(late, Err(NotAnswered::NobodyWaits));
    }
    assert_eq!(fixture.ran(), ["file"]);
    // After the second write the third can do nothing any more: its caller is told, and nobody is asked.
    fixture.waiting.answer(after[1].0, YES).unwrap();
    let mut ends = Vec::new();
    for call in calls.drain(..3) {
        ends.push(call.await.unwrap().ok);
    }
    ends.sort_unstable();
    assert_eq!(ends, [false, true, true]);
    assert_eq!(fixture.ran(), ["file", "file"]);
    fixture.waiting.answer(after[0].0, YES).unwrap();
    assert!(calls.remove(0).await.unwrap().ok);
}

#[tokio::test]
async fn a_change_between_the_look_and_the_seat_is_seen_as_well() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let first = tokio::spawn(fixture.word("change", "file"));
    let id = fixture.question().await;
    // Told at once, as by a call that ended just then: nothing is different, so nothing is asked anew.
    fixture.waiting.changed(&Subject::path(std::path::Path::new("/nowhere/file")));
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert_eq!(open_questions(&fixture).len(), 1);
    fixture.waiting.answer(id, YES).unwrap();
    assert!(first.await.unwrap().ok);
    assert_eq!(fixture.types().iter().filter(|name| *name == "approval_requested").count(), 1);
}
